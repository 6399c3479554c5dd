// `x ** y`. Small constant exponents become products (x ** 2 is x * x), ** 0.5 a square root with pow's answers for
// -0.0 and -inf; the rest calls pow.
#include "frontend/check/expressions/power.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontend/check/calls/builtin.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::BinaryOp;
using checked::CompareOp;

namespace {

const checked::Expr* product_of(FunctionChecker& checker, const Expr* factor, int count, SourceRange range) {
  if (count == 1) return factor;
  return with_temporary(checker, product_of(checker, factor, count / 2, range), [&](const Expr* half) {
    const Expr* square = checker.tree.binary(BinaryOp::Mul, half, half, range);
    return count % 2 == 0 ? square : checker.tree.binary(BinaryOp::Mul, square, factor, range);
  });
}

const checked::Expr* power_by_products(FunctionChecker& checker, const Expr* base, int exponent, SourceRange range) {
  const Expr* one = checker.tree.cast(checker.tree.integer(1, ScalarType::I64, range), base->type->scalar);
  return with_temporary(checker, base, [&](const Expr* x) -> const Expr* {
    if (exponent == 0) return one;
    const Expr* product = product_of(checker, x, std::abs(exponent), range);
    return exponent < 0 ? checker.tree.binary(BinaryOp::Div, one, product, range) : product;
  });
}

const checked::Expr* power_of_half(FunctionChecker& checker, const Expr* base, SourceRange range) {
  const ScalarType type = base->type->scalar;
  const double infinity = std::numeric_limits<double>::infinity();
  return with_temporary(checker, base, [&](const Expr* x) {
    const Expr* without_negative_zero = checker.tree.binary(BinaryOp::Add, x, checker.tree.real(0, type, range), range);
    const Expr* root = builtin_result(checker, BuiltinId::Sqrt, {without_negative_zero}, type, range).expr;
    const Expr* is_lowest = checker.tree.compare(CompareOp::Eq, x, checker.tree.real(-infinity, type, range), range);
    return checker.tree.conditional(is_lowest, checker.tree.real(infinity, type, range), root);
  });
}

Value fold_weak_power(FunctionChecker& checker, const Value& base, const Value& exponent, SourceRange range) {
  const bool is_integer = base.weak == Weak::Int && exponent.weak == Weak::Int && integer_of(*exponent.expr) >= 0;
  if (!is_integer) return checker.tree.weak_real(std::pow(real_of(*base.expr), real_of(*exponent.expr)), range);
  const Int128 factor = integer_of(*base.expr);
  if (factor >= -1 && factor <= 1) {
    const bool is_odd = integer_of(*exponent.expr) % 2 != 0;
    const bool is_one = integer_of(*exponent.expr) == 0 || (factor != 0 && !is_odd);
    return checker.tree.weak_integer(is_one ? Int128{1} : factor, range);
  }
  Int128 result = 1;
  for (Int128 left = integer_of(*exponent.expr); left > 0; --left) {
    result *= factor;
    if (!is_wide_enough(result, ScalarType::I64) && !is_wide_enough(result, ScalarType::U64)) break;
  }
  return whole_number(checker, result, range);
}

}  // namespace

/// A small constant exponent, for which the power is a product.
std::optional<int> count_of_factors(FunctionChecker& checker, const Value& exponent) {
  constexpr int kMost = 16;
  const bool is_literal = exponent.is_weak() || !checker.rules->has_weak_literals;
  if (!is_literal || !exponent.is_constant() || !is_integer(exponent.scalar())) return std::nullopt;
  const Int128 count = integer_of(*exponent.expr);
  return count >= -kMost && count <= kMost ? std::optional(static_cast<int>(count)) : std::nullopt;
}

Value power(FunctionChecker& checker, const Value& base, const Value& exponent, SourceRange range) {
  if (base.is_weak() && base.is_constant() && exponent.is_weak() && exponent.is_constant())
    return fold_weak_power(checker, base, exponent, range);
  const std::optional<int> count = count_of_factors(checker, exponent);
  const bool is_literal = exponent.is_weak() || !checker.rules->has_weak_literals;
  const bool is_half = is_literal && exponent.is_constant() && real_of(*exponent.expr) == 0.5;
  const bool has_integers = is_integer_or_bool(base.scalar()) && is_integer_or_bool(exponent.scalar());
  const bool is_below_zero = has_integers && exponent.is_constant() && integer_of(*exponent.expr) < 0;
  if (is_below_zero && exponent.is_weak())  // x ** -1 is a fraction
    return power(checker, TreeBuilder::strong(checker.tree.convert(base, ScalarType::F64)), exponent, range);
  if (count && !is_below_zero) {
    const ScalarType type = exponent.is_weak() ? checker.rules->promoted(base.scalar())
                                               : *checker.rules->power(base.scalar(), exponent.scalar());
    return TreeBuilder::strong(power_by_products(checker, checker.tree.convert(base, type), *count, range));
  }
  const std::optional<Unified> unified = unify(checker, base, exponent, checker.rules->power);
  if (!unified) {
    report_no_common_type(checker, base, exponent, range);
    return {};
  }
  if (!is_float(unified->type)) {
    const Expr *x = checker.tree.convert(base, unified->type), *y = checker.tree.convert(exponent, unified->type);
    return TreeBuilder::strong(checker.tree.builtin(BuiltinId::PowInt, unified->type, {x, y}, range));
  }
  note_double(checker, base, exponent, range, Narrowing::Never);
  if (is_half) return TreeBuilder::strong(power_of_half(checker, checker.tree.convert(base, unified->type), range));
  return builtin_result(checker, BuiltinId::Pow,
                        {checker.tree.convert(base, unified->type), checker.tree.convert(exponent, unified->type)},
                        unified->type, range);
}

}  // namespace pykc::checker
