// Compound statements: those with blocks.
#include "frontend/syntax/parse_compound.h"

#include <algorithm>
#include <set>
#include <utility>

#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_expressions.h"
#include "frontend/syntax/parse_primary.h"
#include "frontend/syntax/parse_statements.h"

namespace pykc {
namespace {

/// The `else` of an `if` or a loop, where there is one.
ast::Suite parse_otherwise(Parser& parser) {
  return parser.accept(TokenKind::KwElse) ? parse_suite(parser, "`else`") : ast::Suite{};
}

/// From `if` or `elif` on; an `elif` is an If in `otherwise`.
ast::StmtPtr parse_if(Parser& parser) {
  const SourceRange word = parser.current().range;
  if (parser.statement_depth >= ast::kMostStatementDepth) {
    parser.report(word, DiagnosticId::TooDeep, "statement");
    parser.give_up();
    return parser.make_stmt(word, ast::UnsupportedStmt{});
  }
  parser.advance();
  ast::If result;
  result.condition = parse_condition(parser);
  const SourceRange range = parser.since(word.begin);
  result.then = parse_suite(parser, "the condition");
  ++parser.statement_depth;
  if (parser.kind() == TokenKind::KwElif) {
    result.otherwise.push_back(parse_if(parser));
  } else if (parser.kind() == TokenKind::KwElse && parser.kind_after() == TokenKind::KwIf) {
    parser.report({parser.current().range.begin, parser.tokens[parser.position + 1].range.end}, DiagnosticId::ElseIf)
        .fix("elif");
    parser.advance();
    result.otherwise.push_back(parse_if(parser));
  } else {
    result.otherwise = parse_otherwise(parser);
  }
  --parser.statement_depth;
  return parser.make_stmt(range, std::move(result));
}

ast::StmtPtr parse_while(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::While loop;
  loop.condition = parse_condition(parser);
  const SourceRange range = parser.since(begin);
  loop.body = parse_loop_suite(parser, "the condition");
  loop.otherwise = parse_otherwise(parser);
  return parser.make_stmt(range, std::move(loop));
}

ast::StmtPtr parse_for(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::For loop;
  const auto kind_at = [&](std::size_t i) { return parser.tokens[std::min(i, parser.tokens.size() - 1)].kind; };
  if (parser.kind() == TokenKind::LeftParen && kind_at(parser.position + 1) == TokenKind::Identifier &&
      (kind_at(parser.position + 2) == TokenKind::Identifier || kind_at(parser.position + 2) == TokenKind::Equal))
    parser.fail_expected("what `for` assigns to").note("a loop that counts is `for i in range(begin, end, step):`");
  loop.target = parse_targets(parser);
  check_target(parser, *loop.target);
  parser.expect(TokenKind::KwIn);
  loop.iterable = parse_value(parser);
  const SourceRange range = parser.since(begin);
  loop.body = parse_loop_suite(parser, "what `for` goes over");
  loop.otherwise = parse_otherwise(parser);
  return parser.make_stmt(range, std::move(loop));
}

/// Are the items of a `with` in parentheses of their own? `with (a, b):` and `with (a as b):` have two and one item,
/// `with (a, b) as c:` has a tuple.
bool with_items_are_parenthesized(const Parser& parser) {
  if (parser.kind() != TokenKind::LeftParen) return false;
  int open = 0;
  bool is_list = false;
  for (std::size_t i = parser.position; i < parser.tokens.size(); ++i) {
    const TokenKind token = parser.tokens[i].kind;
    open += token == TokenKind::LeftParen || token == TokenKind::LeftBracket || token == TokenKind::LeftBrace ? 1 : 0;
    open -=
        token == TokenKind::RightParen || token == TokenKind::RightBracket || token == TokenKind::RightBrace ? 1 : 0;
    if (open == 0) return is_list && parser.tokens[i + 1].kind == TokenKind::Colon;
    if (token == TokenKind::Newline || (token == TokenKind::KwFor && open == 1)) return false;
    is_list = is_list || (open == 1 && (token == TokenKind::KwAs || token == TokenKind::Comma));
  }
  return false;
}

/// `with a, b:` is `with a:` around `with b:`. `open` is the parenthesis around the items, where there is one.
ast::StmtPtr parse_with_items(Parser& parser, std::uint32_t begin, const SourceRange* open) {
  ast::With with;
  with.context = parse_expression(parser);
  if (parser.accept(TokenKind::KwAs)) {
    with.target = parse_star_expression(parser);
    check_target(parser, *with.target);
  }
  const SourceRange range = parser.since(begin);
  const bool has_more = parser.accept(TokenKind::Comma) && !(open && parser.kind() == TokenKind::RightParen);
  if (has_more && parser.statement_depth < ast::kMostStatementDepth) {
    ++parser.statement_depth;
    with.body.push_back(parse_with_items(parser, parser.current().range.begin, open));
    --parser.statement_depth;
    return parser.make_stmt(range, std::move(with));
  }
  if (has_more) parser.fail(range, DiagnosticId::TooDeep, "statement");
  if (open) parser.expect_close(TokenKind::RightParen, *open);
  with.body = parse_suite(parser, "`with`");
  return parser.make_stmt(range, std::move(with));
}

ast::StmtPtr parse_with(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  const SourceRange open = parser.current().range;
  if (!with_items_are_parenthesized(parser)) return parse_with_items(parser, begin, nullptr);
  parser.advance();
  return parse_with_items(parser, begin, &open);
}

/// Parsed over: pykc has no exceptions to catch.
ast::StmtPtr parse_try(Parser& parser) {
  const SourceRange word = parser.current().range;
  parser.advance();
  parse_suite(parser, "`try`");
  bool has_handler = false;
  while (parser.accept(TokenKind::KwExcept)) {
    has_handler = true;
    parser.accept(TokenKind::Star);
    if (parser.kind() != TokenKind::Colon) parse_star_expressions(parser);
    if (parser.accept(TokenKind::KwAs)) parser.expect_name("a name");
    const Parser::Context outer = parser.context;
    parser.context.in_handler = true;
    parse_suite(parser, "`except`");
    parser.context = outer;
  }
  if (has_handler) parse_otherwise(parser);
  if (parser.accept(TokenKind::KwFinally)) {
    parse_suite(parser, "`finally`");
  } else if (!has_handler) {
    parser.report(word, DiagnosticId::TryWithoutHandler);
  }
  return parser.make_stmt(word, ast::UnsupportedStmt{"`try`", {}});
}

ast::StmtPtr parse_async(Parser& parser) {
  const SourceRange word = parser.current().range;
  parser.advance();
  if (parser.kind() == TokenKind::KwDef || parser.kind() == TokenKind::KwFor || parser.kind() == TokenKind::KwWith)
    parse_compound_statement(parser);
  else
    parser.fail_expected("`def`, `for` or `with` after `async`");
  return parser.make_stmt(word, ast::UnsupportedStmt{"`async`", {}});
}

/// An `else` without its `if`, and its kin; after a statement that failed, it probably belongs to that one. The block
/// below it is read as after any statement that failed.
ast::StmtPtr parse_misplaced_clause(Parser& parser) {
  const SourceRange word = parser.current().range;
  if (!parser.follows_failure) parser.report(word, DiagnosticId::MisplacedClause, parser.text_of(word));
  parser.panicking = true;
  return parser.make_stmt(word, ast::UnsupportedStmt{});
}

/// What to write for `const float* x`, of which the first word has been taken; "" where it is no such thing.
std::string instead_of_c_parameter(const Parser& parser) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"float", "f32"}, {"double", "f64"}, {"int", "i32"}, {"unsigned", "u32"}, {"char", "i8"}};
  if (parser.previous().kind != TokenKind::Identifier) return {};
  std::vector<std::string_view> words = {parser.text_of(parser.previous().range)};
  bool is_pointer = false;
  std::size_t i = parser.position;
  for (; parser.tokens[i].kind == TokenKind::Identifier || parser.tokens[i].kind == TokenKind::Star; ++i)
    if (parser.tokens[i].kind == TokenKind::Star)
      is_pointer = true;
    else
      words.push_back(parser.text_of(parser.tokens[i].range));
  if (words.size() < 2 || (parser.tokens[i].kind != TokenKind::Comma && parser.tokens[i].kind != TokenKind::RightParen))
    return {};
  const std::string_view type = words[words.size() - 2];
  const auto* row = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::string_view>::first);
  return std::string(words.back()) + ": " + std::string(row == std::end(kTypes) ? type : row->second) +
         (is_pointer ? "[:]" : "");
}

ast::StmtPtr parse_function(Parser& parser, std::vector<ast::ExprPtr> decorators) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::FunctionDef function;
  function.decorators = std::move(decorators);
  function.name_range = parser.current().range;
  function.name = parser.expect_name("the name of the function");
  const SourceRange open = parser.current().range;
  parser.expect(TokenKind::LeftParen);
  function.parameters = parse_parameters(parser, TokenKind::RightParen);
  if (const std::string instead = instead_of_c_parameter(parser); !instead.empty())
    parser.fail(parser.current().range, DiagnosticId::MissingComma, "`)`", parser.describe_current())
        .note("a parameter's type stands behind its name: " + as_code(instead));
  parser.expect_close(TokenKind::RightParen, open);
  if (parser.accept(TokenKind::Arrow)) function.returns = parse_expression(parser);
  const SourceRange range = parser.since(begin);
  const Parser::Context outer = std::exchange(parser.context, {.in_loop = false, .in_function = true});
  function.body = parse_suite(parser, "the function's parameters");
  parser.context = outer;
  function.docstring = take_docstring(function.body);
  return parser.make_stmt(range, std::move(function));
}

ast::StmtPtr parse_class(Parser& parser, std::vector<ast::ExprPtr> decorators) {
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  ast::ClassDef definition;
  definition.decorators = std::move(decorators);
  definition.name_range = parser.current().range;
  definition.name = parser.expect_name("the name of the class");
  if (parser.accept(TokenKind::LeftParen)) {
    const SourceRange open = parser.previous().range;
    ast::Call bases;
    while (parser.kind() != TokenKind::RightParen) {
      parse_argument(parser, bases);
      if (!parser.accept(TokenKind::Comma)) break;
    }
    parser.expect_close(TokenKind::RightParen, open);
    definition.bases = std::move(bases.arguments);
  }
  const SourceRange range = parser.since(begin);
  const Parser::Context outer = std::exchange(parser.context, {});
  definition.body = parse_suite(parser, "the class's name");
  parser.context = outer;
  take_docstring(definition.body);
  return parser.make_stmt(range, std::move(definition));
}

ast::StmtPtr parse_decorated(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  std::vector<ast::ExprPtr> decorators;
  while (parser.accept(TokenKind::At)) {
    decorators.push_back(parse_named_expression(parser));
    if (!parser.accept(TokenKind::Newline)) {
      if (!parser.panicking) parser.fail_expected("the end of the line after the decorator");
      parser.recover();
    }
  }
  if (parser.kind() == TokenKind::KwDef) return parse_function(parser, std::move(decorators));
  if (parser.kind() == TokenKind::KwClass) return parse_class(parser, std::move(decorators));
  if (parser.kind() == TokenKind::KwAsync) return parse_async(parser);
  const SourceRange range = parser.since(begin);
  if (parser.current().kind != TokenKind::Error && !parser.after_failure)
    parser.report(decorators.back()->range, DiagnosticId::DecoratorAlone, parser.describe_current());
  return parser.make_stmt(range, ast::UnsupportedStmt{});
}

/// `y: f32*`, as C has it.
bool is_at_pointer(const Parser& parser) {
  if (parser.kind() != TokenKind::Identifier || parser.kind_after() != TokenKind::Star) return false;
  const TokenKind behind = parser.tokens[parser.position + 2].kind;
  return behind == TokenKind::Comma || behind == TokenKind::RightParen || behind == TokenKind::Equal;
}

ast::ExprPtr parse_parameter_type(Parser& parser) {
  if (!is_at_pointer(parser)) return parse_expression(parser);
  const SourceRange element = parser.current().range;
  parser.advance();
  parser.advance();
  const SourceRange pointer = parser.since(element.begin);
  parser.report(pointer, DiagnosticId::UnexpectedToken, "a type", "a pointer")
      .fix(std::string(parser.text_of(element)) + "[:]");
  return parser.make_missing();
}

ast::Parameter parse_parameter(Parser& parser, bool may_be_annotated) {
  ast::Parameter parameter;
  parameter.range = parser.current().range;
  parameter.name = parser.expect_name("the name of a parameter");
  if (may_be_annotated && parser.accept(TokenKind::Colon)) parameter.annotation = parse_parameter_type(parser);
  if (parser.accept(TokenKind::Equal)) parameter.default_value = parse_expression(parser);
  return parameter;
}

/// A second `*` or `*args`, `**kwargs`, `/`: reported and passed over.
void parse_special_parameter(Parser& parser, bool may_be_annotated) {
  const SourceRange range = parser.current().range;
  parser.report(range, DiagnosticId::UnsupportedParameter, parser.text_of(range));
  const bool may_have_name = parser.kind() != TokenKind::Slash;
  parser.advance();
  if (!may_have_name || !parser.accept(TokenKind::Identifier)) return;
  if (may_be_annotated && parser.accept(TokenKind::Colon)) parse_star_expression(parser);
}

}  // namespace

/// Null when the next statement is not a compound one.
ast::StmtPtr parse_compound_statement(Parser& parser) {
  switch (parser.kind()) {
    case TokenKind::KwIf:
      return parse_if(parser);
    case TokenKind::KwWhile:
      return parse_while(parser);
    case TokenKind::KwFor:
      return parse_for(parser);
    case TokenKind::KwWith:
      return parse_with(parser);
    case TokenKind::KwTry:
      return parse_try(parser);
    case TokenKind::KwAsync:
      return parse_async(parser);
    case TokenKind::KwDef:
      return parse_function(parser, {});
    case TokenKind::KwClass:
      return parse_class(parser, {});
    case TokenKind::At:
      return parse_decorated(parser);
    case TokenKind::KwElif:
    case TokenKind::KwElse:
    case TokenKind::KwExcept:
    case TokenKind::KwFinally:
      return parse_misplaced_clause(parser);
    default:
      return nullptr;
  }
}

/// A condition, in which `=` is a mistake for `==`.
ast::ExprPtr parse_condition(Parser& parser) {
  ast::ExprPtr condition = parse_named_expression(parser);
  while (parser.kind() == TokenKind::Equal) {
    parser.report(parser.current().range, DiagnosticId::AssignmentInExpression).fix("==");
    parser.advance();
    parse_expression(parser);
  }
  return condition;
}

/// The parameters of a function, or of a lambda, which have no annotations.
std::vector<ast::Parameter> parse_parameters(Parser& parser, TokenKind end) {
  std::vector<ast::Parameter> parameters;
  std::set<std::string> names;
  bool wants_default = false, is_keyword_only = false;
  while (parser.kind() != end) {
    if (parser.kind() == TokenKind::Star && parser.kind_after() == TokenKind::Comma && !is_keyword_only) {
      parser.advance();
      parser.advance();
      is_keyword_only = true;
      wants_default = false;
      if (parser.kind() == end) parser.fail_expected("a parameter behind `*`");
      continue;
    }
    const bool is_variadic =
        parser.kind() == TokenKind::Star && parser.kind_after() == TokenKind::Identifier && !is_keyword_only;
    if (!is_variadic && (parser.kind() == TokenKind::Star || parser.kind() == TokenKind::StarStar ||
                         parser.kind() == TokenKind::Slash)) {
      parse_special_parameter(parser, end == TokenKind::RightParen);
      wants_default = false;
    } else {
      if (is_variadic) parser.advance();
      ast::Parameter parameter = parse_parameter(parser, end == TokenKind::RightParen);
      parameter.is_variadic = is_variadic;
      parameter.is_keyword_only = is_keyword_only;
      is_keyword_only = is_keyword_only || is_variadic;
      if (!names.insert(parameter.name).second)
        parser.report(parameter.range, DiagnosticId::DuplicateParameter, parameter.name);
      else if (wants_default && !is_keyword_only && !parameter.default_value)
        parser.report(parameter.range, DiagnosticId::PlainAfterDefault, parameter.name);
      wants_default = wants_default || parameter.default_value;
      parameters.push_back(std::move(parameter));
    }
    if (!parser.accept(TokenKind::Comma)) break;
  }
  return parameters;
}

}  // namespace pykc
