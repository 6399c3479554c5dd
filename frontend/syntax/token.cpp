#include "frontend/syntax/token.h"

namespace pykc {

namespace {

std::string_view name_of(TokenKind kind) {
  constexpr std::string_view kNames[] = {
#define TOKEN(name, text) #name,
#include "frontend/syntax/tokens.def"
  };
  return kNames[static_cast<std::size_t>(kind)];
}

/// A token on one line: white space and control characters as escapes.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      result += {'\\', 'x', digits[c >> 4 & 15], digits[c & 15]};
    else
      result += c;
  }
  return result;
}

bool has_text(TokenKind kind) {
  return kind != TokenKind::Newline && kind != TokenKind::Indent && kind != TokenKind::Dedent &&
         kind != TokenKind::EndOfFile;
}

}  // namespace

std::string_view describe(TokenKind kind) {
  constexpr std::string_view kTexts[] = {
#define TOKEN(name, text) text,
#include "frontend/syntax/tokens.def"
  };
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string print_tokens(const SourceFile& file, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    const SourceFile::LineColumn place = file.line_column(token.range.begin);
    text += std::to_string(place.line) + ":" + std::to_string(place.column) + " ";
    text += name_of(token.kind);
    if (has_text(token.kind)) text += " " + escaped(file.text(token.range));
    text += '\n';
  }
  return text;
}

}  // namespace pykc
