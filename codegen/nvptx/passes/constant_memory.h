#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Moves the constants of f64 arithmetic into constant memory. An instruction has room for the upper half of one; where
/// the lower is not zero, ptxas moves both halves into registers in front of each use, which is a fifth of all
/// instructions of a logarithm. What is in constant memory it takes as an operand, or loads once in front of a loop.
void keep_constants_in_memory(llvm::Module& module);

}  // namespace pykc::codegen
