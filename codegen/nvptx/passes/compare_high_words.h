#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Compares the upper half of an f64 alone, where the question is whether its size is below a constant whose lower half
/// is zero, or its bits are in a range between such constants: so most functions of `math` ask whether an argument is a
/// usual one. A comparison of f64 takes time of the unit for f64, of which GPUs have least; one of 64 bits is two
/// instructions.
void compare_high_words(llvm::Module& module);

}  // namespace pykc::codegen
