// Types that meet, and conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

struct Unified {
  ScalarType type;
  Weak weak;
};

/// When an f64 operation on numbers of f32 costs no more than that of f32.
enum class Narrowing : std::uint8_t { Never, WhereStored, Always };

std::optional<Unified> unify(FunctionChecker& checker, const Value& a, const Value& b, TypingRules::Meet meet);
std::optional<Unified> unify_all(FunctionChecker& checker, std::span<const Value> values, TypingRules::Meet meet,
                                 SourceRange range);
void report_no_common_type(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range);
/// Converts as NumPy's assignment does, and warns of a lost fraction.
const Expr* convert_for_assignment(FunctionChecker& checker, const Value& value, ScalarType to, SourceRange range);
Value convert_to(FunctionChecker& checker, const Value& value, const InferredType& to, SourceRange range);
const Expr* truth(FunctionChecker& checker, const Value& value);
const Expr* condition(FunctionChecker& checker, const ast::Expr& expr);
Value cast_value(FunctionChecker& checker, const Value& value, ScalarType to, SourceRange range);
void note_double(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range, Narrowing narrowing);
void warn_of_double(FunctionChecker& checker);
void warn_of_late_widening(FunctionChecker& checker, const Value& value, ScalarType to);
/// Evaluates by the rules of another dialect.
template <typename Evaluate>
auto under_rules(FunctionChecker& checker, Dialect dialect, Evaluate evaluate) {
  const TypingRules* const outer = std::exchange(checker.rules, &rules_of(dialect));
  auto result = evaluate();
  checker.rules = outer;
  return result;
}

}  // namespace pykc::checker
