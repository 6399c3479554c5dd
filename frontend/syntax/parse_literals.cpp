// The values of literals. Their form was checked by the lexer.
#include "frontend/syntax/parse_literals.h"

#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/utf8.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_fstring.h"

namespace pykc {
namespace {

std::string without_underscores(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

/// The radix that a prefix tells, which is taken off.
int take_radix(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = static_cast<char>(digits[1] | 0x20);
  const int radix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  if (radix != 10) digits.remove_prefix(2);
  return radix;
}

/// The value that Python gives the digits, whatever the locale: what is too large is infinite, what is too small is 0.
double float_value(const std::string& digits) {
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  value = strtod_l(digits.c_str(), nullptr, plain);
  freelocale(plain);
  return value;
}

struct SimpleEscape {
  char letter, value;
};
constexpr SimpleEscape kSimpleEscapes[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'a', '\a'}, {'b', '\b'},
                                           {'f', '\f'},  {'n', '\n'},  {'r', '\r'}, {'t', '\t'}, {'v', '\v'}};

/// What stands between the quotes of a string.
struct Quoted {
  SourceRange content;
  bool is_raw;
};

Quoted between_quotes(const Parser& parser, const Token& token) {
  const std::string_view text = parser.text_of(token.range);
  const std::size_t prefix = text.find_first_of("'\"");
  const bool is_raw = text.substr(0, prefix).find_first_of("rR") != std::string_view::npos;
  const bool is_triple =
      text.size() >= prefix + 6 && text[prefix] == text[prefix + 1] && text[prefix] == text[prefix + 2];
  const auto quotes = static_cast<std::uint32_t>(is_triple ? 3 : 1);
  return {{token.range.begin + static_cast<std::uint32_t>(prefix) + quotes, token.range.end - quotes}, is_raw};
}

void append_string(Parser& parser, const Token& token, ast::FormattedString& into) {
  const Quoted quoted = between_quotes(parser, token);
  if (token.kind == TokenKind::FString)
    append_formatted(parser, quoted.content, quoted.is_raw, into);
  else
    append_text(parser, quoted.content, quoted.is_raw, into.parts.back());
}

/// `\xhh`, `\uhhhh`, `\Uhhhhhhhh`; `\N{…}` would need the names of all characters and is refused.
std::size_t append_code_point_escape(Parser& parser, std::size_t offset, std::size_t end, std::string& into) {
  const std::string_view text = parser.file.text().substr(0, end);
  const char letter = text[offset + 1];
  const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  const char* first = text.data() + offset + 2;
  const char* last = text.data() + std::min(end, offset + 2 + digits);
  std::uint32_t value = 0;
  const auto result = std::from_chars(first, last, value, 16);
  const std::size_t behind = static_cast<std::size_t>(result.ptr - text.data());
  const bool is_complete = digits > 0 && behind == offset + 2 + digits;
  const bool is_character = value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
  if (is_complete && is_character) {
    append_utf8(into, value);
    return behind;
  }
  const std::size_t shown = is_complete ? behind : std::max(behind, offset + 2);
  const SourceRange range = {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(shown)};
  parser.report(range, DiagnosticId::InvalidEscape, parser.text_of(range));
  return shown;
}

/// Appends what the escape at `offset` stands for; returns the offset behind it. An escape that Python does not know
/// stands for itself.
std::size_t append_escape(Parser& parser, std::size_t offset, std::size_t end, std::string& into) {
  const std::string_view text = parser.file.text().substr(0, end);
  const char letter = offset + 1 < end ? text[offset + 1] : '\0';
  for (const SimpleEscape& escape : kSimpleEscapes)
    if (escape.letter == letter) {
      into += escape.value;
      return offset + 2;
    }
  if (letter == '\n') return offset + 2;
  if (letter == '\r') return offset + (text.substr(offset + 2).starts_with('\n') ? 3 : 2);
  if (letter >= '0' && letter <= '7') {
    std::size_t digits = 1;
    while (digits < 3 && offset + 1 + digits < end && text[offset + 1 + digits] >= '0' &&
           text[offset + 1 + digits] <= '7')
      ++digits;
    unsigned value = 0;
    std::from_chars(text.data() + offset + 1, text.data() + offset + 1 + digits, value, 8);
    append_utf8(into, value);
    return offset + 1 + digits;
  }
  if (letter == 'x' || letter == 'u' || letter == 'U' || letter == 'N')
    return append_code_point_escape(parser, offset, end, into);
  into += '\\';
  return offset + 1;
}

/// The bytes that the characters are the numbers of: those up to U+00FF, as `\xff` writes them.
void append_bytes(std::string_view characters, std::string& into) {
  for (const char32_t character : code_points(characters)) into += static_cast<char>(character);
}

void require_ascii(Parser& parser, SourceRange range) {
  const std::string_view text = parser.text_of(range);
  const auto other = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) > 0x7F; });
  if (other == text.end()) return;
  const auto at = range.begin + static_cast<std::uint32_t>(other - text.begin());
  const int bytes = decode_utf8(parser.file.text(), at).bytes;
  if (bytes == 0) return;  // the lexer has told that this is no UTF-8
  const SourceRange character = {at, at + static_cast<std::uint32_t>(bytes)};
  parser.report(character, DiagnosticId::UnexpectedCharacter, parser.text_of(character))
      .note("bytes are written in ASCII, others as `\\xff`");
}

/// Bytes know the escapes of a string but for those of Unicode, which stand for themselves.
void append_bytes(Parser& parser, const Quoted& quoted, std::string& into) {
  const std::string_view text = parser.file.text();
  const SourceRange content = quoted.content;
  for (std::size_t i = content.begin; i < content.end;) {
    const bool is_escape = text[i] == '\\' && !quoted.is_raw && std::string_view("uUN").find(text[i + 1]) == text.npos;
    std::string characters;
    if (is_escape) {
      i = append_escape(parser, i, content.end, characters);
    } else {
      const std::size_t next = quoted.is_raw ? content.end : std::min<std::size_t>(text.find('\\', i + 1), content.end);
      const SourceRange plain = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(next)};
      require_ascii(parser, plain);
      append_text(parser, plain, true, characters);
      i = next;
    }
    append_bytes(characters, into);
  }
}

}  // namespace

ast::ExprPtr parse_integer(Parser& parser) {
  const SourceRange range = parser.current().range;
  parser.advance();
  const std::string text = without_underscores(parser.text_of(range));
  std::string_view digits = text;
  const int radix = take_radix(digits);
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, radix);
  if (result.ec == std::errc::result_out_of_range)
    parser.report(range, DiagnosticId::IntegerTooLarge, parser.text_of(range));
  return parser.make(range, ast::IntLiteral{value});
}

ast::ExprPtr parse_float(Parser& parser) {
  const SourceRange range = parser.current().range;
  const bool is_imaginary = parser.kind() == TokenKind::Imaginary;
  parser.advance();
  std::string digits = without_underscores(parser.text_of(range));
  if (!is_imaginary) return parser.make(range, ast::FloatLiteral{float_value(digits)});
  digits.pop_back();
  return parser.make(range, ast::ImaginaryLiteral{float_value(digits)});
}

/// One string, or several side by side, which are joined.
ast::ExprPtr parse_strings(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  ast::FormattedString joined;
  bool is_formatted = false;
  while (parser.kind() == TokenKind::String || parser.kind() == TokenKind::FString) {
    is_formatted = is_formatted || parser.kind() == TokenKind::FString;
    const Token token = parser.current();
    parser.advance();
    append_string(parser, token, joined);
  }
  if (!is_formatted) return parser.make(parser.since(begin), ast::StringLiteral{std::move(joined.parts.front())});
  return parser.make(parser.since(begin), std::move(joined));
}

ast::ExprPtr parse_bytes(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  std::string bytes;
  while (parser.kind() == TokenKind::Bytes) {
    append_bytes(parser, between_quotes(parser, parser.current()), bytes);
    parser.advance();
  }
  return parser.make(parser.since(begin), ast::BytesLiteral{std::move(bytes)});
}

/// Text between quotes, with its escapes resolved. Every kind of line end becomes "\n", as in Python.
void append_text(Parser& parser, SourceRange range, bool is_raw, std::string& into) {
  const std::string_view text = parser.file.text();
  for (std::size_t i = range.begin; i < range.end;) {
    if (text[i] == '\\' && !is_raw) {
      i = append_escape(parser, i, range.end, into);
    } else if (text[i] == '\r') {
      into += '\n';
      i += i + 1 < range.end && text[i + 1] == '\n' ? 2 : 1;
    } else {
      into += text[i++];
    }
  }
}

}  // namespace pykc
