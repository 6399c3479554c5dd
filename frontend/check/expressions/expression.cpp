#include "frontend/check/expressions/expression.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/reduction.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/language_function.h"
#include "frontend/check/calls/ufunc.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
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

constexpr std::string_view kPrintAdvice = "kernels print text, `print(\"x =\", x[i])`, but do not compute with it";

bool is_index_of_threads(std::string_view prefix) {
  return prefix == "threadIdx" || prefix == "blockIdx" || prefix == "blockDim" || prefix == "gridDim";
}

// ---- one function a kind of node ----
Entity check(FunctionChecker& checker, const ast::IntLiteral& node, const ast::Expr& expr) {
  return checker.tree.weak_integer(static_cast<Int128>(node.value), expr.range);
}

Entity check(FunctionChecker& checker, const ast::FloatLiteral& node, const ast::Expr& expr) {
  return checker.tree.weak_real(node.value, expr.range);
}

Entity check(FunctionChecker& checker, const ast::ImaginaryLiteral& node, const ast::Expr& expr) {
  return checker.tree.complex(checker.tree.real(0, ScalarType::F64, expr.range),
                              checker.tree.real(node.value, ScalarType::F64, expr.range), Weak::Complex, expr.range);
}

Entity check(FunctionChecker& checker, const ast::BoolLiteral& node, const ast::Expr& expr) {
  return TreeBuilder::strong(checker.tree.boolean(node.value, expr.range));
}

Entity check(FunctionChecker&, const ast::StringLiteral& node, const ast::Expr&) { return TextRef{node.value}; }

Entity check(FunctionChecker& checker, const ast::BytesLiteral& node, const ast::Expr& expr) {
  return bytes_literal(checker, node.value, expr.range);
}

Entity check(FunctionChecker& checker, const ast::FormattedString&, const ast::Expr& expr) {
  return unsupported(checker, expr.range, "an f-string",
                     "pass the parts to `print` one after the other: `print(\"x =\", x)`");
}

Entity check(FunctionChecker&, const ast::NoneLiteral&, const ast::Expr&) { return NoneRef{}; }

Entity check(FunctionChecker& checker, const ast::EllipsisLiteral&, const ast::Expr& expr) {
  return unsupported(checker, expr.range, "`...`", "it stands for dimensions of an array: `a[..., 0]`");
}

Entity check(FunctionChecker& checker, const ast::Name& node, const ast::Expr& expr) {
  return resolve(checker, node.id, expr.range);
}

Entity value_attribute(FunctionChecker& checker, const Value& value, const ast::Attribute& node, SourceRange range) {
  if (value.is_array()) return array_attribute(checker, value, node, range);
  if (value.is_record()) return record_attribute(checker, value, node, range);
  if (value.is_scalar() && node.name == "dtype") return TypeRef{value.scalar()};
  if (value.is_scalar() && node.name == "real") return value;
  if (value.is_scalar() && node.name == "imag") return TreeBuilder::strong(checker.tree.zero(value.type(), range));
  const std::vector<std::string>& names = value.type()->names;
  if (const auto found = std::find(names.begin(), names.end(), node.name); found != names.end())
    return component(checker, value, static_cast<std::size_t>(found - names.begin()), range);
  suggest_member(checker.report(node.name_range, DiagnosticId::UnknownAttribute, describe(value), node.name), node.name,
                 {names.begin(), names.end()});
  return Unknown{};
}

Entity check(FunctionChecker& checker, const ast::Attribute& node, const ast::Expr& expr) {
  const Entity base = checker.entity(*node.value);
  if (std::holds_alternative<Unknown>(base)) return Unknown{};
  if (const auto* space = std::get_if<NamespaceRef>(&base)) return member(checker, *space, node.name, node.name_range);
  // `cuda.bf16` is a type here, and in Numba the module of its functions.
  const auto* type = std::get_if<TypeRef>(&base);
  const Scope* functions = type && type->type.is(ScalarType::BF16) ? checker.module.scope_of("pykc.bf16") : nullptr;
  if (functions && functions->find(node.name))
    return of_binding(checker, *functions->find(node.name), node.name, expr.range);
  if (const auto* decl = std::get_if<ClassRef>(&base))
    return class_member(checker, *decl->decl, node.name, node.name_range);
  if (const auto* member = std::get_if<MemberRef>(&base); member && node.name == "value")
    return checker.tree.weak_integer(member->decl->members[member->index], expr.range);
  if (const auto* value = std::get_if<Value>(&base); value && value->known())
    return value_attribute(checker, *value, node, expr.range);
  if (const auto* table = std::get_if<TableRef>(&base))
    return !checker.function
               ? constant_attribute(checker, *table->table, node, expr.range)
               : array_attribute(checker, table_value(checker, table->table, node.value->range), node, expr.range);
  auto diagnostic = checker.report(node.name_range, DiagnosticId::UnknownAttribute, describe(base), node.name);
  if (std::holds_alternative<TextRef>(base)) diagnostic.note(std::string(kPrintAdvice));
  return Unknown{};
}

Entity check(FunctionChecker& checker, const ast::Subscript& node, const ast::Expr& expr) {
  // `a[i][j]` is `a[i, j]`: positions are gathered from the inside out, so that no view is made between them.
  std::vector<const ast::Subscript*> chain{&node};
  while (const auto* inner = chain.back()->value->as<ast::Subscript>()) chain.push_back(inner);
  Entity base = checker.entity(*chain.back()->value);
  if (std::holds_alternative<FunctionRef>(base)) {
    checker.report(expr.range, DiagnosticId::LaunchInKernel, checker.scope.file().text(chain.back()->value->range))
        .note("call a function with `@device`: every thread of this kernel runs it");
    return Unknown{};
  }
  if (const auto* type = std::get_if<ClassRef>(&base))
    if (const auto* member = node.index->as<ast::StringLiteral>(); member && chain.size() == 1)
      return class_member(checker, *type->decl, member->value, node.index->range);
  if (!checker.function && std::holds_alternative<TableRef>(base)) {
    Entity part = base;
    while (!chain.empty() && std::holds_alternative<TableRef>(part)) {
      part = index_constants(checker, *std::get<TableRef>(part).table, *chain.back()->index, expr.range);
      chain.pop_back();
    }
    if (chain.empty() || std::holds_alternative<Unknown>(part)) return part;
    base = std::move(part);
  }
  Value result = to_value(checker, base, chain.back()->value->range);
  std::vector<IndexItem> pending;
  const auto all_positions = [](const std::vector<IndexItem>& items) {
    return std::all_of(items.begin(), items.end(), [](const auto& i) { return i.kind == IndexItem::Kind::Position; });
  };
  const auto rank_of = [](const Value& value) { return value.is_array() ? value.type()->array.extents.size() : 0; };
  for (auto subscript = chain.rbegin(); subscript != chain.rend(); ++subscript) {
    if (!result.known()) return Unknown{};
    const auto* field = (*subscript)->index->as<ast::StringLiteral>();
    if (result.is_record() || field) {
      if (!pending.empty()) result = select(checker, result, std::exchange(pending, {}), expr.range);
      if (!result.known()) return Unknown{};
      result = index_by_name(checker, result, *(*subscript)->index, expr.range);
      continue;
    }
    std::optional<std::vector<IndexItem>> items = index_items(checker, *(*subscript)->index);
    if (!items) return Unknown{};
    const bool is_last = subscript + 1 == chain.rend();
    if (!pending.empty() && !(all_positions(*items) && pending.size() + items->size() <= rank_of(result))) {
      result = select(checker, result, std::exchange(pending, {}), expr.range);
      if (!result.known()) return Unknown{};
    }
    const auto* inner = (*subscript)->value->as<ast::Subscript>();
    const bool is_field =
        (*subscript)->value->as<ast::Attribute>() || (inner && inner->index->as<ast::StringLiteral>());
    if (result.is_tuple() && (is_field || items->size() == 1)) {
      for (const IndexItem& item : *items) {
        if (result.known() && !result.is_tuple())
          checker.report((*subscript)->value->range, DiagnosticId::NotIndexable, describe(result));
        result = result.known() && result.is_tuple() ? index_tuple(checker, result, item, expr.range) : Value{};
      }
      continue;
    }
    if (result.is_tuple()) {
      checker.report((*subscript)->index->range, DiagnosticId::IndexCount, "a tuple", 1, items->size());
      return Unknown{};
    }
    if (!result.is_array()) {
      checker.report((*subscript)->value->range, DiagnosticId::NotIndexable, describe(result));
      return Unknown{};
    }
    const bool waits = !is_last && all_positions(*items) && pending.size() + items->size() < rank_of(result);
    for (IndexItem& item : *items) pending.push_back(std::move(item));
    if (!waits) result = select(checker, result, std::exchange(pending, {}), expr.range);
  }
  return result;
}

Entity check(FunctionChecker&, const ast::Slice&, const ast::Expr&) {
  return Unknown{};
}  // stands only between brackets

Entity check(FunctionChecker& checker, const ast::Starred&, const ast::Expr& expr) {
  return unsupported(checker, expr.range, "unpacking with `*`", "write the elements out");
}

/// In a tuple of a module, an array of constants is there for the kernels that read it, and text for a record.
Value value_in_tuple(FunctionChecker& checker, const ast::Expr& element) {
  const Entity found = checker.entity(element);
  if (const auto* text = std::get_if<TextRef>(&found)) return text_literal(checker, text->text, element.range);
  const auto* table = std::get_if<TableRef>(&found);
  if (!table || checker.function) return to_value(checker, found, element.range);
  const checked::ConstantArrayRef array{constant_array(checker.module, table->table)};
  return TreeBuilder::strong(
      checker.tree.make(checker.types.of(table->table->type, ir::AddressSpace::Constant), element.range, array));
}

Entity check(FunctionChecker& checker, const ast::Tuple& node, const ast::Expr& expr) {
  std::vector<Value> elements;
  for (const ast::ExprPtr& element : node.elements) {
    const auto* starred = element->as<ast::Starred>();
    if (!starred) elements.push_back(value_in_tuple(checker, *element));
    if (starred && !add_unpacked(checker, *starred, elements)) return Unknown{};
  }
  return small_tuple(checker, std::move(elements), expr.range);
}

Entity check(FunctionChecker& checker, const ast::List&, const ast::Expr& expr) {
  if (!checker.function) return table(checker, expr, nullptr);
  return unsupported(checker, expr.range, "a list",
                     "use `local.array(shape, dtype)` for one thread, `shared.array` for a block, or a tuple");
}

Entity check(FunctionChecker& checker, const ast::Unary& node, const ast::Expr& expr) {
  if (node.op == ast::UnaryOp::Not) {
    const Expr* operand = condition(checker, *node.operand);
    if (!operand) return Unknown{};
    return TreeBuilder::strong(checker.tree.unary(checked::UnaryOp::Not, operand, expr.range));
  }
  const Entity operand = checker.entity(*node.operand);
  if (has_table(checker, std::span(&operand, 1))) return constant_unary(checker, node.op, operand, expr.range);
  return unary(checker, node.op, to_value(checker, operand, node.operand->range), expr.range);
}

Entity check(FunctionChecker& checker, const ast::Binary& node, const ast::Expr& expr) {
  const Entity left = checker.entity(*node.left), right = checker.entity(*node.right);
  if (has_table(checker, std::array{left, right})) return constant_binary(checker, node.op, left, right, expr.range);
  return binary(checker, node.op, to_value(checker, left, node.left->range),
                to_value(checker, right, node.right->range), expr.range);
}

/// `a or b` is `a` where a holds, else `b`: a value, of the type that both have in common.
Entity check(FunctionChecker& checker, const ast::Logical& node, const ast::Expr& expr) {
  std::vector<Value> operands;
  bool all_bool = true;
  for (const ast::ExprPtr& operand : node.operands) {
    operands.push_back(checker.value(*operand));
    if (!require_scalar(checker, operands.back(), node.op == ast::BoolOp::And ? "`and`" : "`or`")) return Unknown{};
    all_bool &= operands.back().scalar() == ScalarType::Bool;
  }
  const bool is_and = node.op == ast::BoolOp::And;
  if (all_bool) {
    std::vector<const Expr*> tests;
    for (const Value& operand : operands) tests.push_back(operand.expr);
    return TreeBuilder::strong(checker.tree.logical(is_and, std::move(tests)));
  }
  if (operands.size() > static_cast<std::size_t>(ast::kMostExpressionHeight)) {  // each stands within the one before
    checker.report(expr.range, DiagnosticId::NestedTooDeeply);
    return Unknown{};
  }
  Value result = std::move(operands.back());
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    const Value& left = operands[i];
    const SourceRange range = join(left.range(), expr.range);
    result = TreeBuilder::strong(with_temporary(checker, left.expr, [&](const Expr* kept) {
      const Value again{kept, left.weak, {}};
      const Value chosen = is_and ? choose(checker, truth(checker, again), result, again, range)
                                  : choose(checker, truth(checker, again), again, result, range);
      return chosen.expr;
    }));
    if (!result.known()) return Unknown{};
  }
  return result;
}

Entity check(FunctionChecker& checker, const ast::Compare& node, const ast::Expr& expr) {
  const bool is_identity = node.ops.front() == ast::CompareOp::Is || node.ops.front() == ast::CompareOp::IsNot;
  if (is_identity && node.rest.size() == 1 && node.rest.front()->as<ast::NoneLiteral>())
    return compare_with_none(checker, node, expr.range);
  const Entity leftmost = opened(checker, checker.entity(*node.first));
  if (const auto* type = std::get_if<TypeRef>(&leftmost)) return compare_types(checker, *type, node, expr.range);
  if (!checker.function && node.rest.size() == 1) {
    const Entity second = checker.entity(*node.rest.front());
    if (std::holds_alternative<Unknown>(second)) return Unknown{};
    if (has_table(checker, std::array{leftmost, second}))
      return constant_compare(checker, node.ops.front(), leftmost, second, expr.range);
  }
  const Value first = to_value(checker, leftmost, node.first->range);
  if (!first.known()) {
    for (const ast::ExprPtr& operand : node.rest) checker.value(*operand);
    return Unknown{};
  }
  return chain(checker, node, 0, first, expr.range);
}

Entity check(FunctionChecker& checker, const ast::Conditional& node, const ast::Expr& expr) {
  const Expr* test = condition(checker, *node.condition);
  if (const auto* constant = test ? test->as<checked::Constant>() : nullptr)
    return checker.value(constant->bits != 0 ? *node.then : *node.otherwise);
  checker.met_own_call = false;
  const Value then = checker.value(*node.then);
  const bool is_own_then = std::exchange(checker.met_own_call, false);
  const Value otherwise = checker.value(*node.otherwise);
  const bool is_own_otherwise = std::exchange(checker.met_own_call, false);
  // In a function that calls itself, the side that ends decides first what the other one can be.
  if (test && is_own_then && otherwise.known()) return otherwise;
  if (test && is_own_otherwise && then.known()) return then;
  checker.met_own_call = is_own_then || is_own_otherwise;
  if (!test || !then.known() || !otherwise.known()) return Unknown{};
  return choose(checker, test, then, otherwise, expr.range);
}

Entity check(FunctionChecker& checker, const ast::Lambda& node, const ast::Expr& expr) {
  if (!checker.function)
    return unsupported(checker, expr.range, "a lambda outside of a function", "write a function with `def`");
  return closure(checker, *node.function, expr.range);
}

Entity check(FunctionChecker& checker, const ast::Call& node, const ast::Expr& expr) {
  if (const auto* method = node.function->as<ast::Attribute>(); method && method->name == "bit_count")
    return call_bit_count(checker, node, *method->value, expr.range);
  if (const auto* method = node.function->as<ast::Attribute>(); method && method->name == "sync")
    if (std::optional<Entity> done = call_group_sync(checker, node, *method->value, expr.range))
      return *std::move(done);
  if (const auto* method = node.function->as<ast::Attribute>(); method && !checker.function) {
    const Entity self = checker.entity(*method->value);
    if (const auto* table = std::get_if<TableRef>(&self))
      return call_constant_method(checker, *table->table, node, expr.range);
    if (std::holds_alternative<Unknown>(self)) return self;
  }
  const Entity named = checker.entity(*node.function);
  const Entity callee = opened(checker, named);
  if (const auto* type = std::get_if<TypeRef>(&callee))
    return type->type.is_record() ? call_record(checker, type->type.record, node, expr.range)
                                  : call_type(checker, type->type.scalar, node, expr.range);
  if (const auto* type = std::get_if<ClassRef>(&callee)) return call_class(checker, *type->decl, node, expr.range);
  if (const auto* named = std::get_if<LanguageFunctionRef>(&callee))
    return call_language_function(checker, named->id, node, expr.range);
  if (const auto* ufunc = std::get_if<UfuncRef>(&callee)) return call_ufunc(checker, *ufunc->row, node, expr.range);
  if (const auto* reduction = std::get_if<ReductionRef>(&callee))
    return call_reduction(checker, *reduction, node, expr.range);
  if (const auto* method = std::get_if<MethodRef>(&callee)) return call_method(checker, *method, node, expr.range);
  if (const auto* function = std::get_if<FunctionRef>(&callee))
    return call_function(checker, *function->function, node, captures_of(checker, named), expr.range);
  if (const auto* builtin = std::get_if<BuiltinRef>(&callee); builtin && !is_property(builtin->id))
    return call_builtin(checker, *builtin, node, expr.range);
  for (const ast::ExprPtr& argument : node.arguments) checker.entity(*argument);  // their mistakes count too
  if (std::holds_alternative<Unknown>(callee)) return Unknown{};
  auto diagnostic =
      checker.report(node.function->range, DiagnosticId::NotCallable, checker.scope.file().text(node.function->range));
  if (std::holds_alternative<BuiltinRef>(callee))
    diagnostic.note("it is a value: leave the parentheses out")
        .fix(std::string(checker.scope.file().text(node.function->range)));
  if (const auto* space = std::get_if<NamespaceRef>(&callee); space && !space->prefix.empty() && !space->module)
    suggest_member(diagnostic, "", name_table().names_in(space->prefix));
  return Unknown{};
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

std::string describe(const Value& value) {
  if (!value.known()) return "an unknown value";
  if (value.weak == Weak::Int) return "an integer";
  if (value.weak == Weak::Float) return "a float";
  if (value.type().is_static()) return value.type()->names.empty() ? "a function" : value.type()->names.front();
  if (value.weak == Weak::Complex) return "a complex number";
  if (value.is_tuple()) return "a tuple of " + std::to_string(value.type()->elements.size());
  if (value.is_text()) return "text (" + value.type()->record->name + ")";
  return checked::to_string(value.type());
}

std::string describe(const Entity& entity) {
  struct Describe {
    std::string operator()(const Unknown&) const { return "unknown"; }
    std::string operator()(const Value& value) const { return describe(value); }
    std::string operator()(const NoneRef&) const { return "None"; }
    std::string operator()(const NamespaceRef&) const { return "a module"; }
    std::string operator()(const TypeRef&) const { return "a type"; }
    std::string operator()(const BuiltinRef&) const { return "a function"; }
    std::string operator()(const LanguageFunctionRef&) const { return "a function"; }
    std::string operator()(const UfuncRef&) const { return "a function"; }
    std::string operator()(const ReductionRef&) const { return "a function"; }
    std::string operator()(const FunctionRef&) const { return "a function"; }
    std::string operator()(const TableRef&) const { return "a table of constants"; }
    std::string operator()(const TextRef&) const { return "a string"; }
    std::string operator()(const ClassRef&) const { return "a class"; }
    std::string operator()(const MemberRef&) const { return "a member of an enum"; }
    std::string operator()(const MethodRef&) const { return "a method"; }
  };
  return std::visit(Describe{}, entity);
}

InferredType inferred_type(const Value& value) {
  if (!value.known()) return {};
  if (value.weak == Weak::Float) return InferredType::weak_float();
  InferredType type = InferredType::of(value.type());
  type.weak = value.weak == Weak::Complex;
  for (std::size_t i = 0; i < type.elements.size() && i < value.elements.size(); ++i)
    type.elements[i] = inferred_type(value.elements[i]);
  return type;
}

Entity FunctionChecker::entity(const ast::Expr& expr) {
  spend_time();
  const DepthGuard guard(module);
  if (guard.is_too_deep()) {
    report(expr.range, DiagnosticId::NestedTooDeeply);
    return Unknown{};
  }
  const auto evaluate = [&] {
    return std::visit([&](const auto& node) { return check(*this, node, expr); }, expr.node);
  };
  const bool is_folded = !rules->has_weak_literals && is_of_literals(expr);
  Entity found = is_folded ? under_rules(*this, Dialect::Native, evaluate) : evaluate();
  if (auto* value = std::get_if<Value>(&found)) *value = without_weakness(*this, std::move(*value));
  return found;
}

Value FunctionChecker::value(const ast::Expr& expr) { return to_value(*this, entity(expr), expr.range); }

bool may_be_value(LanguageFunction id) {
  const LanguageFunctionKind kind = info(id).kind;
  return kind == LanguageFunctionKind::Function || kind == LanguageFunctionKind::ModuleFunction;
}

Value to_value(FunctionChecker& checker, Entity entity, SourceRange range) {
  if (auto* value = std::get_if<Value>(&entity)) return std::move(*value);
  if (std::holds_alternative<Unknown>(entity)) return {};
  if (const auto* builtin = std::get_if<BuiltinRef>(&entity); builtin && is_property(builtin->id))
    return without_weakness(checker, property(checker, builtin->id, range));
  if (const auto* table = std::get_if<TableRef>(&entity)) return table_value(checker, table->table, range);
  if (const auto* text = std::get_if<TextRef>(&entity); text && checker.function)
    return text_literal(checker, text->text, range);
  if (const auto* member = std::get_if<MemberRef>(&entity))
    return without_weakness(checker, member_value(checker, *member, range));
  const auto* function = std::get_if<FunctionRef>(&entity);
  const auto* named = std::get_if<LanguageFunctionRef>(&entity);
  const auto* reduction = std::get_if<ReductionRef>(&entity);
  const bool is_callable = (function && function->function->is_device_code()) || (named && may_be_value(named->id)) ||
                           std::holds_alternative<BuiltinRef>(entity) || std::holds_alternative<UfuncRef>(entity) ||
                           std::holds_alternative<TypeRef>(entity) || (reduction && !reduction->self.known());
  if (is_callable && checker.function) return static_value(checker, entity, {}, range);
  report_not_a_value(checker, entity, range);
  return {};
}

void report_not_a_value(FunctionChecker& checker, const Entity& entity, SourceRange range) {
  if (std::holds_alternative<Unknown>(entity)) return;
  auto diagnostic = checker.report(range, DiagnosticId::NotAValue, checker.scope.file().text(range), describe(entity));
  const bool is_function = std::holds_alternative<BuiltinRef>(entity) ||
                           std::holds_alternative<LanguageFunctionRef>(entity) ||
                           std::holds_alternative<UfuncRef>(entity) || std::holds_alternative<FunctionRef>(entity) ||
                           std::holds_alternative<MethodRef>(entity) || std::holds_alternative<ReductionRef>(entity);
  if (is_function) diagnostic.fix(std::string(checker.scope.file().text(range)) + "(…)");
  if (const auto* space = std::get_if<NamespaceRef>(&entity); space && is_index_of_threads(space->prefix))
    diagnostic.note("it has the axes x, y and z").fix(std::string(checker.scope.file().text(range)) + ".x");
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

Entity check(FunctionChecker& checker, const ast::Comprehension& node, const ast::Expr& expr) {
  return unsupported(checker, expr.range, node.what(),
                     "use loops over `range`, and `local.array` or `shared.array` for storage");
}

Entity check(FunctionChecker& checker, const ast::Unsupported& node, const ast::Expr& expr) {
  if (node.what.empty()) return Unknown{};  // a syntax error
  return unsupported(checker, expr.range, node.what,
                     "use loops over `range`, and `local.array` or `shared.array` for storage");
}

const Expr* with_temporary(FunctionChecker& checker, const Expr* value,
                           const std::function<const Expr*(const Expr*)>& make_body) {
  if (is_simple(*value)) return make_body(value);
  const checked::Variable* variable = temporary(checker, value->type, value->range);
  const Expr* body = make_body(checker.tree.make(value->type, value->range, checked::VariableRef{variable}));
  return body ? checker.tree.make(body->type, value->range, checked::Let{variable, value, body}) : nullptr;
}

const Expr* with_parts(FunctionChecker& checker, const Value& tuple,
                       const std::function<const Expr*(std::vector<Value>)>& make_body) {
  if (!tuple.elements.empty() || tuple.expr->as<checked::TupleExpr>()) return make_body(take_apart(checker, tuple));
  return with_temporary(checker, tuple.expr, [&](const Expr* kept) {
    return make_body(take_apart(checker, {kept, Weak::No, {}}));
  });
}

}  // namespace pykc::checker
