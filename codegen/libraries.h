// LLVM bitcode of others, which defines functions that kernels only declare.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "pykc/compiler.h"

namespace pykc::codegen {

/// The attribute of functions that a library must define.
inline constexpr llvm::StringLiteral kExternal = "pykc-external";

/// Links what the module needs of the bitcode among the libraries, whose functions are its own from then on. Gives
/// those libraries that are left for the driver to link when the module is loaded: on a GPU PTX and cubins, where
/// something is still undefined. Fails where a library is not for the module's target, or where a function that is
/// called is defined nowhere or with other types.
Result<std::vector<Library>> link_libraries(llvm::Module& module, const std::vector<Library>& libraries);

}  // namespace pykc::codegen
