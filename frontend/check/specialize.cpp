#include "frontend/check/specialize.h"

#include <algorithm>

#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/function.h"
#include "frontend/check/symbols.h"
#include "frontend/check/types/infer.h"

namespace pykc::checker {
namespace {

bool is_same(const Value& a, const Value& b) {
  if (!a.known() || !b.known()) return a.known() == b.known();
  if (a.is_tuple() && b.is_tuple())
    return a.type()->names == b.type()->names && std::ranges::equal(a.elements, b.elements, is_same);
  const auto *left = a.expr->as<checked::Constant>(), *right = b.expr->as<checked::Constant>();
  return left && right && left->bits == right->bits && a.weak == b.weak && a.type() == b.type();
}

/// Whether two entities are one as parts of a type, so that a function is specialised once for both.
bool is_same(const Entity& a, const Entity& b) {
  if (a.index() != b.index()) return false;
  const auto both = [&]<typename Ref>(auto Ref::*member) {
    return std::get_if<Ref>(&a) && std::get<Ref>(a).*member == std::get<Ref>(b).*member;
  };
  if (const auto* value = std::get_if<Value>(&a)) return is_same(*value, std::get<Value>(b));
  return std::holds_alternative<NoneRef>(a) || both(&FunctionRef::function) || both(&LanguageFunctionRef::id) ||
         both(&UfuncRef::row) || both(&ReductionRef::row) || both(&TypeRef::type) ||
         (both(&BuiltinRef::id) && both(&BuiltinRef::type));
}

/// Those of what is the same are equal.
std::size_t hash_of(const Value& value) {
  const auto* constant = value.known() ? value.expr->as<checked::Constant>() : nullptr;
  std::size_t hash = constant ? constant->bits : value.elements.size();
  for (const Value& element : value.elements) hash = 31 * hash + hash_of(element);
  return hash;
}
std::size_t hash_of(const Entity& entity) {
  const auto* value = std::get_if<Value>(&entity);
  return value ? hash_of(*value) : entity.index();
}

/// The constant in a tree that stays.
Value kept_constant(const Value& value, TreeBuilder& tree) {
  if (!value.is_tuple())
    return {tree.bits(value.scalar(), value.expr->as<checked::Constant>()->bits, value.range()), value.weak, {}};
  std::vector<Value> elements;
  for (const Value& element : value.elements) elements.push_back(kept_constant(element, tree));
  return tree.tuple(std::move(elements), value.range(), value.type()->names);
}

}  // namespace

const Entity& constant(ModuleChecker& module, ConstantDecl& constant) {
  using State = ConstantDecl::State;
  if (constant.state == State::InProgress) {
    module.told.report(constant.scope->file(), constant.range, DiagnosticId::ConstantCycle, constant.name);
    return constant.entity;
  }
  if (constant.state == State::Done) return constant.entity;
  constant.state = State::InProgress;
  FunctionChecker checker(module, *constant.scope);
  Entity entity = module_constant(checker, constant);
  constant.entity = std::move(entity);
  if (const auto* ref = std::get_if<TableRef>(&constant.entity); ref && ref->table->name.empty())
    ref->table->name = constant.name;
  constant.state = State::Done;
  return constant.entity;
}

Specialization& infer(ModuleChecker& module, FunctionDecl& function, const std::vector<InferredType>& arguments) {
  Specialization& specialization = function.specializations[arguments];
  if (specialization.is_inferred || specialization.is_inferring) return specialization;
  collect_locals(function);
  specialization.arguments = arguments;
  specialization.is_inferring = true;
  ++module.specialization_depth;
  FunctionChecker checker(module, function, specialization, true);
  checker::infer(checker);
  --module.specialization_depth;
  specialization.is_inferring = false;
  specialization.is_inferred = true;
  return specialization;
}

checked::Function* emit(ModuleChecker& module, FunctionDecl& function, Specialization& specialization) {
  if (specialization.function) return specialization.function;
  checked::Function& output = module.emitted.emplace_back();
  specialization.function = &output;
  output.name = function.def->name;
  output.is_kernel = function.kind == FunctionDecl::Kind::Kernel;
  output.symbol = unique_symbol(module, function, specialization);
  output.range = function.def->name_range;
  output.source = function.scope->module().file;
  output.options = function.options;
  output.options.fast_math |= module.options.fast_math;
  output.options.contract &= module.options.contract;
  specialization.is_emitting = true;
  ++module.specialization_depth;
  FunctionChecker checker(module, function, specialization, false);
  checker::emit(checker, output);
  --module.specialization_depth;
  specialization.is_emitting = false;
  module.finished.push_back(&specialization);
  return &output;
}

int intern(ModuleChecker& module, const Entity& entity) {
  const std::size_t hash = hash_of(entity);
  const auto [first, last] = module.statics_by_hash.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (is_same(module.static_entity(known->second), entity)) return known->second;
  const auto number = static_cast<int>(module.statics.size());
  module.statics_by_hash.emplace(hash, number);
  TreeBuilder tree(module.output.types, module.output.exprs);
  const auto* value = std::get_if<Value>(&entity);
  module.statics.push_back(value ? Entity(kept_constant(*value, tree)) : entity);
  return number;
}

FunctionDecl& nested_function(ModuleChecker& module, const ast::FunctionDef& def, const FunctionDecl& enclosing) {
  const auto [entry, is_new] = module.nested_functions.try_emplace({&def, &enclosing});
  FunctionDecl& function = entry->second;
  if (!is_new) return function;
  function.def = &def;
  function.scope = enclosing.scope;
  function.enclosing = &enclosing;
  function.kind = FunctionDecl::Kind::Device;
  function.dialect = enclosing.dialect;
  function.raises_errors = enclosing.raises_errors;
  function.options.wraparound = enclosing.options.wraparound;
  for (const std::string_view name : free_names(def))
    if (enclosing.locals.index.contains(name)) function.captures.push_back(name);
  return function;
}

}  // namespace pykc::checker
