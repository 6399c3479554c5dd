// The table's lookup, and the binding of arguments to a row's signature.
#include "script/functions/functions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "frontend/program/signature.h"
#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/functions/element_types.h"
#include "script/functions/indexing.h"
#include "script/functions/libraries.h"
#include "script/functions/records.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

std::array<std::span<const HostFunction>, 9> all_tables() {
  return {python_functions(), string_functions(), creation_functions(), array_functions(), math_functions(),
          device_functions(), stream_functions(), cupy_functions(),     file_functions()};
}

/// The library that has what another lacks.
std::optional<Library> library_behind(Library library) {
  if (library == Library::Cupy) return Library::Numpy;
  if (library == Library::CupyRandom) return Library::Random;
  return std::nullopt;
}

/// One parameter of a signature.
struct ParameterText {
  std::string_view name;
  std::string_view default_text;  // empty: required
  bool takes_rest = false;
};

/// The parameters of "a, axis=None, sep=', '"; commas in quotes do not separate.
std::vector<ParameterText> parse_signature_text(std::string_view text) {
  std::vector<ParameterText> parameters;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\'') quoted = !quoted;
    if (i < text.size() && (quoted || text[i] != ',')) continue;
    std::string_view part = text.substr(begin, i - begin);
    begin = i + 1;
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (part.empty()) continue;
    const bool takes_rest = part.front() == '*';
    if (takes_rest) part.remove_prefix(1);
    const std::size_t equals = std::min(part.find('='), part.size());
    parameters.push_back({part.substr(0, equals), part.substr(std::min(equals + 1, part.size())), takes_rest});
  }
  return parameters;
}

Value default_value(std::string_view text) {
  if (text == "None") return None{};
  if (text == "...") return EllipsisValue{};
  if (text == "True" || text == "False") return text == "True";
  if (text.front() == '\'')
    return std::string(text.substr(1, text.size() - 2) == "\\n" ? "\n" : text.substr(1, text.size() - 2));
  if (const std::optional<ScalarType> type = find_scalar_type(text)) return TypeValue{TypeValue::Kind::Scalar, *type};
  std::int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, integer).ptr == end) return integer;
  double number = 0;
  std::from_chars(text.data(), end, number);
  return number;
}

/// The rows of all tables, made once.
struct FunctionIndex {
  std::unordered_multimap<std::string_view, const HostFunction*> by_name;
  std::unordered_map<std::string_view, std::vector<ParameterText>> parameters;  // by signature
};

const FunctionIndex& function_index() {
  static const FunctionIndex index = [] {
    FunctionIndex made;
    for (const std::span<const HostFunction> table : all_tables())
      for (const HostFunction& function : table) {
        made.by_name.emplace(function.name, &function);
        made.parameters.emplace(function.signature, parse_signature_text(function.signature));
      }
    return made;
  }();
  return index;
}

Outcome<Arguments> bind_to(const std::vector<ParameterText>& parameters, const HostFunction& function,
                           CallArguments call) {
  Arguments bound;
  bound.function = &function;
  std::vector<bool> given(parameters.size(), false);
  bound.values.reserve(parameters.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Value value;
    if (parameters[i].takes_rest) {
      while (next < call.positional.size()) bound.rest.push_back(std::move(call.positional[next++]));
      given[i] = true;
    } else if (next < call.positional.size()) {
      value = std::move(call.positional[next++]);
      given[i] = true;
    }
    bound.values.push_back(std::move(value));
  }
  if (next < call.positional.size())
    return fail(DiagnosticId::HostTooManyArguments, function.name, parameters.size(), call.positional.size());
  for (auto& [name, value] : call.named) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const ParameterText& p) { return p.name == name && !p.takes_rest; });
    if (found == parameters.end()) {
      std::vector<std::string_view> names;
      for (const ParameterText& parameter : parameters) names.push_back(parameter.name);
      return fail(DiagnosticId::HostUnknownKeyword, function.name, name).suggest(nearest(name, names));
    }
    const auto i = static_cast<std::size_t>(found - parameters.begin());
    if (given[i]) return fail(DiagnosticId::HostRepeatedArgument, function.name, name);
    bound.values[i] = std::move(value);
    given[i] = true;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (given[i]) continue;
    if (parameters[i].default_text.empty())
      return fail(DiagnosticId::HostMissingArgument, function.name, parameters[i].name);
    bound.values[i] = default_value(parameters[i].default_text);
  }
  return bound;
}

Outcome<Arguments> bind(const HostFunction& function, CallArguments call) {
  return bind_to(function_index().parameters.at(function.signature), function, std::move(call));
}

/// The class of a named tuple, which is in no table, takes its fields. A tuple of the defaults, `...` for none, is the
/// model of all others, and stands behind them.
Outcome<Arguments> bind_fields(const BuiltinValue& named_tuple, CallArguments call) {
  const Sequence& model = *named_tuple.self->as<TupleValue>()->sequence;
  std::vector<ParameterText> fields;
  for (std::size_t i = 0; i < model.names.size(); ++i) {
    const std::string& name = model.names[i];
    fields.push_back({.name = name});
    const bool is_given = i < call.positional.size() ||
                          std::ranges::any_of(call.named, [&](const auto& argument) { return argument.first == name; });
    if (!is_given && !model.items[i].is<EllipsisValue>()) call.named.emplace_back(name, model.items[i]);
  }
  ASSIGN_OR_RETURN(Arguments bound, bind_to(fields, *named_tuple.function, std::move(call)));
  bound.values.push_back(*named_tuple.self);
  return bound;
}

}  // namespace

const HostFunction* find_function(Library library, std::string_view name) {
  const auto [first, last] = function_index().by_name.equal_range(name);
  for (auto row = first; row != last; ++row)
    if ((row->second->libraries & in(library)) != 0) return row->second;
  const std::optional<Library> behind = library_behind(library);
  return behind ? find_function(*behind, name) : nullptr;
}

std::vector<std::string_view> function_names(Library library) {
  std::vector<std::string_view> names;
  for (const std::span<const HostFunction> table : all_tables())
    for (const HostFunction& function : table)
      if ((function.libraries & in(library)) != 0) names.push_back(function.name);
  if (const std::optional<Library> behind = library_behind(library)) {
    const std::vector<std::string_view> more = function_names(*behind);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::optional<Failure> check_arguments(const HostFunction& function, std::size_t positional,
                                       const std::vector<std::string>& keywords) {
  CallArguments call;
  call.positional.resize(positional);
  for (const std::string& keyword : keywords) call.named.emplace_back(keyword, Value());
  Outcome<Arguments> bound = bind(function, std::move(call));
  return bound ? std::nullopt : std::optional(std::move(bound.failure()));
}

namespace {

/// An array of the host becomes one of the device; one that was passed stays what it is, and is copied.
Outcome<Value> as_device_array(Run& run, const Value& result, const std::vector<Value>& given) {
  ArrayRef array = *result.as<ArrayRef>();
  if (array->storage->home()) return result;
  if (shares_memory(*array, given)) {
    ASSIGN_OR_RETURN(array, copy_array(array, array->order()));
  }
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations());
  array->storage->set_home(device);
  return Value(array);
}

}  // namespace

Outcome<Value> call_builtin(Run& run, const BuiltinValue& callee, CallArguments arguments) {
  const bool is_named_tuple = callee.function->libraries == 0;
  if (callee.self && !is_named_tuple) arguments.positional.insert(arguments.positional.begin(), *callee.self);
  ASSIGN_OR_RETURN(const Arguments bound, is_named_tuple ? bind_fields(callee, std::move(arguments))
                                                         : bind(*callee.function, std::move(arguments)));
  ASSIGN_OR_RETURN(Value result, callee.function->implementation(run, bound));
  if (callee.function->gives_host_array || !result.is<ArrayRef>()) return result;
  std::vector<Value> given = bound.values;
  given.insert(given.end(), bound.rest.begin(), bound.rest.end());
  share_home(result, given);
  return callee.is_cupy ? as_device_array(run, result, given) : result;
}

std::vector<HostFunctionInfo> host_functions() {
  std::vector<HostFunctionInfo> rows;
  for (const std::span<const HostFunction> table : all_tables())
    for (const HostFunction& function : table)
      for (const LibraryInfo& library : all_libraries())
        if ((function.libraries & in(library.id)) != 0) {
          const std::string prefix = library.id == Library::Prelude ? "" : std::string(library.name) + ".";
          rows.push_back(
              {prefix + std::string(function.name), std::string(function.signature), std::string(function.doc)});
          break;
        }
  return rows;
}

Failure Arguments::wrong_type(std::size_t i, std::string_view expected) const {
  const std::string_view name = parse_signature_text(function->signature)[i].name;
  return fail(DiagnosticId::HostWrongType, std::string(name) + "` of `" + std::string(function->name), expected,
              describe(values[i]));
}

Outcome<std::int64_t> Arguments::integer(std::size_t i) const {
  if (const std::optional<std::int64_t> integer = as_integer(values[i])) return *integer;
  const Scalar* scalar = values[i].as<Scalar>();
  return wrong_type(i, scalar && scalar->type == ScalarType::U64 ? "an integer below 2**63" : "an integer");
}

Outcome<double> Arguments::number(std::size_t i) const {
  if (const std::optional<double> number = as_number(values[i])) return *number;
  return wrong_type(i, "a number");
}

Outcome<bool> Arguments::flag(std::size_t i) const {
  if (const std::optional<std::int64_t> integer = as_integer(values[i])) return *integer != 0;
  return wrong_type(i, "True or False");
}

Outcome<std::string> Arguments::text(std::size_t i) const {
  if (const std::string* text = values[i].as<std::string>()) return *text;
  return wrong_type(i, "a string");
}

Outcome<ScalarType> Arguments::type(std::size_t i) const {
  ASSIGN_OR_RETURN(const ElementType type, element_type(i));
  if (!type.is_record()) return type.scalar;
  Failure failure = wrong_type(i, "a type of real numbers such as f32");
  failure.arguments[2] = to_string(type);
  return failure;
}

Outcome<ElementType> Arguments::number_type(std::size_t i) const {
  ASSIGN_OR_RETURN(ElementType type, element_type(i));
  if (!type.is_record() || type.record->kind == RecordType::Kind::Complex) return type;
  Failure failure = wrong_type(i, "a type of numbers such as f32");
  failure.arguments[2] = to_string(type);
  return failure;
}

Outcome<ElementType> Arguments::element_type(std::size_t i) const {
  if (std::optional<ElementType> type = element_type_of(values[i])) return *std::move(type);
  Failure failure = wrong_type(i, "an element type such as f32");
  if (const std::string* name = values[i].as<std::string>()) {
    failure.arguments[2] = "'" + *name + "'";
    if (const std::string_view near = nearest(*name, scalar_type_names()); !near.empty() && near != *name) {
      failure.fix = near;
    } else {
      std::string error;
      element_type_named(*name, error);
      failure.notes.push_back(error);
    }
  }
  return failure;
}

Outcome<Order> Arguments::order(std::size_t i) const {
  if (const std::string* name = values[i].as<std::string>()) {
    if (*name == "C") return Order::RowMajor;
    if (*name == "F") return Order::ColumnMajor;
  }
  return wrong_type(i, "'C' or 'F'");
}

Outcome<Shape> Arguments::shape(std::size_t i) const {
  if (const std::optional<std::int64_t> extent = as_integer(values[i])) return Shape{*extent};
  const std::vector<Value>* items = items_of(values[i]);
  if (!items) return wrong_type(i, "an integer or a tuple of integers");
  Shape shape;
  for (const Value& item : *items) {
    const std::optional<std::int64_t> extent = as_integer(item);
    if (!extent) return wrong_type(i, "an integer or a tuple of integers");
    shape.push_back(*extent);
  }
  return shape;
}

Outcome<ArrayRef> Arguments::array(std::size_t i) const {
  if (values[i].is<GeneratorValue>()) {
    ASSIGN_OR_RETURN(std::vector<Value> items, all_items(values[i]));
    return array_from(make_list(std::move(items)), std::nullopt);
  }
  if (values[i].is<ArrayRef>() && !operand_type(values[i])) return not_real(i);
  if (!operand_type(values[i]) && !items_of(values[i])) return wrong_type(i, "an array");
  return to_array(values[i], operand_type(values[i]) ? operand_type(values[i])->type : ScalarType::F64);
}

Failure Arguments::not_real(std::size_t i) const {
  Failure failure = wrong_type(i, "an array of real numbers");
  const RecordRef& record = (*values[i].as<ArrayRef>())->record;
  if (record && record->kind == RecordType::Kind::Complex)
    failure.notes.emplace_back(
        "its parts are such arrays: `a.real`, `a.imag`; kernels and `@vectorize` compute with complex numbers");
  return failure;
}

Outcome<ArrayRef> Arguments::any_array(std::size_t i) const {
  const ArrayRef* given = values[i].as<ArrayRef>();
  return given ? *given : array(i);
}

Outcome<std::size_t> checked_axis(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes) return fail(DiagnosticId::HostBadAxis, axis, axes);
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

}  // namespace pykc::script
