#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Minimum, maximum and absolute value of 8 and 16-bit integers become those of 32 bits. ptxas 13.0 gets the narrow
/// forms wrong: it takes the result of `abs.s16` for positive, which that of -32768 is not, and the predicate of a
/// `max.u16` that is compared with one of its operands for true.
void widen_small_integers(llvm::Module& module);

}  // namespace pykc::codegen
