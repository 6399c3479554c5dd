#include "frontend/syntax/lexer.h"

#include <algorithm>
#include <array>

#include "base/budget.h"
#include "base/text.h"
#include "base/utf8.h"
#include "frontend/frontend.h"

namespace pykc {

namespace {

/// Of a source that this compilation reads.
std::size_t most_bytes() {
  return std::min(SourceFile::kMaximumBytes, static_cast<std::size_t>(current_limits().source_bytes));
}

struct Spelling {
  TokenKind kind;
  std::string_view text;
};

constexpr auto kKeywords = std::to_array<Spelling>({
#define KEYWORD(name, spelling) {TokenKind::name, spelling},
#include "frontend/syntax/tokens.def"
});

constexpr auto kPunctuation = std::to_array<Spelling>({
#define PUNCTUATION(name, spelling) {TokenKind::name, spelling},
#include "frontend/syntax/tokens.def"
});

/// Operators of other languages, with what Python calls them. The lexer reads them as what is meant.
struct ForeignOperator {
  std::string_view text;
  TokenKind meant;
  std::string_view python;
};
constexpr auto kForeignOperators = std::to_array<ForeignOperator>({
    {"===", TokenKind::EqualEqual, "=="},
    {"&&", TokenKind::KwAnd, "and"},
    {"||", TokenKind::KwOr, "or"},
    {"<>", TokenKind::NotEqual, "!="},
    {"!", TokenKind::KwNot, "not"},
});

/// Characters that look like ones of the language, mostly from text that went through a word processor.
struct Lookalike {
  char32_t character;
  std::string_view meant;
};
constexpr auto kLookalikes = std::to_array<Lookalike>({
    {0x00A0, "a space"}, {0x3000, "a space"}, {0x201C, "\""},  {0x201D, "\""}, {0x2018, "'"}, {0x2019, "'"},
    {0x2013, "-"},       {0x2014, "-"},       {0x2212, "-"},   {0x00D7, "*"},  {0x00F7, "/"}, {0x2264, "<="},
    {0x2265, ">="},      {0x2260, "!="},      {0xFF08, "("},   {0xFF09, ")"},  {0xFF0C, ","}, {0xFF1A, ":"},
    {0xFF1B, ";"},       {0xFF1D, "="},       {0x2026, "..."},
});

TokenKind keyword_or_identifier(std::string_view word) {
  const auto* found =
      std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Spelling& s) { return s.text == word; });
  return found == kKeywords.end() ? TokenKind::Identifier : found->kind;
}

/// Words that start a statement and stand in no expression: met inside brackets at the start of a line, they say that a
/// bracket is not closed.
bool starts_only_statements(TokenKind kind) {
  switch (kind) {
    case TokenKind::KwAssert:
    case TokenKind::KwBreak:
    case TokenKind::KwClass:
    case TokenKind::KwContinue:
    case TokenKind::KwDef:
    case TokenKind::KwDel:
    case TokenKind::KwElif:
    case TokenKind::KwExcept:
    case TokenKind::KwFinally:
    case TokenKind::KwGlobal:
    case TokenKind::KwImport:
    case TokenKind::KwNonlocal:
    case TokenKind::KwPass:
    case TokenKind::KwRaise:
    case TokenKind::KwReturn:
    case TokenKind::KwTry:
    case TokenKind::KwWhile:
    case TokenKind::KwWith:
      return true;
    default:
      return false;
  }
}

bool is_comment_or_blank(std::string_view line) {
  if (line.starts_with("\uFEFF")) line.remove_prefix(3);
  const std::size_t first = line.find_first_not_of(" \t\f");
  return first == std::string_view::npos || line[first] == '#';
}

/// The encoding that a comment declares, as a part of the line; else empty.
std::string_view declared_encoding(std::string_view line) {
  const std::size_t word = std::min(line.find("coding:"), line.find("coding="));
  if (word == std::string_view::npos) return {};
  const std::size_t begin = line.find_first_not_of(" \t", word + 7);
  if (begin == std::string_view::npos) return {};
  constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return line.substr(begin, line.find_first_not_of(name_characters, begin) - begin);
}

/// U+202A to U+202E and U+2066 to U+2069 change the order in which an editor shows what follows, not what is read.
std::size_t find_direction_mark(std::string_view text) {
  for (std::size_t at = text.find('\xE2'); at != std::string_view::npos; at = text.find('\xE2', at + 1)) {
    const char32_t point = decode_utf8(text, at).value;
    if ((point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069)) return at;
  }
  return std::string_view::npos;
}

bool is_utf8_name(std::string_view encoding) {
  constexpr std::string_view kNames[] = {"utf-8", "utf8", "utf_8", "UTF-8", "UTF8", "utf-8-sig"};
  return std::find(std::begin(kNames), std::end(kNames), encoding) != std::end(kNames);
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
}  // namespace

std::vector<Token> lex(const SourceFile& file, Diagnostics& diagnostics) { return Lexer(file, diagnostics).lex_file(); }

Lexer::Lexer(const SourceFile& file, Diagnostics& diagnostics)
    : file_(file), diagnostics_(diagnostics), text_(file.text()) {}

std::vector<Token> Lexer::lex_file() && {
  if (check_encoding()) {
    if (text_.starts_with("\uFEFF")) pos_ = 3;
    while (!at_end()) {
      if (at_line_start_)
        lex_indentation();
      else
        lex_token();
      if (at_end() && !brackets_.empty()) recover_from_unclosed_bracket();
    }
  }
  finish();
  return std::move(tokens_);
}

std::vector<Token> Lexer::lex_embedded(SourceRange range) && {
  embedded_ = true;
  text_ = text_.substr(0, range.end);
  pos_ = range.begin;
  while (!at_end()) lex_token();
  if (!brackets_.empty()) recover_from_unclosed_bracket();
  push(TokenKind::EndOfFile, range_from(pos_));
  return std::move(tokens_);
}

/// False when there is no sense in reading on.
bool Lexer::check_encoding() {
  const std::size_t most = most_bytes();
  if (text_.size() > most) {
    report({}, DiagnosticId::SourceTooLarge, most);
    return false;
  }
  const auto one_byte = [](std::size_t offset) {
    return SourceRange{static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset + 1)};
  };
  if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos)
    report(one_byte(nul), DiagnosticId::NulByte);
  if (const std::size_t bad = find_invalid_utf8(text_); bad != std::string_view::npos) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(text_[bad]);
    report(one_byte(bad), DiagnosticId::InvalidUtf8, std::string{'0', 'x', digits[byte >> 4], digits[byte & 15]});
  }
  if (const std::size_t mark = find_direction_mark(text_); mark != std::string_view::npos) {
    const auto begin = static_cast<std::uint32_t>(mark);
    report({begin, begin + 3}, DiagnosticId::TextDirection);
  }
  check_declared_encoding();
  return true;
}

/// PEP 263: a comment such as `# -*- coding: latin-1 -*-` in the first two lines. It matters once there is a byte that
/// is not ASCII.
void Lexer::check_declared_encoding() {
  if (std::none_of(text_.begin(), text_.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return;
  const int first_line = file_.origin().line;
  const int last_line = file_.line_column(static_cast<std::uint32_t>(text_.size())).line;
  for (int number = first_line; number <= std::min(first_line + 1, last_line); ++number) {
    const std::string_view line = file_.line(number);
    if (!is_comment_or_blank(line)) return;
    const std::string_view encoding = declared_encoding(line);
    if (encoding.empty() || is_utf8_name(encoding)) continue;
    const auto begin = static_cast<std::uint32_t>(encoding.data() - text_.data());
    report({begin, begin + static_cast<std::uint32_t>(encoding.size())}, DiagnosticId::DeclaredEncoding, encoding);
    return;
  }
}

void Lexer::lex_token() {
  const char c = peek();
  if (c == ' ' || c == '\t' || c == '\f') {
    ++pos_;
  } else if (at_newline()) {
    lex_newline();
  } else if (c == '#') {
    skip_to_line_end();
  } else if (c == '\\') {
    lex_backslash();
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    lex_number();
  } else if (const std::size_t quote = string_prefix_length(); peek(quote) == '"' || peek(quote) == '\'') {
    lex_string(quote);
  } else if (name_length(pos_) > 0) {
    lex_name();
  } else {
    lex_operator();
  }
}

void Lexer::lex_newline() {
  const std::size_t begin = pos_;
  skip_newline();
  first_on_line_ = true;
  line_is_broken_ = false;
  if (ignores_newlines()) return;
  push(TokenKind::Newline, range_from(begin));
  at_line_start_ = first_on_line_ = true;
}

void Lexer::lex_backslash() {
  const std::size_t begin = pos_++;
  if (at_newline()) {
    skip_newline();
    if (!at_end()) return;
  }
  const SourceRange range{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)};
  if (!line_is_broken_) report(range, DiagnosticId::StrayBackslash);
  line_is_broken_ = true;
  push(TokenKind::Error, range);
}

std::size_t Lexer::name_length(std::size_t offset) const {
  const std::size_t begin = offset;
  while (offset < text_.size()) {
    const char c = text_[offset];
    if (is_ascii_letter(c) || (is_digit(c) && offset > begin)) {
      ++offset;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x80) break;
    const CodePoint point = decode_utf8(text_, offset);
    if (!(offset == begin ? is_identifier_start(point.value) : is_identifier_continue(point.value))) break;
    offset += static_cast<std::size_t>(point.bytes);
  }
  return offset - begin;
}

void Lexer::lex_name() {
  const std::size_t begin = pos_;
  pos_ += name_length(pos_);
  const SourceRange range = range_from(begin);
  const TokenKind kind = keyword_or_identifier(text_of(range));
  if (first_on_line_ && !brackets_.empty() && starts_only_statements(kind)) {
    pos_ = begin;
    return recover_from_unclosed_bracket();
  }
  push(kind, range);
}

void Lexer::lex_operator() {
  const std::string_view rest = text_.substr(pos_, 3);
  const Spelling* longest = nullptr;
  for (const Spelling& spelling : kPunctuation)
    if (rest.front() == spelling.text.front() && rest.starts_with(spelling.text) &&
        (!longest || spelling.text.size() > longest->text.size()))
      longest = &spelling;
  const std::size_t length = longest ? longest->text.size() : 0;
  const std::size_t begin = pos_;
  for (const ForeignOperator& foreign : kForeignOperators) {
    if (rest.front() != foreign.text.front() || foreign.text.size() <= length || !rest.starts_with(foreign.text))
      continue;
    pos_ += foreign.text.size();
    report(range_from(begin), DiagnosticId::ForeignOperator, foreign.text, foreign.python)
        .fix(std::string(foreign.python));
    return push(foreign.meant, range_from(begin));
  }
  if (!longest) return lex_unexpected();
  pos_ += length;
  switch (longest->kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      return open_bracket(longest->kind);
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      return close_bracket(longest->kind);
    default:
      push(longest->kind, range_from(begin));
  }
}

void Lexer::lex_unexpected() {
  const CodePoint point = decode_utf8(text_, pos_);
  const std::size_t begin = pos_;
  pos_ += point.bytes == 0 ? 1 : static_cast<std::size_t>(point.bytes);
  const SourceRange range = range_from(begin);
  const bool is_reported = point.bytes == 0 || point.value == 0;  // by check_encoding
  if (!is_reported && !line_is_broken_) {
    Diagnostics::Builder builder = report(range, DiagnosticId::UnexpectedCharacter, text_of(range));
    for (const Lookalike& lookalike : kLookalikes)
      if (lookalike.character == point.value) builder.fix(std::string(lookalike.meant));
    if (point.value == '?') builder.note("a choice is written `a if condition else b`");
  }
  line_is_broken_ = true;
  push(TokenKind::Error, range);
}

void Lexer::skip_to_line_end() { pos_ = std::min(text_.find_first_of("\r\n", pos_), text_.size()); }

void Lexer::stop() {
  push(TokenKind::Error, range_from(pos_));
  brackets_.clear();
  pos_ = text_.size();
}

void Lexer::finish() {
  pos_ = text_.size();
  const SourceRange here = range_from(pos_);
  if (!tokens_.empty() && tokens_.back().kind != TokenKind::Newline && tokens_.back().kind != TokenKind::Dedent)
    push(TokenKind::Newline, here);
  for (; indents_.size() > 1; indents_.pop_back()) push(TokenKind::Dedent, here);
  push(TokenKind::EndOfFile, here);
}

}  // namespace pykc
