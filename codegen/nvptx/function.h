// The functions of a module, for a GPU.
#pragma once

#include "codegen/emit/module_state.h"

namespace pykc::codegen {

llvm::Function* declare_nvptx_function(ModuleState& state, const ir::Function& source);
/// Gives a function that was declared its body; when all are declared.
void emit_nvptx_function(ModuleState& state, const ir::Function& source, llvm::Function& function);

}  // namespace pykc::codegen
