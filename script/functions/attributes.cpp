// Names behind a dot, names that are built in, and what counts as true.
#include <algorithm>

#include "frontend/frontend.h"
#include "script/arithmetic/promote.h"
#include "script/functions/element_types.h"
#include "script/functions/functions.h"
#include "script/functions/instead.h"
#include "script/functions/libraries.h"
#include "script/functions/records.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

/// What Python's `__name__` says.
std::string_view full_name(Library library) {
  const LibraryInfo& row = info(library);
  return row.module.empty() ? row.name : row.module;
}

bool has_types(Library library) {
  return library == Library::Prelude || library == Library::Numpy || library == Library::Numba ||
         library == Library::Cuda || library == Library::Cupy;
}

/// Python's own types, which are no element types: `float("inf")`, `int(x)`.
std::optional<TypeValue> python_type(std::string_view name) {
  if (name == "int") return TypeValue{TypeValue::Kind::Int, ScalarType::I64};
  if (name == "float") return TypeValue{TypeValue::Kind::Float, ScalarType::F64};
  if (name == "bool") return TypeValue{TypeValue::Kind::Bool, ScalarType::Bool};
  if (name == "str") return TypeValue{TypeValue::Kind::Str, ScalarType::I8};
  return std::nullopt;
}

std::optional<Value> library_member(Library library, std::string_view name) {
  const bool is_cupy = library == Library::Cupy || library == Library::CupyRandom;
  if (const HostFunction* function = find_function(library, name)) return BuiltinValue{function, nullptr, is_cupy};
  const bool is_numpy = library == Library::Numpy || library == Library::Cupy;
  if (is_numpy || library == Library::Math)
    if (const std::optional<double> number = number_named(is_numpy ? "numpy" : "math", name)) return *number;
  if (const std::optional<Library> module = module_in(library, name)) return LibraryValue{*module};
  if (is_numpy && name == "newaxis") return Value();
  if (library == Library::Prelude)
    if (const std::optional<TypeValue> type = python_type(name)) return *type;
  if (has_types(library))
    if (const std::optional<ElementType> type = element_type_in(library, name))
      return TypeValue{TypeValue::Kind::Scalar, type->scalar, type->record};
  return std::nullopt;
}

Failure unknown_member(Library library, std::string_view name) {
  const std::string owner(info(library).name);
  Failure failure = fail(DiagnosticId::HostUnknownAttribute, "`" + owner + "`", name);
  if (is_kernel_name(name) && (library == Library::Cuda || library == Library::Prelude))
    failure.notes.push_back("`" + std::string(name) + "` is for kernels: it says where a thread is or what it shares");
  else
    failure.fix = nearest(name, function_names(library));
  if (!failure.notes.empty()) return failure;
  if (const std::string_view note = instead_of(library, name); !note.empty()) {
    failure.fix.clear();
    failure.notes.emplace_back(note);
  }
  if (failure.notes.empty() && failure.fix.empty()) failure.notes.emplace_back(instead_of_anything());
  return failure;
}

Value shape_value(const Shape& shape, std::int64_t unit = 1) {
  std::vector<Value> items;
  items.reserve(shape.size());
  for (const std::int64_t extent : shape) items.push_back(extent * unit);
  return make_tuple(std::move(items));
}

/// The fields of an array; nothing for other names.
std::optional<Value> array_field(const Array& array, std::string_view name) {
  if (name == "shape") return shape_value(array.shape);
  if (name == "dtype") return TypeValue{TypeValue::Kind::Scalar, array.type, array.record};
  if (name == "ndim") return static_cast<std::int64_t>(array.rank());
  if (name == "size") return array.size();
  if (name == "itemsize") return array.element_bytes();
  if (name == "nbytes") return array.size() * array.element_bytes();
  if (name == "strides") return shape_value(array.strides, array.unit_bytes());
  if (name == "T") {
    std::vector<std::size_t> axes;
    for (std::size_t i = array.rank(); i > 0; --i) axes.push_back(i - 1);
    return permute_axes(array, axes);
  }
  return std::nullopt;
}

/// The fields of a device; nothing for other names.
std::optional<Value> device_field(const DeviceValue& value, std::string_view name) {
  const DeviceInfo& info = value.device.info();
  if (name == "id") return std::int64_t{0};
  if (name == "name" && !value.is_cupy) return info.description;
  if (name == "compute_capability" && info.target.starts_with("sm_")) {
    const std::string digits = info.target.substr(3, info.target.find_first_not_of("0123456789", 3) - 3);
    const std::int64_t number = std::stol(digits);
    return value.is_cupy ? Value(digits) : make_tuple({number / 10, number % 10});
  }
  if (value.is_cupy) return std::nullopt;
  if (name == "MULTIPROCESSOR_COUNT") return static_cast<std::int64_t>(info.multiprocessors);
  if (name == "MAX_THREADS_PER_BLOCK") return static_cast<std::int64_t>(info.max_threads_per_block);
  if (name == "MAX_SHARED_MEMORY_PER_BLOCK") return info.max_shared_bytes_per_block;
  if (name == "WARP_SIZE") return std::int64_t{32};
  return std::nullopt;
}

std::optional<Library> methods_of(const Value& object) {
  if (object.is<ArrayRef>() || object.is<Scalar>()) return Library::ArrayMethod;
  if (object.is<ListValue>()) return Library::ListMethod;
  if (object.is<std::string>()) return Library::StringMethod;
  if (object.is<EventValue>()) return Library::EventMethod;
  if (object.is<StreamValue>()) return Library::StreamMethod;
  if (object.is<GraphValue>()) return Library::GraphMethod;
  if (object.is<DeviceValue>()) return Library::DeviceMethod;
  if (const auto* pool = object.as<MemoryPoolValue>())
    return pool->is_pinned ? Library::PinnedPoolMethod : Library::MemoryPoolMethod;
  if (const auto* function = object.as<FunctionValue>(); function && function->kind == FunctionValue::Kind::Kernel)
    return Library::KernelMethod;
  return std::nullopt;
}

/// A value of a configuration: an integer or a bool.
Outcome<Value> configured(const ConfigurationValue& configuration, std::string_view name) {
  if (const Constant* constant = configuration.configuration.find(name)) {
    configuration.used->insert(constant->name);
    const bool* flag = std::get_if<bool>(&constant->value);
    return flag ? Value(*flag) : Value(configuration.configuration[name]);
  }
  std::vector<std::string_view> known;
  for (const Constant& constant : configuration.configuration.constants()) known.push_back(constant.name);
  return fail(DiagnosticId::HostUnknownAttribute, "a configuration of `" + configuration.kernel + "`", name)
      .suggest(nearest(name, known))
      .note("it has " + configuration.configuration.text());
}

}  // namespace

namespace {

/// A field of an object, or what its class has: a method, which remembers the object.
std::optional<Value> member_of(const InstanceValue& object, std::string_view name) {
  const Names& fields = object.instance->fields;
  if (const auto field = fields.find(name); field != fields.end()) return field->second;
  const Names& members = object.instance->type->members;
  const auto member = members.find(name);
  if (member == members.end()) return std::nullopt;
  const auto* method = member->second.as<FunctionValue>();
  if (!method) return member->second;
  FunctionValue bound = *method;
  bound.context =
      bound.context ? std::make_shared<FunctionContext>(*bound.context) : std::make_shared<FunctionContext>();
  bound.context->self = Value(object);
  return Value(std::move(bound));
}

std::vector<std::string_view> names_in(const Names& names) {
  std::vector<std::string_view> result;
  for (const auto& [name, value] : names) result.push_back(name);
  return result;
}

Outcome<Value> attribute_of(const InstanceValue& object, std::string_view name) {
  if (std::optional<Value> member = member_of(object, name)) return *std::move(member);
  std::vector<std::string_view> known = names_in(object.instance->fields);
  for (const std::string_view member : names_in(object.instance->type->members)) known.push_back(member);
  return fail(DiagnosticId::HostUnknownAttribute, describe(Value(object)), name).suggest(nearest(name, known));
}

Outcome<Value> attribute_of(const ClassValue& type, std::string_view name) {
  const Names& members = type.type->members;
  if (const auto member = members.find(name); member != members.end()) return member->second;
  return fail(DiagnosticId::HostUnknownAttribute, describe(Value(type)), name)
      .suggest(nearest(name, names_in(members)));
}

}  // namespace

Outcome<Value> attribute(const Value& object, std::string_view name) {
  if (const auto* instance = object.as<InstanceValue>()) return attribute_of(*instance, name);
  if (const auto* type = object.as<ClassValue>()) return attribute_of(*type, name);
  if (const auto* function = object.as<FunctionValue>();
      function && name == "py_func") {  // the same, as Python runs it
    FunctionValue plain = *function;
    plain.kind = FunctionValue::Kind::Host;
    return Value(std::move(plain));
  }
  if (const auto* configuration = object.as<std::shared_ptr<const ConfigurationValue>>())
    return configured(**configuration, name);
  if (const auto* library = object.as<LibraryValue>()) {
    if (name == "__name__") return Value(std::string(full_name(library->library)));
    if (std::optional<Value> member = library_member(library->library, name)) return *std::move(member);
    return unknown_member(library->library, name);
  }
  if (const ArrayRef* array = object.as<ArrayRef>())
    if (std::optional<Value> field = array_field(**array, name)) return *std::move(field);
  if (const ArrayRef* array = object.as<ArrayRef>(); array && (*array)->record && (*array)->record->find(name))
    return field_of(**array, name);
  if (const auto* builtin = object.as<BuiltinValue>(); builtin && builtin->function->name == "Stream" && name == "null")
    return Value(StreamValue{});
  if (const auto* device = object.as<DeviceValue>())
    if (std::optional<Value> field = device_field(*device, name)) return *std::move(field);
  if (const auto* tuple = object.as<TupleValue>()) {
    const std::vector<std::string>& names = tuple->sequence->names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return tuple->sequence->items[static_cast<std::size_t>(found - names.begin())];
  }
  if (const Scalar* scalar = object.as<Scalar>(); scalar && name == "dtype")
    return Value(TypeValue{TypeValue::Kind::Scalar, scalar->type});
  std::vector<std::string_view> known;
  if (const std::optional<Library> methods = methods_of(object)) {
    if (const HostFunction* function = find_function(*methods, name))
      return Value(BuiltinValue{function, std::make_shared<const Value>(object)});
    known = function_names(*methods);
  }
  Failure failure = fail(DiagnosticId::HostUnknownAttribute, describe(object), name).suggest(nearest(name, known));
  const std::optional<Library> methods =
      object.is<FunctionValue>() ? Library::KernelMethod : methods_of(object);  // of other functions, too
  const std::string_view note = methods ? instead_of_method(*methods, name) : std::string_view();
  if (!note.empty()) failure.notes.emplace_back(note);
  return failure;
}

std::optional<Value> prelude_value(std::string_view name) { return library_member(Library::Prelude, name); }

Failure unknown_module(std::string_view module) {
  Failure failure = fail(DiagnosticId::HostUnknownModule, module);
  failure.notes.emplace_back(instead_of_module(module));
  return failure;
}

Outcome<bool> truth(const Value& value) {
  if (value.is<None>()) return false;
  if (const Scalar* scalar = value.as<Scalar>()) return scalar->as<bool>();
  if (const std::optional<double> number = as_number(value)) return *number != 0;
  if (const std::string* text = value.as<std::string>()) return !text->empty();
  if (const std::vector<Value>* items = items_of(value)) return !items->empty();
  if (const auto* range = value.as<RangeValue>()) return range->size() > 0;
  if (const ArrayRef* array = value.as<ArrayRef>()) {
    if ((*array)->size() != 1)
      return fail(DiagnosticId::HostAmbiguousTruth, (*array)->size())
          .note("ask `.all()` or `.any()`; `array_equal(x, y)` compares arrays");
    ASSIGN_OR_RETURN(const Scalar scalar, first_element(**array));
    return scalar.as<bool>();
  }
  return true;
}

}  // namespace pykc::script
