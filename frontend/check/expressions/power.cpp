// `x ** y`. Small constant exponents become products (x ** 2 is x * x), ** 0.5 a square root with pow's answers for
// -0.0 and -inf; the rest calls pow.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

using checked::BinaryOp;
using checked::CompareOp;

/// A small constant exponent, for which the power is a product.
std::optional<int> Body::count_of_factors(const Value& exponent) {
  constexpr int kMost = 16;
  const bool is_literal = exponent.is_weak() || !rules_->has_weak_literals;
  if (!is_literal || !exponent.is_constant() || !is_integer(exponent.scalar())) return std::nullopt;
  const Int128 count = integer_of(*exponent.expr);
  return count >= -kMost && count <= kMost ? std::optional(static_cast<int>(count)) : std::nullopt;
}

Value Body::power(const Value& base, const Value& exponent, SourceRange range) {
  if (base.is_weak() && base.is_constant() && exponent.is_weak() && exponent.is_constant())
    return fold_weak_power(base, exponent, range);
  const std::optional<int> count = count_of_factors(exponent);
  const bool is_literal = exponent.is_weak() || !rules_->has_weak_literals;
  const bool is_half = is_literal && exponent.is_constant() && real_of(*exponent.expr) == 0.5;
  const bool has_integers = is_integer_or_bool(base.scalar()) && is_integer_or_bool(exponent.scalar());
  if (count) {
    const bool becomes_float = has_integers && *count < 0 && exponent.is_weak();  // 2 ** -1 is 0.5
    const ScalarType type = becomes_float        ? ScalarType::F64
                            : exponent.is_weak() ? rules_->promoted(base.scalar())
                                                 : *rules_->power(base.scalar(), exponent.scalar());
    return TreeBuilder::strong(power_by_products(tree_.convert(base, type), *count, range));
  }
  if (has_integers) {
    const std::optional<Unified> unified = unify(base, exponent, rules_->power);
    if (!unified) {
      report_no_common_type(base, exponent, range);
      return {};
    }
    const Expr *x = tree_.convert(base, unified->type), *y = tree_.convert(exponent, unified->type);
    return TreeBuilder::strong(tree_.builtin(BuiltinId::PowInt, unified->type, {x, y}, range));
  }
  const std::optional<Unified> unified = unify(base, exponent, rules_->power);
  note_double(base, exponent, range, Narrowing::Never);
  if (is_half) return TreeBuilder::strong(power_of_half(tree_.convert(base, unified->type), range));
  return builtin_result(BuiltinId::Pow, {tree_.convert(base, unified->type), tree_.convert(exponent, unified->type)},
                        unified->type, range);
}

const checked::Expr* Body::power_by_products(const Expr* base, int exponent, SourceRange range) {
  const Expr* one = tree_.cast(tree_.integer(1, ScalarType::I64, range), base->type.scalar);
  return with_temporary(base, [&](const Expr* x) -> const Expr* {
    if (exponent == 0) return one;
    const Expr* product = product_of(x, std::abs(exponent), range);
    return exponent < 0 ? tree_.binary(BinaryOp::Div, one, product, range) : product;
  });
}

const checked::Expr* Body::product_of(const Expr* factor, int count, SourceRange range) {
  if (count == 1) return factor;
  return with_temporary(product_of(factor, count / 2, range), [&](const Expr* half) {
    const Expr* square = tree_.binary(BinaryOp::Mul, half, half, range);
    return count % 2 == 0 ? square : tree_.binary(BinaryOp::Mul, square, factor, range);
  });
}

const checked::Expr* Body::power_of_half(const Expr* base, SourceRange range) {
  const ScalarType type = base->type.scalar;
  const double infinity = std::numeric_limits<double>::infinity();
  return with_temporary(base, [&](const Expr* x) {
    const Expr* without_negative_zero = tree_.binary(BinaryOp::Add, x, tree_.real(0, type, range), range);
    const Expr* root = builtin_result(BuiltinId::Sqrt, {without_negative_zero}, type, range).expr;
    const Expr* is_lowest = tree_.compare(CompareOp::Eq, x, tree_.real(-infinity, type, range), range);
    return tree_.conditional(is_lowest, tree_.real(infinity, type, range), root);
  });
}

Value Body::fold_weak_power(const Value& base, const Value& exponent, SourceRange range) {
  const bool is_integer = base.weak == Weak::Int && exponent.weak == Weak::Int && integer_of(*exponent.expr) >= 0;
  if (!is_integer) return tree_.weak_real(std::pow(real_of(*base.expr), real_of(*exponent.expr)), range);
  const Int128 factor = integer_of(*base.expr);
  if (factor >= -1 && factor <= 1) {
    const bool is_odd = integer_of(*exponent.expr) % 2 != 0;
    const bool is_one = integer_of(*exponent.expr) == 0 || (factor != 0 && !is_odd);
    return tree_.weak_integer(is_one ? Int128{1} : factor, range);
  }
  Int128 result = 1;
  for (Int128 left = integer_of(*exponent.expr); left > 0; --left) {
    result *= factor;
    if (!is_wide_enough(result, ScalarType::I64) && !is_wide_enough(result, ScalarType::U64)) break;
  }
  return whole_number(result, range);
}

}  // namespace pykc::checker
