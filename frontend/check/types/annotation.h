// Types as annotations spell them.
#pragma once

#include <optional>

#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// The type of a parameter in a signature or a request.
std::optional<checked::Type> type_of_argument(checked::TypePool& types, const ArgumentType& argument);

/// The type that an annotation spells; none, and a report, for anything else. types/annotation.cpp
std::optional<checked::Type> annotation(FunctionChecker& checker, const ast::Expr& expr);

/// What the function states of its types, from annotations or a signature.
void read_types(ModuleChecker& module, FunctionDecl& function);

}  // namespace pykc::checker
