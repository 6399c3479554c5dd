#include "script/values/value.h"

#include <algorithm>
#include <new>
#include <set>

#include "script/values/array.h"
#include "script/values/host_function.h"
#include "script/values/scope.h"

namespace pykc::script {

Sequence::Sequence(std::vector<Value> values) : items(std::move(values)) {}

Sequence::~Sequence() { take_apart(std::move(items)); }

namespace {

/// Whether it may hold values, which may hold others.
bool may_hold(const Value& value) {
  return value.is<TupleValue>() || value.is<ListValue>() || value.is<GeneratorValue>() || value.is<InstanceValue>() ||
         value.is<FunctionValue>();
}

/// Those of a map or of variables that take_apart() is for.
template <typename Named>
std::vector<Value> values_of(Named named) {
  std::vector<Value> values;
  for (auto& [name, value] : named)
    if (may_hold(value)) values.push_back(std::move(value));
  return values;
}

/// Moves what only this value holds to `pending`.
void take_inside(const Value& value, std::vector<Value>& pending) {
  const auto take = [&](std::vector<Value> inside) {
    if (pending.empty()) return pending.swap(inside);  // needs no memory, however many they are
    for (Value& item : inside)
      if (may_hold(item)) pending.push_back(std::move(item));
  };
  const auto take_items = [&](const std::shared_ptr<Sequence>& sequence) {
    if (sequence.use_count() == 1) take(std::exchange(sequence->items, {}));
  };
  if (const auto* tuple = value.as<TupleValue>()) take_items(tuple->sequence);
  if (const auto* list = value.as<ListValue>()) take_items(list->sequence);
  if (const auto* generator = value.as<GeneratorValue>()) take_items(generator->rest);
  if (const auto* object = value.as<InstanceValue>(); object && object->instance.use_count() == 1)
    take(values_of(std::exchange(object->instance->fields, {})));
  const auto* function = value.as<FunctionValue>();
  if (!function || !function->context || function->context.use_count() > 1) return;
  take({std::exchange(function->context->self, {})});
  take(values_of(std::exchange(function->context->defaults, {})));
  for (std::shared_ptr<Environment> outer = std::exchange(function->context->outer, {}); outer;
       outer = outer.use_count() == 1 ? std::exchange(outer->outer, {}) : nullptr)
    if (outer.use_count() == 1) take(values_of(std::exchange(outer->variables, {})));
}

/// Destructors do this, also of a run that ended for want of memory, and may not throw. What is left where there is
/// none for this either, its own destructors take apart, by recursion.
template <typename Work>
void while_memory_lasts(Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
}

template <typename Named>
void take_apart_named(Named& named) {
  while_memory_lasts([&] { take_apart(values_of(std::exchange(named, {}))); });
}

}  // namespace

Value* find(Variables& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? nullptr : &found->second;
}

void assign(Variables& variables, std::string_view name, Value value) {
  if (Value* const known = find(variables, name))
    *known = std::move(value);
  else
    variables.emplace_back(name, std::move(value));
}

void take_apart(std::vector<Value> values) {
  if (std::ranges::none_of(values, may_hold)) return;
  while_memory_lasts([&] {
    while (!values.empty()) {
      const Value value = std::move(values.back());
      values.pop_back();
      take_inside(value, values);
    }
  });
}

void Environment::clear() { take_apart_named(variables); }
void Instance::clear() { take_apart_named(fields); }

std::int64_t RangeValue::size() const {
  // In unsigned arithmetic: the distance of two i64 may not fit one. No loop lives to see the end of 2^63 items.
  const auto low = static_cast<std::uint64_t>(start), high = static_cast<std::uint64_t>(stop);
  std::uint64_t size = 0;
  if (step > 0 && start < stop) size = (high - low - 1) / static_cast<std::uint64_t>(step) + 1;
  if (step < 0 && start > stop) size = (low - high - 1) / (0 - static_cast<std::uint64_t>(step)) + 1;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(size, INT64_MAX));
}

Value make_tuple(std::vector<Value> items) { return TupleValue{std::make_shared<Sequence>(std::move(items))}; }
Value make_list(std::vector<Value> items) { return ListValue{std::make_shared<Sequence>(std::move(items))}; }

namespace {

const Sequence* sequence_of(const Value& value) {
  if (const auto* tuple = value.as<TupleValue>()) return tuple->sequence.get();
  if (const auto* list = value.as<ListValue>()) return list->sequence.get();
  return nullptr;
}

}  // namespace

bool holds(const Value& value, const Sequence& sequence) {
  std::set<const Sequence*> seen;  // one sequence may stand in many places
  std::vector<const Sequence*> pending = {sequence_of(value)};
  while (!pending.empty()) {
    const Sequence* const next = pending.back();
    pending.pop_back();
    if (next == &sequence) return true;
    if (!next || !seen.insert(next).second) continue;
    for (const Value& item : next->items) pending.push_back(sequence_of(item));
  }
  return false;
}

const std::vector<Value>* items_of(const Value& value) {
  const Sequence* const sequence = sequence_of(value);
  return sequence ? &sequence->items : nullptr;
}

namespace {

struct Description {
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(bool) const { return "a bool"; }
  std::string operator()(std::int64_t) const { return "an int"; }
  std::string operator()(double) const { return "a float"; }
  std::string operator()(const Scalar& scalar) const {
    return "a number of type " + std::string(to_string(scalar.type));
  }
  std::string operator()(const std::string&) const { return "a string"; }
  std::string operator()(const ArrayRef& array) const {
    if (array->record && array->rank() == 0) return "a record of type " + array->record->name;
    return "an array of " + to_string(array->element()) + " with shape " + shape_text(array->shape);
  }
  std::string operator()(const TupleValue&) const { return "a tuple"; }
  std::string operator()(const ListValue&) const { return "a list"; }
  std::string operator()(const GeneratorValue&) const { return "a generator"; }
  std::string operator()(const ClassValue& value) const { return "the class `" + value.type->name + "`"; }
  std::string operator()(const InstanceValue& value) const { return "a `" + value.instance->type->name + "`"; }
  std::string operator()(const RangeValue&) const { return "a range"; }
  std::string operator()(const SliceValue&) const { return "a slice"; }
  std::string operator()(const EllipsisValue&) const { return "`...`"; }
  std::string operator()(const TypeValue&) const { return "a type"; }
  std::string operator()(const LibraryValue&) const { return "a module"; }
  std::string operator()(const ModuleValue& module) const { return "the module `" + module.name + "`"; }
  std::string operator()(const FunctionValue& function) const {
    const char* kind = function.kind == FunctionValue::Kind::Kernel ? "the kernel `" : "the function `";
    return kind + function.definition->name + "`";
  }
  std::string operator()(const BuiltinValue& builtin) const {
    return "the function `" + std::string(builtin.function->name) + "`";
  }
  std::string operator()(const std::shared_ptr<const LaunchValue>& launch) const {
    return "a launch of `" + launch->kernel.definition->name + "`";
  }
  std::string operator()(const StreamValue&) const { return "a stream"; }
  std::string operator()(const EventValue&) const { return "an event"; }
  std::string operator()(const GraphValue&) const { return "a graph"; }
  std::string operator()(const ContextValue&) const { return "a context"; }
  std::string operator()(const DeviceValue&) const { return "a device"; }
  std::string operator()(const MemoryPoolValue&) const { return "a memory pool"; }
  std::string operator()(const DecoratorValue&) const { return "a decorator"; }
  std::string operator()(const std::shared_ptr<const ConfigurationValue>& value) const {
    return "a configuration of `" + value->kernel + "`";
  }
};

}  // namespace

std::string describe(const Value& value) { return std::visit(Description{}, value.data); }

std::optional<std::int64_t> as_integer(const Value& value) {
  if (const bool* flag = value.as<bool>()) return *flag;
  if (const std::int64_t* integer = value.as<std::int64_t>()) return *integer;
  const Scalar* scalar = value.as<Scalar>();
  if (!scalar || is_float(scalar->type)) return std::nullopt;
  if (scalar->type == ScalarType::U64 && scalar->bits >> 63 != 0) return std::nullopt;
  return scalar->as<std::int64_t>();
}

std::optional<double> as_number(const Value& value) {
  if (const double* number = value.as<double>()) return *number;
  if (const Scalar* scalar = value.as<Scalar>()) return scalar->as<double>();
  if (const std::optional<std::int64_t> integer = as_integer(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

}  // namespace pykc::script
