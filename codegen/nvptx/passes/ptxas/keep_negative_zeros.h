#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A choice between -1 and -0 of f32, `-f32(x > 3)` or `f32(-1.0) if x > 3 else f32(-0.0)`: ptxas 13.0 takes it for a
/// flag that becomes a float, and gives 0 in the place of -0. The latter is hidden from it, see hidden.h.
void keep_negative_zeros(llvm::Module& module);

}  // namespace pykc::codegen
