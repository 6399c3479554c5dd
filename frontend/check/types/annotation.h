// Types as annotations spell them.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// The type of a parameter in a signature or a request.
std::optional<checked::Type> type_of_argument(const ArgumentType& argument);

/// The type that an annotation spells; none, and a report, for anything else. types/annotation.cpp
std::optional<checked::Type> annotation(FunctionChecker& checker, const ast::Expr& expr);

}  // namespace pykc::checker
