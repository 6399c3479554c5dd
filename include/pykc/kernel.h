// Loaded modules, their kernels, and launches with typed arguments. See runtime.h for an example.
#pragma once

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pykc/array.h"
#include "pykc/artifact.h"
#include "pykc/error.h"
#include "pykc/stream.h"
#include "pykc/types.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct DeviceState;
struct ModuleState;
struct SourceModuleState;
}  // namespace detail

/// Limits, the same on every device: block.x and .y at most 1024, .z 64, all threads of a block 1024 (and the kernel's
/// own launch bound); grid.x at most 2^31 - 1, .y and .z 65535.
struct LaunchConfig {
  Dim3 grid{};
  Dim3 block{};
  std::int64_t shared_bytes = 0;  // for `shared.array(0, …)`; sized arrays are worked out from the kernel's description
  const Stream* stream = nullptr;  // null: the device's default stream
  /// How long the launch may take; 0: as long as it likes. With a limit, launch() waits for the kernel, and returns
  /// ErrorCode::Timeout when the time is over. On the CPU device the kernel is stopped then, see Device::cancel(); time
  /// that the launch waits for others does not count. No driver stops a kernel of a GPU: there it goes on, and holds
  /// its stream, until it ends by itself or the program does; work that the stream had before counts. A graph's
  /// launches on a GPU have no limits.
  std::chrono::nanoseconds timeout{0};
};

/// One argument of a launch: a scalar or a record by value, or an array as address, extents and strides (in elements).
/// `kernel.launch(config, …)` makes them from C++ values; build them by hand to bind another language.
///
/// An argument must have its parameter's type. One convenience: an integer is converted to the parameter's integer or
/// float type where that type holds its value exactly; 300 for a u8, or 16777217 for an f32, is an error.
/// An array must have the parameter's element type, rank, memory order and, where given, shape. The stride of an axis
/// of extent 1 never matters, nor does any stride of an array without elements.
struct Argument {
  static constexpr int kMaxRank = 8;
  bool is_array = false;
  ScalarType type = ScalarType::I64;
  int rank = 0;
  RecordRef record;         // in place of `type`: the record that is passed, or that the elements are
  void* address = nullptr;  // device address of the first element; of a record by value: its bytes on the host
  std::int64_t extents[kMaxRank] = {};
  std::int64_t strides[kMaxRank] = {};
  unsigned char scalar[8] = {};                 // the value's bytes
  const detail::DeviceState* device = nullptr;  // where the memory lives; null: not known, not checked
  bool is_read_only = false;                    // an array: a kernel that may write to it is refused

  template <typename T>
  requires std::is_arithmetic_v<T>
  static Argument of(T value);
  template <typename T>
  static Argument of(const Array<T>& array);
  /// An array of records or vectors; `T` is a struct that is laid out as `type` says.
  template <typename T>
  static Argument of(const RecordRef& type, const Array<T>& array);
  /// A record by value, laid out as `type` says; `bytes` must live until the launch.
  static Argument of(const RecordRef& type, const void* bytes);
};

namespace detail {
/// Arguments as the calls that are no templates take them.
template <typename... Values>
std::array<Argument, sizeof...(Values)> list_of(const Values&... values) {
  return {Argument::of(values)...};
}

/// What a program takes the elements of a constant for.
struct ConstantElement {
  bool is_scalar;
  ScalarType type;  // of a scalar
  std::int64_t bytes;
};
template <typename T>
constexpr ConstantElement constant_element() {
  if constexpr (is_scalar_element<T>)
    return {true, element_type<T>(), sizeof(T)};
  else
    return {false, ScalarType::U8, sizeof(T)};
}

/// Where a constant lies.
struct ConstantMemory {
  Buffer buffer;
  Mapping mapping;
};
}  // namespace detail

/// What a thread of a kernel takes, as the code that the device runs has it. The CPU device counts neither registers
/// nor local memory: they are 0 there.
struct KernelResources {
  int registers_per_thread = 0;
  std::int64_t local_bytes_per_thread = 0;  // arrays, and registers that did not suffice
  int max_threads_per_block = 0;            // that these leave room for
};

/// A kernel that is ready to launch; it keeps its module loaded.
class Kernel {
 public:
  const KernelInfo& info() const;

  /// Checks the configuration and the arguments against the kernel's description, then launches. An empty grid (any
  /// extent 0) does nothing and succeeds, so a size of 0 needs no special case.
  template <typename... Arguments>
  Result<void> launch(const LaunchConfig& config, const Arguments&... arguments) const {
    return launch_with(config, detail::list_of(arguments...));
  }
  Result<void> launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const;

  /// Launches a thread for each of `tasks`, or a few more, along x, in blocks of suggested_block_size(): Numba's
  /// `forall`. The kernel tests that its `grid(1)` is below the number of tasks.
  template <typename... Arguments>
  Result<void> for_all(std::int64_t tasks, const Arguments&... arguments) const {
    const Result<LaunchConfig> config = configuration_for(tasks);
    return config ? launch(*config, arguments...) : config.error();
  }
  /// What for_all() launches with, where a launch needs a stream too, or `shared_bytes` for `shared.array(0, …)`.
  Result<LaunchConfig> configuration_for(std::int64_t tasks, std::int64_t shared_bytes = 0) const;

  /// Threads of a one-dimensional block with which the device keeps most threads running at a time, when every block
  /// asks for `shared_bytes` of dynamic shared memory. For kernels that work with any size of block.
  Result<int> suggested_block_size(std::int64_t shared_bytes = 0) const;
  /// How many blocks of such a launch a multiprocessor runs at a time: 0 where not even one fits. The CPU device runs
  /// one block a core.
  Result<int> active_blocks_per_multiprocessor(const LaunchConfig& config) const;
  Result<KernelResources> resources() const;

 private:
  friend class Module;
  Kernel(std::shared_ptr<detail::ModuleState> module, std::size_t index) : module_(std::move(module)), index_(index) {}
  std::shared_ptr<detail::ModuleState> module_;
  std::size_t index_;
};

/// An artifact loaded on a device.
///
/// Constants. What the source declares by `WEIGHTS = const.array(5, f32)` is memory of the loaded module that the host
/// fills and kernels read, CUDA C++'s `__constant__` with cudaMemcpyToSymbol. It is zero at first; each module that is
/// loaded has its own.
///
///   module.set_constant("WEIGHTS", std::vector<float>{1, 4, 6, 4, 1}).value();
///   pykc::Array<float> weights = module.constant<float>("WEIGHTS").value();  // copy_to() reads it, slices set a part
///
/// Launches on the same stream, and without a stream all launches, see what was set before them; a kernel that runs
/// while its constant is set sees anything.
class Module {
 public:
  Result<Kernel> kernel(std::string_view name) const;
  const std::vector<KernelInfo>& kernels() const;

  const std::vector<ConstantInfo>& constants() const;
  /// The memory of a constant as an array of its shape, which keeps the module loaded. T is the type of its elements,
  /// or a struct of a record's size. Kernels must not write to it.
  template <typename T>
  Result<Array<T>> constant(std::string_view name) const {
    const Result<detail::ConstantMemory> memory = constant_memory(name, detail::constant_element<T>());
    return memory ? Array<T>::over(memory->buffer, memory->mapping) : Result<Array<T>>(memory.error());
  }
  /// The memory without its type, elements in row-major order.
  Result<Buffer> constant_bytes(std::string_view name) const;
  /// Sets all elements of a constant, in row-major order, and waits until they have arrived. A single number sets a
  /// constant of one element.
  template <std::ranges::contiguous_range Values>
  Result<void> set_constant(std::string_view name, const Values& values) const {
    return set_constant_on(nullptr, name, std::span(values));
  }
  template <typename T>
  requires std::is_arithmetic_v<T> Result<void> set_constant(std::string_view name, T value)
  const { return set_constant_on(nullptr, name, std::span<const T>(&value, 1)); }
  /// Sets it as work of a stream: `values` must stay as they are until the stream has got there.
  template <std::ranges::contiguous_range Values>
  Result<void> set_constant(const Stream& stream, std::string_view name, const Values& values) const {
    return set_constant_on(&stream, name, std::span(values));
  }

 private:
  friend class Device;
  friend struct detail::SourceModuleState;
  template <typename T, std::size_t N>
  Result<void> set_constant_on(const Stream* stream, std::string_view name, std::span<const T, N> values) const {
    const Result<detail::ConstantMemory> memory =
        constant_memory(name, detail::constant_element<T>(), static_cast<std::int64_t>(values.size()));
    if (!memory) return memory.error();
    const auto bytes = static_cast<std::int64_t>(values.size_bytes());
    return stream != nullptr ? memory->buffer.copy_from_host(*stream, values.data(), bytes)
                             : memory->buffer.copy_from_host(values.data(), bytes);
  }
  /// `given` elements: -1 where it does not matter.
  Result<detail::ConstantMemory> constant_memory(std::string_view name, const detail::ConstantElement& element,
                                                 std::int64_t given = -1) const;
  explicit Module(std::shared_ptr<detail::ModuleState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state_;
};

template <typename T>
requires std::is_arithmetic_v<T> Argument Argument::of(T value) {
  static_assert(sizeof(T) <= sizeof(scalar));
  Argument argument;
  argument.type = detail::element_type<T>();
  __builtin_memcpy(argument.scalar, &value, sizeof(T));
  return argument;
}

inline Argument Argument::of(const RecordRef& type, const void* bytes) {
  Argument argument;
  argument.record = type;
  argument.address = const_cast<void*>(bytes);  // read alone
  return argument;
}

template <typename T>
Argument Argument::of(const Array<T>& array) {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return of(complex_type(ScalarType::F32), array);
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return of(complex_type(ScalarType::F64), array);
  } else {
    Argument argument = of(RecordRef(), array);
    argument.type = detail::element_type<T>();
    return argument;
  }
}

template <typename T>
Argument Argument::of(const RecordRef& type, const Array<T>& array) {
  Argument argument;
  argument.is_array = true;
  argument.record = type;
  argument.rank = static_cast<int>(array.shape().size());
  argument.address = static_cast<T*>(detail::address_of(array.buffer())) + array.mapping().offset();
  for (int i = 0; i < argument.rank && i < kMaxRank; ++i) {
    argument.extents[i] = array.shape()[static_cast<std::size_t>(i)];
    argument.strides[i] = array.strides()[static_cast<std::size_t>(i)];
  }
  argument.device = array.buffer().device();
  return argument;
}

}  // namespace pykc
