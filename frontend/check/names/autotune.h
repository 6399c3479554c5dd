// `@autotune(configs=[config(TILE=16, ROWS=4), config(TILE=32, ROWS=8)])`: the configurations of a kernel.
#pragma once

#include "frontend/check/names/scope.h"
#include "frontend/syntax/ast.h"

namespace pykc::checker {

struct FunctionChecker;

/// Fills FunctionDecl::configurations, with nothing where something is wrong, which is reported.
void read_configurations(FunctionChecker& body, const ast::Expr& decorator, FunctionDecl& function);

}  // namespace pykc::checker
