// A function for each kind of node of an expression.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// FunctionChecker::entity without what is the same for every kind.
Entity check_node(FunctionChecker& checker, const ast::Expr& expr);

}  // namespace pykc::checker
