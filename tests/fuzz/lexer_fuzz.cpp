// Any bytes become tokens that lie in the file in order, with as many Dedents as Indents, and end with EndOfFile.
#include <cstdlib>

#include "frontend/frontend.h"
#include "frontend/syntax/token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pykc::TokenKind;
  const pykc::SourceFile file("fuzz.pyk", std::string(reinterpret_cast<const char*>(data), size));
  pykc::Diagnostics diagnostics;
  const std::vector<pykc::Token> tokens = pykc::lex(file, diagnostics);
  if (tokens.empty() || tokens.back().kind != TokenKind::EndOfFile) std::abort();
  int depth = 0;
  std::uint32_t end = 0;
  for (const pykc::Token& token : tokens) {
    if (token.range.begin < end || token.range.end < token.range.begin || token.range.end > size) std::abort();
    end = token.range.end;
    depth += token.kind == TokenKind::Indent ? 1 : token.kind == TokenKind::Dedent ? -1 : 0;
    if (depth < 0) std::abort();
  }
  if (depth != 0) std::abort();
  pykc::print_tokens(file, tokens);
  return 0;
}
