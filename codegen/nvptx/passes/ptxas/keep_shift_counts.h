#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// The bits of an f32 are the count of a shift, `i64(x) << float_as_int(y)`: ptxas 13.0 converts the f32 to an integer
/// for `shl.b64`. The bits are hidden from it, see hidden.h.
void keep_shift_counts(llvm::Module& module);

}  // namespace pykc::codegen
