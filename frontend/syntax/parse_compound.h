// Statements with blocks.
#pragma once

#include <vector>

#include "frontend/syntax/parse.h"

namespace pykc {

ast::StmtPtr parse_compound_statement(Parser& parser);
std::vector<ast::Parameter> parse_parameters(Parser& parser, TokenKind end);
ast::ExprPtr parse_condition(Parser& parser);

}  // namespace pykc
