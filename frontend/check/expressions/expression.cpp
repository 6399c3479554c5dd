#include <algorithm>
#include <utility>
#include <variant>

#include "frontend/check/function_checker.h"
#include "frontend/check/names/advice.h"

namespace pykc::checker {

using checked::Type;

namespace {

/// Counts how deep the checker's own recursion is.
class DepthGuard {
 public:
  explicit DepthGuard(Session& session) : session_(session) { ++session_.depth; }
  ~DepthGuard() { --session_.depth; }
  bool is_too_deep() const { return session_.depth > Session::kDeepest; }

 private:
  Session& session_;
};

}  // namespace

std::size_t count_numbers(const Type& type) {
  if (!type.is_tuple() && !type.is_record()) return 1;
  std::size_t count = 0;
  for (const Type& element : checked::components(type)) count += count_numbers(element);
  return count;
}

std::string describe(const Value& value) {
  if (!value.known()) return "an unknown value";
  if (value.weak == Weak::Int) return "an integer";
  if (value.weak == Weak::Float) return "a float";
  if (value.type().is_static()) return value.type().names.empty() ? "a function" : value.type().names.front();
  if (value.weak == Weak::Complex) return "a complex number";
  if (value.is_tuple()) return "a tuple of " + std::to_string(value.type().elements.size());
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
    std::string operator()(const SpecialRef&) const { return "a function"; }
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

namespace {

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

}  // namespace

Entity Body::entity(const ast::Expr& expr) {
  const DepthGuard guard(session_);
  if (guard.is_too_deep()) {
    report(expr.range, DiagnosticId::NestedTooDeeply);
    return Unknown{};
  }
  const auto evaluate = [&] { return std::visit([&](const auto& node) { return check(node, expr); }, expr.node); };
  const bool is_folded = !rules_->has_weak_literals && is_of_literals(expr);
  Entity found = is_folded ? under_rules(Dialect::Native, evaluate) : evaluate();
  if (auto* value = std::get_if<Value>(&found)) *value = without_weakness(std::move(*value));
  return found;
}

/// In a dialect without weak literals nothing stays weak but what CPython folds by itself.
Value Body::without_weakness(Value value) const {
  if (!rules_->has_weak_literals) make_strong(value);
  return value;
}

Value Body::value(const ast::Expr& expr) { return to_value(entity(expr), expr.range); }

Value Body::to_value(Entity entity, SourceRange range) {
  if (auto* value = std::get_if<Value>(&entity)) return std::move(*value);
  if (std::holds_alternative<Unknown>(entity)) return {};
  if (const auto* builtin = std::get_if<BuiltinRef>(&entity); builtin && is_property(builtin->id))
    return without_weakness(property(builtin->id, range));
  if (const auto* table = std::get_if<TableRef>(&entity)) return table_value(table->table, range);
  if (const auto* member = std::get_if<MemberRef>(&entity)) return without_weakness(member_value(*member, range));
  const auto* function = std::get_if<FunctionRef>(&entity);
  const auto* special = std::get_if<SpecialRef>(&entity);
  const auto* reduction = std::get_if<ReductionRef>(&entity);
  const bool is_callable = (function && function->function->kind <= FunctionDecl::Kind::Device) ||
                           (special && special->special < Special::Constexpr) ||
                           std::holds_alternative<BuiltinRef>(entity) || std::holds_alternative<UfuncRef>(entity) ||
                           std::holds_alternative<TypeRef>(entity) || (reduction && !reduction->self.known());
  if (is_callable && function_) return static_value(entity, {}, range);
  report_not_a_value(entity, range);
  return {};
}

namespace {

constexpr std::string_view kPrintAdvice = "kernels print text, `print(\"x =\", x[i])`, but do not compute with it";

bool is_index_of_threads(std::string_view prefix) {
  return prefix == "threadIdx" || prefix == "blockIdx" || prefix == "blockDim" || prefix == "gridDim";
}

}  // namespace

void Body::report_not_a_value(const Entity& entity, SourceRange range) {
  if (std::holds_alternative<Unknown>(entity)) return;
  auto diagnostic = report(range, DiagnosticId::NotAValue, scope_.file().text(range), describe(entity));
  const bool is_function = std::holds_alternative<BuiltinRef>(entity) || std::holds_alternative<SpecialRef>(entity) ||
                           std::holds_alternative<UfuncRef>(entity) || std::holds_alternative<FunctionRef>(entity) ||
                           std::holds_alternative<MethodRef>(entity) || std::holds_alternative<ReductionRef>(entity);
  if (is_function) diagnostic.fix(std::string(scope_.file().text(range)) + "(…)");
  if (const auto* space = std::get_if<NamespaceRef>(&entity); space && is_index_of_threads(space->prefix))
    diagnostic.note("it has the axes x, y and z").fix(std::string(scope_.file().text(range)) + ".x");
  if (std::holds_alternative<TextRef>(entity)) diagnostic.note(std::string(kPrintAdvice));
}

Value Body::scalar(const ast::Expr& expr, std::string_view what) {
  Value result = value(expr);
  return require_scalar(result, what) ? result : Value{};
}

bool Body::require_scalar(const Value& value, std::string_view what) {
  if (!value.known()) return false;
  if (value.is_scalar()) return true;
  if (value.type().is_static()) {
    report_not_a_value(session_.static_entity(value.type().entity), value.range());
    return false;
  }
  auto diagnostic = report(value.range(), DiagnosticId::NotAScalar, what, describe(value));
  if (value.is_array())
    diagnostic.note("a kernel works on elements: index the array")
        .fix(std::string(scope_.file().text(value.range())) + "[i]");
  if (value.is_tuple()) diagnostic.note("index the tuple, or unpack it: `a, b = …`");
  if (value.is_record())
    diagnostic.note("name one of its fields")
        .fix(std::string(scope_.file().text(value.range())) + "." + value.type().record->fields.front().name);
  return false;
}

std::optional<Int128> Body::constant_integer(const ast::Expr& expr, std::string_view what) {
  const Value result = value(expr);
  if (!result.known()) return std::nullopt;
  if (result.is_constant() && is_integer(result.scalar())) return integer_of(*result.expr);
  report(expr.range, DiagnosticId::NotConstant, what)
      .note("use an integer literal, or a module constant such as `TILE = 32`");
  return std::nullopt;
}

std::optional<bool> Body::constant_bool(const ast::Expr& expr, std::string_view what) {
  const Value result = value(expr);
  if (!result.known()) return std::nullopt;
  if (result.is_constant() && is_integer_or_bool(result.scalar())) return integer_of(*result.expr) != 0;
  report(expr.range, DiagnosticId::NotConstant, what).note("use `True` or `False`");
  return std::nullopt;
}

std::optional<ScalarType> Body::scalar_type(const ast::Expr& expr) {
  const std::optional<ElementType> type = element_type(expr);
  if (!type) return std::nullopt;
  if (!type->is_record()) return type->scalar;
  report(expr.range, DiagnosticId::NotAType, scope_.file().text(expr.range))
      .note("a type of single numbers is needed here");
  return std::nullopt;
}

namespace {

/// Of numbers, for "did you mean".
std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kScalarTypeCount; ++i) {
    names.push_back(info(static_cast<ScalarType>(i)).spelling);
    names.push_back(info(static_cast<ScalarType>(i)).numpy);
  }
  return names;
}

}  // namespace

std::optional<ElementType> Body::element_type(const ast::Expr& expr) {
  const Entity found = opened(entity(expr));
  if (const auto* type = std::get_if<TypeRef>(&found)) return type->type;
  if (const auto* text = std::get_if<TextRef>(&found)) {
    std::string error;
    const std::optional<ElementType> type = dtype_named(text->text, error);
    if (!type) {
      auto diagnostic = report(expr.range, DiagnosticId::NotAType, scope_.file().text(expr.range));
      diagnostic.note("types are `f32`, `i64`, `np.float32` …");
      if (const std::string_view near = nearest(text->text, type_names()); !near.empty())
        diagnostic.fix("\"" + std::string(near) + "\"");
    }
    return type;
  }
  const auto* special = std::get_if<SpecialRef>(&found);
  if (special && special->special == Special::PythonComplex) return complex_type(ScalarType::F64);
  const auto* declared = std::get_if<ClassRef>(&found);
  if (declared && declared->decl->record) return declared->decl->record;
  if (declared && declared->decl->kind == ClassDecl::Kind::IntEnum) return ScalarType::I64;
  if (std::holds_alternative<Unknown>(found)) return std::nullopt;
  report(expr.range, DiagnosticId::NotAType, scope_.file().text(expr.range))
      .note("types are `f32`, `i64`, `np.float32` …");
  return std::nullopt;
}

Entity Body::unsupported(SourceRange range, std::string_view what, std::string_view instead) {
  auto diagnostic = report(range, DiagnosticId::UnsupportedInKernel, what);
  if (!instead.empty()) diagnostic.note(std::string(instead));
  return Unknown{};
}

// ---- one function a kind of node ----

Entity Body::check(const ast::IntLiteral& node, const ast::Expr& expr) {
  return tree_.weak_integer(static_cast<Int128>(node.value), expr.range);
}

Entity Body::check(const ast::FloatLiteral& node, const ast::Expr& expr) {
  return tree_.weak_real(node.value, expr.range);
}

Entity Body::check(const ast::ImaginaryLiteral& node, const ast::Expr& expr) {
  return tree_.complex(tree_.real(0, ScalarType::F64, expr.range), tree_.real(node.value, ScalarType::F64, expr.range),
                       Weak::Complex, expr.range);
}

Entity Body::check(const ast::BoolLiteral& node, const ast::Expr& expr) {
  return TreeBuilder::strong(tree_.boolean(node.value, expr.range));
}

Entity Body::check(const ast::StringLiteral& node, const ast::Expr&) { return TextRef{node.value}; }

Entity Body::check(const ast::FormattedString&, const ast::Expr& expr) {
  return unsupported(expr.range, "an f-string", "pass the parts to `print` one after the other: `print(\"x =\", x)`");
}

Entity Body::check(const ast::NoneLiteral&, const ast::Expr&) { return NoneRef{}; }

Entity Body::check(const ast::EllipsisLiteral&, const ast::Expr& expr) {
  return unsupported(expr.range, "`...`", "it stands for dimensions of an array: `a[..., 0]`");
}

Entity Body::check(const ast::Name& node, const ast::Expr& expr) { return resolve(node.id, expr.range); }

Entity Body::check(const ast::Attribute& node, const ast::Expr& expr) {
  const Entity base = entity(*node.value);
  if (std::holds_alternative<Unknown>(base)) return Unknown{};
  if (const auto* space = std::get_if<NamespaceRef>(&base)) return member(*space, node.name, node.name_range);
  // `cuda.bf16` is a type here, and in Numba the module of its functions.
  const auto* type = std::get_if<TypeRef>(&base);
  const Scope* functions = type && type->type.is(ScalarType::BF16) ? session_.scope_of("pykc.bf16") : nullptr;
  if (functions && functions->find(node.name)) return of_binding(*functions->find(node.name), node.name, expr.range);
  if (const auto* decl = std::get_if<ClassRef>(&base)) return class_member(*decl->decl, node.name, node.name_range);
  if (const auto* member = std::get_if<MemberRef>(&base); member && node.name == "value")
    return tree_.weak_integer(member->decl->members[member->index], expr.range);
  if (const auto* value = std::get_if<Value>(&base); value && value->known())
    return value_attribute(*value, node, expr.range);
  if (const auto* table = std::get_if<TableRef>(&base))
    return !function_ ? constant_attribute(*table->table, node, expr.range)
                      : array_attribute(table_value(table->table, node.value->range), node, expr.range);
  auto diagnostic = report(node.name_range, DiagnosticId::UnknownAttribute, describe(base), node.name);
  if (std::holds_alternative<TextRef>(base)) diagnostic.note(std::string(kPrintAdvice));
  return Unknown{};
}

Entity Body::value_attribute(const Value& value, const ast::Attribute& node, SourceRange range) {
  if (value.is_array()) return array_attribute(value, node, range);
  if (value.is_record()) return record_attribute(value, node, range);
  if (value.is_scalar() && node.name == "dtype") return TypeRef{value.scalar()};
  if (value.is_scalar() && node.name == "real") return value;
  if (value.is_scalar() && node.name == "imag") return TreeBuilder::strong(tree_.zero(value.type(), range));
  const std::vector<std::string>& names = value.type().names;
  if (const auto found = std::find(names.begin(), names.end(), node.name); found != names.end())
    return component(value, static_cast<std::size_t>(found - names.begin()), range);
  suggest_member(report(node.name_range, DiagnosticId::UnknownAttribute, describe(value), node.name), node.name,
                 {names.begin(), names.end()});
  return Unknown{};
}

Entity Body::check(const ast::Subscript& node, const ast::Expr& expr) {
  // `a[i][j]` is `a[i, j]`: positions are gathered from the inside out, so that no view is made between them.
  std::vector<const ast::Subscript*> chain{&node};
  while (const auto* inner = chain.back()->value->as<ast::Subscript>()) chain.push_back(inner);
  Entity base = entity(*chain.back()->value);
  if (std::holds_alternative<FunctionRef>(base)) {
    report(expr.range, DiagnosticId::LaunchInKernel, scope_.file().text(chain.back()->value->range))
        .note("call a function with `@device`: every thread of this kernel runs it");
    return Unknown{};
  }
  if (const auto* type = std::get_if<ClassRef>(&base))
    if (const auto* member = node.index->as<ast::StringLiteral>(); member && chain.size() == 1)
      return class_member(*type->decl, member->value, node.index->range);
  if (!function_ && std::holds_alternative<TableRef>(base)) {
    Entity part = base;
    while (!chain.empty() && std::holds_alternative<TableRef>(part)) {
      part = index_constants(*std::get<TableRef>(part).table, *chain.back()->index, expr.range);
      chain.pop_back();
    }
    if (chain.empty() || std::holds_alternative<Unknown>(part)) return part;
    base = std::move(part);
  }
  Value result = to_value(base, chain.back()->value->range);
  std::vector<IndexItem> pending;
  const auto all_positions = [](const std::vector<IndexItem>& items) {
    return std::all_of(items.begin(), items.end(), [](const auto& i) { return i.kind == IndexItem::Kind::Position; });
  };
  const auto rank_of = [](const Value& value) { return value.is_array() ? value.type().array.extents.size() : 0; };
  for (auto subscript = chain.rbegin(); subscript != chain.rend(); ++subscript) {
    if (!result.known()) return Unknown{};
    const auto* field = (*subscript)->index->as<ast::StringLiteral>();
    if (result.is_record() || field) {
      if (!pending.empty()) result = select(result, std::exchange(pending, {}), expr.range);
      if (!result.known()) return Unknown{};
      result = index_by_name(result, *(*subscript)->index, expr.range);
      continue;
    }
    std::optional<std::vector<IndexItem>> items = index_items(*(*subscript)->index);
    if (!items) return Unknown{};
    const bool is_last = subscript + 1 == chain.rend();
    if (!pending.empty() && !(all_positions(*items) && pending.size() + items->size() <= rank_of(result))) {
      result = select(result, std::exchange(pending, {}), expr.range);
      if (!result.known()) return Unknown{};
    }
    const auto* inner = (*subscript)->value->as<ast::Subscript>();
    const bool is_field =
        (*subscript)->value->as<ast::Attribute>() || (inner && inner->index->as<ast::StringLiteral>());
    if (result.is_tuple() && (is_field || items->size() == 1)) {
      for (const IndexItem& item : *items) {
        if (result.known() && !result.is_tuple())
          report((*subscript)->value->range, DiagnosticId::NotIndexable, describe(result));
        result = result.known() && result.is_tuple() ? index_tuple(result, item, expr.range) : Value{};
      }
      continue;
    }
    if (result.is_tuple()) {
      report((*subscript)->index->range, DiagnosticId::IndexCount, "a tuple", "1", std::to_string(items->size()));
      return Unknown{};
    }
    if (!result.is_array()) {
      report((*subscript)->value->range, DiagnosticId::NotIndexable, describe(result));
      return Unknown{};
    }
    const bool waits = !is_last && all_positions(*items) && pending.size() + items->size() < rank_of(result);
    for (IndexItem& item : *items) pending.push_back(std::move(item));
    if (!waits) result = select(result, std::exchange(pending, {}), expr.range);
  }
  return result;
}

Entity Body::check(const ast::Slice&, const ast::Expr&) { return Unknown{}; }  // stands only between brackets

Entity Body::check(const ast::Starred&, const ast::Expr& expr) {
  return unsupported(expr.range, "unpacking with `*`", "write the elements out");
}

/// `*t` in a list of values: its elements.
bool Body::add_unpacked(const ast::Starred& starred, std::vector<Value>& values) {
  const Value tuple = value(*starred.value);
  if (!tuple.known()) return false;
  const bool is_kept = tuple.is_tuple() && (is_simple(*tuple.expr) || tuple.expr->as<checked::TupleExpr>());
  if (is_kept) {
    for (Value& element : take_apart(tuple)) values.push_back(std::move(element));
    return true;
  }
  report(starred.value->range, DiagnosticId::OperandType, "`*`", describe(tuple))
      .note(tuple.is_tuple() ? "assign the tuple to a variable, and unpack that" : "`*` unpacks a tuple");
  return false;
}

/// In a tuple of a module, an array of constants is there for the kernels that read it.
Value Body::value_in_tuple(const ast::Expr& element) {
  const Entity found = entity(element);
  const auto* table = std::get_if<TableRef>(&found);
  if (!table || function_) return to_value(found, element.range);
  const checked::ConstantArrayRef array{session_.constant_array(table->table)};
  return TreeBuilder::strong(
      tree_.make(checked::Type::of(table->table->type, ir::AddressSpace::Constant), element.range, array));
}

Entity Body::check(const ast::Tuple& node, const ast::Expr& expr) {
  std::vector<Value> elements;
  std::size_t numbers = 0;
  for (const ast::ExprPtr& element : node.elements) {
    const auto* starred = element->as<ast::Starred>();
    if (!starred) elements.push_back(value_in_tuple(*element));
    if (starred && !add_unpacked(*starred, elements)) return Unknown{};
  }
  for (const Value& element : elements)
    if (element.known()) numbers += count_numbers(element.type());
  if (numbers > kMostNumbers) {
    report(expr.range, DiagnosticId::TupleTooLarge, std::to_string(kMostNumbers));
    return Unknown{};
  }
  return tree_.tuple(std::move(elements), expr.range);
}

Entity Body::check(const ast::List&, const ast::Expr& expr) {
  if (!function_) return table(expr, nullptr);
  return unsupported(expr.range, "a list",
                     "use `local.array(shape, dtype)` for one thread, `shared.array` for a block, or a tuple");
}

Entity Body::check(const ast::Unary& node, const ast::Expr& expr) {
  if (node.op == ast::UnaryOp::Not) {
    const Expr* operand = condition(*node.operand);
    if (!operand) return Unknown{};
    return TreeBuilder::strong(tree_.unary(checked::UnaryOp::Not, operand, expr.range));
  }
  const Entity operand = entity(*node.operand);
  if (has_table(std::span(&operand, 1))) return constant_unary(node.op, operand, expr.range);
  return unary(node.op, to_value(operand, node.operand->range), expr.range);
}

Entity Body::check(const ast::Binary& node, const ast::Expr& expr) {
  const Entity left = entity(*node.left), right = entity(*node.right);
  if (has_table(std::array{left, right})) return constant_binary(node.op, left, right, expr.range);
  return binary(node.op, to_value(left, node.left->range), to_value(right, node.right->range), expr.range);
}

/// `a or b` is `a` where a holds, else `b`: a value, of the type that both have in common.
Entity Body::check(const ast::Logical& node, const ast::Expr& expr) {
  std::vector<Value> operands;
  bool all_bool = true;
  for (const ast::ExprPtr& operand : node.operands) {
    operands.push_back(value(*operand));
    if (!require_scalar(operands.back(), node.op == ast::BoolOp::And ? "`and`" : "`or`")) return Unknown{};
    all_bool &= operands.back().scalar() == ScalarType::Bool;
  }
  const bool is_and = node.op == ast::BoolOp::And;
  Value result = std::move(operands.back());
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    const Value& left = operands[i];
    const SourceRange range = join(left.range(), expr.range);
    if (all_bool) {
      result = TreeBuilder::strong(tree_.logical(is_and, left.expr, result.expr, range));
      continue;
    }
    result = TreeBuilder::strong(with_temporary(left.expr, [&](const Expr* kept) {
      const Value again{kept, left.weak, {}};
      const Value chosen =
          is_and ? choose(truth(again), result, again, range) : choose(truth(again), again, result, range);
      return chosen.expr;
    }));
    if (!result.known()) return Unknown{};
  }
  return result;
}

Entity Body::check(const ast::Compare& node, const ast::Expr& expr) {
  const bool is_identity = node.ops.front() == ast::CompareOp::Is || node.ops.front() == ast::CompareOp::IsNot;
  if (is_identity && node.rest.size() == 1 && node.rest.front()->as<ast::NoneLiteral>())
    return compare_with_none(node, expr.range);
  const Entity leftmost = opened(entity(*node.first));
  if (const auto* type = std::get_if<TypeRef>(&leftmost)) return compare_types(*type, node, expr.range);
  if (!function_ && node.rest.size() == 1) {
    const Entity second = entity(*node.rest.front());
    if (std::holds_alternative<Unknown>(second)) return Unknown{};
    if (has_table(std::array{leftmost, second}))
      return constant_compare(node.ops.front(), leftmost, second, expr.range);
  }
  const Value first = to_value(leftmost, node.first->range);
  if (!first.known()) {
    for (const ast::ExprPtr& operand : node.rest) value(*operand);
    return Unknown{};
  }
  return chain(node, 0, first, expr.range);
}

Entity Body::check(const ast::Conditional& node, const ast::Expr& expr) {
  const Expr* test = condition(*node.condition);
  if (const auto* constant = test ? test->as<checked::Constant>() : nullptr)
    return value(constant->bits != 0 ? *node.then : *node.otherwise);
  met_own_call_ = false;
  const Value then = value(*node.then);
  const bool is_own_then = std::exchange(met_own_call_, false);
  const Value otherwise = value(*node.otherwise);
  const bool is_own_otherwise = std::exchange(met_own_call_, false);
  // Of a function that calls itself, the side that ends decides first what the other one can be.
  if (test && is_own_then && otherwise.known()) return otherwise;
  if (test && is_own_otherwise && then.known()) return then;
  met_own_call_ = is_own_then || is_own_otherwise;
  if (!test || !then.known() || !otherwise.known()) return Unknown{};
  return choose(test, then, otherwise, expr.range);
}

Entity Body::check(const ast::Lambda& node, const ast::Expr& expr) {
  if (!function_) return unsupported(expr.range, "a lambda outside of a function", "write a function with `def`");
  return closure(*node.function, expr.range);
}

Entity Body::check(const ast::Comprehension& node, const ast::Expr& expr) {
  return unsupported(expr.range, node.what(),
                     "use loops over `range`, and `local.array` or `shared.array` for storage");
}

Entity Body::check(const ast::Unsupported& node, const ast::Expr& expr) {
  if (node.what.empty()) return Unknown{};  // a syntax error
  return unsupported(expr.range, node.what, "use loops over `range`, and `local.array` or `shared.array` for storage");
}

Entity Body::check(const ast::Call& node, const ast::Expr& expr) {
  if (const auto* method = node.function->as<ast::Attribute>(); method && method->name == "bit_count")
    return call_bit_count(node, *method->value, expr.range);
  if (const auto* method = node.function->as<ast::Attribute>(); method && method->name == "sync")
    if (std::optional<Entity> done = call_group_sync(node, *method->value, expr.range)) return *std::move(done);
  if (const auto* method = node.function->as<ast::Attribute>(); method && !function_) {
    const Entity self = entity(*method->value);
    if (const auto* table = std::get_if<TableRef>(&self)) return call_constant_method(*table->table, node, expr.range);
    if (std::holds_alternative<Unknown>(self)) return self;
  }
  const Entity named = entity(*node.function);
  const Entity callee = opened(named);
  if (const auto* type = std::get_if<TypeRef>(&callee))
    return type->type.is_record() ? call_record(type->type.record, node, expr.range)
                                  : call_type(type->type.scalar, node, expr.range);
  if (const auto* type = std::get_if<ClassRef>(&callee)) return call_class(*type->decl, node, expr.range);
  if (const auto* special = std::get_if<SpecialRef>(&callee)) return call_special(special->special, node, expr.range);
  if (const auto* ufunc = std::get_if<UfuncRef>(&callee)) return call_ufunc(*ufunc->row, node, expr.range);
  if (const auto* reduction = std::get_if<ReductionRef>(&callee)) return call_reduction(*reduction, node, expr.range);
  if (const auto* method = std::get_if<MethodRef>(&callee)) return call_method(*method, node, expr.range);
  if (const auto* function = std::get_if<FunctionRef>(&callee))
    return call_function(*function->function, node, captures_of(named), expr.range);
  if (const auto* builtin = std::get_if<BuiltinRef>(&callee); builtin && !is_property(builtin->id))
    return call_builtin(*builtin, node, expr.range);
  for (const ast::ExprPtr& argument : node.arguments) entity(*argument);  // their mistakes count too
  if (std::holds_alternative<Unknown>(callee)) return Unknown{};
  auto diagnostic = report(node.function->range, DiagnosticId::NotCallable, scope_.file().text(node.function->range));
  if (std::holds_alternative<BuiltinRef>(callee))
    diagnostic.note("it is a value: leave the parentheses out")
        .fix(std::string(scope_.file().text(node.function->range)));
  if (const auto* space = std::get_if<NamespaceRef>(&callee); space && !space->prefix.empty() && !space->module)
    suggest_member(diagnostic, "", session_.names().names_in(space->prefix));
  return Unknown{};
}

}  // namespace pykc::checker
