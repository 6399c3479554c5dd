// Functions that host code has compiled, Numba's `@jit` and `@njit`: for the CPU device, in one thread. What runs is a
// kernel of a few lines that calls the function and stores what it returns.
#include <algorithm>

#include "base/text.h"
#include "jit/kernel_text.h"
#include "jit/specialize.h"
#include "script/launch/arguments.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

constexpr std::string_view kCaller = R"(
$IMPORT
import pykc as compiled_pykc

@compiled_pykc.kernel
def compiled_$NAME($PARAMETERS):
    $BODY
)";

/// The function as the text that is compiled calls it.
struct Callee {
  const ast::FunctionDef& definition;
  std::string import = {};  // the line that brings it in, where it is of another file
  std::string name = definition.name;

  std::string call() const {
    const auto count = static_cast<int>(definition.parameters.size());
    return name + "(" + list_text(jit::numbered("compiled_in", count)) + ")";
  }
};

std::string caller_source(const Callee& callee, int results, const std::string& body) {
  std::vector<std::string> parameters = jit::numbered("compiled_out", results);
  for (std::string& name : jit::numbered("compiled_in", static_cast<int>(callee.definition.parameters.size())))
    parameters.push_back(std::move(name));
  return jit::fill(kCaller, {{"IMPORT", callee.import},
                             {"NAME", callee.definition.name},
                             {"PARAMETERS", list_text(parameters)},
                             {"BODY", body}});
}

/// Lines that call the function and store its results.
std::string storing_body(const Callee& callee, checked::Type type) {
  if (!type.is_tuple()) return (type.is_none() ? "" : "compiled_out0[0] = ") + callee.call() + "\n";
  std::string body = "compiled_results = " + callee.call() + "\n";
  for (std::size_t i = 0; i < type->elements.size(); ++i)
    body += "compiled_out" + std::to_string(i) + "[0] = compiled_results[" + std::to_string(i) + "]\n";
  return body;
}

/// An array of one element for each number that the function returns.
Outcome<std::vector<ArrayRef>> result_arrays(const ast::FunctionDef& function, checked::Type type) {
  std::vector<ArrayRef> results;
  if (type.is_none()) return results;
  const std::vector<checked::Type> types = type.is_tuple() ? type->elements : std::vector{type};
  for (const checked::Type part : types) {
    if (!part.is_scalar() && !part.is_record())
      return fail(DiagnosticId::HostWrongType, "result` of `" + function.name, "a number or a tuple of numbers",
                  to_string(part))
          .note("pass an array as a parameter, and let the function fill it");
    ASSIGN_OR_RETURN(ArrayRef array,
                     make_array(part.is_scalar() ? ElementType(part->scalar) : ElementType(part->record), {1}));
    results.push_back(std::move(array));
  }
  return results;
}

/// A number as Python's own, a record as it is.
Outcome<Value> returned(const Array& array) {
  if (array.record) return number_or_array(with_shape(array, {}, {}, array.offset));
  ASSIGN_OR_RETURN(const Scalar scalar, first_element(array));
  if (scalar.type == ScalarType::Bool) return Value(scalar.as<bool>());
  if (is_float(scalar.type)) return Value(scalar.as<double>());
  const std::optional<std::int64_t> integer = as_integer(Value(scalar));
  return integer ? Value(*integer) : Value(scalar);
}

}  // namespace

Outcome<Value> Launcher::call_compiled(const FunctionValue& function, const std::vector<Value>& arguments) {
  const ast::FunctionDef& definition = *function.definition;
  const std::string name = "compiled_" + definition.name;
  const Scope& home = home_of(*scopes_.at(program_.main.get()), function, arguments);
  Callee callee{definition};
  if (const std::string file = name_of(function, program_, home).module; !file.empty()) {
    callee.name = "compiled_function";
    callee.import = "from " + file + " import " + definition.name + " as " + callee.name;
  }
  ASSIGN_OR_RETURN(const KernelRequest question, request_for(name, arguments, program_, home));
  ASSIGN_OR_RETURN(const checked::Type type,
                   type_of_call(home, definition.name, question, caller_source(callee, 0, callee.call() + "\n")));
  ASSIGN_OR_RETURN(const std::vector<ArrayRef> results, result_arrays(definition, type));
  std::vector<Value> values(results.begin(), results.end());
  for (const Value& argument : arguments) values.push_back(argument);
  ASSIGN_OR_RETURN(const KernelRequest request, request_for(name, values, program_, home));

  Result<Device> device = Device::open("cpu");
  if (!device) return with_reason(DiagnosticId::HostLaunchFailed, definition.name, device.error());
  const std::string body = storing_body(callee, type);
  ASSIGN_OR_RETURN(
      const Loaded* const loaded,
      kernel_for(*device, home, name, request, caller_source(callee, static_cast<int>(results.size()), body)));
  std::vector<Value> passed;
  for (const Value& value : values) add_passed(value, passed);
  RETURN_IF_FAILED(run(*loaded, {.grid = {1, 1, 1}, .block = {1, 1, 1}}, passed));
  if (results.empty()) return Value();
  std::vector<Value> items;
  for (const ArrayRef& result : results) {
    ASSIGN_OR_RETURN(Value item, returned(*result));
    items.push_back(std::move(item));
  }
  return type.is_tuple() ? make_tuple(std::move(items)) : items.front();
}

}  // namespace pykc::script
