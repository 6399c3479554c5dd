// Text to tokens, by CPython's rules.
//
// Lines. A logical line ends at a newline outside of brackets; comments, blank lines and what a backslash continues do
// not count. The indentation of each logical line is compared with those around it, which gives Indent and Dedent. As
// in CPython it is measured twice, with tabs to the next multiple of 8 and with tabs of 1: when the two disagree, the
// meaning would depend on the editor, and the line is refused.
//
// Errors. What is no token becomes an Error token and has been reported; the parser gives up its statement without a
// word. A bracket that is never closed would swallow the rest of the file. It is noticed at the end of the file, or at
// a line that starts with a word like `def` or `return`, which no expression holds. Then the lexer ends the broken
// statement and goes back to the first line after the bracket that by its indentation is a statement of its own. The
// bytes read twice that way are counted, and past a budget the lexer stops.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "frontend/syntax/token.h"

namespace pykc {

bool is_identifier_start(char32_t code_point);
bool is_identifier_continue(char32_t code_point);

class Lexer {
 public:
  static constexpr std::size_t kMostBrackets = 200;  // CPython's limits
  static constexpr std::size_t kMostIndents = 100;

  Lexer(const SourceFile& file, Diagnostics& diagnostics);

  std::vector<Token> lex_file() &&;
  /// The tokens of an expression that stands inside an f-string. A newline in it means nothing.
  std::vector<Token> lex_embedded(SourceRange range) &&;

 private:
  struct Indent {
    int column = 0;       // with tabs to multiples of 8
    int alternative = 0;  // with tabs of 1
  };
  struct Bracket {
    char open;
    SourceRange range;
    std::size_t token;  // its index in tokens_
  };

  // lexer.cpp: the encoding, and the parts that every token shares
  bool check_encoding();
  void check_declared_encoding();
  void lex_token();
  void lex_newline();
  void lex_backslash();
  void lex_name();
  void lex_operator();
  void lex_unexpected();
  void finish();

  // lexer_lines.cpp: indentation and brackets
  void lex_indentation();
  void lex_notebook_command();
  Indent measure_indentation();
  void apply_indentation(Indent indent, SourceRange range);
  void open_bracket(TokenKind kind);
  void close_bracket(TokenKind kind);
  void forget_brackets_of_line();
  void forget_statement();
  void recover_from_unclosed_bracket();
  std::vector<std::size_t> line_starters(std::size_t after) const;
  int column_of(std::size_t token) const;

  // lexer_literals.cpp
  void lex_number();
  bool scan_digits(int radix);
  TokenKind scan_number();
  void report_number(SourceRange range, std::uint32_t number_end);
  std::size_t string_prefix_length() const;
  void lex_string(std::size_t prefix_length);

  char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  bool at_end() const { return pos_ >= text_.size(); }
  bool at_newline() const { return !at_end() && (peek() == '\n' || peek() == '\r'); }
  bool ignores_newlines() const { return embedded_ || !brackets_.empty(); }
  void skip_newline() { pos_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }
  void skip_to_line_end();
  /// The length of the identifier at an offset, 0 if there is none.
  std::size_t name_length(std::size_t offset) const;
  SourceRange range_from(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(pos_)};
  }
  std::string_view text_of(SourceRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  void push(TokenKind kind, SourceRange range) {
    tokens_.push_back({kind, range});
    first_on_line_ = false;
  }
  template <typename... Arguments>
  Diagnostics::Builder report(SourceRange range, DiagnosticFor<Arguments...> id, const Arguments&... arguments) {
    return diagnostics_.report(file_, range, id, arguments...);
  }
  /// Ends the token stream here: what follows cannot be read sensibly.
  void stop();

  const SourceFile& file_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::size_t pos_ = 0;
  std::vector<Token> tokens_;
  std::vector<Indent> indents_ = {{}};
  std::vector<Bracket> brackets_;
  bool embedded_ = false;
  bool at_line_start_ = true;        // of a logical line: indentation comes next
  bool first_on_line_ = true;        // no token of this physical line yet
  bool line_is_broken_ = false;      // an unexpected character of this line is reported already
  int orphans_ = 0;                  // closing brackets to come whose opening ones an error took away
  std::size_t statement_token_ = 0;  // the first token of this logical line
  std::size_t bytes_read_twice_ = 0;
};

}  // namespace pykc
