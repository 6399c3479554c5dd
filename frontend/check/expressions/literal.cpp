#include "frontend/check/expressions/literal.h"

#include "frontend/check/expressions/operator.h"

namespace pykc::checker {
namespace {

constexpr Int128 kWidest = Int128{1} << 120;

struct Literal {
  Int128 value;
  bool has_wide_part;
};

bool is_wide(Int128 value) {
  return !is_wide_enough(value, ScalarType::I64) && !is_wide_enough(value, ScalarType::U64);
}

std::optional<Literal> literal(const ast::Expr& expr);

std::optional<Int128> power(Int128 base, Int128 exponent) {
  if (exponent < 0 || exponent > 128) return std::nullopt;
  Int128 result = 1;
  for (Int128 i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

std::optional<Literal> literal(const ast::Binary& node) {
  const std::optional<Literal> right = literal(*node.right);
  const std::optional<Literal> left = right ? literal(*node.left) : std::nullopt;
  if (!left) return std::nullopt;
  const bool divides = node.op == ast::BinaryOp::FloorDiv || node.op == ast::BinaryOp::Mod;
  if (divides && right->value == 0) return std::nullopt;
  const std::optional<Int128> value =
      node.op == ast::BinaryOp::Pow ? power(left->value, right->value) : fold(node.op, left->value, right->value);
  if (!value || *value > kWidest || *value < -kWidest) return std::nullopt;
  return Literal{*value, left->has_wide_part || right->has_wide_part || is_wide(*value)};
}

std::optional<Literal> literal(const ast::Expr& expr) {
  if (const auto* number = expr.as<ast::IntLiteral>()) return Literal{static_cast<Int128>(number->value), false};
  if (const auto* binary = expr.as<ast::Binary>()) return literal(*binary);
  const auto* unary = expr.as<ast::Unary>();
  std::optional<Literal> operand = unary ? literal(*unary->operand) : std::nullopt;
  if (!operand || unary->op == ast::UnaryOp::Not) return std::nullopt;
  if (unary->op == ast::UnaryOp::Negate) operand->value = -operand->value;
  if (unary->op == ast::UnaryOp::Invert) operand->value = ~operand->value;
  return operand;
}

}  // namespace

std::optional<Int128> number_of_wide_parts(const ast::Binary& node) {
  const std::optional<Literal> whole = literal(node);
  return whole && whole->has_wide_part && !is_wide(whole->value) ? std::optional(whole->value) : std::nullopt;
}

}  // namespace pykc::checker
