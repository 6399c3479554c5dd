// The functions of a module, for the CPU.
#pragma once

#include "codegen/emit/module_state.h"

namespace pykc::codegen {

/// Declares a function; of a kernel its body, which takes the parameters by value, with its entry point around it.
llvm::Function* declare_cpu_function(ModuleState& state, const ir::Function& source);
/// Gives a function that was declared its body; when all are declared.
void emit_cpu_function(ModuleState& state, const ir::Function& source, llvm::Function& function);

}  // namespace pykc::codegen
