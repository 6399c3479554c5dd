// Tokens to the syntax tree: recursive descent with one function for each rule of Python's grammar, operators by their
// precedence.
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

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/syntax/ast.h"
#include "frontend/syntax/token.h"

namespace pykc {

class Parser {
 public:
  Parser(const SourceFile& file, std::span<const Token> tokens, Diagnostics& diagnostics)
      : file_(file), tokens_(tokens), diagnostics_(diagnostics) {}

  void parse_module(ast::Module& module);
  /// The expression of a replacement field of an f-string that stands `depth` deep itself.
  ast::ExprPtr parse_embedded(int depth);

 private:
  using Kind = TokenKind;
  using ExprPtr = ast::ExprPtr;

  /// Where `break` and `return` may stand.
  struct Context {
    bool in_loop = false;
    bool in_function = false;
  };

  // parse.cpp: tokens, errors, blocks
  Kind kind() const { return panicking_ ? Kind::Newline : tokens_[next_].kind; }
  Kind kind_after() const {
    return panicking_ || next_ + 1 >= tokens_.size() ? Kind::EndOfFile : tokens_[next_ + 1].kind;
  }
  const Token& current() const { return tokens_[next_]; }
  const Token& previous() const { return tokens_[next_ == 0 ? 0 : next_ - 1]; }
  std::string_view text_of(SourceRange range) const { return file_.text(range); }
  SourceRange since(std::uint32_t begin) const;
  void advance();
  bool accept(Kind wanted);
  bool expect(Kind wanted);
  std::string expect_name(std::string_view what);
  void expect_colon(std::string_view after);
  void expect_close(Kind close, SourceRange open);
  bool is_last_on_line() const;
  bool starts_line_like(SourceRange open) const;
  void report(SourceRange range, DiagnosticId id, std::string_view a = {}, std::string_view b = {},
              std::string fix = {});
  void fail(SourceRange range, DiagnosticId id, std::string_view a = {}, std::string_view b = {}, std::string fix = {});
  void fail_expected(std::string_view what, std::string fix = {});
  std::string describe_current() const;
  void recover();
  void skip_block();
  void give_up();
  void parse_statements(ast::Suite& into);
  ast::Suite parse_suite(std::string_view after);
  ast::Suite parse_loop_suite(std::string_view after);

  // parse_statements.cpp: simple statements
  void parse_statement(ast::Suite& into);
  void parse_simple_statements(ast::Suite& into);
  ast::StmtPtr parse_simple_statement();
  void end_simple_statements(const ast::Stmt& last);
  void fail_soft_keyword(const ast::Expr& word);
  ast::StmtPtr parse_expression_statement();
  ast::StmtPtr parse_assignment(ExprPtr first);
  ast::StmtPtr parse_annotated(ExprPtr target);
  ast::StmtPtr parse_augmented(ExprPtr target, ast::BinaryOp op);
  ast::StmtPtr parse_return();
  ast::StmtPtr parse_assert();
  ast::StmtPtr parse_raise();
  ast::StmtPtr parse_break_or_continue();
  ast::StmtPtr parse_unsupported_simple();
  ast::StmtPtr parse_import();
  ast::StmtPtr parse_import_from();
  ast::StmtPtr make_import(SourceRange range, ast::Import import);
  ast::ImportAlias parse_alias(bool is_dotted);
  std::string parse_dotted_name();
  ExprPtr parse_value();
  void check_target(const ast::Expr& target);
  void check_single_target(const ast::Expr& target);

  // parse_compound.cpp: statements with blocks
  ast::StmtPtr parse_compound_statement();
  ast::StmtPtr parse_if();
  ast::Suite parse_otherwise();
  ast::StmtPtr parse_while();
  ast::StmtPtr parse_for();
  ast::StmtPtr parse_with();
  ast::StmtPtr parse_with_items(std::uint32_t begin, const SourceRange* open);
  bool with_items_are_parenthesized() const;
  ast::StmtPtr parse_try();
  ast::StmtPtr parse_async();
  ast::StmtPtr parse_misplaced_clause();
  ast::StmtPtr parse_decorated();
  ast::StmtPtr parse_function(std::vector<ExprPtr> decorators);
  ast::StmtPtr parse_class(std::vector<ExprPtr> decorators);
  std::vector<ast::Parameter> parse_parameters(Kind end);
  ast::Parameter parse_parameter(bool may_be_annotated);
  void parse_special_parameter(bool may_be_annotated);
  ExprPtr parse_condition();

  // parse_expressions.cpp: operators
  ExprPtr parse_star_expressions();
  ExprPtr parse_star_expression();
  ExprPtr parse_named_expression();
  ExprPtr parse_expression();
  ExprPtr parse_lambda();
  ExprPtr parse_logical(ast::BoolOp op);
  ExprPtr parse_not();
  ExprPtr parse_comparison();
  bool parse_compare_op(ast::CompareOp& op);
  ExprPtr parse_binary(int lowest_precedence);
  ExprPtr parse_unary();
  ExprPtr parse_power();
  ExprPtr parse_targets();

  // parse_primary.cpp: atoms and what follows them
  ExprPtr parse_postfix();
  ExprPtr parse_attribute(ExprPtr value);
  ExprPtr parse_call(ExprPtr function);
  void parse_argument(ast::Call& call);
  ExprPtr parse_subscript(ExprPtr value);
  ExprPtr parse_subscript_element();
  ExprPtr parse_atom();
  ExprPtr parse_parenthesized();
  ExprPtr parse_list();
  ExprPtr parse_braces();
  ExprPtr parse_comprehension(ExprPtr element, bool is_generator, std::uint32_t begin);
  ExprPtr parse_yield();
  ExprPtr parse_await();
  void fail_without_operand();

  // parse_literals.cpp, parse_fstring.cpp
  ExprPtr parse_integer();
  ExprPtr parse_float();
  ExprPtr parse_strings();
  void append_string(const Token& token, ast::FormattedString& into);
  void append_text(SourceRange range, bool is_raw, std::string& into);
  std::size_t append_escape(std::size_t offset, std::size_t end, std::string& into);
  std::size_t append_code_point_escape(std::size_t offset, std::size_t end, std::string& into);
  void append_formatted(SourceRange range, bool is_raw, ast::FormattedString& into);
  std::size_t append_field(std::size_t open, std::size_t end, ast::FormattedString& into);

  ExprPtr make(SourceRange range, decltype(ast::Expr::node) node);
  ExprPtr make_missing();
  ast::StmtPtr make_stmt(SourceRange range, decltype(ast::Stmt::node) node);

  /// Runs `rule` one level deeper, or fails where that is too deep.
  template <typename Rule>
  ExprPtr deeper(Rule rule) {
    if (depth_ >= ast::kMostExpressionHeight) {
      fail(current().range, DiagnosticId::TooDeep, "expression");
      return make_missing();
    }
    ++depth_;
    ExprPtr result = rule();
    --depth_;
    return result;
  }

  const SourceFile& file_;
  std::span<const Token> tokens_;  // ends with EndOfFile
  Diagnostics& diagnostics_;
  std::size_t next_ = 0;
  int depth_ = 0;            // of the recursion in expressions
  int statement_depth_ = 0;  // of blocks, `elif`s and the items of `with`
  Context context_;
  bool panicking_ = false;
  bool skips_block_ = false;      // what is indented below this statement are no statements
  bool after_failure_ = false;    // the statement before this one was not understood
  bool follows_failure_ = false;  // the same, while this one is parsed
};

/// Takes the string that is a statement of its own at the start of a body, or "".
std::string take_docstring(ast::Suite& body);

/// Can an expression start with this token?
bool starts_expression(TokenKind kind);

/// The height of a tree whose root is `node`.
int height_of(const decltype(ast::Expr::node)& node);

}  // namespace pykc
