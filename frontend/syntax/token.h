// A token: a kind and its place. Its text is the source's; values of literals are worked out by the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace pykc {

enum class TokenKind : std::uint8_t {
#define TOKEN(name, text) name,
#include "frontend/syntax/tokens.def"
};

struct Token {
  TokenKind kind;
  SourceRange range;
};

/// "`while`", "a name": how a message speaks of a token kind.
std::string_view describe(TokenKind kind);

/// One token a line, for `--emit=tokens` and golden tests.
std::string print_tokens(const SourceFile& file, const std::vector<Token>& tokens);

}  // namespace pykc
