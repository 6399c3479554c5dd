#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// Functions with more results than registers hold write them to memory of their caller. As parts of one struct, each
/// would be an instruction that holds all of them, and the time that LLVM takes would grow with the square of their
/// number. The module is as the emitter left it.
void pass_results_in_memory(llvm::Module& module);

}  // namespace pykc::codegen
