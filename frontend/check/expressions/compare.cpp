#include "frontend/check/expressions/compare.h"

#include <algorithm>

#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/statements/iterate.h"
#include "frontend/check/statements/loop.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::CompareOp;

namespace {

constexpr std::string_view kComparisons[] = {"`==`", "`!=`", "`<`",      "`<=`", "`>`",
                                             "`>=`", "`is`", "`is not`", "`in`", "`not in`"};

bool is_ordering(ast::CompareOp op) { return op >= ast::CompareOp::Lt && op <= ast::CompareOp::Ge; }

/// Whether there is one object of each such value, so that `is` is `==`: True and False, and the members of an enum.
bool has_identity(const Value& value) {
  const bool is_member = value.is_record() && value.type()->record->kind == RecordType::Kind::Enum;
  return is_member || (value.is_scalar() && value.scalar() == ScalarType::Bool);
}

/// i64 against u64, as the numbers that they are: where the signed one is negative it is the smaller, else both are
/// u64.
const checked::Expr* compare_mixed_signs(FunctionChecker& checker, CompareOp op, const Value& left, const Value& right,
                                         SourceRange range) {
  const bool left_is_signed = is_signed_integer(left.scalar());
  return with_temporary(checker, left.expr, [&](const Expr* a) {
    return with_temporary(checker, right.expr, [&](const Expr* b) {
      const Expr* with_sign = checker.tree.cast(left_is_signed ? a : b, ScalarType::I64);
      const Expr* is_negative =
          checker.tree.compare(CompareOp::Lt, with_sign, checker.tree.integer(0, ScalarType::I64, range), range);
      const Expr* unsigned_test =
          checker.tree.compare(op, checker.tree.cast(a, ScalarType::U64), checker.tree.cast(b, ScalarType::U64), range);
      const bool smaller_on_left = left_is_signed;  // what a negative number is compared to
      const bool holds = op == CompareOp::Ne || (smaller_on_left ? op == CompareOp::Lt || op == CompareOp::Le
                                                                 : op == CompareOp::Gt || op == CompareOp::Ge);
      if (holds) return checker.tree.logical(false, is_negative, unsigned_test, range);
      return checker.tree.logical(true, checker.tree.unary(checked::UnaryOp::Not, is_negative, range), unsigned_test,
                                  range);
    });
  });
}

/// `x in (1, 2, 3)`
Value member_of_tuple(FunctionChecker& checker, ast::CompareOp op, const Value& item, const Value& tuple,
                      SourceRange range) {
  if (!tuple.is_tuple()) {
    checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(item), describe(tuple))
        .note("`in` looks through a tuple: `x in (1, 2, 3)`; search an array in a loop");
    return {};
  }
  const Expr* found = with_temporary(checker, item.expr, [&](const Expr* kept) -> const Expr* {
    return with_parts(checker, tuple, [&](const std::vector<Value>& elements) -> const Expr* {
      const Expr* any = checker.tree.boolean(false, range);
      bool is_first = true;
      for (const Value& element : elements) {
        const Value again{kept, item.weak, kept == item.expr ? item.elements : std::vector<Value>{}};
        const Value test = compare(checker, ast::CompareOp::Eq, again, element, range);
        if (!test.known()) return nullptr;
        any = is_first ? test.expr : checker.tree.logical(false, any, test.expr, range);
        is_first = false;
      }
      return any;
    });
  });
  if (!found) return {};
  return TreeBuilder::strong(op == ast::CompareOp::In ? found
                                                      : checker.tree.unary(checked::UnaryOp::Not, found, range));
}

/// `(a, b) < (c, d)`: the first elements that differ decide, and else the lengths.
Value order_tuples(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                   SourceRange range) {
  const Expr* result = with_parts(checker, left, [&](const std::vector<Value>& as) {
    return with_parts(checker, right, [&](const std::vector<Value>& bs) -> const Expr* {
      const auto length = [&](const std::vector<Value>& parts) {
        return checker.tree.weak_integer(static_cast<Int128>(parts.size()), range);
      };
      const Expr* decided = compare(checker, op, length(as), length(bs), range).expr;
      for (std::size_t i = std::min(as.size(), bs.size()); i-- > 0;) {
        const Value same = compare(checker, ast::CompareOp::Eq, as[i], bs[i], range);
        const Value order = compare(checker, op, as[i], bs[i], range);
        if (!same.known() || !order.known()) return nullptr;
        decided = checker.tree.conditional(same.expr, decided, order.expr);
      }
      return decided;
    });
  });
  return result ? TreeBuilder::strong(result) : Value{};
}

}  // namespace

std::string_view spelling(ast::CompareOp op) { return kComparisons[static_cast<std::size_t>(op)]; }

/// `x is None`, `x == None`: known while compiling, as what a parameter is given is part of the specialisation.
Entity compare_with_none(FunctionChecker& checker, const ast::Compare& node, SourceRange range) {
  const Entity left = opened(checker, checker.entity(*node.first));
  if (std::holds_alternative<Unknown>(left)) return Unknown{};
  const bool is_none = std::holds_alternative<NoneRef>(left);
  const bool is_asked = node.ops.front() == ast::CompareOp::Is || node.ops.front() == ast::CompareOp::Eq;
  const Expr* result = checker.tree.boolean(is_none == is_asked, range);
  const auto* value = std::get_if<Value>(&left);
  if (!value || !value->known() || !has_effects(*value->expr)) return TreeBuilder::strong(result);
  if (!value->type().is_none())
    return TreeBuilder::strong(with_temporary(checker, value->expr, [&](const Expr*) { return result; }));
  report_not_a_value(checker, NoneRef{}, node.first->range);
  return Unknown{};
}

/// `a < b < c` is `a < b and b < c` with b evaluated once, and c only where a < b.
Value chain(FunctionChecker& checker, const ast::Compare& node, std::size_t at, Value left, SourceRange range) {
  if (node.ops[at] == ast::CompareOp::Is || node.ops[at] == ast::CompareOp::IsNot) {
    const Value right = checker.value(*node.rest[at]);
    const bool is_same = node.ops[at] == ast::CompareOp::Is;
    const bool is_last = at + 1 == node.rest.size();
    const bool is_constant_pair = (left.is_scalar() || left.is_tuple()) && (right.is_scalar() || right.is_tuple());
    if (!checker.rules->has_weak_literals && is_constant_pair && is_last)  // Numba compares their types
      return left.type() == right.type()
                 ? compare(checker, is_same ? ast::CompareOp::Eq : ast::CompareOp::Ne, left, right, range)
                 : TreeBuilder::strong(checker.tree.boolean(!is_same, range));
    if (has_identity(left) && has_identity(right) && is_last) {
      return compare(checker, is_same ? ast::CompareOp::Eq : ast::CompareOp::Ne, left, right, range);
    }
    checker.report(range, DiagnosticId::UnsupportedInKernel, spelling(node.ops[at]))
        .note("numbers in a kernel have no identity, and are never None: compare them")
        .fix(is_same ? "==" : "!=");
    return {};
  }
  const bool is_last = at + 1 == node.rest.size();
  if (const auto* call = node.rest[at]->as<ast::Call>(); call && is_last && left.known()) {
    const bool searches = node.ops[at] == ast::CompareOp::In || node.ops[at] == ast::CompareOp::NotIn;
    if (searches && language_function_of(checker, *call) == LanguageFunction::Range)
      return in_range(checker, node.ops[at], left, *call, range);
  }
  const Value right = checker.value(*node.rest[at]);
  const SourceRange here = left.known() && right.known() ? join(left.range(), node.rest[at]->range) : range;
  if (is_last) return compare(checker, node.ops[at], left, right, here);
  if (!right.known()) {
    for (std::size_t i = at + 1; i < node.rest.size(); ++i) checker.value(*node.rest[i]);
    return {};
  }
  if (node.rest.size() > 64) {
    checker.report(range, DiagnosticId::NestedTooDeeply);
    return {};
  }
  const Expr* result = with_temporary(checker, left.expr, [&](const Expr* first) -> const Expr* {
    return with_temporary(checker, right.expr, [&](const Expr* second) -> const Expr* {
      const Value again{second, right.weak, right.elements};
      const Value test = compare(checker, node.ops[at], {first, left.weak, left.elements}, again, here);
      const Value others = chain(checker, node, at + 1, again, range);
      if (!test.known() || !others.known()) return nullptr;
      return checker.tree.logical(true, test.expr, others.expr, join(test.range(), others.range()));
    });
  });
  return TreeBuilder::strong(result);
}

/// `x.dtype == f32`: known while compiling.
Entity compare_types(FunctionChecker& checker, const TypeRef& left, const ast::Compare& node, SourceRange range) {
  const Entity found = opened(checker, checker.entity(*node.rest.front()));
  if (std::holds_alternative<Unknown>(found)) return Unknown{};
  const auto* right = std::get_if<TypeRef>(&found);
  const ast::CompareOp op = node.ops.front();
  const bool is_equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Is;
  const bool is_inequality = op == ast::CompareOp::Ne || op == ast::CompareOp::IsNot;
  if (right && node.rest.size() == 1 && (is_equality || is_inequality))
    return TreeBuilder::strong(checker.tree.boolean((left.type == right->type) == is_equality, range));
  checker.report(range, DiagnosticId::OperandTypes, spelling(op), "a type", describe(found))
      .note("types are compared with `==` and `!=`, to types");
  return Unknown{};
}

Value compare(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right, SourceRange range) {
  if (!left.known() || !right.known()) return {};
  if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn) return member_of_tuple(checker, op, left, right, range);
  if (left.is_tuple() && right.is_tuple())
    return (is_ordering(op) ? order_tuples : compare_parts)(checker, op, left, right, range);
  if (!require_arithmetic(checker, left, spelling(op)) || !require_arithmetic(checker, right, spelling(op))) return {};
  if (left.is_record() || right.is_record()) return compare_records(checker, op, left, right, range);
  if (!require_numbers(checker, spelling(op), left, right, range)) return {};
  const auto checked_op = static_cast<CompareOp>(op);
  if (left.is_weak_integer() && right.is_weak_integer()) {
    const Int128 a = integer_of(*left.expr), b = integer_of(*right.expr);
    const Expr *sign = checker.tree.integer(a < b ? -1 : a > b, ScalarType::I64, range),
               *zero = checker.tree.integer(0, ScalarType::I64, range);
    return TreeBuilder::strong(checker.tree.compare(checked_op, sign, zero, range));
  }
  const std::optional<Unified> unified = unify(checker, left, right, checker.rules->comparison);
  if (!unified) return TreeBuilder::strong(compare_mixed_signs(checker, checked_op, left, right, range));
  ScalarType type = unified->type;
  if (type == ScalarType::Bool && is_ordering(op)) type = ScalarType::I32;
  note_double(checker, left, right, range, Narrowing::Always);
  return TreeBuilder::strong(
      checker.tree.compare(checked_op, checker.tree.convert(left, type), checker.tree.convert(right, type), range));
}

/// Tuples and records of one type.
Value compare_parts(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                    SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq;
  if (left.type()->elements.size() != right.type()->elements.size())
    return TreeBuilder::strong(checker.tree.boolean(!is_equality, range));
  const Expr* result = with_parts(checker, left, [&](const std::vector<Value>& as) {
    return with_parts(checker, right, [&](const std::vector<Value>& bs) -> const Expr* {
      const Expr* all = checker.tree.boolean(is_equality, range);
      for (std::size_t i = 0; i < as.size(); ++i) {
        const Value test = compare(checker, op, as[i], bs[i], range);
        if (!test.known()) return nullptr;
        all = i == 0 ? test.expr : checker.tree.logical(is_equality, all, test.expr, range);
      }
      return all;
    });
  });
  return TreeBuilder::strong(result);
}

Value choose(FunctionChecker& checker, const Expr* test, const Value& then, const Value& otherwise, SourceRange range) {
  if (then.is_scalar() && otherwise.is_scalar()) {
    if (then.weak == Weak::Int && otherwise.weak == Weak::Int && then.scalar() == otherwise.scalar())
      return {checker.tree.conditional(test, then.expr, otherwise.expr), Weak::Int, {}};
    const std::optional<Unified> unified = unify(checker, then, otherwise, checker.rules->join);
    if (!unified) {
      report_no_common_type(checker, then, otherwise, range);
      return {};
    }
    return {checker.tree.conditional(test, checker.tree.convert(then, unified->type),
                                     checker.tree.convert(otherwise, unified->type)),
            unified->weak,
            {}};
  }
  InferredType type = inferred_type(then);
  if (join_into(type, inferred_type(otherwise), *checker.rules, checker.types)) {
    settle(type);
    const Value a = convert_to(checker, then, type, range), b = convert_to(checker, otherwise, type, range);
    if (!a.known() || !b.known()) return {};
    return TreeBuilder::strong(checker.tree.conditional(test, a.expr, b.expr));
  }
  checker.report(range, DiagnosticId::BranchTypes, describe(then), describe(otherwise));
  return {};
}

}  // namespace pykc::checker
