#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Moves the constants of f64 arithmetic into constant memory. An instruction takes half of such a constant as an
/// immediate; of any other, ptxas moves both halves into registers in front of each use, which is half of what a
/// logarithm consists of. What is in constant memory it takes from there as an operand, or loads once before a loop.
void keep_constants_in_memory(llvm::Module& module);

}  // namespace pykc::codegen
