#include "frontend/check/expressions/expression.h"

#include <utility>

#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/expressions/nodes.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/class.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"
#include "frontend/program/signature.h"

namespace pykc::checker {

using checked::Type;

namespace {

/// Counts how deep the checker's own recursion is.
class DepthGuard {
 public:
  explicit DepthGuard(ModuleChecker& module) : module_(module) { ++module_.depth; }
  ~DepthGuard() { --module_.depth; }
  bool is_too_deep() const { return module_.depth > kDeepest; }

 private:
  ModuleChecker& module_;
};

/// `-1`, `1 << 63`, `2 * 3.5`: CPython computes it with its own numbers before Numba sees it.
bool is_of_literals(const ast::Expr& expr) {
  if (const auto* node = expr.as<ast::Unary>()) return node->op != ast::UnaryOp::Not && is_of_literals(*node->operand);
  if (const auto* node = expr.as<ast::Binary>()) return is_of_literals(*node->left) && is_of_literals(*node->right);
  return expr.as<ast::IntLiteral>() || expr.as<ast::FloatLiteral>();
}

void make_strong(Value& value) {
  value.weak = Weak::No;
  for (Value& element : value.elements) make_strong(element);
}

/// In a dialect without weak literals nothing stays weak but what CPython folds by itself.
Value without_weakness(const FunctionChecker& checker, Value value) {
  if (!checker.rules->has_weak_literals) make_strong(value);
  return value;
}

bool is_index_of_threads(std::string_view prefix) {
  return prefix == "threadIdx" || prefix == "blockIdx" || prefix == "blockDim" || prefix == "gridDim";
}

/// `threadIdx` as a value: its three parts.
Value along_axes(FunctionChecker& checker, std::string_view prefix, SourceRange range) {
  std::vector<Value> parts;
  for (const std::string_view axis : {"x", "y", "z"})
    parts.push_back(
        without_weakness(checker, property(checker, std::get<BuiltinId>(*name_table().find(prefix, axis)), range)));
  return checker.tree.tuple(std::move(parts), range, {"x", "y", "z"});
}

bool may_be_value(LanguageFunction id) {
  const LanguageFunctionKind kind = info(id).kind;
  return kind == LanguageFunctionKind::Function || kind == LanguageFunctionKind::ModuleFunction;
}

}  // namespace

std::size_t count_numbers(const ElementType& type) {
  if (!type.is_record()) return 1;
  std::size_t count = 0;
  for (const RecordField& field : type.record->fields)
    count += static_cast<std::size_t>(field.count()) * count_numbers(field.type);
  return count;
}

std::size_t count_numbers(Type type) {
  if (type.is_record()) return count_numbers(type->record);
  if (!type.is_tuple()) return 1;
  std::size_t count = 0;
  for (const Type element : type->elements) count += count_numbers(element);
  return count;
}

Value small_tuple(FunctionChecker& checker, std::vector<Value> elements, SourceRange range,
                  std::vector<std::string> names) {
  std::size_t numbers = 0;
  for (const Value& element : elements)
    if (element.known()) numbers += count_numbers(element.type());
  if (numbers <= kMostNumbers) return checker.tree.tuple(std::move(elements), range, std::move(names));
  checker.report(range, DiagnosticId::TupleTooLarge, kMostNumbers);
  return {};
}

std::optional<Type> small_tuple_type(FunctionChecker& checker, std::vector<Type> elements, SourceRange range,
                                     std::vector<std::string> names) {
  std::size_t numbers = 0;
  for (const Type element : elements) numbers += count_numbers(element);
  if (numbers <= kMostNumbers) return checker.types.tuple(std::move(elements), std::move(names));
  checker.report(range, DiagnosticId::TupleTooLarge, kMostNumbers);
  return std::nullopt;
}

Entity FunctionChecker::entity(const ast::Expr& expr) {
  spend_time();
  const DepthGuard guard(module);
  if (guard.is_too_deep()) {
    report(expr.range, DiagnosticId::NestedTooDeeply);
    return Unknown{};
  }
  const auto evaluate = [&] { return check_node(*this, expr); };
  const bool is_folded = !rules->has_weak_literals && is_of_literals(expr);
  Entity found = is_folded ? under_rules(*this, Dialect::Native, evaluate) : evaluate();
  if (auto* value = std::get_if<Value>(&found)) *value = without_weakness(*this, std::move(*value));
  return found;
}

Value FunctionChecker::value(const ast::Expr& expr) { return to_value(*this, entity(expr), expr.range); }

bool is_callable(const Entity& entity) {
  const auto* function = std::get_if<FunctionRef>(&entity);
  const auto* named = std::get_if<LanguageFunctionRef>(&entity);
  const auto* reduction = std::get_if<ReductionRef>(&entity);
  const auto* builtin = std::get_if<BuiltinRef>(&entity);
  return (function && function->function->is_device_code()) || (named && may_be_value(named->id)) ||
         (builtin && !is_property(builtin->id)) || std::holds_alternative<UfuncRef>(entity) ||
         std::holds_alternative<TypeRef>(entity) || (reduction && !reduction->self.known());
}

Value to_value(FunctionChecker& checker, Entity entity, SourceRange range) {
  if (auto* value = std::get_if<Value>(&entity)) return std::move(*value);
  if (std::holds_alternative<Unknown>(entity)) return {};
  if (const auto* builtin = std::get_if<BuiltinRef>(&entity); builtin && is_property(builtin->id))
    return without_weakness(checker, property(checker, builtin->id, range));
  if (const auto* space = std::get_if<NamespaceRef>(&entity); space && is_index_of_threads(space->prefix))
    return along_axes(checker, space->prefix, range);
  if (const auto* table = std::get_if<TableRef>(&entity)) return table_value(checker, table->table, range);
  if (const auto* text = std::get_if<TextRef>(&entity); text && checker.function)
    return text_literal(checker, text->text, range);
  if (const auto* member = std::get_if<MemberRef>(&entity))
    return without_weakness(checker, member_value(checker, *member, range));
  if (checker.function && is_callable(entity)) return static_value(checker, entity, {}, range);
  report_not_a_value(checker, entity, range);
  return {};
}

void report_not_a_value(FunctionChecker& checker, const Entity& entity, SourceRange range) {
  if (std::holds_alternative<Unknown>(entity)) return;
  const auto* value = std::get_if<Value>(&entity);
  if (value && !value->known() && checker.module.diagnostics(false).error_count() > 0) return;  // told before
  auto diagnostic = checker.report(range, DiagnosticId::NotAValue, checker.scope.file().text(range), describe(entity));
  const bool is_function = std::holds_alternative<BuiltinRef>(entity) ||
                           std::holds_alternative<LanguageFunctionRef>(entity) ||
                           std::holds_alternative<UfuncRef>(entity) || std::holds_alternative<FunctionRef>(entity) ||
                           std::holds_alternative<MethodRef>(entity) || std::holds_alternative<ReductionRef>(entity);
  if (is_function) diagnostic.fix(std::string(checker.scope.file().text(range)) + "(…)");
  if (std::holds_alternative<TextRef>(entity)) diagnostic.note(std::string(kPrintAdvice));
}

Value scalar(FunctionChecker& checker, const ast::Expr& expr, std::string_view what) {
  Value result = checker.value(expr);
  return require_scalar(checker, result, what) ? result : Value{};
}

bool require_scalar(FunctionChecker& checker, const Value& value, std::string_view what) {
  if (!value.known()) return false;
  if (value.is_scalar()) return true;
  if (value.type().is_static()) {
    report_not_a_value(checker, checker.module.static_entity(value.type()->entity), value.range());
    return false;
  }
  auto diagnostic = checker.report(value.range(), DiagnosticId::NotAScalar, what, describe(value));
  if (value.is_array())
    diagnostic.note("a kernel works on elements: index the array")
        .fix(std::string(checker.scope.file().text(value.range())) + "[i]");
  if (value.is_tuple()) diagnostic.note("index the tuple, or unpack it: `a, b = …`");
  if (value.is_record() && !value.is_text())
    diagnostic.note("name one of its fields")
        .fix(std::string(checker.scope.file().text(value.range())) + "." + value.type()->record->fields.front().name);
  return false;
}

bool require_arithmetic(FunctionChecker& checker, const Value& value, std::string_view what) {
  if (!value.known() || !value.is_scalar() || !is_float8(value.scalar())) return true;
  auto diagnostic = checker.report(value.range(), DiagnosticId::OperandType, what, describe(value));
  diagnostic.note("floats of 8 bits are stored and converted: compute in another type");
  const bool is_component = value.expr->as<checked::TupleElement>() != nullptr;  // its place is the whole operation's
  if (!is_component) diagnostic.fix("f32(" + std::string(checker.scope.file().text(value.range())) + ")");
  return false;
}

std::optional<Int128> constant_integer(FunctionChecker& checker, const ast::Expr& expr, std::string_view what) {
  const Value result = checker.value(expr);
  if (!result.known()) return std::nullopt;
  if (result.is_constant() && is_integer(result.scalar())) return integer_of(*result.expr);
  checker.report(expr.range, DiagnosticId::NotConstant, what)
      .note("use an integer literal, or a module constant such as `TILE = 32`");
  return std::nullopt;
}

std::optional<bool> constant_bool(FunctionChecker& checker, const ast::Expr& expr, std::string_view what) {
  const Value result = checker.value(expr);
  if (!result.known()) return std::nullopt;
  if (result.is_constant() && is_integer_or_bool(result.scalar())) return integer_of(*result.expr) != 0;
  checker.report(expr.range, DiagnosticId::NotConstant, what).note("use `True` or `False`");
  return std::nullopt;
}

std::optional<ScalarType> scalar_type(FunctionChecker& checker, const ast::Expr& expr) {
  const std::optional<ElementType> type = element_type(checker, expr);
  if (!type) return std::nullopt;
  if (!type->is_record()) return type->scalar;
  checker.report(expr.range, DiagnosticId::NotAType, checker.scope.file().text(expr.range))
      .note("a type of single numbers is needed here");
  return std::nullopt;
}

std::optional<ElementType> element_type(FunctionChecker& checker, const ast::Expr& expr) {
  const Entity found = opened(checker, checker.entity(expr));
  if (const auto* type = std::get_if<TypeRef>(&found)) return type->type;
  if (const auto* text = std::get_if<TextRef>(&found)) {
    std::string error;
    const std::optional<ElementType> type = dtype_named(text->text, error);
    if (!type) {
      auto diagnostic = checker.report(expr.range, DiagnosticId::NotAType, checker.scope.file().text(expr.range));
      diagnostic.note("types are `f32`, `i64`, `np.float32` …");
      if (const std::string_view near = nearest(text->text, scalar_type_names()); !near.empty())
        diagnostic.fix("\"" + std::string(near) + "\"");
    }
    return type;
  }
  const auto* named = std::get_if<LanguageFunctionRef>(&found);
  if (named && named->id == LanguageFunction::PythonComplex) return complex_type(ScalarType::F64);
  const auto* declared = std::get_if<ClassRef>(&found);
  if (declared && declared->decl->record) return declared->decl->record;
  if (declared && declared->decl->kind == ClassDecl::Kind::IntEnum) return ScalarType::I64;
  if (std::holds_alternative<Unknown>(found)) return std::nullopt;
  checker.report(expr.range, DiagnosticId::NotAType, checker.scope.file().text(expr.range))
      .note("types are `f32`, `i64`, `np.float32` …");
  return std::nullopt;
}

Entity unsupported(FunctionChecker& checker, SourceRange range, std::string_view what, std::string_view instead) {
  auto diagnostic = checker.report(range, DiagnosticId::UnsupportedInKernel, what);
  if (!instead.empty()) diagnostic.note(std::string(instead));
  return Unknown{};
}

/// `*t` in a list of values: its elements.
bool add_unpacked(FunctionChecker& checker, const ast::Starred& starred, std::vector<Value>& values) {
  const Value tuple = checker.value(*starred.value);
  if (!tuple.known()) return false;
  const bool is_kept = tuple.is_tuple() && (is_simple(*tuple.expr) || tuple.expr->as<checked::TupleExpr>());
  if (is_kept) {
    for (Value& element : take_apart(checker, tuple)) values.push_back(std::move(element));
    return true;
  }
  checker.report(starred.value->range, DiagnosticId::OperandType, "`*`", describe(tuple))
      .note(tuple.is_tuple() ? "assign the tuple to a variable, and unpack that" : "`*` unpacks a tuple");
  return false;
}

const Expr* with_temporary(FunctionChecker& checker, const Expr* value,
                           const std::function<const Expr*(const Expr*)>& make_body) {
  if (is_simple(*value)) return make_body(value);
  const checked::Variable* variable = temporary(checker, value->type, value->range);
  const Expr* body = make_body(checker.tree.make(value->type, value->range, checked::VariableRef{variable}));
  return body ? checker.tree.make(body->type, body->range, checked::Let{variable, value, body}) : nullptr;
}

namespace {

/// Evaluates the values in order, from one on.
const Expr* with_kept(FunctionChecker& checker, std::vector<Value> values, std::size_t from,
                      const std::function<const Expr*(std::vector<Value>)>& make_body) {
  const auto next = std::find_if(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(),
                                 [](const Value& value) { return !value.type().is_static(); });
  if (next == values.end()) return make_body(std::move(values));
  const auto at = static_cast<std::size_t>(next - values.begin());
  return with_temporary(checker, next->expr, [&](const Expr* kept) {
    if (kept != values[at].expr) values[at] = {kept, values[at].weak == Weak::Int ? Weak::No : values[at].weak, {}};
    return with_kept(checker, std::move(values), at + 1, make_body);
  });
}

}  // namespace

const Expr* with_parts(FunctionChecker& checker, const Value& tuple,
                       const std::function<const Expr*(std::vector<Value>)>& make_body, bool body_has_effects) {
  if (!tuple.elements.empty() || tuple.expr->as<checked::TupleExpr>()) {
    std::vector<Value> parts = take_apart(checker, tuple);
    const bool may_be_left_out =
        !body_has_effects && std::ranges::none_of(parts, [](const Value& part) { return has_effects(*part.expr); });
    return may_be_left_out ? make_body(std::move(parts)) : with_kept(checker, std::move(parts), 0, make_body);
  }
  return with_temporary(checker, tuple.expr, [&](const Expr* kept) {
    return make_body(take_apart(checker, {kept, Weak::No, {}}));
  });
}

}  // namespace pykc::checker
