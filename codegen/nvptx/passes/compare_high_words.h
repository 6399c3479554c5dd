#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Whether the size of an f64 is below a constant whose lower half is zero, or its bits are in such a range: the upper
/// half tells, which takes none of the time of f64 arithmetic, of which GPUs have least, and half that of 64 bits. Most
/// functions of `math` ask so whether a usual argument has come.
void compare_high_words(llvm::Module& module);

}  // namespace pykc::codegen
