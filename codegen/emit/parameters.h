// A function's parameters: their types as a caller passes them, what the optimiser may know of them, and their values.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "codegen/emit/module_state.h"

namespace pykc::codegen {

/// The types that the C ABI passes: a kernel's bool is a byte.
llvm::SmallVector<llvm::Type*> parameter_types(const ModuleState& state, const ir::Function& source);

/// noalias, readonly, alignment, ranges; for the first source.parameters.size() arguments.
void add_parameter_attributes(const ir::Function& source, llvm::Function& function);

/// The parameters as values of the IR's types.
std::vector<llvm::Value*> parameter_values(const ir::Function& source, llvm::Function& function,
                                           llvm::IRBuilder<>& builder);

}  // namespace pykc::codegen
