// Types that meet: which type an operation is done in, and conversions, with what has to be said about them.
#include "frontend/check/types/convert.h"

#include <cmath>

#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/types/closure.h"

namespace pykc::checker {

using checked::Type;

namespace {

bool is_float_to_integer(const Value& value, ScalarType to) { return is_float(value.scalar()) && is_integer(to); }

/// Whether it is a number that an i64 holds.
bool is_whole(const Value& value) {
  if (!value.is_constant()) return false;
  const double number = real_of(*value.expr);
  return std::trunc(number) == number && number >= -0x1p63 && number < 0x1p63;
}

/// Whether an f32 holds the number.
bool is_single(const Value& value) {
  if (value.scalar() == ScalarType::F32) return true;
  if (!value.is_constant()) return false;
  const double number = real_of(*value.expr);
  return static_cast<double>(static_cast<float>(number)) == number;
}

/// A product of two 32-bit integers, or a sum with one in it: what may overflow before it is widened.
bool is_narrow_product(const checked::Expr& expr, int depth) {
  const auto* node = expr.as<checked::Binary>();
  if (!node || depth > 2) return false;
  if (expr.type->scalar != ScalarType::I32 && expr.type->scalar != ScalarType::U32) return false;
  const auto is_full = [](const checked::Expr* operand) {
    const auto* cast = operand->as<checked::Cast>();
    return !operand->as<checked::Constant>() && !(cast && is_narrow(cast->operand->type->scalar));
  };
  if (node->op == checked::BinaryOp::Mul) return is_full(node->left) && is_full(node->right);
  if (node->op != checked::BinaryOp::Add && node->op != checked::BinaryOp::Sub) return false;
  return is_narrow_product(*node->left, depth + 1) || is_narrow_product(*node->right, depth + 1);
}

}  // namespace

std::optional<Unified> unify(FunctionChecker& checker, const Value& a, const Value& b, TypingRules::Meet meet) {
  if (a.weak == Weak::Float && b.weak != Weak::No) return Unified{ScalarType::F64, Weak::Float};
  if (b.weak == Weak::Float && a.weak != Weak::No) return Unified{ScalarType::F64, Weak::Float};
  if (a.is_weak() != b.is_weak()) {
    const Value& weak = a.is_weak() ? a : b;
    const ScalarType strong = a.is_weak() ? b.scalar() : a.scalar();
    if (is_float(strong)) return Unified{strong, Weak::No};
    if (weak.weak == Weak::Float) return Unified{ScalarType::F64, Weak::Float};
    const ScalarType wanted = strong == ScalarType::Bool ? checker.rules->promoted(strong) : *meet(strong, strong);
    if (literals_fit(*weak.expr, wanted)) return Unified{wanted, Weak::No};
  }
  const bool is_stored_only = is_float8(a.scalar()) || is_float8(b.scalar());
  if (is_stored_only && a.scalar() != b.scalar()) return std::nullopt;
  const std::optional<ScalarType> type = meet(a.scalar(), b.scalar());
  if (!type) return std::nullopt;
  return Unified{*type, Weak::No};
}

/// The type in which any number of values meet: for min, max and builtins.
std::optional<Unified> unify_all(FunctionChecker& checker, std::span<const Value> values, TypingRules::Meet meet,
                                 SourceRange range) {
  const Value* widest = nullptr;
  Value joined;
  for (const Value& value : values) {
    if (!widest) {
      widest = &value;
      continue;
    }
    const std::optional<Unified> unified = unify(checker, *widest, value, meet);
    if (!unified) {
      report_no_common_type(checker, *widest, value, range);
      return std::nullopt;
    }
    const bool is_same = widest->weak == unified->weak && widest->scalar() == unified->type;
    if (is_same) continue;
    if (value.weak == unified->weak && value.scalar() == unified->type) {
      widest = &value;
      continue;
    }
    joined = Value{checker.tree.scalar(unified->type, range, checked::VariableRef{nullptr}), unified->weak, {}};
    widest = &joined;
  }
  const bool all_weak_integers = widest->weak == Weak::Int;
  return Unified{widest->scalar(), all_weak_integers ? Weak::No : widest->weak};
}

void report_no_common_type(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range) {
  auto diagnostic = checker.report(range, DiagnosticId::NoCommonType, describe(a), describe(b));
  diagnostic.label(checker.scope.file(), a.range(), "this is " + describe(a))
      .label(checker.scope.file(), b.range(), "this is " + describe(b));
  const auto text = [&](const Value& value) { return std::string(checker.scope.file().text(value.range())); };
  if (is_float8(a.scalar()) || is_float8(b.scalar()))
    diagnostic.note("floats of 8 bits meet none but their own type: convert one of the two")
        .fix("f32(" + text(is_float8(a.scalar()) ? a : b) + ")");
  else
    diagnostic.note("no integer type holds the values of both: say which one you mean")
        .fix("i64(" + text(a.scalar() == ScalarType::U64 ? a : b) + ")");
}

const checked::Expr* convert_for_assignment(FunctionChecker& checker, const Value& value, ScalarType to,
                                            SourceRange range) {
  // The element of a tuple that a caller has spelled out stands in the caller's file.
  const bool stands_here = range.begin <= value.range().begin && value.range().end <= range.end;
  const SourceRange place = stands_here ? value.range() : range;
  if (value.is_weak_integer() && is_integer(to) && !is_wide_enough(integer_of(*value.expr), to)) {
    checker.report(place, DiagnosticId::LiteralOutOfRange,
                   stands_here ? std::string(checker.scope.file().text(place))
                               : std::to_string(static_cast<std::int64_t>(integer_of(*value.expr))),
                   to_string(to));
    return nullptr;
  }
  if (is_float_to_integer(value, to) && !is_whole(value) && checker.module.options.warnings) {
    auto warning = checker.report(place, DiagnosticId::LossyConversion, describe(value), to_string(to));
    const bool is_spelled = place != range;  // not the result of `+=`
    if (is_spelled) warning.fix("int(" + std::string(checker.scope.file().text(place)) + ")");
  }
  warn_of_late_widening(checker, value, to);
  // One operation on numbers of f32, rounded to f32 at once, is the f32 operation, and the compiler makes it one.
  const bool is_narrowed = checker.accidental_double && checker.accidental_double->narrows_where_stored &&
                           to == ScalarType::F32 && value.range() == checker.accidental_double->range;
  if (is_narrowed) checker.accidental_double.reset();
  return checker.tree.convert(value, to);
}

Value convert_to(FunctionChecker& checker, const Value& value, const InferredType& to, SourceRange range) {
  if (!value.known() || !to.known) return {};
  if (to.type.is_scalar() && value.is_scalar()) {
    const Expr* converted = convert_for_assignment(checker, value, to.type->scalar, range);
    return {converted, weakness(to), {}};
  }
  const bool is_complex = to.type.is_record() && to.type->record->kind == RecordType::Kind::Complex;
  if (is_complex && (value.is_scalar() || value.is_complex())) {
    if (to.weak && value.weak == Weak::Complex) return value;
    Value converted = to_complex(checker, value, to.type->record->fields.front().type.scalar, range);
    converted.weak = weakness(to);
    return converted;
  }
  if (value.is_text() && is_text_like(to.type, value.type())) return to_text(checker, value, to.type->record, range);
  if (to.type.is_tuple() && value.is_tuple() && value.type()->elements.size() == to.elements.size()) {
    if (to.type == value.type() && value.elements.empty()) return value;
    const Expr* tuple = with_parts(checker, value, [&](const std::vector<Value>& parts) {
      std::vector<Value> converted;
      for (std::size_t i = 0; i < parts.size(); ++i)
        converted.push_back(convert_to(checker, parts[i], to.elements[i], range));
      return checker.tree.tuple(std::move(converted), range, to.type->names).expr;
    });
    return TreeBuilder::strong(tuple);
  }
  if (to.type == value.type()) return value;
  InferredType joined = to;
  if (value.is_array() && join_into(joined, inferred_type(value), *checker.rules, checker.types) && joined == to)
    return TreeBuilder::strong(checker.tree.make(to.type, value.range(), checked::Cast{value.expr}));
  auto diagnostic = checker.report(range, DiagnosticId::TypeMismatch, checked::to_string(to.type), describe(value));
  if (value.is_complex()) diagnostic.note("take a part of it: `.real`, `.imag`, or `abs(…)`");
  if (value.is_record() && value.type()->record->kind == RecordType::Kind::Enum)
    diagnostic.note("its integer is `.value`");
  return {};
}

const checked::Expr* truth(FunctionChecker& checker, const Value& value) {
  return value.scalar() == ScalarType::Bool ? value.expr : checker.tree.cast(value.expr, ScalarType::Bool);
}

/// An expression where only its truth matters; `and`, `or` and `not` need no value then.
const checked::Expr* condition(FunctionChecker& checker, const ast::Expr& expr) {
  const auto* logical = expr.as<ast::Logical>();
  if (!logical) {
    const Entity given = opened(checker, checker.entity(expr));
    if (std::holds_alternative<NoneRef>(given)) return checker.tree.boolean(false, expr.range);
    const Value result = to_value(checker, given, expr.range);
    if (result.known() && result.is_tuple() && !has_effects(*result.expr))
      return checker.tree.boolean(!result.type()->elements.empty(), expr.range);
    if (result.known() && result.is_complex())
      return compare(checker, ast::CompareOp::Ne, result, checker.tree.weak_integer(0, expr.range), expr.range).expr;
    return require_scalar(checker, result, "a condition") ? truth(checker, result) : nullptr;
  }
  std::vector<const Expr*> operands;
  const bool is_and = logical->op == ast::BoolOp::And;
  for (const ast::ExprPtr& operand : logical->operands) {
    operands.push_back(condition(checker, *operand));
    const auto* constant = operands.back() ? operands.back()->as<checked::Constant>() : nullptr;
    if (!constant) continue;
    if ((constant->bits != 0) != is_and) break;  // what follows is never evaluated
    if (operands.size() > 1 || &operand != &logical->operands.back()) operands.pop_back();
  }
  if (std::ranges::find(operands, nullptr) != operands.end()) return nullptr;
  return checker.tree.logical(is_and, std::move(operands));
}

/// `f32(x)`, `int(x)`: an explicit conversion says that a loss is meant, but a literal must still fit.
Value cast_value(FunctionChecker& checker, const Value& value, ScalarType to, SourceRange range) {
  if (!value.known()) return {};
  if (value.is_weak_integer() && is_integer(to) && !is_wide_enough(integer_of(*value.expr), to) && !checker.is_trial) {
    checker.report(range, DiagnosticId::LiteralOutOfRange, checker.scope.file().text(value.range()), to_string(to));
    return {};
  }
  const Expr* converted = to == ScalarType::Bool ? truth(checker, value) : checker.tree.convert(value, to);
  const bool is_known = converted->as<checked::Cast>() || converted->as<checked::Constant>();
  if (is_float(to) && !is_known)  // what changes no type still keeps a product from being fused
    converted = checker.tree.make(converted->type, range, checked::Cast{converted});
  else if (converted->range != range)
    converted = checker.tree.make(converted->type, range, converted->node);
  return TreeBuilder::strong(converted);
}

/// Remembers the first f64 arithmetic that begins with an f32, once a kernel.
void note_double(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range, Narrowing narrowing) {
  if (!checker.warns_of_double || checker.accidental_double || a.is_weak() || b.is_weak()) return;
  const bool mixes = (a.scalar() == ScalarType::F32 || b.scalar() == ScalarType::F32) &&
                     checker.rules->arithmetic(a.scalar(), b.scalar()) == ScalarType::F64;
  const bool is_exact = is_single(a) && is_single(b);
  if (!mixes || (is_exact && narrowing == Narrowing::Always)) return;
  const Value& wide = a.scalar() == ScalarType::F32 ? b : a;
  checker.accidental_double = {range, wide.range(), wide.scalar(), is_exact && narrowing == Narrowing::WhereStored};
}

void warn_of_double(FunctionChecker& checker) {
  if (!checker.accidental_double) return;
  const SourceRange wide = checker.accidental_double->wide;
  const std::string_view text = checker.scope.file().text(wide);
  auto warning = checker.report(checker.accidental_double->range, DiagnosticId::AccidentalDouble);
  warning.label(checker.scope.file(), wide, "this is " + std::string(to_string(checker.accidental_double->type)))
      .note("f64 arithmetic is many times slower than f32 on most GPUs");
  if (!checker.rules->has_weak_literals)
    warning.note("where literals should take the type of what they meet: `@cuda.jit(weak_literals=True)`");
  warning.fix((checker.rules->has_weak_literals ? "f32(" : "np.float32(") + std::string(text) + ")");
}

void warn_of_late_widening(FunctionChecker& checker, const Value& value, ScalarType to) {
  if (!checker.module.options.warnings || value.is_weak() || !is_integer(to) || size_in_bytes(to) < 8) return;
  if (!is_narrow_product(*value.expr, 0)) return;
  checker.report(value.range(), DiagnosticId::WidenedTooLate, to_string(value.scalar()), to_string(to))
      .note("convert an operand before the multiplication: `i64(a) * b`");
}

}  // namespace pykc::checker
