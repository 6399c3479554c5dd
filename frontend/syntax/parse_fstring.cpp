// f-strings: text with replacement fields `{expression=!s:format}`; in the format others may stand. Expressions are
// lexed and parsed where they stand, so their places in messages are right.
#include "frontend/syntax/parse_fstring.h"

#include <span>

#include "frontend/syntax/lexer.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_literals.h"

namespace pykc {
namespace {

/// The offset behind a string that starts at `offset`, or `end`.
std::size_t skip_string(std::string_view text, std::size_t offset, std::size_t end) {
  const char quote = text[offset];
  const bool is_triple = text.substr(offset, 3) == std::string(3, quote);
  const std::string closing(is_triple ? 3 : 1, quote);
  const std::size_t found = text.find(closing, offset + closing.size());
  return found == std::string_view::npos ? end : std::min(end, found + closing.size());
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// `=` that ends an expression (`{n=}`), unlike the one of `==`, `<=` or `f(a=1)`.
bool is_self_documenting(std::string_view text, std::size_t offset, std::size_t end) {
  std::size_t next = offset + 1;
  while (next < end && is_space(text[next])) ++next;
  return next < end &&
         (text[next] == '}' || text[next] == ':' || (text[next] == '!' && next + 1 < end && text[next + 1] != '='));
}

/// Where the expression of a field ends: at `}`, `:`, `!` or a final `=` outside of brackets and strings.
std::size_t find_expression_end(std::string_view text, std::size_t begin, std::size_t end) {
  int open = 0;
  for (std::size_t i = begin; i < end;) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = skip_string(text, i, end);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++open;
    if (open == 0) {
      if (c == '}' || c == ':') return i;
      if ((c == '!' || c == '=' || c == '<' || c == '>') && i + 1 < end && text[i + 1] == '=') {
        i += 2;
        continue;
      }
      if (c == '!' || (c == '=' && is_self_documenting(text, i, end))) return i;
    }
    if (c == ')' || c == ']' || c == '}') --open;
    ++i;
  }
  return end;
}

SourceRange between(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

/// The text of a string, or of a format in one: up to where, and how to read it.
struct Text {
  std::size_t end;
  bool is_raw;
  bool is_format;
};

std::size_t append_field(Parser& parser, std::size_t open, Text text, ast::FormattedString& into);

/// Appends a format from `begin` on; returns the offset of the `}` behind it, or the end.
std::size_t append_format(Parser& parser, std::size_t begin, Text outer, ast::FormattedString& into) {
  const std::string_view text = parser.file.text().substr(0, outer.end);
  const Text format = {outer.end, outer.is_raw, true};
  while (true) {
    const std::size_t close = std::min(text.find_first_of("{}", begin), format.end);
    append_text(parser, between(begin, close), format.is_raw, into.parts.back());
    if (close == format.end || text[close] == '}') return close;
    begin = append_field(parser, close, format, into);
  }
}

/// Appends the field whose `{` is at `open`; returns the offset behind its `}`.
std::size_t append_field(Parser& parser, std::size_t open, Text outer, ast::FormattedString& into) {
  const std::size_t end = outer.end;
  const std::string_view text = parser.file.text().substr(0, end);
  const auto refuse = [&](std::size_t begin, std::size_t behind, std::string_view why) {
    parser.report(between(begin, behind), DiagnosticId::FStringField, why);
  };
  const SourceRange expression = between(open + 1, find_expression_end(text, open + 1, end));
  std::size_t i = expression.end;
  if (parser.text_of(expression).find_first_not_of(" \t\r\n\f") == std::string_view::npos) {
    refuse(open, std::min(i + 1, end), "an expression is missing between `{` and `}`");
    return std::min(i + 1, end);
  }
  const bool shows_itself = i < end && text[i] == '=';
  if (shows_itself) {
    for (++i; i < end && is_space(text[i]);) ++i;
    into.parts.back() += text.substr(expression.begin, i - expression.begin);
  }
  char conversion = ' ';
  if (i + 1 < end && text[i] == '!') {
    conversion = text[i + 1];
    if (std::string_view("sra").find(conversion) == std::string_view::npos)
      refuse(i, i + 2, "the conversions are `!s`, `!r` and `!a`");
    i += 2;
  }
  ast::ExprPtr format;
  if (i < end && text[i] == ':') {
    const std::size_t begin = i + 1;
    ast::FormattedString parts;
    if (outer.is_format) {
      refuse(i, begin, "a field of a format has no format itself");
      i = std::min(text.find('}', i), end);
    } else {
      i = append_format(parser, begin, outer, parts);
      if (i > begin) format = parser.make(between(begin, i), std::move(parts));
    }
  }
  if (i >= end || text[i] != '}') {
    if (!outer.is_format) refuse(open, open + 1, "this `{` is not closed; write `{{` for a brace");
    return end;
  }
  if (shows_itself && conversion == ' ' && !format) conversion = 'r';
  const std::vector<Token> tokens = Lexer(parser.file, parser.diagnostics).lex_embedded(expression);
  Parser inner(parser.file, tokens, parser.diagnostics);
  into.values.push_back(parse_embedded(inner, parser.depth + 1));
  into.conversions.push_back(conversion);
  into.formats.push_back(std::move(format));
  into.parts.emplace_back();
  return i + 1;
}

}  // namespace

void append_formatted(Parser& parser, SourceRange range, bool is_raw, ast::FormattedString& into) {
  const std::string_view text = parser.file.text().substr(0, range.end);
  std::size_t begin = range.begin;  // of the text that is not appended yet
  for (std::size_t i = range.begin; i < range.end;) {
    const char c = text[i];
    if (c == '\\' && !is_raw) {
      const std::size_t named_end = text.substr(i).starts_with("\\N{") ? text.find('}', i) : std::string_view::npos;
      const bool is_before_brace = i + 1 < range.end && (text[i + 1] == '{' || text[i + 1] == '}');
      i = named_end != std::string_view::npos ? named_end + 1 : i + (is_before_brace ? 1 : 2);
    } else if (c != '{' && c != '}') {
      ++i;
    } else if (i + 1 < range.end && text[i + 1] == c) {
      append_text(parser, between(begin, i + 1), is_raw, into.parts.back());
      begin = i += 2;
    } else {
      append_text(parser, between(begin, i), is_raw, into.parts.back());
      if (c == '}')
        parser.report(between(i, i + 1), DiagnosticId::FStringField, "`}` closes nothing; write `}}` for a brace");
      begin = i = c == '}' ? i + 1 : append_field(parser, i, {range.end, is_raw, false}, into);
    }
  }
  append_text(parser, between(begin, range.end), is_raw, into.parts.back());
}

}  // namespace pykc
