// Where numbers and strings end, and what is wrong with their form. Their values are worked out by the parser.
#include <algorithm>

#include "frontend/syntax/lexer.h"

namespace pykc {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

int radix_of(char letter) {
  switch (letter) {
    case 'x':
    case 'X':
      return 16;
    case 'o':
    case 'O':
      return 8;
    case 'b':
    case 'B':
      return 2;
    default:
      return 10;
  }
}

/// CPython lets these words follow a number without a space: `1if x else 2`.
bool may_follow_number(std::string_view word) {
  constexpr std::string_view kWords[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace

/// `digit ('_'? digit)*`; true if there is one digit at least.
bool Lexer::scan_digits(int radix) {
  const auto is_digit = [&](std::size_t ahead) { return digit_value(peek(ahead)) < radix; };
  if (!is_digit(0)) return false;
  while (is_digit(0) || (peek() == '_' && is_digit(1))) ++pos_;
  return true;
}

/// Goes over a number; Error when a part that must be there is missing.
TokenKind Lexer::scan_number() {
  if (const int radix = radix_of(peek(1)); peek() == '0' && radix != 10) {
    pos_ += 2;
    if (peek() == '_') ++pos_;
    return scan_digits(radix) ? TokenKind::Integer : TokenKind::Error;
  }
  TokenKind kind = TokenKind::Integer;
  scan_digits(10);
  if (peek() == '.') {
    ++pos_;
    scan_digits(10);
    kind = TokenKind::Float;
  }
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if ((peek() == 'e' || peek() == 'E') && digit_value(peek(1 + sign)) < 10) {
    pos_ += 1 + sign;
    scan_digits(10);
    kind = TokenKind::Float;
  }
  return kind;
}

void Lexer::lex_number() {
  const std::size_t begin = pos_;
  TokenKind kind = scan_number();
  const auto number_end = static_cast<std::uint32_t>(pos_);
  std::size_t word = 0;  // what is glued to the number
  while (digit_value(peek(word)) < 10 || name_length(pos_ + word) > 0)
    word += std::max<std::size_t>(name_length(pos_ + word), 1);
  const bool is_imaginary = kind != TokenKind::Error && word == 1 && (peek() == 'j' || peek() == 'J');
  const bool is_word_apart = kind != TokenKind::Error && may_follow_number(text_.substr(pos_, word));
  if (!is_word_apart) pos_ += word;
  const SourceRange range = range_from(begin);
  const std::string_view text = text_of(range);
  const bool is_decimal = kind == TokenKind::Integer && (text.size() < 2 || radix_of(text[1]) == 10);
  if (is_imaginary) {
    kind = TokenKind::Imaginary;
  } else if (kind == TokenKind::Error || range.end != number_end) {
    report_number(range, number_end);
    kind = TokenKind::Error;
  } else if (is_decimal && text.front() == '0' && text.find_first_not_of("0_") != std::string_view::npos) {
    report(range, DiagnosticId::LeadingZero, text).fix(std::string(text.substr(text.find_first_not_of("0_"))));
    kind = TokenKind::Error;
  }
  push(kind, range);
}

void Lexer::report_number(SourceRange range, std::uint32_t number_end) {
  const std::string_view whole = text_of(range);
  const std::string_view suffix = whole.substr(number_end - range.begin);
  Diagnostics::Builder builder = report(range, DiagnosticId::InvalidNumber, whole);
  if (suffix.size() == 1 && std::string_view("fFdDhHuUlL").find(suffix) != std::string_view::npos)
    builder.note("a number has no suffix: it takes the type of what it meets; `f32(1.5)` makes its type sure")
        .fix(std::string(whole.substr(0, whole.size() - 1)));
  else if (suffix.find('_') != std::string_view::npos)
    builder.note("an underscore stands between two digits");
}

std::size_t Lexer::string_prefix_length() const {
  std::size_t length = 0;
  while (length < 2 && std::string_view("rRbBuUfF").find(peek(length)) != std::string_view::npos) ++length;
  return length;
}

/// The prefix may be one that Python has not (`ub"…"`); it is checked here, too.
void Lexer::lex_string(std::size_t prefix_length) {
  const std::size_t begin = pos_;
  std::string prefix(text_.substr(pos_, prefix_length));
  std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  pos_ += prefix_length;
  const char quote = peek();
  const bool is_triple = peek(1) == quote && peek(2) == quote;
  const std::size_t quotes = is_triple ? 3 : 1;
  const std::string end_quotes(quotes, quote);
  pos_ += quotes;
  const SourceRange opening = range_from(begin);
  while (!at_end() && !(at_newline() && !is_triple) && !text_.substr(pos_).starts_with(end_quotes)) {
    if (peek() == '\\') ++pos_;  // whatever follows, it ends nothing
    if (at_newline())
      skip_newline();
    else if (!at_end())
      ++pos_;
  }
  if (at_end() || at_newline()) {
    report(is_triple ? opening : range_from(begin), DiagnosticId::UnterminatedString, end_quotes);
    forget_brackets_of_line();
    return push(TokenKind::Error, range_from(begin));
  }
  pos_ += quotes;
  const bool is_formatted = prefix.find('f') != std::string::npos;
  const bool is_bytes = prefix.find('b') != std::string::npos;
  const bool is_valid_prefix =
      prefix.size() < 2 || prefix == "rf" || prefix == "fr" || prefix == "rb" || prefix == "br";
  if (!is_valid_prefix) {
    report(opening, DiagnosticId::StringPrefix, text_.substr(begin, prefix_length));
    return push(TokenKind::Error, range_from(begin));
  }
  push(is_bytes ? TokenKind::Bytes : is_formatted ? TokenKind::FString : TokenKind::String, range_from(begin));
}

}  // namespace pykc
