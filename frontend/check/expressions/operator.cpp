#include "frontend/check/expressions/operator.h"

#include <optional>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/power.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::BinaryOp;

namespace {

constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};

Int128 floor_divide(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

/// What literals give; none where the result is out of reach (too large, or a shift by a negative count).
std::optional<Int128> fold(ast::BinaryOp op, Int128 a, Int128 b) {
  switch (op) {
    case ast::BinaryOp::Add:
      return a + b;
    case ast::BinaryOp::Sub:
      return a - b;
    case ast::BinaryOp::Mul: {
      Int128 product;
      if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
      return product;
    }
    case ast::BinaryOp::FloorDiv:
      return floor_divide(a, b);
    case ast::BinaryOp::Mod:
      return a - floor_divide(a, b) * b;
    case ast::BinaryOp::And:
      return a & b;
    case ast::BinaryOp::Or:
      return a | b;
    case ast::BinaryOp::Xor:
      return a ^ b;
    case ast::BinaryOp::LeftShift:
      if (b < 0 || b > 126) return std::nullopt;
      return fold(ast::BinaryOp::Mul, a, Int128{1} << static_cast<int>(b));
    case ast::BinaryOp::RightShift:
      if (b < 0) return std::nullopt;
      return a >> static_cast<int>(b > 127 ? Int128{127} : b);
    case ast::BinaryOp::Div:
    case ast::BinaryOp::Pow:
    case ast::BinaryOp::MatMul:
      break;
  }
  return std::nullopt;
}

namespace {

/// `(a, b) + (c,)`
Value concatenate(FunctionChecker& checker, const Value& left, const Value& right, SourceRange range) {
  const auto join = [&](std::vector<Value> parts, const std::vector<Value>& others) {
    parts.insert(parts.end(), others.begin(), others.end());
    return small_tuple(checker, std::move(parts), range);
  };
  if (!left.elements.empty() && !right.elements.empty())
    return join(take_apart(checker, left), take_apart(checker, right));
  return TreeBuilder::strong(with_parts(checker, left, [&](const std::vector<Value>& first) {
    return with_parts(checker, right, [&](const std::vector<Value>& second) { return join(first, second).expr; });
  }));
}

bool is_count(const Value& value) { return value.is_constant() && value.is_scalar() && is_integer(value.scalar()); }

/// `(a, b) * 3`; the tuple is evaluated once, also for no elements.
Value repeat(FunctionChecker& checker, const Value& tuple, const Value& count, SourceRange range) {
  const auto elements = static_cast<Int128>(std::max<std::size_t>(tuple.type()->elements.size(), 1));
  const Int128 times = std::clamp<Int128>(integer_of(*count.expr), 0, kMostNumbers / elements + 1);
  const auto repeated = [&](const std::vector<Value>& parts) {
    std::vector<Value> all;
    for (Int128 i = 0; i < times; ++i) all.insert(all.end(), parts.begin(), parts.end());
    return small_tuple(checker, std::move(all), range);
  };
  if (!tuple.elements.empty() && std::ranges::all_of(tuple.elements, &Value::is_constant))
    return repeated(tuple.elements);
  return TreeBuilder::strong(with_temporary(checker, tuple.expr, [&](const Expr* kept) {
    return repeated(take_apart(checker, {kept, Weak::No, {}})).expr;
  }));
}

/// Whether a division by this number raises an error where the number is 0: in a function of `debug=True`, as in Numba.
bool raises_at(const FunctionChecker& checker, const Value& divisor) {
  const bool raises =
      checker.function && checker.function->raises_errors && !checker.function->options.fast_math && !checker.is_trial;
  const bool is_ufunc = checker.rules == &rules_of(Dialect::Ufunc);
  return raises && !is_ufunc && (!divisor.is_constant() || real_of(*divisor.expr) == 0);
}

Value division_that_raises(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                           SourceRange range) {
  const int fault = add_fault(checker, "ZeroDivisionError: division by zero", range);
  Weak weak = Weak::No;
  const Expr* guarded = with_temporary(checker, left.expr, [&](const Expr* dividend) {
    return with_temporary(checker, right.expr, [&](const Expr* divisor) -> const Expr* {
      checker.function->raises_errors = false;  // of what the guard is for
      const Value quotient = binary(checker, op, {dividend, left.weak, {}}, {divisor, right.weak, {}}, range);
      checker.function->raises_errors = true;
      if (!quotient.known()) return nullptr;
      weak = quotient.weak;
      const Expr* is_not_zero = truth(checker, {divisor, Weak::No, {}});
      return checker.tree.make(quotient.type(), range, checked::Guarded{is_not_zero, fault, {}, quotient.expr});
    });
  });
  return guarded ? Value{guarded, weak, {}} : Value{};
}

Value fold_weak_integers(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                         SourceRange range) {
  const std::optional<Int128> folded = fold(op, integer_of(*left.expr), integer_of(*right.expr));
  if (folded) return whole_number(checker, *folded, range);
  checker.report(range, DiagnosticId::ConstantOverflow);
  return {};
}

/// `/` is a float division: integers compute in f64.
Value divide(FunctionChecker& checker, const Value& left, const Value& right, SourceRange range) {
  std::optional<Unified> unified;
  if (left.weak == Weak::Int && right.weak == Weak::Int) {
    unified = Unified{ScalarType::F64, Weak::Float};
  } else if (is_integer_or_bool(left.scalar()) && is_integer_or_bool(right.scalar())) {
    unified = Unified{ScalarType::F64, Weak::No};
  } else {
    unified = unify(checker, left, right, checker.rules->arithmetic);
    note_double(checker, left, right, range, Narrowing::WhereStored);
  }
  return {checker.tree.binary(BinaryOp::Div, checker.tree.convert(left, unified->type),
                              checker.tree.convert(right, unified->type), range),
          unified->weak,
          {}};
}

Value bitwise(FunctionChecker& checker, BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  const std::string_view name = op == BinaryOp::And ? "`&`" : op == BinaryOp::Or ? "`|`" : "`^`";
  if (is_float(left.scalar()) || is_float(right.scalar())) {
    checker.report(range, DiagnosticId::OperandTypes, name, describe(left), describe(right))
        .note(op == BinaryOp::Xor
                  ? "bitwise operators work on integers and bools; a power is `x ** 2`"
                  : "bitwise operators work on integers and bools; for conditions use `and`, `or`, `not`");
    return {};
  }
  if (left.scalar() == ScalarType::Bool && right.scalar() == ScalarType::Bool)
    return TreeBuilder::strong(checker.tree.binary(op, left.expr, right.expr, range));
  return arithmetic(checker, op, left, right, range);
}

/// A shift has the type of its left side; the count is brought into it so that a large count stays large.
Value shift(FunctionChecker& checker, BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  if (is_float(left.scalar()) || is_float(right.scalar())) {
    checker
        .report(range, DiagnosticId::OperandTypes, op == BinaryOp::Shl ? "`<<`" : "`>>`", describe(left),
                describe(right))
        .note("shifts work on integers");
    return {};
  }
  const bool takes_right =
      left.weak == Weak::Int && !right.is_weak() && literals_fit(*left.expr, checker.rules->promoted(right.scalar()));
  const ScalarType result = *checker.rules->shift(takes_right ? right.scalar() : left.scalar(), right.scalar());
  const ScalarType type = machine_type(result);
  const Expr* count = right.expr;
  if (right.is_weak_integer()) {
    const Int128 value = integer_of(*right.expr);
    count = checker.tree.integer(value < 0 ? -1 : value > 64 ? 64 : value, type, right.range());
    if (value < 0) count = checker.tree.integer(64, type, right.range());
  } else if (size_in_bytes(count->type->scalar) > size_in_bytes(type)) {
    const ScalarType wide = count->type->scalar;
    const Expr* width = checker.tree.integer(64, wide, right.range());
    count = checker.tree.builtin(BuiltinId::Min, wide, {count, width}, right.range());
    if (is_signed_integer(wide))
      count = checker.tree.builtin(BuiltinId::Max, wide, {count, checker.tree.integer(-1, wide, right.range())},
                                   right.range());
    count = checker.tree.cast(count, type);
  } else {
    count = checker.tree.cast(count, type);
  }
  return TreeBuilder::strong(
      checker.tree.cast(checker.tree.binary(op, checker.tree.convert(left, type), count, range), result));
}

/// A bool that is computed is NumPy's and Numba's, of which `~` is the other one. A constant is Python's, a number.
Value inverted_bool(FunctionChecker& checker, const Value& operand, SourceRange range) {
  if (!operand.is_constant() || !checker.rules->has_weak_literals)
    return TreeBuilder::strong(checker.tree.unary(checked::UnaryOp::Not, operand.expr, range));
  const Int128 inverted = ~integer_of(*operand.expr);
  const std::string text(checker.scope.file().text(operand.range()));
  checker.report(range, DiagnosticId::InvertedBool, static_cast<int>(inverted)).fix("not " + text);
  return whole_number(checker, inverted, range);
}

}  // namespace

std::string spelling(ast::BinaryOp op) { return as_code(kOperators[static_cast<std::size_t>(op)]); }

bool require_numbers(FunctionChecker& checker, std::string_view what, const Value& left, const Value& right,
                     SourceRange range) {
  if (!left.known() || !right.known()) return false;
  if (left.is_scalar() && right.is_scalar()) return true;
  auto diagnostic = checker.report(range, DiagnosticId::OperandTypes, what, describe(left), describe(right));
  if (left.is_array() || right.is_array()) diagnostic.note("a kernel works on elements: index the array, `a[i]`");
  if (what == "*" && (left.is_tuple() || right.is_tuple()))
    diagnostic.note("how often a tuple is repeated is a constant whole number, `(0.0,) * 4`");
  return false;
}

Value whole_number(FunctionChecker& checker, Int128 value, SourceRange range) {
  if (is_wide_enough(value, ScalarType::I64) || is_wide_enough(value, ScalarType::U64))
    return checker.tree.weak_integer(value, range);
  checker.report(range, DiagnosticId::ConstantOverflow);
  return {};
}

Value binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  if (op == ast::BinaryOp::Add && left.is_tuple() && right.is_tuple()) return concatenate(checker, left, right, range);
  if (op == ast::BinaryOp::Mul && left.is_tuple() && is_count(right)) return repeat(checker, left, right, range);
  if (op == ast::BinaryOp::Mul && right.is_tuple() && is_count(left)) return repeat(checker, right, left, range);
  if (!require_arithmetic(checker, left, spelling(op)) || !require_arithmetic(checker, right, spelling(op))) return {};
  if (left.known() && right.known() && (left.is_record() || right.is_record()))
    return record_binary(checker, op, left, right, range);
  if (!require_numbers(checker, spelling(op), left, right, range)) return {};
  const bool divides = op == ast::BinaryOp::Div || op == ast::BinaryOp::FloorDiv || op == ast::BinaryOp::Mod;
  if (divides && left.is_weak() && left.is_constant() && right.is_weak() && right.is_constant() &&
      real_of(*right.expr) == 0) {
    checker.report(range, DiagnosticId::ConstantDivisionByZero);
    return {};
  }
  if (divides && raises_at(checker, right)) return division_that_raises(checker, op, left, right, range);
  if (left.is_weak_integer() && right.is_weak_integer() && op != ast::BinaryOp::Div && op != ast::BinaryOp::Pow &&
      op != ast::BinaryOp::MatMul)
    return fold_weak_integers(checker, op, left, right, range);
  switch (op) {
    case ast::BinaryOp::Add:
      return arithmetic(checker, BinaryOp::Add, left, right, range);
    case ast::BinaryOp::Sub:
      return arithmetic(checker, BinaryOp::Sub, left, right, range);
    case ast::BinaryOp::Mul:
      return arithmetic(checker, BinaryOp::Mul, left, right, range);
    case ast::BinaryOp::FloorDiv:
      return arithmetic(checker, BinaryOp::FloorDiv, left, right, range);
    case ast::BinaryOp::Mod:
      return arithmetic(checker, BinaryOp::Mod, left, right, range);
    case ast::BinaryOp::Div:
      return divide(checker, left, right, range);
    case ast::BinaryOp::Pow:
      return power(checker, left, right, range);
    case ast::BinaryOp::And:
      return bitwise(checker, BinaryOp::And, left, right, range);
    case ast::BinaryOp::Or:
      return bitwise(checker, BinaryOp::Or, left, right, range);
    case ast::BinaryOp::Xor:
      return bitwise(checker, BinaryOp::Xor, left, right, range);
    case ast::BinaryOp::LeftShift:
      return shift(checker, BinaryOp::Shl, left, right, range);
    case ast::BinaryOp::RightShift:
      return shift(checker, BinaryOp::Shr, left, right, range);
    case ast::BinaryOp::MatMul:
      break;
  }
  checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
      .note("write the product as a loop, or import `matmul` from the library on the host");
  return {};
}

Value arithmetic(FunctionChecker& checker, BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  const bool divides = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  const std::optional<Unified> unified =
      unify(checker, left, right, divides ? checker.rules->remainder : checker.rules->arithmetic);
  if (!unified) {
    report_no_common_type(checker, left, right, range);
    return {};
  }
  note_double(checker, left, right, range, divides ? Narrowing::Never : Narrowing::WhereStored);
  const ScalarType machine = machine_type(unified->type);
  const Expr* result =
      checker.tree.binary(op, checker.tree.convert(left, machine), checker.tree.convert(right, machine), range);
  return {checker.tree.cast(result, unified->type), unified->weak, {}};
}

Value unary(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range) {
  constexpr std::string_view kNames[] = {"`-`", "`+`", "`~`"};
  if (operand.is_record()) return record_unary(checker, op, operand, range);
  const std::string_view name = kNames[static_cast<std::size_t>(op)];
  if (!require_scalar(checker, operand, name) || !require_arithmetic(checker, operand, name)) return {};
  if (op == ast::UnaryOp::Invert && is_float(operand.scalar())) {
    checker.report(range, DiagnosticId::OperandType, "`~`", describe(operand)).note("`~` works on integers and bools");
    return {};
  }
  if (operand.is_weak_integer()) {
    const Int128 value = integer_of(*operand.expr);
    return whole_number(checker,
                        op == ast::UnaryOp::Negate   ? -value
                        : op == ast::UnaryOp::Invert ? ~value
                                                     : value,
                        range);
  }
  if (operand.scalar() == ScalarType::Bool && op == ast::UnaryOp::Invert) return inverted_bool(checker, operand, range);
  const ScalarType computed = checker.rules->negated(operand.scalar()),
                   type = checker.rules->promoted(operand.scalar());
  const Expr* value = checker.tree.cast(operand.expr, machine_type(computed));
  const Weak weak = operand.weak == Weak::Float ? Weak::Float : Weak::No;
  if (op == ast::UnaryOp::Negate) value = checker.tree.unary(checked::UnaryOp::Negate, value, range);
  if (op == ast::UnaryOp::Invert) value = checker.tree.unary(checked::UnaryOp::Invert, value, range);
  return {checker.tree.cast(checker.tree.cast(value, computed), type), weak, {}};
}

}  // namespace pykc::checker
