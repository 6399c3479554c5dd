#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Whether an f64's size is below a constant whose lower half is zero: the upper halves tell, as integers, which takes
/// none of the time of f64 arithmetic, of which GPUs have least. `|x| < 708` is what most functions of `math` ask.
void compare_high_words(llvm::Module& module);

}  // namespace pykc::codegen
