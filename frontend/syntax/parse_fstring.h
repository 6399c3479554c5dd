// Expressions: f-strings.
#pragma once

#include "frontend/syntax/parse.h"

namespace pykc {

void append_formatted(Parser& parser, SourceRange range, bool is_raw, ast::FormattedString& into);

}  // namespace pykc
