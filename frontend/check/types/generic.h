// What can be said of a kernel without types.
#pragma once

#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// Only whether the names that the function uses exist: types/generic.cpp.
void check_names(FunctionChecker& checker, const FunctionDecl& function);

/// Whether shapes of arrays are made of a parameter: then it is known while compiling where its argument is.
bool is_shape_parameter(ModuleChecker& module, FunctionDecl& function, std::size_t index);  // types/generic.cpp
/// Whether a field or an element of what the name stands for is assigned, here or by what it is passed on to.
bool changes_fields(ModuleChecker& module, FunctionDecl& function, std::string_view name);  // types/generic.cpp
/// Whether that is so of a parameter: then a record is passed by reference.
bool changes_parameter(ModuleChecker& module, FunctionDecl& function, std::size_t index);  // types/generic.cpp

}  // namespace pykc::checker
