#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A signed part of a word that becomes an u32, and then a float, is taken for a signed number by ptxas 13.0 if the
/// part is not the lowest: f64(u32(i8(x >> 16))) was negative. The part is hidden from ptxas, see hidden.h.
void keep_signed_parts(llvm::Module& module);

}  // namespace pykc::codegen
