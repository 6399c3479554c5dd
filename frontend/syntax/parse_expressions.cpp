// Operators, from the loosest to the tightest, and lists of expressions.
#include "frontend/syntax/parse_expressions.h"

#include <array>

#include "frontend/syntax/parse.h"
#include "frontend/syntax/parse_compound.h"
#include "frontend/syntax/parse_primary.h"

namespace pykc {
namespace {

ast::ExprPtr parse_unary(Parser& parser);

struct BinaryOperator {
  TokenKind token;
  ast::BinaryOp op;
  int precedence;
};
// All of these group to the left. `**`, which does not, is in parse_power.
constexpr auto kBinaryOperators = std::to_array<BinaryOperator>({
    {TokenKind::Pipe, ast::BinaryOp::Or, 1},
    {TokenKind::Caret, ast::BinaryOp::Xor, 2},
    {TokenKind::Ampersand, ast::BinaryOp::And, 3},
    {TokenKind::LeftShift, ast::BinaryOp::LeftShift, 4},
    {TokenKind::RightShift, ast::BinaryOp::RightShift, 4},
    {TokenKind::Plus, ast::BinaryOp::Add, 5},
    {TokenKind::Minus, ast::BinaryOp::Sub, 5},
    {TokenKind::Star, ast::BinaryOp::Mul, 6},
    {TokenKind::Slash, ast::BinaryOp::Div, 6},
    {TokenKind::SlashSlash, ast::BinaryOp::FloorDiv, 6},
    {TokenKind::Percent, ast::BinaryOp::Mod, 6},
    {TokenKind::At, ast::BinaryOp::MatMul, 6},
});
constexpr int kLowestPrecedence = 1;

const BinaryOperator* binary_operator(TokenKind kind) {
  for (const BinaryOperator& row : kBinaryOperators)
    if (row.token == kind) return &row;
  return nullptr;
}

ast::ExprPtr parse_lambda(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  auto function = std::make_shared<ast::FunctionDef>();
  function->name = "lambda";
  function->name_range = parser.current().range;
  parser.advance();
  function->parameters = parse_parameters(parser, TokenKind::Colon);
  parser.expect(TokenKind::Colon);
  ast::ExprPtr body = parse_expression(parser);
  const SourceRange range = body->range;
  function->body.push_back(parser.make_stmt(range, ast::Return{std::move(body)}));
  return parser.make(parser.since(begin), ast::Lambda{std::move(function)});
}

bool parse_compare_op(Parser& parser, ast::CompareOp& op) {
  switch (parser.kind()) {
    case TokenKind::EqualEqual:
      op = ast::CompareOp::Eq;
      break;
    case TokenKind::NotEqual:
      op = ast::CompareOp::Ne;
      break;
    case TokenKind::Less:
      op = ast::CompareOp::Lt;
      break;
    case TokenKind::LessEqual:
      op = ast::CompareOp::Le;
      break;
    case TokenKind::Greater:
      op = ast::CompareOp::Gt;
      break;
    case TokenKind::GreaterEqual:
      op = ast::CompareOp::Ge;
      break;
    case TokenKind::KwIn:
      op = ast::CompareOp::In;
      break;
    case TokenKind::KwIs:
      op = parser.kind_after() == TokenKind::KwNot ? ast::CompareOp::IsNot : ast::CompareOp::Is;
      break;
    case TokenKind::KwNot:
      if (parser.kind_after() != TokenKind::KwIn) return false;
      op = ast::CompareOp::NotIn;
      break;
    default:
      return false;
  }
  if (op == ast::CompareOp::IsNot || op == ast::CompareOp::NotIn) parser.advance();
  parser.advance();
  return true;
}

/// `base ** exponent` binds tighter than a sign on its left, looser than one on its right.
ast::ExprPtr parse_power(Parser& parser) {
  ast::ExprPtr base = parser.kind() == TokenKind::KwAwait ? parse_await(parser) : parse_postfix(parser);
  const SourceRange op_range = parser.current().range;
  if (!parser.accept(TokenKind::StarStar)) return base;
  ast::ExprPtr exponent = parser.deeper([&] { return parse_unary(parser); });
  const SourceRange range = parser.since(base->range.begin);
  return parser.make(range, ast::Binary{ast::BinaryOp::Pow, std::move(base), std::move(exponent), op_range});
}

ast::ExprPtr parse_unary(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  ast::UnaryOp op;
  switch (parser.kind()) {
    case TokenKind::Minus:
      op = ast::UnaryOp::Negate;
      break;
    case TokenKind::Plus:
      op = ast::UnaryOp::Plus;
      break;
    case TokenKind::Tilde:
      op = ast::UnaryOp::Invert;
      break;
    default:
      return parse_power(parser);
  }
  parser.advance();
  ast::ExprPtr operand = parser.deeper([&] { return parse_unary(parser); });
  return parser.make(parser.since(begin), ast::Unary{op, std::move(operand)});
}

/// Operators that bind as tightly as `lowest_precedence` or tighter.
ast::ExprPtr parse_binary(Parser& parser, int lowest_precedence) {
  ast::ExprPtr left = parse_unary(parser);
  for (;;) {
    const BinaryOperator* row = binary_operator(parser.kind());
    if (!row || row->precedence < lowest_precedence) return left;
    const SourceRange op_range = parser.current().range;
    parser.advance();
    ast::ExprPtr right = parse_binary(parser, row->precedence + 1);
    const SourceRange range = parser.since(left->range.begin);
    left = parser.make(range, ast::Binary{row->op, std::move(left), std::move(right), op_range});
  }
}

ast::ExprPtr parse_comparison(Parser& parser) {
  ast::ExprPtr first = parse_binary(parser, kLowestPrecedence);
  const std::uint32_t begin = first->range.begin;
  ast::Compare compare;
  ast::CompareOp op;
  while (parse_compare_op(parser, op)) {
    compare.ops.push_back(op);
    compare.rest.push_back(parse_binary(parser, kLowestPrecedence));
  }
  if (compare.ops.empty()) return first;
  compare.first = std::move(first);
  return parser.make(parser.since(begin), std::move(compare));
}

ast::ExprPtr parse_not(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  if (!parser.accept(TokenKind::KwNot)) return parse_comparison(parser);
  ast::ExprPtr operand = parser.deeper([&] { return parse_not(parser); });
  return parser.make(parser.since(begin), ast::Unary{ast::UnaryOp::Not, std::move(operand)});
}

}  // namespace

/// `a`, or `a, b, …` as a tuple; any of them may be starred.
ast::ExprPtr parse_star_expressions(Parser& parser) {
  ast::ExprPtr first = parse_star_expression(parser);
  if (parser.kind() != TokenKind::Comma) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Tuple tuple;
  tuple.elements.push_back(std::move(first));
  while (parser.accept(TokenKind::Comma) && starts_expression(parser.kind()))
    tuple.elements.push_back(parse_star_expression(parser));
  return parser.make(parser.since(begin), std::move(tuple));
}

ast::ExprPtr parse_star_expression(Parser& parser) {
  const std::uint32_t begin = parser.current().range.begin;
  if (!parser.accept(TokenKind::Star)) return parse_named_expression(parser);
  ast::ExprPtr value = parse_binary(parser, kLowestPrecedence);
  return parser.make(parser.since(begin), ast::Starred{std::move(value)});
}

/// The targets of a `for`, which end at `in`.
ast::ExprPtr parse_targets(Parser& parser) {
  const auto one = [&] {
    const std::uint32_t begin = parser.current().range.begin;
    const bool is_starred = parser.accept(TokenKind::Star);
    ast::ExprPtr target = parse_binary(parser, kLowestPrecedence);
    return is_starred ? parser.make(parser.since(begin), ast::Starred{std::move(target)}) : std::move(target);
  };
  ast::ExprPtr first = one();
  if (parser.kind() != TokenKind::Comma) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Tuple tuple;
  tuple.elements.push_back(std::move(first));
  while (parser.accept(TokenKind::Comma) && starts_expression(parser.kind())) tuple.elements.push_back(one());
  return parser.make(parser.since(begin), std::move(tuple));
}

/// An expression, or `name := expression`.
ast::ExprPtr parse_named_expression(Parser& parser) {
  if (parser.kind() != TokenKind::Identifier || parser.kind_after() != TokenKind::ColonEqual)
    return parse_expression(parser);
  const std::uint32_t begin = parser.current().range.begin;
  parser.advance();
  parser.advance();
  parse_expression(parser);
  return parser.make(parser.since(begin), ast::Unsupported{"an assignment inside an expression (`:=`)"});
}

/// `then if condition else otherwise`, or a lambda.
ast::ExprPtr parse_expression(Parser& parser) {
  return parser.deeper([&]() -> ast::ExprPtr {
    if (parser.kind() == TokenKind::KwLambda) return parse_lambda(parser);
    ast::ExprPtr then = parse_logical(parser, ast::BoolOp::Or);
    if (!parser.accept(TokenKind::KwIf)) return then;
    const std::uint32_t begin = then->range.begin;
    ast::ExprPtr condition = parse_logical(parser, ast::BoolOp::Or);
    parser.expect(TokenKind::KwElse);
    ast::ExprPtr otherwise = parse_expression(parser);
    return parser.make(parser.since(begin),
                       ast::Conditional{std::move(condition), std::move(then), std::move(otherwise)});
  });
}

const ast::Expr& ast::body_of(const Lambda& lambda) { return *lambda.function->body.front()->as<Return>()->value; }

/// `a or b or c`, whose operands are chains of `and`, whose operands are comparisons or `not`.
ast::ExprPtr parse_logical(Parser& parser, ast::BoolOp op) {
  const auto operand = [&] {
    return op == ast::BoolOp::Or ? parse_logical(parser, ast::BoolOp::And) : parse_not(parser);
  };
  const TokenKind word = op == ast::BoolOp::Or ? TokenKind::KwOr : TokenKind::KwAnd;
  ast::ExprPtr first = operand();
  if (parser.kind() != word) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Logical logical{op, {}};
  logical.operands.push_back(std::move(first));
  while (parser.accept(word)) logical.operands.push_back(operand());
  return parser.make(parser.since(begin), std::move(logical));
}

}  // namespace pykc
