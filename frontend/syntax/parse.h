// Tokens to the syntax tree: recursive descent with one function for each rule of Python's grammar, operators by their
// precedence. `Parser` is what they share: the tokens, and what is said of them; the rules stand in parse_*.cpp.
//
// Errors. `fail` reports and puts the parser into panic: from then on `kind()` says Newline, so that every loop ends
// and every function returns, with what it has, and further failures are silent. The statement's end calls `recover`,
// which goes to the end of the logical line and clears the panic. A header that failed is still followed by its block.
// So no function has to test whether another failed, and the tree is whole: what is missing is an Unsupported with an
// empty text. `report` is for mistakes after which the parser knows where it is.
//
// Depth. `deeper` counts the recursion of this parser, `make` the height of what it builds (a long chain `a + b + …` is
// parsed in a loop, but is a high tree). Both are bounded, so neither the parser nor any later pass overflows its
// stack.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "frontend/syntax/ast.h"
#include "frontend/syntax/token.h"

namespace pykc {

struct Parser {
  Parser(const SourceFile& file, std::span<const Token> tokens, Diagnostics& diagnostics)
      : file(file), tokens(tokens), diagnostics(diagnostics) {}

  /// Where `break`, `return` and `raise` may stand.
  struct Context {
    bool in_loop = false;
    bool in_function = false;
    bool in_handler = false;  // where `raise` alone passes on what was caught
  };

  TokenKind kind() const { return panicking ? TokenKind::Newline : tokens[position].kind; }
  TokenKind kind_after() const {
    return panicking || position + 1 >= tokens.size() ? TokenKind::EndOfFile : tokens[position + 1].kind;
  }
  const Token& current() const { return tokens[position]; }
  const Token& previous() const { return tokens[position == 0 ? 0 : position - 1]; }
  std::string_view text_of(SourceRange range) const { return file.text(range); }
  SourceRange since(std::uint32_t begin) const;
  void advance();
  bool accept(TokenKind wanted);
  bool expect(TokenKind wanted);
  std::string expect_name(std::string_view what);
  void expect_colon(std::string_view after);
  void expect_close(TokenKind close, SourceRange open);
  bool is_last_on_line() const;
  bool starts_line_like(SourceRange open) const;
  template <typename... Arguments>
  Diagnostics::Builder report(SourceRange range, DiagnosticFor<Arguments...> id, const Arguments&... arguments) {
    if (panicking) return {};
    return diagnostics.report(file, range, id, arguments...);
  }
  template <typename... Arguments>
  Diagnostics::Builder fail(SourceRange range, DiagnosticFor<Arguments...> id, const Arguments&... arguments) {
    Diagnostics::Builder builder;
    if (current().kind != TokenKind::Error) builder = report(range, id, arguments...);  // the lexer reported an Error
    panicking = true;
    return builder;
  }
  Diagnostics::Builder fail_expected(std::string_view what, std::string fix = {});
  std::string describe_current() const;
  void recover();
  void skip_block();
  void give_up();

  ast::ExprPtr make(SourceRange range, decltype(ast::Expr::node) node);
  ast::ExprPtr make_missing();
  ast::StmtPtr make_stmt(SourceRange range, decltype(ast::Stmt::node) node);

  /// Runs `rule` one level deeper, or fails where that is too deep.
  template <typename Rule>
  ast::ExprPtr deeper(Rule rule) {
    if (depth >= ast::kMostExpressionHeight) {
      fail(current().range, DiagnosticId::TooDeep, "expression");
      return make_missing();
    }
    ++depth;
    ast::ExprPtr result = rule();
    --depth;
    return result;
  }

  const SourceFile& file;
  std::span<const Token> tokens;  // ends with EndOfFile
  Diagnostics& diagnostics;
  std::size_t position = 0;
  int depth = 0;            // of the recursion in expressions
  int statement_depth = 0;  // of blocks, `elif`s and the items of `with`
  Context context;
  bool panicking = false;
  bool skips_block = false;      // what is indented below this statement are no statements
  bool after_failure = false;    // the statement before this one was not understood
  bool follows_failure = false;  // the same, while this one is parsed
};

/// Takes the string that is a statement of its own at the start of a body, or "".
std::string take_docstring(ast::Suite& body);

/// Can an expression start with this token?
bool starts_expression(TokenKind kind);

/// The height of a tree whose root is `node`.
int height_of(const decltype(ast::Expr::node)& node);

/// The expression of a replacement field of an f-string that stands `depth` deep itself.
ast::ExprPtr parse_embedded(Parser& parser, int depth);
ast::Suite parse_suite(Parser& parser, std::string_view after);
ast::Suite parse_loop_suite(Parser& parser, std::string_view after);

}  // namespace pykc
