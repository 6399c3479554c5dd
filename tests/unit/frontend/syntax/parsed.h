// What the tests of the lexer and the parser share: a text, and what became of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/syntax/token.h"

namespace pykc {

struct Parsed {
  std::shared_ptr<const SourceFile> file;
  std::vector<Token> tokens;
  std::unique_ptr<ast::Module> module;
  std::vector<Diagnostic> diagnostics;
};

inline Parsed parse_text(std::string text) {
  Parsed parsed;
  Diagnostics diagnostics;
  parsed.file = std::make_shared<SourceFile>("test.pyk", std::move(text));
  parsed.tokens = lex(*parsed.file, diagnostics);
  parsed.module = parse(parsed.file, parsed.tokens, diagnostics);
  parsed.diagnostics = diagnostics.take();
  return parsed;
}

/// The diagnostics of a text as "E0130 1:5; E0131 2:3"; "" for a sound one.
inline std::string errors_in(std::string text) {
  std::string errors;
  for (const Diagnostic& d : parse_text(std::move(text)).diagnostics)
    errors += (errors.empty() ? "" : "; ") + d.code + " " + std::to_string(d.place.line) + ":" +
              std::to_string(d.place.column);
  return errors;
}

/// The outline of a text that must be sound, without the line "Module"; else its errors.
inline std::string outline(std::string text) {
  const Parsed parsed = parse_text(text);
  if (!parsed.diagnostics.empty()) return errors_in(std::move(text));
  return ast::print(*parsed.module).substr(7);
}

/// The kinds of the tokens: "Identifier Equal Integer Newline EndOfFile".
inline std::string token_kinds(std::string text) {
  const Parsed parsed = parse_text(std::move(text));
  const std::string lines = print_tokens(*parsed.file, parsed.tokens);
  std::string kinds;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const std::size_t kind = lines.find(' ', begin) + 1;
    kinds += (kinds.empty() ? "" : " ") + lines.substr(kind, std::min(lines.find(' ', kind), end) - kind);
    begin = end + 1;
  }
  return kinds;
}

}  // namespace pykc
