// The embedded math library: the same code for every target, so that a GPU and a CPU compute the same bits.
//
// tools/slice_math.cpp makes it at build time from libclc's bitcode and from math/*.ll; docs/math.md has the error
// bounds. A module that uses none of its functions pays nothing.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <string_view>

namespace pykc::codegen {

/// "__pykc_sin_f32" for "sin" and float.
std::string math_symbol(std::string_view name, llvm::Type* type);
llvm::FunctionType* math_signature(std::string_view name, llvm::Type* type);

/// Copies the bodies of the library's functions that `module` declares into it, with all that they need; whether there
/// are any.
bool link_math_library(llvm::Module& module);

}  // namespace pykc::codegen
