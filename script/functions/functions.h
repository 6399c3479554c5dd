// The functions that host code can call: one table, read by name lookup, by error messages and by the documentation.
//
// A row's signature is Python's: "shape, dtype=f64, order='C'" or "*values, sep=' '". Arguments are bound to it before
// the function runs, defaults filled in, so functions read their parameters by position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "script/functions/run.h"
#include "script/values/array.h"
#include "script/values/host_function.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// Arguments bound to a row's parameters. The readers fail with the parameter's name and what it must be.
class Arguments {
 public:
  std::vector<Value> values;  // one for each parameter
  std::vector<Value> rest;    // what `*values` took

  const Value& operator[](std::size_t i) const { return values[i]; }
  bool is_none(std::size_t i) const { return values[i].is<None>(); }
  Outcome<std::int64_t> integer(std::size_t i) const;
  Outcome<double> number(std::size_t i) const;
  Outcome<bool> flag(std::size_t i) const;
  Outcome<std::string> text(std::size_t i) const;
  Outcome<ScalarType> type(std::size_t i) const;
  /// A type of scalars or of complex numbers.
  Outcome<ElementType> number_type(std::size_t i) const;
  /// A type of scalars or of records.
  Outcome<ElementType> element_type(std::size_t i) const;
  Outcome<Order> order(std::size_t i) const;
  /// An integer, or a sequence of them.
  Outcome<Shape> shape(std::size_t i) const;
  /// An array, or what can be made one: a number or a nest of sequences.
  Outcome<ArrayRef> array(std::size_t i) const;
  /// What array() gives, but its elements may be records.
  Outcome<ArrayRef> any_array(std::size_t i) const;
  Failure wrong_type(std::size_t i, std::string_view expected) const;
  /// For an array of records where one of real numbers is asked for.
  Failure not_real(std::size_t i) const;

  const HostFunction* function = nullptr;
};

/// The rows, by subject (one file each).
std::span<const HostFunction> python_functions();
std::span<const HostFunction> string_functions();
std::span<const HostFunction> creation_functions();
std::span<const HostFunction> array_functions();
std::span<const HostFunction> math_functions();
std::span<const HostFunction> device_functions();
std::span<const HostFunction> stream_functions();
std::span<const HostFunction> cupy_functions();
std::span<const HostFunction> file_functions();

const HostFunction* find_function(Library library, std::string_view name);
/// Names of the library, for "did you mean".
std::vector<std::string_view> function_names(Library library);

/// What is wrong with a call of so many arguments by position, and of these by name; nothing where it is right.
std::optional<Failure> check_arguments(const HostFunction& function, std::size_t positional,
                                       const std::vector<std::string>& keywords);
Outcome<Value> call_builtin(Run& run, const BuiltinValue& callee, CallArguments arguments);
/// What `namedtuple(…)` gives, and a class made of `NamedTuple` is: a function that makes tuples with these names.
struct NamedField {
  std::string name;
  std::optional<Value> default_value;
};
Value named_tuple_class(std::string type_name, const std::vector<NamedField>& fields);
/// `f32(x)`, `int(x)`
Outcome<Value> call_type(const TypeValue& type, const CallArguments& arguments);

/// What stands behind a dot: `a.shape`, `np.zeros`, `math.pi`.
Outcome<Value> attribute(const Value& object, std::string_view name);
/// A name that the file does not define: builtin functions, types and modules. Nothing when there is none.
std::optional<Value> prelude_value(std::string_view name);
/// An import of something that host code has not, with what to write instead.
Failure unknown_module(std::string_view module);

/// Axes by a value: None, an int, or a tuple of ints; negative ones count from the end.
Outcome<std::size_t> checked_axis(std::int64_t axis, std::size_t rank);

/// Where two arrays differ most, for the message of a failed assertion; notes in one or two lines.
std::vector<std::string> describe_difference(const Value& left, const Value& right);
/// Whether a value counts as true; an array of several elements does not say.
Outcome<bool> truth(const Value& value);

}  // namespace pykc::script
