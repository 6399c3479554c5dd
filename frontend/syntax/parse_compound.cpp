// Compound statements: those with blocks.
#include <algorithm>
#include <set>

#include "frontend/syntax/parse.h"

namespace pykc {

using Kind = TokenKind;

/// Null when the next statement is not a compound one.
ast::StmtPtr Parser::parse_compound_statement() {
  switch (kind()) {
    case Kind::KwIf:
      return parse_if();
    case Kind::KwWhile:
      return parse_while();
    case Kind::KwFor:
      return parse_for();
    case Kind::KwWith:
      return parse_with();
    case Kind::KwTry:
      return parse_try();
    case Kind::KwAsync:
      return parse_async();
    case Kind::KwDef:
      return parse_function({});
    case Kind::KwClass:
      return parse_class({});
    case Kind::At:
      return parse_decorated();
    case Kind::KwElif:
    case Kind::KwElse:
    case Kind::KwExcept:
    case Kind::KwFinally:
      return parse_misplaced_clause();
    default:
      return nullptr;
  }
}

/// A condition, in which `=` is a mistake for `==`.
ast::ExprPtr Parser::parse_condition() {
  ExprPtr condition = parse_named_expression();
  while (kind() == Kind::Equal) {
    report(current().range, DiagnosticId::AssignmentInExpression, {}, {}, "==");
    advance();
    parse_expression();
  }
  return condition;
}

/// From `if` or `elif` on; an `elif` is an If in `otherwise`.
ast::StmtPtr Parser::parse_if() {
  const SourceRange word = current().range;
  if (statement_depth_ >= ast::kMostStatementDepth) {
    report(word, DiagnosticId::TooDeep, "statement");
    give_up();
    return make_stmt(word, ast::UnsupportedStmt{});
  }
  advance();
  ast::If result;
  result.condition = parse_condition();
  const SourceRange range = since(word.begin);
  result.then = parse_suite("the condition");
  ++statement_depth_;
  if (kind() == Kind::KwElif) {
    result.otherwise.push_back(parse_if());
  } else if (kind() == Kind::KwElse && kind_after() == Kind::KwIf) {
    report({current().range.begin, tokens_[next_ + 1].range.end}, DiagnosticId::ElseIf, {}, {}, "elif");
    advance();
    result.otherwise.push_back(parse_if());
  } else {
    result.otherwise = parse_otherwise();
  }
  --statement_depth_;
  return make_stmt(range, std::move(result));
}

/// The `else` of an `if` or a loop, where there is one.
ast::Suite Parser::parse_otherwise() { return accept(Kind::KwElse) ? parse_suite("`else`") : ast::Suite{}; }

ast::StmtPtr Parser::parse_while() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::While loop;
  loop.condition = parse_condition();
  const SourceRange range = since(begin);
  loop.body = parse_loop_suite("the condition");
  loop.otherwise = parse_otherwise();
  return make_stmt(range, std::move(loop));
}

ast::StmtPtr Parser::parse_for() {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::For loop;
  loop.target = parse_targets();
  check_target(*loop.target);
  expect(Kind::KwIn);
  loop.iterable = parse_value();
  const SourceRange range = since(begin);
  loop.body = parse_loop_suite("what `for` goes over");
  loop.otherwise = parse_otherwise();
  return make_stmt(range, std::move(loop));
}

/// Are the items of a `with` in parentheses of their own? `with (a, b):` and `with (a as b):` have two and one item,
/// `with (a, b) as c:` has a tuple.
bool Parser::with_items_are_parenthesized() const {
  if (kind() != Kind::LeftParen) return false;
  int open = 0;
  bool is_list = false;
  for (std::size_t i = next_; i < tokens_.size(); ++i) {
    const Kind token = tokens_[i].kind;
    open += token == Kind::LeftParen || token == Kind::LeftBracket || token == Kind::LeftBrace ? 1 : 0;
    open -= token == Kind::RightParen || token == Kind::RightBracket || token == Kind::RightBrace ? 1 : 0;
    if (open == 0) return is_list && tokens_[i + 1].kind == Kind::Colon;
    if (token == Kind::Newline || (token == Kind::KwFor && open == 1)) return false;
    is_list = is_list || (open == 1 && (token == Kind::KwAs || token == Kind::Comma));
  }
  return false;
}

ast::StmtPtr Parser::parse_with() {
  const std::uint32_t begin = current().range.begin;
  advance();
  const SourceRange open = current().range;
  if (!with_items_are_parenthesized()) return parse_with_items(begin, nullptr);
  advance();
  return parse_with_items(begin, &open);
}

/// `with a, b:` is `with a:` around `with b:`. `open` is the parenthesis around the items, where there is one.
ast::StmtPtr Parser::parse_with_items(std::uint32_t begin, const SourceRange* open) {
  ast::With with;
  with.context = parse_expression();
  if (accept(Kind::KwAs)) {
    with.target = parse_star_expression();
    check_target(*with.target);
  }
  const SourceRange range = since(begin);
  const bool has_more = accept(Kind::Comma) && !(open && kind() == Kind::RightParen);
  if (has_more && statement_depth_ < ast::kMostStatementDepth) {
    ++statement_depth_;
    with.body.push_back(parse_with_items(current().range.begin, open));
    --statement_depth_;
    return make_stmt(range, std::move(with));
  }
  if (has_more) fail(range, DiagnosticId::TooDeep, "statement");
  if (open) expect_close(Kind::RightParen, *open);
  with.body = parse_suite("`with`");
  return make_stmt(range, std::move(with));
}

/// Parsed over: pykc has no exceptions to catch.
ast::StmtPtr Parser::parse_try() {
  const SourceRange word = current().range;
  advance();
  parse_suite("`try`");
  bool has_handler = false;
  while (accept(Kind::KwExcept)) {
    has_handler = true;
    accept(Kind::Star);
    if (kind() != Kind::Colon) parse_star_expressions();
    if (accept(Kind::KwAs)) expect_name("a name");
    parse_suite("`except`");
  }
  if (has_handler) parse_otherwise();
  if (accept(Kind::KwFinally)) {
    parse_suite("`finally`");
  } else if (!has_handler) {
    report(word, DiagnosticId::TryWithoutHandler);
  }
  return make_stmt(word, ast::UnsupportedStmt{"`try`", {}});
}

ast::StmtPtr Parser::parse_async() {
  const SourceRange word = current().range;
  advance();
  if (kind() == Kind::KwDef || kind() == Kind::KwFor || kind() == Kind::KwWith)
    parse_compound_statement();
  else
    fail_expected("`def`, `for` or `with` after `async`");
  return make_stmt(word, ast::UnsupportedStmt{"`async`", {}});
}

/// An `else` without its `if`, and its kin; after a statement that failed, it probably belongs to that one. The block
/// below it is read as after any statement that failed.
ast::StmtPtr Parser::parse_misplaced_clause() {
  const SourceRange word = current().range;
  if (!follows_failure_) report(word, DiagnosticId::MisplacedClause, text_of(word));
  panicking_ = true;
  return make_stmt(word, ast::UnsupportedStmt{});
}

ast::StmtPtr Parser::parse_decorated() {
  const std::uint32_t begin = current().range.begin;
  std::vector<ExprPtr> decorators;
  while (accept(Kind::At)) {
    decorators.push_back(parse_named_expression());
    if (!accept(Kind::Newline)) {
      if (!panicking_) fail_expected("the end of the line after the decorator");
      recover();
    }
  }
  if (kind() == Kind::KwDef) return parse_function(std::move(decorators));
  if (kind() == Kind::KwClass) return parse_class(std::move(decorators));
  if (kind() == Kind::KwAsync) return parse_async();
  const SourceRange range = since(begin);
  if (current().kind != Kind::Error && !after_failure_)
    report(decorators.back()->range, DiagnosticId::DecoratorAlone, describe_current());
  return make_stmt(range, ast::UnsupportedStmt{});
}

ast::StmtPtr Parser::parse_function(std::vector<ExprPtr> decorators) {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::FunctionDef function;
  function.decorators = std::move(decorators);
  function.name_range = current().range;
  function.name = expect_name("the name of the function");
  const SourceRange open = current().range;
  expect(Kind::LeftParen);
  function.parameters = parse_parameters(Kind::RightParen);
  expect_close(Kind::RightParen, open);
  if (accept(Kind::Arrow)) function.returns = parse_expression();
  const SourceRange range = since(begin);
  const Context outer = std::exchange(context_, {.in_loop = false, .in_function = true});
  function.body = parse_suite("the function's parameters");
  context_ = outer;
  function.docstring = take_docstring(function.body);
  return make_stmt(range, std::move(function));
}

ast::StmtPtr Parser::parse_class(std::vector<ExprPtr> decorators) {
  const std::uint32_t begin = current().range.begin;
  advance();
  ast::ClassDef definition;
  definition.decorators = std::move(decorators);
  definition.name_range = current().range;
  definition.name = expect_name("the name of the class");
  if (accept(Kind::LeftParen)) {
    const SourceRange open = previous().range;
    ast::Call bases;
    while (kind() != Kind::RightParen) {
      parse_argument(bases);
      if (!accept(Kind::Comma)) break;
    }
    expect_close(Kind::RightParen, open);
    definition.bases = std::move(bases.arguments);
  }
  const SourceRange range = since(begin);
  const Context outer = std::exchange(context_, {});
  definition.body = parse_suite("the class's name");
  context_ = outer;
  take_docstring(definition.body);
  return make_stmt(range, std::move(definition));
}

/// Those of a function, or those of a lambda, which have no annotations.
std::vector<ast::Parameter> Parser::parse_parameters(Kind end) {
  std::vector<ast::Parameter> parameters;
  std::set<std::string> names;
  bool wants_default = false, is_keyword_only = false;
  while (kind() != end) {
    if (kind() == Kind::Star && kind_after() == Kind::Comma && !is_keyword_only) {
      advance();
      advance();
      is_keyword_only = true;
      wants_default = false;
      if (kind() == end) fail_expected("a parameter behind `*`");
      continue;
    }
    const bool is_variadic = kind() == Kind::Star && kind_after() == Kind::Identifier && !is_keyword_only;
    if (!is_variadic && (kind() == Kind::Star || kind() == Kind::StarStar || kind() == Kind::Slash)) {
      parse_special_parameter(end == Kind::RightParen);
      wants_default = false;
    } else {
      if (is_variadic) advance();
      ast::Parameter parameter = parse_parameter(end == Kind::RightParen);
      parameter.is_variadic = is_variadic;
      parameter.is_keyword_only = is_keyword_only;
      is_keyword_only = is_keyword_only || is_variadic;
      if (!names.insert(parameter.name).second)
        report(parameter.range, DiagnosticId::DuplicateParameter, parameter.name);
      else if (wants_default && !is_keyword_only && !parameter.default_value)
        report(parameter.range, DiagnosticId::PlainAfterDefault, parameter.name);
      wants_default = wants_default || parameter.default_value;
      parameters.push_back(std::move(parameter));
    }
    if (!accept(Kind::Comma)) break;
  }
  return parameters;
}

ast::Parameter Parser::parse_parameter(bool may_be_annotated) {
  ast::Parameter parameter;
  parameter.range = current().range;
  parameter.name = expect_name("the name of a parameter");
  if (may_be_annotated && accept(Kind::Colon)) parameter.annotation = parse_expression();
  if (accept(Kind::Equal)) parameter.default_value = parse_expression();
  return parameter;
}

/// A second `*` or `*args`, `**kwargs`, `/`: reported and passed over.
void Parser::parse_special_parameter(bool may_be_annotated) {
  const SourceRange range = current().range;
  report(range, DiagnosticId::UnsupportedParameter, text_of(range));
  const bool may_have_name = kind() != Kind::Slash;
  advance();
  if (!may_have_name || !accept(Kind::Identifier)) return;
  if (may_be_annotated && accept(Kind::Colon)) parse_star_expression();
}

}  // namespace pykc
