// Expressions: atoms and what follows them.
#pragma once

#include "frontend/syntax/parse.h"

namespace pykc {

ast::ExprPtr parse_postfix(Parser& parser);
void parse_argument(Parser& parser, ast::Call& call);
ast::ExprPtr parse_yield(Parser& parser);
ast::ExprPtr parse_await(Parser& parser);

}  // namespace pykc
