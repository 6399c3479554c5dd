// Calls of NumPy's reductions: which function of the library they call, and in which type it computes.
#include "frontend/check/arrays/reduction.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

using Takes = Reduction::Takes;

/// Integers are added up in 64 bits.
ElementType type_of_total(const ElementType& element) {
  if (element.is_record() || is_float(element.scalar)) return element;
  return is_unsigned_integer(element.scalar) ? ScalarType::U64 : ScalarType::I64;
}

/// In Numba's dialect a mean is a sum divided by an integer.
ScalarType type_of_count(ScalarType part, const TypingRules& rules) {
  if (!rules.has_weak_literals || !is_float(part)) return ScalarType::F64;
  return size_in_bits(part) < 32 ? ScalarType::F32 : part;
}

/// Whether it is an array of numbers that the function is for.
bool require_numbers_of(FunctionChecker& checker, const Value& array, const Reduction& reduction,
                        const std::string& name) {
  const bool is_complex = array.is_array() && array.type()->array.element.is_record() &&
                          array.type()->array.element.record->kind == RecordType::Kind::Complex;
  const bool is_number = array.is_array() && !array.type()->array.element.is_record();
  const bool is_stored_only = is_number && is_float8(array.type()->array.element.scalar);
  if ((is_number && !is_stored_only) || (is_complex && reduction.is_for_complex())) return true;
  auto diagnostic = checker.report(array.range(), DiagnosticId::OperandType, as_code(name), describe(array));
  if (is_stored_only) diagnostic.note("floats of 8 bits are stored and converted: loop over the elements, `f32(a[i])`");
  if (is_complex) diagnostic.note("complex numbers have no order");
  if (array.is_tuple()) diagnostic.note("it is for arrays; `sum`, `min`, `max`, `any` and `all` take a tuple");
  return false;
}

Value reduce(FunctionChecker& checker, const Reduction& reduction, const Value& array, SourceRange range) {
  const ElementType total = type_of_total(array.type()->array.element);
  const ScalarType part = total.is_record() ? total.record->fields.front().type.scalar : total.scalar;
  const auto number = [&](int value) {
    const Value real = TreeBuilder::strong(checker.tree.convert(checker.tree.weak_integer(value, range), part));
    return total.is_record() ? to_complex(checker, real, part, range) : real;
  };
  std::vector<Value> given{array};
  if (reduction.takes == Takes::One) given.push_back(number(1));
  if (reduction.takes == Takes::Zero || reduction.takes == Takes::ZeroAndCount) given.push_back(number(0));
  if (reduction.takes == Takes::ZeroAndCount)
    given.push_back(
        cast_value(checker, measured(checker, array, "size", range), type_of_count(part, *checker.rules), range));
  const Binding* function = checker.module.scope_of(kReductionsModule)->find(reduction.name);
  return call_specialized(checker, *std::get<FunctionDecl*>(*function), std::move(given), range);
}

Value reduced(FunctionChecker& checker, const Reduction& reduction, const Value& array, const std::string& name,
              SourceRange range) {
  if (!array.known() || !require_numbers_of(checker, array, reduction, name)) return {};
  if (!require_length(checker, array, range)) return {};
  if (!checker.function) {
    checker.report(range, DiagnosticId::NotConstant, "the result of " + as_code(name)).note("call it in the kernel");
    return {};
  }
  Value result;
  const Expr* whole = with_temporary(checker, array.expr, [&](const Expr* kept) {
    result = reduce(checker, reduction, TreeBuilder::strong(kept), range);
    return result.expr;
  });
  result.expr = whole;
  return result;
}

}  // namespace

Entity call_reduction(FunctionChecker& checker, const ReductionRef& reduction, const ast::Call& call,
                      SourceRange range) {
  const std::string name(checker.scope.file().text(call.function->range));
  constexpr std::string_view kParameters[] = {"a"};
  const std::size_t count = reduction.self.known() ? 0 : 1;
  if (!call.keywords.empty() || call.arguments.size() > count) {
    const SourceRange at = !call.keywords.empty() ? call.keywords[0].name_range : call.arguments[count]->range;
    checker.report(at, DiagnosticId::UnsupportedInKernel, "a further argument of " + as_code(name))
        .note("it takes all elements of an array; for those along an axis, loop over the others: `for row in a:`");
    return Unknown{};
  }
  const auto arguments =
      bind_arguments(checker, call, range, name, {kParameters, count}, count, count == 0 ? "()" : "(a)");
  if (!arguments) return Unknown{};
  const Value array = count == 0 ? reduction.self : checker.value(*arguments->front());
  const Value result = reduced(checker, *reduction.row, array, name, range);
  return result.known() ? Entity(result) : Entity(Unknown{});
}

bool has_reductions(const FunctionChecker& checker) { return checker.module.scope_of(kReductionsModule) != nullptr; }

Value extremum_of_array(FunctionChecker& checker, std::string_view name, const Value& array, SourceRange range) {
  return reduced(checker, *std::ranges::find(all_reductions(), name, &Reduction::name), array, std::string(name),
                 range);
}

}  // namespace pykc::checker
