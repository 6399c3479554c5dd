// Simple statements.
#pragma once

#include "frontend/syntax/parse.h"

namespace pykc {

void parse_statement(Parser& parser, ast::Suite& into);
void parse_simple_statements(Parser& parser, ast::Suite& into);
ast::ExprPtr parse_value(Parser& parser);
void check_target(Parser& parser, const ast::Expr& target);

}  // namespace pykc
