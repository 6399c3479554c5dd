// Types as annotations spell them: `f32`, `f32[:, ::]`, `f32[TILE, TILE]`, `tuple[f32, i64]`, "f32[:]".
#include "frontend/check/types/annotation.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/class.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
using checked::Type;

namespace {

constexpr std::string_view kArrayAdvice = "an array names its elements and dimensions: `f32[:]`, `f32[:, :]`";
constexpr std::string_view kNumbersAdvice = "kernels compute with numbers: pass an integer, or an array of `u8`";

/// Annotations of Python that say nothing of the elements.
constexpr std::pair<std::string_view, std::string_view> kPythonAnnotations[] = {
    {"list", kArrayAdvice},
    {"ndarray", kArrayAdvice},
    {"array", kArrayAdvice},
    {"List", kArrayAdvice},
    {"NDArray", kArrayAdvice},
    {"Tensor", kArrayAdvice},
    {"str", kNumbersAdvice},
    {"bytes", kNumbersAdvice},
    {"tuple", "a tuple names its elements: `tuple[f32, i64]`"},
    {"dict", "pass arrays of the keys and of the values"},
};

/// What to write instead of `x: list`, `x: np.ndarray`, `x: [f32]`; "" for other annotations.
std::string_view instead_of_annotation(const ast::Expr& expr) {
  if (expr.as<ast::List>()) return kArrayAdvice;
  const auto* name = expr.as<ast::Name>();
  const auto* dotted = expr.as<ast::Attribute>();
  const std::string_view last = name ? std::string_view(name->id) : dotted ? std::string_view(dotted->name) : "";
  const auto* row = std::ranges::find(kPythonAnnotations, last, &std::pair<std::string_view, std::string_view>::first);
  return row == std::end(kPythonAnnotations) ? std::string_view() : row->second;
}

/// Reports such an annotation, unless the file has something of that name.
bool is_reported_as_of_python(FunctionChecker& checker, const ast::Expr& expr) {
  const std::string_view instead = instead_of_annotation(expr);
  const auto* name = expr.as<ast::Name>();
  if (instead.empty() || (name && checker.scope.find(name->id) != nullptr)) return false;
  checker.report(expr.range, DiagnosticId::NotAType, checker.scope.file().text(expr.range)).note(std::string(instead));
  return true;
}

std::optional<Dimension> dimension(FunctionChecker& checker, const ast::Expr& part) {
  const auto* slice = part.as<ast::Slice>();
  if (!slice) {
    const std::optional<Int128> extent = constant_integer(checker, part, "an extent of an array type");
    if (!extent) return std::nullopt;
    if (*extent > 0 && *extent <= (Int128{1} << 31))
      return Dimension{Dimension::Kind::Extent, static_cast<std::int64_t>(*extent)};
    checker.report(part.range, DiagnosticId::ArrayShape, "an array type", "at least 1");
    return std::nullopt;
  }
  const auto* step = slice->step ? slice->step->as<ast::IntLiteral>() : nullptr;
  const bool is_plain = !slice->lower && !slice->upper;
  if (is_plain && step && step->value == 1) return Dimension{Dimension::Kind::UnitStride};
  if (is_plain && !slice->step) {
    // Python's tree does not tell `:` from `::`; the text does.
    const std::string_view text = checker.scope.file().text(part.range);
    const bool is_double = std::count(text.begin(), text.end(), ':') == 2;
    return Dimension{is_double ? Dimension::Kind::DoubleColon : Dimension::Kind::Colon};
  }
  checker.report(part.range, DiagnosticId::BadType, "a dimension is `:`, `::`, `::1` or an extent");
  return std::nullopt;
}

std::optional<Type> tuple_annotation(FunctionChecker& checker, const ast::Subscript& node) {
  std::vector<Type> elements;
  for (const ast::Expr* part : ast::parts_of(*node.index)) {
    const std::optional<Type> element = annotation(checker, *part);
    if (!element) return std::nullopt;
    elements.push_back(*element);
  }
  return small_tuple_type(checker, std::move(elements), node.index->range);
}

std::optional<Type> subscript_annotation(FunctionChecker& checker, const ast::Subscript& node) {
  const auto* name = node.value->as<ast::Name>();
  if (name && (name->id == "tuple" || name->id == "Tuple")) return tuple_annotation(checker, node);
  if (is_reported_as_of_python(checker, *node.value)) return std::nullopt;
  const std::optional<ElementType> element = element_type(checker, *node.value);
  if (!element) return std::nullopt;
  std::vector<Dimension> dimensions;
  for (const ast::Expr* part : ast::parts_of(*node.index)) {
    const std::optional<Dimension> next = dimension(checker, *part);
    if (!next) return std::nullopt;
    dimensions.push_back(*next);
  }
  std::string error;
  std::optional<ArrayType> array = array_type(*element, dimensions, false, error);
  if (array) return checker.types.of(*std::move(array));
  checker.report(join(node.value->range, node.index->range), DiagnosticId::BadType, error);
  return std::nullopt;
}

bool can_be_in_tuple(Type type) {
  if (type.is_tuple()) return std::all_of(type->elements.begin(), type->elements.end(), can_be_in_tuple);
  return type.is_scalar() || type.is_array();
}

/// Whether a launch can pass such a value.
bool can_be_passed(Type type) { return type.is_record() || type.is_static() || can_be_in_tuple(type); }

}  // namespace

/// None for what is no type.
std::optional<Type> type_of_argument(checked::TypePool& types, const ArgumentType& argument) {
  if (argument.is_constant()) return std::nullopt;
  const ParameterInfo& parameter = argument.parameter;
  if (argument.is_pointer) return types.pointer(parameter.array);
  if (!argument.is_tuple) return parameter.is_array ? types.of(parameter.array) : types.of(parameter.value);
  std::vector<Type> elements;
  for (const ArgumentType& element : argument.elements) {
    const std::optional<Type> type = type_of_argument(types, element);
    if (!type) return std::nullopt;
    elements.push_back(*type);
  }
  return types.tuple(std::move(elements));
}

std::optional<Type> annotation(FunctionChecker& checker, const ast::Expr& expr) {
  if (expr.as<ast::NoneLiteral>()) return Type::none();
  if (const auto* text = expr.as<ast::StringLiteral>()) {
    std::string error;
    const std::optional<ArgumentType> parsed = parse_type_text(text->value, SignatureDialect::Pykc, error);
    const std::optional<Type> type = parsed ? type_of_argument(checker.types, *parsed) : std::nullopt;
    if (type) return type;
    if (parsed) error = as_code(text->value) + " is not a type";
    checker.report(expr.range, DiagnosticId::BadType, error);
    return std::nullopt;
  }
  if (const auto* subscript = expr.as<ast::Subscript>()) return subscript_annotation(checker, *subscript);
  if (is_reported_as_of_python(checker, expr)) return std::nullopt;
  const Entity found = checker.entity(expr);
  if (const auto* form = std::get_if<LanguageFunctionRef>(&found); form && form->id == LanguageFunction::Constexpr) {
    checker.report(expr.range, DiagnosticId::NotAType, checker.scope.file().text(expr.range))
        .note("it is for parameters, which are passed what is known when a kernel is compiled");
    return std::nullopt;
  }
  if (const auto* decl = std::get_if<ClassRef>(&found); decl && decl->decl->kind == ClassDecl::Kind::NamedTuple)
    return tuple_type(checker, *decl->decl, expr.range);
  if (std::holds_alternative<Unknown>(found)) return std::nullopt;
  const std::optional<ElementType> type = element_type(checker, expr);
  if (!type) return std::nullopt;
  return checker.types.of(*type);
}

void read_types(ModuleChecker& module, FunctionDecl& function) {
  if (function.has_types) return;
  function.has_types = true;
  const std::vector<ast::Parameter>& parameters = function.def->parameters;
  const bool is_kernel = function.kind == FunctionDecl::Kind::Kernel;
  FunctionChecker body(module, *function.scope);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::optional<checked::Type> type;
    if (is_constexpr(parameters[i]))
      type = body.types.of_static();
    else if (parameters[i].annotation)
      type = annotation(body, *parameters[i].annotation);
    if (!type && function.signature && i < function.signature->parameters.size())
      type = type_of_argument(body.types, function.signature->parameters[i]);
    if (type && is_kernel && !can_be_passed(*type)) {
      body.report(parameters[i].range, DiagnosticId::BadType,
                  "a kernel's parameter is a scalar, a record, an array, or a tuple of scalars and arrays");
      type.reset();
    }
    if (is_kernel && parameters[i].is_variadic)
      body.report(parameters[i].range, DiagnosticId::VariadicKernel).note("pass a tuple: `k[1, 1]((a, b), n)`");
    if (is_kernel && parameters[i].is_keyword_only)
      body.report(parameters[i].range, DiagnosticId::UnsupportedInKernel, "a parameter that is given by name only")
          .note("a launch gives a kernel's arguments by position");
    function.parameter_types.push_back(type);
  }
  function.parameter_types.resize(parameters.size() + function.captures.size());
  if (function.def->returns) {
    function.result_type = annotation(body, *function.def->returns);
  } else if (function.signature && !function.signature->name.empty()) {
    std::string error;
    const std::optional<ArgumentType> result =
        parse_type_text(function.signature->name, SignatureDialect::Numba, error);
    if (function.signature->name == "void") function.result_type = Type::none();
    if (result) function.result_type = type_of_argument(body.types, *result);
  }
  if (is_kernel && function.result_type && !function.result_type->is_none()) {
    body.report(function.def->returns ? function.def->returns->range : function.def->name_range,
                DiagnosticId::KernelReturnsValue)
        .note("a function that gives a value to device code is made by `@device`, or `@cuda.jit(device=True)`");
    function.result_type.reset();
  }
}

}  // namespace pykc::checker
