// Expressions: operators.
#pragma once

#include "frontend/syntax/parse.h"

namespace pykc {

ast::ExprPtr parse_star_expressions(Parser& parser);
ast::ExprPtr parse_star_expression(Parser& parser);
ast::ExprPtr parse_named_expression(Parser& parser);
ast::ExprPtr parse_expression(Parser& parser);
ast::ExprPtr parse_logical(Parser& parser, ast::BoolOp op);
ast::ExprPtr parse_targets(Parser& parser);

}  // namespace pykc
