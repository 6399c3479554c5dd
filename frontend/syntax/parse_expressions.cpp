// Operators, from the loosest to the tightest, and lists of expressions.
#include <array>

#include "frontend/syntax/parse.h"

namespace pykc {

using Kind = TokenKind;

namespace {

struct BinaryOperator {
  TokenKind token;
  ast::BinaryOp op;
  int precedence;
};
// All of these group to the left. `**`, which does not, is in parse_power.
constexpr auto kBinaryOperators = std::to_array<BinaryOperator>({
    {Kind::Pipe, ast::BinaryOp::Or, 1},
    {Kind::Caret, ast::BinaryOp::Xor, 2},
    {Kind::Ampersand, ast::BinaryOp::And, 3},
    {Kind::LeftShift, ast::BinaryOp::LeftShift, 4},
    {Kind::RightShift, ast::BinaryOp::RightShift, 4},
    {Kind::Plus, ast::BinaryOp::Add, 5},
    {Kind::Minus, ast::BinaryOp::Sub, 5},
    {Kind::Star, ast::BinaryOp::Mul, 6},
    {Kind::Slash, ast::BinaryOp::Div, 6},
    {Kind::SlashSlash, ast::BinaryOp::FloorDiv, 6},
    {Kind::Percent, ast::BinaryOp::Mod, 6},
    {Kind::At, ast::BinaryOp::MatMul, 6},
});
constexpr int kLowestPrecedence = 1;

const BinaryOperator* binary_operator(TokenKind kind) {
  for (const BinaryOperator& row : kBinaryOperators)
    if (row.token == kind) return &row;
  return nullptr;
}

}  // namespace

/// `a`, or `a, b, …` as a tuple; any of them may be starred.
ast::ExprPtr Parser::parse_star_expressions() {
  ExprPtr first = parse_star_expression();
  if (kind() != Kind::Comma) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Tuple tuple;
  tuple.elements.push_back(std::move(first));
  while (accept(Kind::Comma) && starts_expression(kind())) tuple.elements.push_back(parse_star_expression());
  return make(since(begin), std::move(tuple));
}

ast::ExprPtr Parser::parse_star_expression() {
  const std::uint32_t begin = current().range.begin;
  if (!accept(Kind::Star)) return parse_named_expression();
  ExprPtr value = parse_binary(kLowestPrecedence);
  return make(since(begin), ast::Starred{std::move(value)});
}

/// The targets of a `for`, which end at `in`.
ast::ExprPtr Parser::parse_targets() {
  const auto one = [&] {
    const std::uint32_t begin = current().range.begin;
    const bool is_starred = accept(Kind::Star);
    ExprPtr target = parse_binary(kLowestPrecedence);
    return is_starred ? make(since(begin), ast::Starred{std::move(target)}) : std::move(target);
  };
  ExprPtr first = one();
  if (kind() != Kind::Comma) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Tuple tuple;
  tuple.elements.push_back(std::move(first));
  while (accept(Kind::Comma) && starts_expression(kind())) tuple.elements.push_back(one());
  return make(since(begin), std::move(tuple));
}

/// An expression, or `name := expression`.
ast::ExprPtr Parser::parse_named_expression() {
  if (kind() != Kind::Identifier || kind_after() != Kind::ColonEqual) return parse_expression();
  const std::uint32_t begin = current().range.begin;
  advance();
  advance();
  parse_expression();
  return make(since(begin), ast::Unsupported{"an assignment inside an expression (`:=`)"});
}

/// `then if condition else otherwise`, or a lambda.
ast::ExprPtr Parser::parse_expression() {
  return deeper([&]() -> ExprPtr {
    if (kind() == Kind::KwLambda) return parse_lambda();
    ExprPtr then = parse_logical(ast::BoolOp::Or);
    if (!accept(Kind::KwIf)) return then;
    const std::uint32_t begin = then->range.begin;
    ExprPtr condition = parse_logical(ast::BoolOp::Or);
    expect(Kind::KwElse);
    ExprPtr otherwise = parse_expression();
    return make(since(begin), ast::Conditional{std::move(condition), std::move(then), std::move(otherwise)});
  });
}

const ast::Expr& ast::body_of(const Lambda& lambda) { return *lambda.function->body.front()->as<Return>()->value; }

ast::ExprPtr Parser::parse_lambda() {
  const std::uint32_t begin = current().range.begin;
  auto function = std::make_shared<ast::FunctionDef>();
  function->name = "lambda";
  function->name_range = current().range;
  advance();
  function->parameters = parse_parameters(Kind::Colon);
  expect(Kind::Colon);
  ExprPtr body = parse_expression();
  const SourceRange range = body->range;
  function->body.push_back(make_stmt(range, ast::Return{std::move(body)}));
  return make(since(begin), ast::Lambda{std::move(function)});
}

/// `a or b or c`, whose operands are chains of `and`, whose operands are comparisons or `not`.
ast::ExprPtr Parser::parse_logical(ast::BoolOp op) {
  const auto operand = [&] { return op == ast::BoolOp::Or ? parse_logical(ast::BoolOp::And) : parse_not(); };
  const Kind word = op == ast::BoolOp::Or ? Kind::KwOr : Kind::KwAnd;
  ExprPtr first = operand();
  if (kind() != word) return first;
  const std::uint32_t begin = first->range.begin;
  ast::Logical logical{op, {}};
  logical.operands.push_back(std::move(first));
  while (accept(word)) logical.operands.push_back(operand());
  return make(since(begin), std::move(logical));
}

ast::ExprPtr Parser::parse_not() {
  const std::uint32_t begin = current().range.begin;
  if (!accept(Kind::KwNot)) return parse_comparison();
  ExprPtr operand = deeper([&] { return parse_not(); });
  return make(since(begin), ast::Unary{ast::UnaryOp::Not, std::move(operand)});
}

ast::ExprPtr Parser::parse_comparison() {
  ExprPtr first = parse_binary(kLowestPrecedence);
  const std::uint32_t begin = first->range.begin;
  ast::Compare compare;
  ast::CompareOp op;
  while (parse_compare_op(op)) {
    compare.ops.push_back(op);
    compare.rest.push_back(parse_binary(kLowestPrecedence));
  }
  if (compare.ops.empty()) return first;
  compare.first = std::move(first);
  return make(since(begin), std::move(compare));
}

bool Parser::parse_compare_op(ast::CompareOp& op) {
  switch (kind()) {
    case Kind::EqualEqual:
      op = ast::CompareOp::Eq;
      break;
    case Kind::NotEqual:
      op = ast::CompareOp::Ne;
      break;
    case Kind::Less:
      op = ast::CompareOp::Lt;
      break;
    case Kind::LessEqual:
      op = ast::CompareOp::Le;
      break;
    case Kind::Greater:
      op = ast::CompareOp::Gt;
      break;
    case Kind::GreaterEqual:
      op = ast::CompareOp::Ge;
      break;
    case Kind::KwIn:
      op = ast::CompareOp::In;
      break;
    case Kind::KwIs:
      op = kind_after() == Kind::KwNot ? ast::CompareOp::IsNot : ast::CompareOp::Is;
      break;
    case Kind::KwNot:
      if (kind_after() != Kind::KwIn) return false;
      op = ast::CompareOp::NotIn;
      break;
    default:
      return false;
  }
  if (op == ast::CompareOp::IsNot || op == ast::CompareOp::NotIn) advance();
  advance();
  return true;
}

/// Operators that bind as tightly as `lowest_precedence` or tighter.
ast::ExprPtr Parser::parse_binary(int lowest_precedence) {
  ExprPtr left = parse_unary();
  for (;;) {
    const BinaryOperator* row = binary_operator(kind());
    if (!row || row->precedence < lowest_precedence) return left;
    const SourceRange op_range = current().range;
    advance();
    ExprPtr right = parse_binary(row->precedence + 1);
    const SourceRange range = since(left->range.begin);
    left = make(range, ast::Binary{row->op, std::move(left), std::move(right), op_range});
  }
}

ast::ExprPtr Parser::parse_unary() {
  const std::uint32_t begin = current().range.begin;
  ast::UnaryOp op;
  switch (kind()) {
    case Kind::Minus:
      op = ast::UnaryOp::Negate;
      break;
    case Kind::Plus:
      op = ast::UnaryOp::Plus;
      break;
    case Kind::Tilde:
      op = ast::UnaryOp::Invert;
      break;
    default:
      return parse_power();
  }
  advance();
  ExprPtr operand = deeper([&] { return parse_unary(); });
  return make(since(begin), ast::Unary{op, std::move(operand)});
}

/// `base ** exponent` binds tighter than a sign on its left, looser than one on its right.
ast::ExprPtr Parser::parse_power() {
  ExprPtr base = kind() == Kind::KwAwait ? parse_await() : parse_postfix();
  const SourceRange op_range = current().range;
  if (!accept(Kind::StarStar)) return base;
  ExprPtr exponent = deeper([&] { return parse_unary(); });
  const SourceRange range = since(base->range.begin);
  return make(range, ast::Binary{ast::BinaryOp::Pow, std::move(base), std::move(exponent), op_range});
}

}  // namespace pykc
