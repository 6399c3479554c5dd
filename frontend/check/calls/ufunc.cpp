// Calls of NumPy's ufuncs and of the functions of the module `operator`: on numbers, where they are expressions, and on
// arrays, `np.add(x, y, out)`, where they are loops over the elements of `out`.
#include "frontend/check/calls/ufunc.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/language_function.h"
#include "frontend/check/calls/ufuncs.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "frontend/check/types/types.h"

namespace pykc::checker {
namespace {

/// Whether both are the same variable, so that their extents are the same.
bool is_same_variable(const checked::Expr& a, const checked::Expr& b) {
  const auto *left = a.as<checked::VariableRef>(), *right = b.as<checked::VariableRef>();
  return left && right && left->variable == right->variable;
}

std::optional<Arguments> ufunc_arguments(FunctionChecker& checker, const Ufunc& ufunc, const ast::Call& call,
                                         SourceRange range) {
  const auto count = static_cast<std::size_t>(ufunc.inputs);
  std::vector<std::string_view> names = {"x1", "x2", "out"};
  if (count == 1) names = {"x", "out"};
  if (!ufunc.takes_arrays()) names.pop_back();
  const std::string_view signature = !ufunc.takes_arrays() ? "" : count == 1 ? "(x, out=None)" : "(x1, x2, out=None)";
  const std::string_view name = checker.scope.file().text(call.function->range);
  std::optional<Arguments> arguments = bind_arguments(checker, call, range, name, names, count, signature);
  if (arguments) arguments->resize(count + 1, nullptr);
  return arguments;
}

/// What a module of the library has under the ufunc's name; null where it has nothing.
FunctionDecl* in_library(const FunctionChecker& checker, std::string_view module, const Ufunc& ufunc) {
  const Scope* library = checker.module.scope_of(module);
  const Binding* binding = library ? library->find(ufunc.name()) : nullptr;
  return binding ? std::get<FunctionDecl*>(*binding) : nullptr;
}

/// The operands get one complex type first.
Value call_complex_form(FunctionChecker& checker, FunctionDecl& function, const std::vector<Value>& inputs,
                        SourceRange range) {
  for (const Value& input : inputs)
    if (!input.is_complex() && !require_scalar(checker, input, "the function")) return {};
  const ScalarType part = unify_parts(checker, inputs.front(), inputs.back(), range).type;
  std::vector<Value> converted;
  for (const Value& input : inputs) converted.push_back(to_complex(checker, input, part, range));
  return call_specialized(checker, function, std::move(converted), range);
}

/// Whether a number is not 0; none, and a report, for what is no number.
const checked::Expr* truth_of_number(FunctionChecker& checker, const Value& number, SourceRange range) {
  if (number.is_complex())
    return compare_complex(checker, ast::CompareOp::Ne, number, checker.tree.weak_integer(0, range), range).expr;
  return require_scalar(checker, number, "a condition") ? truth(checker, number) : nullptr;
}

/// NumPy's `minimum` and `maximum` of floats: unlike those of the builtins, a NaN wins.
Value numpy_extremum(FunctionChecker& checker, BuiltinId id, const Value& x, const Value& y, SourceRange range) {
  const Value smaller = apply_builtin(checker, {id}, {x, y}, range);
  if (!smaller.known() || !is_float(smaller.scalar())) return smaller;
  const ScalarType type = smaller.scalar();
  const Expr* result = with_temporary(checker, checker.tree.convert(x, type), [&](const Expr* a) {
    return with_temporary(checker, checker.tree.convert(y, type), [&](const Expr* b) {
      const Value first = TreeBuilder::strong(a), second = TreeBuilder::strong(b);
      const auto is_nan = [&](const Expr* number) {
        return checker.tree.compare(checked::CompareOp::Ne, number, number, range);
      };
      const Expr* extremum = apply_builtin(checker, {id}, {first, second}, range).expr;
      return checker.tree.conditional(is_nan(a), a, checker.tree.conditional(is_nan(b), b, extremum));
    });
  });
  return TreeBuilder::strong(result);
}

bool works_on_bits(const Ufunc& ufunc) {
  using ast::BinaryOp;
  static constexpr std::variant<BuiltinId, ast::UnaryOp, BinaryOp, ast::CompareOp, NumpyFunction> kOfIntegers[] = {
      BinaryOp::And,        BinaryOp::Or,   BinaryOp::Xor, BinaryOp::LeftShift,
      BinaryOp::RightShift, BuiltinId::Gcd, BuiltinId::Lcm};
  return std::ranges::find(kOfIntegers, ufunc.function) != std::end(kOfIntegers);
}

/// An i64 and a u64 meet in f64, for which NumPy has no loop of these: false, and a report. A constant takes the type
/// of the other.
bool meet_as_integers(FunctionChecker& checker, Value& x, Value& y, SourceRange range) {
  const auto is_of_integers = [](const Value& v) { return v.is_scalar() && is_integer(v.scalar()); };
  if (!is_of_integers(x) || !is_of_integers(y) || !is_float(*checker.rules->arithmetic(x.scalar(), y.scalar())))
    return true;
  for (Value* number : {&x, &y}) {
    const ScalarType other = (number == &x ? y : x).scalar();
    if (!number->is_constant() || !is_wide_enough(integer_of(*number->expr), other)) continue;
    *number = TreeBuilder::strong(checker.tree.integer(integer_of(*number->expr), other, number->range()));
    return true;
  }
  report_no_common_type(checker, x, y, range);
  return false;
}

/// What a row of the builtin table that is for floats is of two integers, `np.fmod`: the library's, in the type that
/// they have in common. Nothing where it has none, or where they meet in a float.
std::optional<Value> apply_to_integers(FunctionChecker& checker, const Ufunc& ufunc, const std::vector<Value>& inputs,
                                       SourceRange range) {
  FunctionDecl* const function = in_library(checker, kUfuncsModule, ufunc);
  if (!function || !std::ranges::all_of(inputs, [](const Value& v) { return v.is_scalar(); })) return std::nullopt;
  const std::optional<Unified> common = unify(checker, inputs.front(), inputs.back(), checker.rules->arithmetic);
  if (!common || is_float(common->type)) return std::nullopt;
  std::vector<Value> integers;
  for (const Value& input : inputs) integers.push_back(cast_value(checker, input, common->type, input.range()));
  return cast_value(checker, call_specialized(checker, *function, std::move(integers), range), common->type, range);
}

Value apply(FunctionChecker& checker, NumpyFunction function, const Value& x, const Value& y, SourceRange range) {
  const auto logical = [&](checked::BinaryOp op) -> Value {
    const Expr *left = truth_of_number(checker, x, range), *right = truth_of_number(checker, y, range);
    return left && right ? TreeBuilder::strong(checker.tree.binary(op, left, right, range)) : Value{};
  };
  switch (function) {
    case NumpyFunction::Invert:
      if (!x.is_scalar() || x.scalar() != ScalarType::Bool) return unary(checker, ast::UnaryOp::Invert, x, range);
      return TreeBuilder::strong(checker.tree.unary(checked::UnaryOp::Not, x.expr, range));
    case NumpyFunction::LogicalAnd:
      return logical(checked::BinaryOp::And);
    case NumpyFunction::LogicalOr:
      return logical(checked::BinaryOp::Or);
    case NumpyFunction::LogicalXor:
      return logical(checked::BinaryOp::Xor);
    case NumpyFunction::Absolute:
      return absolute(checker, x, range);
    case NumpyFunction::Square: {
      const Value once = stored_once(checker, x, range);
      return binary(checker, ast::BinaryOp::Mul, once, once, range);
    }
    case NumpyFunction::FromLibrary:
    case NumpyFunction::Minimum:
    case NumpyFunction::Maximum:
      break;
  }
  if (!require_scalar(checker, x, "the function") || !require_scalar(checker, y, "the function")) return {};
  return numpy_extremum(checker, function == NumpyFunction::Minimum ? BuiltinId::Min : BuiltinId::Max, x, y, range);
}

/// Whether `source` has, or may have, the shape of `out`, or can be repeated along dimensions to it.
bool require_broadcast(FunctionChecker& checker, const Value& out, const Value& source, SourceRange range) {
  if (!source.is_array()) return true;
  const std::vector<std::int64_t>&to = out.type()->array.extents, &from = source.type()->array.extents;
  bool fits = from.size() <= to.size();
  for (std::size_t i = 0; fits && i < from.size(); ++i) {
    const std::int64_t wanted = to[to.size() - from.size() + i];
    fits = from[i] == 1 || from[i] == wanted || from[i] == ArrayType::kDynamic || wanted == ArrayType::kDynamic;
  }
  if (!fits) {
    checker.report(range, DiagnosticId::ArrayShapes, checked::to_string(out.type()), checked::to_string(source.type()));
    return false;
  }
  if (may_overlap(checker, out, source)) {
    checker.report(range, DiagnosticId::OverlappingCopy)
        .label(checker.scope.file(), source.range(), "this may be the same memory")
        .note("write the loop, in the order that is right, or go by way of a `local.array`");
    return false;
  }
  return true;
}

/// The element that stands beside that of `out` at the indices; of a dimension of extent 1, always the one.
Value broadcast_element(FunctionChecker& checker, const Value& source, const Value& out,
                        const std::vector<const Expr*>& indices, SourceRange range) {
  const std::size_t before = indices.size() - static_cast<std::size_t>(source.type()->array.rank());
  const Expr *zero = checker.tree.integer(0, ScalarType::I64, range),
             *one = checker.tree.integer(1, ScalarType::I64, range);
  std::vector<const Expr*> places;
  for (std::size_t i = before; i < indices.size(); ++i) {
    const int dimension = static_cast<int>(i - before);
    const Expr* count = checker.tree.convert(extent(checker, source, dimension, range), ScalarType::I64);
    const Expr* is_repeated = checker.tree.compare(checked::CompareOp::Eq, count, one, range);
    const bool never_repeats = is_same_variable(*source.expr, *out.expr);
    places.push_back(never_repeats ? indices[i] : checker.tree.conditional(is_repeated, zero, indices[i]));
  }
  return element_in_bounds(checker, source, places, range);
}

}  // namespace

std::span<const Ufunc> all_ufuncs() {
  using ast::BinaryOp, ast::CompareOp, ast::UnaryOp;  // what the rows name
  static constexpr Ufunc kUfuncs[] = {
#define UFUNC(name, inputs, kind, function, doc, reach) {name, inputs, kind::function},
#include "stdlib/ufuncs.def"
  };
  return kUfuncs;
}

/// The form on numbers, a value.
Entity call_ufunc(FunctionChecker& checker, const Ufunc& ufunc, const ast::Call& call, SourceRange range) {
  const std::optional<Arguments> arguments = ufunc_arguments(checker, ufunc, call, range);
  if (!arguments) return Unknown{};
  const std::string name(checker.scope.file().text(call.function->range));
  std::vector<Entity> operands;
  for (int i = 0; i < ufunc.inputs; ++i) operands.push_back(checker.entity(*(*arguments)[static_cast<std::size_t>(i)]));
  if (has_table(checker, operands)) return constant_ufunc(checker, ufunc, operands, range);
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i)
    inputs.push_back(to_value(checker, operands[i], (*arguments)[i]->range));
  if (const ast::Expr* out = arguments->back()) {
    checker.report(range, DiagnosticId::NotAValue, name + "(…)", "a statement where it has an array for its results")
        .note("call it on a line of its own, and use " + as_code(checker.scope.file().text(out->range)) + " then");
    return Unknown{};
  }
  for (const Value& input : inputs) {
    if (!input.known()) return Unknown{};
    if (!input.is_array()) continue;
    auto diagnostic = checker.report(input.range(), DiagnosticId::NotAScalar, as_code(name), describe(input));
    if (ufunc.takes_arrays()) diagnostic.note("give it an array for its results, or index the array");
    return Unknown{};
  }
  const Value result = apply(checker, ufunc, inputs, range);
  return result.known() ? Entity(result) : Entity(Unknown{});
}

Value apply(FunctionChecker& checker, const Ufunc& ufunc, const std::vector<Value>& inputs, SourceRange range) {
  const bool is_numpys = ufunc.takes_arrays() && checker.rules == &rules_of(Dialect::Numba);
  if (is_numpys)
    return under_rules(checker, Dialect::Ufunc, [&]() -> Value {
      std::vector<Value> operands = inputs;
      if (works_on_bits(ufunc) && !meet_as_integers(checker, operands.front(), operands.back(), range)) return {};
      return apply(checker, ufunc, operands, range);
    });
  const Value &x = inputs.front(), &y = inputs.back();
  const bool has_complex = std::any_of(inputs.begin(), inputs.end(), [](const Value& v) { return v.is_complex(); });
  if (has_complex && ufunc.has_complex_form())
    if (FunctionDecl* function = in_library(checker, kComplexUfuncsModule, ufunc))
      return call_complex_form(checker, *function, inputs, range);
  if (const auto* id = std::get_if<BuiltinId>(&ufunc.function)) {
    const std::optional<Value> of_integers = apply_to_integers(checker, ufunc, inputs, range);
    return of_integers ? *of_integers : apply_builtin(checker, {*id}, inputs, range);
  }
  if (const auto* op = std::get_if<ast::BinaryOp>(&ufunc.function)) return binary(checker, *op, x, y, range);
  if (const auto* op = std::get_if<ast::CompareOp>(&ufunc.function)) return compare(checker, *op, x, y, range);
  if (const auto* op = std::get_if<ast::UnaryOp>(&ufunc.function)) {
    if (*op != ast::UnaryOp::Not) return unary(checker, *op, x, range);
    const Expr* holds = truth_of_number(checker, x, range);
    return holds ? TreeBuilder::strong(checker.tree.unary(checked::UnaryOp::Not, holds, range)) : Value{};
  }
  if (ufunc.is_from_library()) {
    for (const Value& input : inputs)
      if (!require_scalar(checker, input, as_code("np." + std::string(ufunc.name())))) return {};
    return call_specialized(checker, *in_library(checker, kUfuncsModule, ufunc), inputs, range);
  }
  return apply(checker, std::get<NumpyFunction>(ufunc.function), x, y, range);
}

/// `np.add(x, y, out)`, a statement: every element of `out`, by the thread that calls it. False where there is no
/// `out`.
bool store_ufunc(FunctionChecker& checker, const Ufunc& ufunc, const ast::Call& call, SourceRange range) {
  const bool may_have_out = ufunc.takes_arrays() &&
                            (!call.keywords.empty() || call.arguments.size() > static_cast<std::size_t>(ufunc.inputs));
  const std::optional<Arguments> arguments = may_have_out ? ufunc_arguments(checker, ufunc, call, range) : std::nullopt;
  if (!may_have_out || (arguments && !arguments->back())) return false;
  if (!arguments) return true;
  std::vector<Value> inputs;
  for (int i = 0; i < ufunc.inputs; ++i) inputs.push_back(checker.value(*(*arguments)[static_cast<std::size_t>(i)]));
  const Value written = checker.value(*arguments->back());
  if (!written.known()) return true;
  if (!written.is_array() || written.type()->array.rank() == 0) {
    checker.report(written.range(), DiagnosticId::ArgumentValue, checker.scope.file().text(call.function->range),
                   "an array for its results");
    return true;
  }
  if (!require_writable(checker, written, written.range())) return true;
  for (const Value& input : inputs)
    if (!input.known() || !require_broadcast(checker, written, input, range)) return true;
  for (Value& input : inputs) input = stored_once(checker, input, range);
  const Value out = stored_once(checker, written, range);
  for (const Value& input : inputs)
    if (input.is_array()) check_shapes(checker, out, input, true, range);
  over_elements(checker, out, range, [&](const std::vector<const Expr*>& indices) {
    std::vector<Value> elements;
    for (const Value& input : inputs)
      elements.push_back(input.is_array() ? broadcast_element(checker, input, out, indices, range) : input);
    const Value result = apply(checker, ufunc, elements, range);
    if (result.known()) store(checker, element_in_bounds(checker, out, indices, range), result, range);
  });
  return true;
}

}  // namespace pykc::checker
