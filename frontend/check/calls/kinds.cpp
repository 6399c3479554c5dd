#include "frontend/check/calls/kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/names/resolve.h"

namespace pykc::checker {
namespace {

/// Python's types stand for all of their kind, whatever the width; a bool is an `int`, as in Python.
std::optional<bool> is_instance(FunctionChecker& checker, const Value& value, const ast::Expr& type) {
  const std::string_view name = name_of_python(checker, type);
  if (name == "int") return value.is_scalar() && is_integer_or_bool(value.scalar());
  if (name == "float") return value.is_scalar() && is_float(value.scalar());
  if (name == "complex") return value.is_complex();
  if (name == "tuple") return value.is_tuple();
  const std::optional<ElementType> wanted = element_type(checker, type);
  if (!wanted) return std::nullopt;
  const bool has_type = value.is_scalar() || value.is_record();
  return has_type && !value.is_weak() && value.type() == checker.types.of(*wanted);
}

struct FloatForm {
  ScalarType type;
  int digits, exponents;  // of two: the digits of a number, and the first power that is too large
};
constexpr FloatForm kFloatForms[] = {
    {ScalarType::F16, 11, 16}, {ScalarType::BF16, 8, 128}, {ScalarType::F32, 24, 128}, {ScalarType::F64, 53, 1024}};

const FloatForm* form_of(ScalarType type) {
  const auto* found = std::find_if(std::begin(kFloatForms), std::end(kFloatForms),
                                   [&](const FloatForm& form) { return form.type == type; });
  return found == std::end(kFloatForms) ? nullptr : found;
}

bool has_form(ScalarType type) { return form_of(type) != nullptr; }

/// The type that a function is passed, if it is of the kind that it knows.
std::optional<ScalarType> type_argument(FunctionChecker& checker, const ast::Call& call, SourceRange range,
                                        LanguageFunction id, std::string_view name, bool (*is_known)(ScalarType)) {
  constexpr std::string_view kParameters[] = {"dtype"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, name, kParameters, 1, info(id).signature);
  const std::optional<ScalarType> type = arguments ? scalar_type(checker, *(*arguments)[0]) : std::nullopt;
  if (!type || is_known(*type)) return type;
  checker.report((*arguments)[0]->range, DiagnosticId::OperandType, as_code(name), std::string(to_string(*type)));
  return std::nullopt;
}

}  // namespace

/// `isinstance(x, int)`, or a tuple of types: known while compiling.
Entity call_isinstance(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"object", "type"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "isinstance", kParameters, 2, info(LanguageFunction::IsInstance).signature);
  if (!arguments) return Unknown{};
  const Value given = argument_value(checker, checker.entity(*(*arguments)[0]), (*arguments)[0]->range);
  if (!given.known()) return Unknown{};
  const ast::Expr& types = *(*arguments)[1];
  const auto* several = types.as<ast::Tuple>();
  bool is_any = false;
  for (std::size_t i = 0; i < (several ? several->elements.size() : 1); ++i) {
    const std::optional<bool> is = is_instance(checker, given, several ? *several->elements[i] : types);
    if (!is) return Unknown{};
    is_any |= *is;
  }
  return TreeBuilder::strong(checker.tree.boolean(is_any, range));
}

/// `type(x)`, which makes numbers of the type of `x`.
Entity call_type(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"object"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "type", kParameters, 1, info(LanguageFunction::PythonType).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  if (given.known() && given.is_scalar()) return TypeRef{given.scalar()};
  if (given.known() && given.is_record()) return TypeRef{given.type()->record};
  if (given.known())
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`type`", describe(given))
        .note("`x.dtype` is the type of an array's elements");
  return Unknown{};
}

/// `np.finfo(np.float32).max`: a tuple of constants with names.
Entity call_finfo(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  const std::optional<ScalarType> type =
      type_argument(checker, call, range, LanguageFunction::NumpyFinfo, "finfo", &has_form);
  if (!type) return Unknown{};
  const FloatForm* form = form_of(*type);
  const int precision = static_cast<int>((form->digits - 1) * std::log10(2.0));
  const double eps = std::ldexp(1.0, 1 - form->digits), tiny = std::ldexp(1.0, 2 - form->exponents);
  const double most = std::ldexp(2 - eps, form->exponents - 1);
  const auto real = [&](double value) { return TreeBuilder::strong(checker.tree.real(value, *type, range)); };
  const auto integer = [&](Int128 value) { return checker.tree.weak_integer(value, range); };
  return checker.tree.tuple(
      {integer(size_in_bits(*type)), real(eps), real(eps / 2), real(most), real(-most), integer(precision),
       real(std::pow(10.0, -precision)), real(tiny), real(tiny * eps), real(tiny)},
      range,
      {"bits", "eps", "epsneg", "max", "min", "precision", "resolution", "smallest_normal", "smallest_subnormal",
       "tiny"});
}

/// `np.iinfo(np.int32).max`
Entity call_iinfo(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  const std::optional<ScalarType> type =
      type_argument(checker, call, range, LanguageFunction::NumpyIinfo, "iinfo", &is_integer);
  if (!type) return Unknown{};
  const int bits = size_in_bits(*type), digits = bits - (is_signed_integer(*type) ? 1 : 0);
  const Int128 most = (Int128{1} << digits) - 1;
  const auto integer = [&](Int128 value) { return TreeBuilder::strong(checker.tree.integer(value, *type, range)); };
  return checker.tree.tuple(
      {checker.tree.weak_integer(bits, range), integer(most), integer(is_signed_integer(*type) ? -most - 1 : 0)}, range,
      {"bits", "max", "min"});
}

/// A name that stands for what it is in Python; empty for anything else.
std::string_view name_of_python(const FunctionChecker& checker, const ast::Expr& expr) {
  const auto* name = expr.as<ast::Name>();
  return name && !local_index(checker, name->id, expr.range) && !checker.scope.find(name->id)
             ? std::string_view(name->id)
             : std::string_view();
}

}  // namespace pykc::checker
