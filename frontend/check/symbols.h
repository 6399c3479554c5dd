// The names of functions in the code that is made: each its own, none that the code itself refers to.
#pragma once

#include <string>
#include <string_view>

#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// A symbol for what the source calls `name`: that name, unless another has it.
std::string unique_symbol(ModuleChecker& module, std::string_view name);
/// Names that compiled code itself refers to: a kernel of that name gets another symbol.
void reserve_symbols_of_code(ModuleChecker& module);
/// No function of the module gets this symbol.
void reserve_symbol(ModuleChecker& module, const std::string& name);
bool is_reserved_symbol(std::string_view name);
/// A kernel keeps its name; a further specialisation, and every device function, adds its argument types.
std::string unique_symbol(ModuleChecker& module, const FunctionDecl& function, const Specialization& specialization);

}  // namespace pykc::checker
