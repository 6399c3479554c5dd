#include "frontend/check/function_checker.h"

namespace pykc::checker {

using checked::CompareOp;

namespace {

constexpr std::string_view kComparisons[] = {"`==`", "`!=`", "`<`",      "`<=`", "`>`",
                                             "`>=`", "`is`", "`is not`", "`in`", "`not in`"};

bool is_ordering(ast::CompareOp op) { return op >= ast::CompareOp::Lt && op <= ast::CompareOp::Ge; }

/// Whether there is one object of each such value, so that `is` is `==`: True and False, and the members of an enum.
bool has_identity(const Value& value) {
  const bool is_member = value.is_record() && value.type().record->kind == RecordType::Kind::Enum;
  return is_member || (value.is_scalar() && value.scalar() == ScalarType::Bool);
}

}  // namespace

std::string_view spelling(ast::CompareOp op) { return kComparisons[static_cast<std::size_t>(op)]; }

/// `x is None`: known while compiling, as what a parameter is given is part of the specialisation.
Entity Body::compare_with_none(const ast::Compare& node, SourceRange range) {
  const Entity left = opened(entity(*node.first));
  if (std::holds_alternative<Unknown>(left)) return Unknown{};
  const bool is_none = std::holds_alternative<NoneRef>(left);
  return TreeBuilder::strong(tree_.boolean(is_none == (node.ops.front() == ast::CompareOp::Is), range));
}

/// `a < b < c` is `a < b and b < c` with b evaluated once, and c only where a < b.
Value Body::chain(const ast::Compare& node, std::size_t at, Value left, SourceRange range) {
  if (node.ops[at] == ast::CompareOp::Is || node.ops[at] == ast::CompareOp::IsNot) {
    const Value right = value(*node.rest[at]);
    const bool is_same = node.ops[at] == ast::CompareOp::Is;
    const bool is_last = at + 1 == node.rest.size();
    const bool is_constant_pair = (left.is_scalar() || left.is_tuple()) && (right.is_scalar() || right.is_tuple());
    if (!rules_->has_weak_literals && is_constant_pair && is_last)  // Numba compares their types
      return left.type() == right.type()
                 ? compare(is_same ? ast::CompareOp::Eq : ast::CompareOp::Ne, left, right, range)
                 : TreeBuilder::strong(tree_.boolean(!is_same, range));
    if (has_identity(left) && has_identity(right) && is_last) {
      return compare(is_same ? ast::CompareOp::Eq : ast::CompareOp::Ne, left, right, range);
    }
    report(range, DiagnosticId::UnsupportedInKernel, spelling(node.ops[at]))
        .note("numbers in a kernel have no identity, and are never None: compare them")
        .fix(is_same ? "==" : "!=");
    return {};
  }
  const bool is_last = at + 1 == node.rest.size();
  if (const auto* call = node.rest[at]->as<ast::Call>(); call && is_last && left.known()) {
    const bool searches = node.ops[at] == ast::CompareOp::In || node.ops[at] == ast::CompareOp::NotIn;
    if (searches && special_of(*call) == Special::Range) return in_range(node.ops[at], left, *call, range);
  }
  const Value right = value(*node.rest[at]);
  const SourceRange here = left.known() && right.known() ? join(left.range(), node.rest[at]->range) : range;
  if (is_last) return compare(node.ops[at], left, right, here);
  if (!right.known()) {
    for (std::size_t i = at + 1; i < node.rest.size(); ++i) value(*node.rest[i]);
    return {};
  }
  if (node.rest.size() > 64) {
    report(range, DiagnosticId::NestedTooDeeply);
    return {};
  }
  const Expr* result = with_temporary(left.expr, [&](const Expr* first) -> const Expr* {
    return with_temporary(right.expr, [&](const Expr* second) -> const Expr* {
      const Value again{second, right.weak, right.elements};
      const Value test = compare(node.ops[at], {first, left.weak, left.elements}, again, here);
      const Value others = chain(node, at + 1, again, range);
      if (!test.known() || !others.known()) return nullptr;
      return tree_.logical(true, test.expr, others.expr, join(test.range(), others.range()));
    });
  });
  return TreeBuilder::strong(result);
}

/// `x.dtype == f32`: known while compiling.
Entity Body::compare_types(const TypeRef& left, const ast::Compare& node, SourceRange range) {
  const Entity found = opened(entity(*node.rest.front()));
  if (std::holds_alternative<Unknown>(found)) return Unknown{};
  const auto* right = std::get_if<TypeRef>(&found);
  const ast::CompareOp op = node.ops.front();
  const bool is_equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Is;
  const bool is_inequality = op == ast::CompareOp::Ne || op == ast::CompareOp::IsNot;
  if (right && node.rest.size() == 1 && (is_equality || is_inequality))
    return TreeBuilder::strong(tree_.boolean((left.type == right->type) == is_equality, range));
  report(range, DiagnosticId::OperandTypes, spelling(op), "a type", describe(found))
      .note("types are compared with `==` and `!=`, to types");
  return Unknown{};
}

Value Body::compare(ast::CompareOp op, const Value& left, const Value& right, SourceRange range) {
  if (!left.known() || !right.known()) return {};
  if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn) return member_of_tuple(op, left, right, range);
  if (left.is_tuple() && right.is_tuple() && !is_ordering(op)) return compare_parts(op, left, right, range);
  if (left.is_record() || right.is_record()) return compare_records(op, left, right, range);
  if (!require_numbers(spelling(op), left, right, range)) return {};
  const auto checked_op = static_cast<CompareOp>(op);
  if (left.is_weak_integer() && right.is_weak_integer()) {
    const Int128 a = integer_of(*left.expr), b = integer_of(*right.expr);
    const Expr *sign = tree_.integer(a < b ? -1 : a > b, ScalarType::I64, range),
               *zero = tree_.integer(0, ScalarType::I64, range);
    return TreeBuilder::strong(tree_.compare(checked_op, sign, zero, range));
  }
  const std::optional<Unified> unified = unify(left, right, rules_->comparison);
  if (!unified) return TreeBuilder::strong(compare_mixed_signs(checked_op, left, right, range));
  ScalarType type = unified->type;
  if (type == ScalarType::Bool && is_ordering(op)) type = ScalarType::I32;
  note_double(left, right, range, Narrowing::Always);
  return TreeBuilder::strong(tree_.compare(checked_op, tree_.convert(left, type), tree_.convert(right, type), range));
}

/// i64 against u64, as the numbers that they are: where the signed one is negative it is the smaller, else both are
/// u64.
const checked::Expr* Body::compare_mixed_signs(CompareOp op, const Value& left, const Value& right, SourceRange range) {
  const bool left_is_signed = is_signed_integer(left.scalar());
  return with_temporary(left.expr, [&](const Expr* a) {
    return with_temporary(right.expr, [&](const Expr* b) {
      const Expr* with_sign = tree_.cast(left_is_signed ? a : b, ScalarType::I64);
      const Expr* is_negative =
          tree_.compare(CompareOp::Lt, with_sign, tree_.integer(0, ScalarType::I64, range), range);
      const Expr* unsigned_test =
          tree_.compare(op, tree_.cast(a, ScalarType::U64), tree_.cast(b, ScalarType::U64), range);
      const bool smaller_on_left = left_is_signed;  // what a negative number is compared to
      const bool holds = op == CompareOp::Ne || (smaller_on_left ? op == CompareOp::Lt || op == CompareOp::Le
                                                                 : op == CompareOp::Gt || op == CompareOp::Ge);
      if (holds) return tree_.logical(false, is_negative, unsigned_test, range);
      return tree_.logical(true, tree_.unary(checked::UnaryOp::Not, is_negative, range), unsigned_test, range);
    });
  });
}

/// Tuples and records of one type.
Value Body::compare_parts(ast::CompareOp op, const Value& left, const Value& right, SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq;
  if (left.type().elements.size() != right.type().elements.size())
    return TreeBuilder::strong(tree_.boolean(!is_equality, range));
  const Expr* result = with_parts(left, [&](const std::vector<Value>& as) {
    return with_parts(right, [&](const std::vector<Value>& bs) -> const Expr* {
      const Expr* all = tree_.boolean(is_equality, range);
      for (std::size_t i = 0; i < as.size(); ++i) {
        const Value test = compare(op, as[i], bs[i], range);
        if (!test.known()) return nullptr;
        all = i == 0 ? test.expr : tree_.logical(is_equality, all, test.expr, range);
      }
      return all;
    });
  });
  return TreeBuilder::strong(result);
}

/// `x in (1, 2, 3)`
Value Body::member_of_tuple(ast::CompareOp op, const Value& item, const Value& tuple, SourceRange range) {
  if (!tuple.is_tuple()) {
    report(range, DiagnosticId::OperandTypes, spelling(op), describe(item), describe(tuple))
        .note("`in` looks through a tuple: `x in (1, 2, 3)`; search an array in a loop");
    return {};
  }
  const Expr* found = with_temporary(item.expr, [&](const Expr* kept) -> const Expr* {
    return with_parts(tuple, [&](const std::vector<Value>& elements) -> const Expr* {
      const Expr* any = tree_.boolean(false, range);
      bool is_first = true;
      for (const Value& element : elements) {
        const Value test = compare(ast::CompareOp::Eq, {kept, item.weak, item.elements}, element, range);
        if (!test.known()) return nullptr;
        any = is_first ? test.expr : tree_.logical(false, any, test.expr, range);
        is_first = false;
      }
      return any;
    });
  });
  if (!found) return {};
  return TreeBuilder::strong(op == ast::CompareOp::In ? found : tree_.unary(checked::UnaryOp::Not, found, range));
}

Value Body::choose(const Expr* test, const Value& then, const Value& otherwise, SourceRange range) {
  if (then.is_scalar() && otherwise.is_scalar()) {
    if (then.weak == Weak::Int && otherwise.weak == Weak::Int && then.scalar() == otherwise.scalar())
      return {tree_.conditional(test, then.expr, otherwise.expr), Weak::Int, {}};
    const std::optional<Unified> unified = unify(then, otherwise, rules_->join);
    if (!unified) {
      report_no_common_type(then, otherwise, range);
      return {};
    }
    return {tree_.conditional(test, tree_.convert(then, unified->type), tree_.convert(otherwise, unified->type)),
            unified->weak,
            {}};
  }
  InferredType type = inferred_type(then);
  if (join_into(type, inferred_type(otherwise), *rules_)) {
    settle(type);
    const Value a = convert_to(then, type, range), b = convert_to(otherwise, type, range);
    if (!a.known() || !b.known()) return {};
    return TreeBuilder::strong(tree_.conditional(test, a.expr, b.expr));
  }
  report(range, DiagnosticId::BranchTypes, describe(then), describe(otherwise));
  return {};
}

}  // namespace pykc::checker
