#include "frontend/check/expressions/nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/reduction.h"
#include "frontend/check/arrays/subscript.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/language_function.h"
#include "frontend/check/calls/ufunc.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/literal.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

constexpr std::string_view kLoopsAndArrays = "use loops over `range`, and `local.array` or `shared.array` for storage";

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
    return chosen_component(checker, value, static_cast<std::size_t>(found - names.begin()), range);
  suggest_member(checker.report(node.name_range, DiagnosticId::UnknownAttribute, describe(value), node.name), node.name,
                 {names.begin(), names.end()});
  return Unknown{};
}

Entity check(FunctionChecker& checker, const ast::Attribute& node, const ast::Expr& expr) {
  const Entity base = checker.entity(*node.value);
  if (std::holds_alternative<Unknown>(base)) return Unknown{};
  if (const auto* space = std::get_if<NamespaceRef>(&base)) return member(checker, *space, node);
  // `cuda.bf16` is a type here, and in Numba the module of its functions.
  const auto* type = std::get_if<TypeRef>(&base);
  const Scope* functions = type && type->type.is(ScalarType::BF16) ? checker.module.scope_of("pykc.bf16") : nullptr;
  if (functions && functions->find(node.name))
    return of_binding(checker, *functions->find(node.name), node.name, expr.range);
  if (type && node.name == "type") return *type;  // NumPy's dtype is no type, but has one
  if (type && node.name == "itemsize") return checker.tree.weak_integer(size_in_bytes(type->type), expr.range);
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
  return subscript(checker, node, expr.range);
}

/// Stands only between brackets.
Entity check(FunctionChecker&, const ast::Slice&, const ast::Expr&) { return Unknown{}; }

Entity check(FunctionChecker& checker, const ast::Starred&, const ast::Expr& expr) {
  return unsupported(checker, expr.range, "unpacking with `*`", "write the elements out");
}

/// In a tuple of a module, an array of constants and a function are there for the kernels that read them, and text for
/// a record.
Value value_in_tuple(FunctionChecker& checker, const ast::Expr& element) {
  const Entity found = checker.entity(element);
  if (const auto* text = std::get_if<TextRef>(&found)) return text_literal(checker, text->text, element.range);
  if (!checker.function && is_callable(found)) return static_value(checker, found, {}, element.range);
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
  if (const std::optional<Int128> number = number_of_wide_parts(node))
    return checker.tree.weak_integer(*number, expr.range);
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
  const bool may_be_of_none = node.ops.front() < ast::CompareOp::Lt || node.ops.front() == ast::CompareOp::Is ||
                              node.ops.front() == ast::CompareOp::IsNot;
  if (may_be_of_none && node.rest.size() == 1 && node.rest.front()->as<ast::NoneLiteral>())
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
  if (const auto* value = std::get_if<Value>(&callee)) {
    const auto* name = node.function->as<ast::Name>();
    const bool hides = name && is_name_of_function(name->id);
    diagnostic.note("it is " + describe(*value) + (hides ? ", a variable that hides the function: rename it" : ""));
  }
  if (const auto* space = std::get_if<NamespaceRef>(&callee); space && !space->prefix.empty() && !space->module)
    suggest_member(diagnostic, "", name_table().names_in(space->prefix));
  return Unknown{};
}

Entity check(FunctionChecker& checker, const ast::Comprehension& node, const ast::Expr& expr) {
  return unsupported(checker, expr.range, node.what(), kLoopsAndArrays);
}

Entity check(FunctionChecker& checker, const ast::Unsupported& node, const ast::Expr& expr) {
  if (node.what.empty()) return Unknown{};  // a syntax error
  static constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
      {"an assignment inside an expression (`:=`)",
       "assign on a line before; what `while` tests, in its body: `while True:`, the assignment, `if …: break`"},
      {"`yield`", "return a tuple, or write to an array"},
      {"`**` in a call", "write the arguments out, `f(x, scale=2)`"},
  };
  const auto* row = std::ranges::find(kInstead, node.what, &std::pair<std::string_view, std::string_view>::first);
  return unsupported(checker, expr.range, node.what, row == std::end(kInstead) ? kLoopsAndArrays : row->second);
}

}  // namespace

Entity check_node(FunctionChecker& checker, const ast::Expr& expr) {
  return std::visit([&](const auto& node) { return check(checker, node, expr); }, expr.node);
}

}  // namespace pykc::checker
