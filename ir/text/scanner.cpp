#include "ir/text/scanner.h"

#include <charconv>

#include "base/text.h"
#include "ir/text/form.h"

namespace pykc::ir {
TextToken TextScanner::next() {
  TextToken token;
  token.starts_line = skip_space();
  token.line = line_;
  if (at_end()) return token;
  const char c = peek();
  if (starts_name(c))
    scan_name(token);
  else if (is_digit(c) || (c == '-' && is_digit(peek(1))))
    scan_number(token);
  else if (c == '"')
    scan_string(token);
  else
    scan_punctuation(token);
  return token;
}

/// Whether a new line began (or the text itself).
bool TextScanner::skip_space() {
  bool starts_line = position_ == 0;
  for (; !at_end(); ++position_) {
    const char c = peek();
    if (c == '\n') {
      ++line_;
      starts_line = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      break;
    }
  }
  return starts_line;
}

void TextScanner::scan_name(TextToken& token) {
  token.kind = TextToken::Kind::Name;
  while (!at_end() && continues_name(peek())) token.text += text_[position_++];
}

void TextScanner::scan_number(TextToken& token) {
  token.kind = TextToken::Kind::Number;
  token.text += text_[position_++];
  const auto goes_on = [&] {
    const char c = peek();
    const bool is_exponent_sign = (c == '-' || c == '+') && token.text.back() == 'e';
    return is_digit(c) || c == '.' || c == 'e' || is_exponent_sign;
  };
  while (!at_end() && goes_on()) token.text += text_[position_++];
}

void TextScanner::scan_string(TextToken& token) {
  token.kind = TextToken::Kind::String;
  ++position_;
  while (!at_end() && peek() != '"' && peek() != '\n') {
    const char c = text_[position_++];
    if (c != '\\') {
      token.text += c;
    } else if (!scan_escape(token.text)) {
      token = {TextToken::Kind::Broken, "unknown escape in a string", token.starts_line, line_};
      return;
    }
  }
  if (peek() == '"')
    ++position_;
  else
    token = {TextToken::Kind::Broken, "a string without its closing quote", token.starts_line, line_};
}

bool TextScanner::scan_escape(std::string& out) {
  const char c = peek();
  ++position_;
  if (c == '"' || c == '\\') return out += c, true;
  if (c == 'n') return out += '\n', true;
  if (c != 'x' || position_ + 2 > text_.size()) return false;
  unsigned value = 0;
  const char* first = text_.data() + position_;
  if (std::from_chars(first, first + 2, value, 16).ptr != first + 2) return false;
  position_ += 2;
  out += static_cast<char>(value);
  return true;
}

void TextScanner::scan_punctuation(TextToken& token) {
  token.kind = TextToken::Kind::Punctuation;
  token.text += text_[position_++];
  if (token.text == "-" && peek() == '>') token.text += text_[position_++];
}

}  // namespace pykc::ir
