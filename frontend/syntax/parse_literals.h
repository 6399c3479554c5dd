// Expressions: numbers and strings.
#pragma once

#include <string>

#include "frontend/syntax/parse.h"

namespace pykc {

ast::ExprPtr parse_integer(Parser& parser);
ast::ExprPtr parse_float(Parser& parser);
ast::ExprPtr parse_strings(Parser& parser);
ast::ExprPtr parse_bytes(Parser& parser);
void append_text(Parser& parser, SourceRange range, bool is_raw, std::string& into);

}  // namespace pykc
