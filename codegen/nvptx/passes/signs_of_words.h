#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Negations and sizes of f64 are free as operands of f64 arithmetic. Elsewhere, as where one of two numbers is
/// chosen, ptxas adds them to 0, which takes the time of f64 arithmetic, of which GPUs have least: there, they are made
/// of the upper halves.
void change_signs_of_words(llvm::Module& module);

}  // namespace pykc::codegen
