#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// What ptxas 13.0 gets wrong with 8 and 16-bit integers is written otherwise.
/// - Minimum, maximum and absolute value become those of 32 bits: ptxas takes the result of `abs.s16` for positive,
///   which that of -32768 is not, and the predicate of a `max.u16` that is compared with one of its operands for true.
/// - A signed 8-bit parameter of a function gets its sign by a byte permutation: of what `ld.param.s8` loads into 16
///   bits ptxas extends all 32.
void widen_small_integers(llvm::Module& module);

}  // namespace pykc::codegen
