// Functions for certain types of arguments, constants, functions inside functions: each is worked out once.
#pragma once

#include <vector>

#include "frontend/check/module_checker.h"

namespace pykc::checker {

const Entity& constant(ModuleChecker& module, ConstantDecl& constant);
/// Which types variables and result have when the function is called with these.
Specialization& infer(ModuleChecker& module, FunctionDecl& function, const std::vector<InferredType>& arguments);
/// The checked function. Its body may still be under way when the function is recursive.
checked::Function* emit(ModuleChecker& module, FunctionDecl& function, Specialization& specialization);
/// A function, type or constant as part of a type: the number stands for it.
int intern(ModuleChecker& module, const Entity& entity);
/// A function inside another one.
FunctionDecl& nested_function(ModuleChecker& module, const ast::FunctionDef& def, const FunctionDecl& enclosing);

}  // namespace pykc::checker
