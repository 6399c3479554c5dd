// A host value: what a name in `main` or a test stands for. A closed set of small alternatives; what is big is shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "frontend/syntax/ast.h"
#include "pykc/configuration.h"
#include "pykc/runtime.h"
#include "script/values/scalar.h"

namespace pykc::script {

class Array;
struct Value;
struct Scope;
struct Environment;
struct HostClass;
struct Instance;
struct FunctionContext;
struct HostFunction;

struct None {};
struct EllipsisValue {};

/// Tuples and lists. Lists may change, so they are shared.
struct Sequence {
  std::vector<Value> items;
  std::vector<std::string> names = {};  // of the items of a named tuple
  std::string type_name = {};           // and of its class
  explicit Sequence(std::vector<Value> values);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  ~Sequence();  // takes deep nests apart without recursion
};
struct TupleValue {
  std::shared_ptr<Sequence> sequence;
};
struct ListValue {
  std::shared_ptr<Sequence> sequence;
};

/// What a generator expression gives: its items, until something takes them.
struct GeneratorValue {
  std::shared_ptr<Sequence> rest;
};

struct RangeValue {
  std::int64_t start, stop, step;
  std::int64_t size() const;
};
struct SliceValue {
  std::optional<std::int64_t> lower, upper, step;
};

/// A type as a value: `f32`, `np.float32`, or Python's `int`, `float`, `bool` and `str`.
struct TypeValue {
  enum class Kind : std::uint8_t { Scalar, Int, Float, Bool, Str };
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::F64;          // the element type that it means; nothing for Str
  RecordRef record = {};                      // or the record
  const ast::ClassDef* definition = nullptr;  // of a record that the file declares
};

/// The modules that are built in. `np.random` is one of them.
enum class Library : std::uint8_t {
  Prelude,
  Numpy,
  Random,
  Linalg,
  Cuda,
  Math,
  Time,
  Numba,
  Constants,  // `const`
  Cupy,       // all of Numpy, too: every array is on the device where it must be
  CupyCuda,
  CupyRandom,  // all of Random, too
  Cupyx,
  CupyxJit,
  CupyxProfiler,
  Classes,  // enum, collections, typing, operator: for device code
  ArrayMethod,
  ListMethod,
  StringMethod,
  EventMethod,
  StreamMethod,
  GraphMethod,
  DeviceMethod,
  MemoryPoolMethod,
  PinnedPoolMethod,
  KernelMethod,  // what stands behind the dot of a value
};
struct LibraryValue {
  Library library;
};
/// An imported .pyk module, or a folder of such.
struct ModuleValue {
  std::string name;
  Scope* scope = nullptr;  // null for a folder
};

/// A function of the file: kernel, device function or host function.
struct FunctionValue {
  enum class Kind : std::uint8_t { Host, Device, Kernel, Vectorized, Compiled, Generalized, Reduction };
  Kind kind = Kind::Host;
  const ast::FunctionDef* definition = nullptr;
  Scope* module = nullptr;                   // the names of the file that it is in
  std::shared_ptr<FunctionContext> context;  // see scope.h; null where there is nothing to remember
};
/// A class of the file, and an object of one (scope.h).
struct ClassValue {
  std::shared_ptr<const HostClass> type;
};
struct InstanceValue {
  std::shared_ptr<Instance> instance;
};
/// A function of the table, bound to an object where it was found as an attribute (`a.sum`).
struct BuiltinValue {
  const HostFunction* function = nullptr;
  std::shared_ptr<const Value> self;
  bool is_cupy = false;  // found in CuPy: what it gives are arrays of the device
};
/// One of the configurations of an `@autotune`, as functions in the brackets of a launch are called with it.
struct ConfigurationValue {
  Configuration configuration;
  std::string kernel;
  std::shared_ptr<std::set<std::string>> used;  // what has been read of it
};
struct LaunchShape {
  Dim3 grid, block;
  std::int64_t shared_bytes = 0;
  std::shared_ptr<const Stream> stream = nullptr;  // null: the default stream
  /// `kernel.forall(tasks, …)`: a thread a task. An extent of 0 as block leaves the size of the blocks to the device.
  std::optional<std::int64_t> tasks = std::nullopt;
};
/// `kernel[grid, block, stream, shared_bytes]`, before its call.
struct LaunchValue {
  FunctionValue kernel;
  std::vector<LaunchShape> shapes;      // one; or, where functions in the brackets gave them, one a configuration
  std::set<std::string> used = {};      // names of the configurations that those functions read
  const ast::Expr* brackets = nullptr;  // null for `forall`
  const LaunchShape& shape(std::size_t configuration) const { return shapes[shapes.size() == 1 ? 0 : configuration]; }
};
struct StreamValue {
  std::shared_ptr<const Stream> stream;  // null: the default stream
};
/// What a stream has captured, with the arrays that it works on.
struct CapturedWork;
struct GraphValue {
  std::shared_ptr<const CapturedWork> work;
};
/// What `with` takes beside objects, streams and devices; `stream.auto_synchronize()` waits at the end.
struct ContextValue {
  std::optional<StreamValue> waits_for;
};
/// The program's device, as Numba's host code or CuPy's sees it.
struct DeviceValue {
  Device device;
  bool is_cupy;
};
/// CuPy's view of the device's pool, or of that of pinned memory, which keeps nothing.
struct MemoryPoolValue {
  bool is_pinned;
};
/// `vectorize([…])`, before it is called with a function.
struct DecoratorValue {
  FunctionValue::Kind kind;
  std::shared_ptr<const FunctionContext> context;
};
struct EventValue {
  std::shared_ptr<std::optional<Event>> event;  // empty until it is recorded
};

using ArrayRef = std::shared_ptr<const Array>;

struct Value {
  using Variant = std::variant<None, bool, std::int64_t, double, Scalar, std::string, ArrayRef, TupleValue, ListValue,
                               RangeValue, SliceValue, EllipsisValue, TypeValue, LibraryValue, ModuleValue,
                               FunctionValue, BuiltinValue, std::shared_ptr<const LaunchValue>, StreamValue, EventValue,
                               std::shared_ptr<const ConfigurationValue>, GeneratorValue, ClassValue, InstanceValue,
                               GraphValue, ContextValue, DeviceValue, MemoryPoolValue, DecoratorValue>;
  Variant data;

  Value() = default;
  template <typename T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Value> && std::is_constructible_v<Variant, T>) Value(T&& value)
      : data(std::forward<T>(value)) {}

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
};

/// Lists and tuples are for what a person would write or loop over; arrays are for more.
inline constexpr std::int64_t kLongestSequence = 10'000'000;
Value make_tuple(std::vector<Value> items);
Value make_list(std::vector<Value> items);
/// Takes values apart without recursion, however deep they hold one another.
void take_apart(std::vector<Value> values);
/// Whether the value is the sequence or has it inside, at any depth: a list must not come to hold itself.
bool holds(const Value& value, const Sequence& sequence);
/// The items of a tuple or a list, or null.
const std::vector<Value>* items_of(const Value& value);

/// "an i64 array of shape (3, 4)", "a string": how messages speak of a value's type.
std::string describe(const Value& value);

/// The number as an integer, where it is one: int, bool, or a Scalar of an integer type.
std::optional<std::int64_t> as_integer(const Value& value);
/// Any number as a double.
std::optional<double> as_number(const Value& value);

/// What a call passes, before it is bound to parameters.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

}  // namespace pykc::script
