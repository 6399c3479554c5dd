// The runtime: devices, memory, loaded modules, kernels and launches. It needs no compiler and no LLVM for GPU
// artifacts, and is the same for a GPU ("cuda:0") and for the CPU device ("cpu").
//
//   auto device  = pykc::Device::open("cuda:0").value();         // or "cpu", or "" for the best one present
//   auto module  = device.load(artifact).value();
//   auto vecadd  = module.kernel("vecadd").value();
//   auto x = device.copy_from<float>(host_x).value(), y = device.copy_from<float>(host_y).value();
//   auto z = device.allocate<float>(n).value();
//   vecadd.launch({.grid = {(n + 255) / 256}, .block = {256}}, z, x, y).value();
//   z.copy_to(host_z).value();                                   // waits for the kernel
//
// Ownership: Device, Module, Kernel, Stream and Event are cheap handles that share what they name; it lives until the
// last handle is gone. An Array<T> is such a handle too: a copy is another name for the same memory.
// Threads: all handles may be used from several threads at once; launches on one stream run in the order they were made.
// Order: what a device does (launches, copies on a stream) is asynchronous on a GPU. A fault in a kernel (assert, raise,
// failed check) is reported by the next call that waits: synchronize(), copy_to().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pykc/artifact.h"
#include "pykc/error.h"
#include "pykc/types.h"

namespace pykc {

namespace detail {
struct DeviceState;
struct ModuleState;
struct StreamState;
struct EventState;
struct MemoryState;
}  // namespace detail

class Stream;
template <typename T>
class Array;

struct LaunchConfig {
  Dim3 grid{};
  Dim3 block{};
  std::int64_t shared_bytes = 0;   // for `shared.array(0, …)`; sized arrays are worked out from the kernel's description
  const Stream* stream = nullptr;  // null: the device's default stream
};

/// One argument of a launch: a scalar by value, or an array as address, extents and strides (in elements).
/// `kernel.launch(config, …)` makes them from C++ values; build them by hand to bind another language.
struct Argument {
  static constexpr int kMaxRank = 8;
  bool is_array = false;
  ScalarType type = ScalarType::I64;
  int rank = 0;
  void* address = nullptr;  // device address of the first element
  std::int64_t extents[kMaxRank] = {};
  std::int64_t strides[kMaxRank] = {};
  unsigned char scalar[8] = {};  // the value's bytes
  const detail::DeviceState* device = nullptr;  // where the memory lives; null: not known, not checked

  template <typename T>
    requires std::is_arithmetic_v<T>
  static Argument of(T value);
  template <typename T>
  static Argument of(const Array<T>& array);
};

/// What `pykc info` shows of a device.
struct DeviceInfo {
  std::string name;          // "cuda:0" or "cpu"
  std::string description;   // "NVIDIA H200" or the processor's name
  std::string target;        // what to compile for: "sm_90" or "cpu"
  int multiprocessors = 0;   // or cores
  std::int64_t memory_bytes = 0;
  std::int64_t max_shared_bytes_per_block = 0;
  int max_threads_per_block = 0;
  std::string driver;  // "CUDA driver 13.0", or what runs the threads
};

class Event {
 public:
  /// Milliseconds from `earlier` to this event; waits for both.
  Result<double> milliseconds_since(const Event& earlier) const;
  Result<void> synchronize() const;

 private:
  friend class Device;
  friend class Stream;
  explicit Event(std::shared_ptr<detail::EventState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::EventState> state_;
};

class Stream {
 public:
  Result<void> synchronize() const;
  /// Marks the point that the stream's work has reached.
  Result<Event> record() const;
  /// Work put on this stream after this call waits for `event`.
  Result<void> wait(const Event& event) const;

 private:
  friend class Device;
  friend class Kernel;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

class Kernel {
 public:
  const KernelInfo& info() const;

  /// Checks the configuration and the arguments against the kernel's description, then launches. An empty grid (any
  /// extent 0) does nothing and succeeds, so a size of 0 needs no special case.
  template <typename... Arguments>
  Result<void> launch(const LaunchConfig& config, const Arguments&... arguments) const {
    const Argument list[sizeof...(Arguments) + 1] = {Argument::of(arguments)..., Argument{}};
    return launch_with(config, std::span<const Argument>(list, sizeof...(Arguments)));
  }
  Result<void> launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const;

 private:
  friend class Module;
  Kernel(std::shared_ptr<detail::ModuleState> module, std::size_t index) : module_(std::move(module)), index_(index) {}
  std::shared_ptr<detail::ModuleState> module_;
  std::size_t index_;
};

class Module {
 public:
  Result<Kernel> kernel(std::string_view name) const;
  const std::vector<KernelInfo>& kernels() const;

 private:
  friend class Device;
  explicit Module(std::shared_ptr<detail::ModuleState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state_;
};

/// Untyped device memory; Array<T> is the typed view that most programs use.
class Buffer {
 public:
  Buffer() = default;
  void* address() const { return address_; }
  std::int64_t bytes() const { return bytes_; }
  const detail::DeviceState* device() const { return device_; }
  /// Copies between host and device memory; both wait until the bytes have arrived.
  Result<void> copy_from_host(const void* source, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> copy_to_host(void* target, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> fill_zero() const;

 private:
  friend class Device;
  std::shared_ptr<detail::MemoryState> state_;
  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  const detail::DeviceState* device_ = nullptr;
};

/// A dense array on a device, row-major unless made otherwise.
template <typename T>
class Array {
 public:
  Array() = default;
  Array(Buffer buffer, std::vector<std::int64_t> shape) : buffer_(std::move(buffer)), shape_(std::move(shape)) {
    strides_.resize(shape_.size());
    std::int64_t stride = 1;
    for (std::size_t i = shape_.size(); i-- > 0;) {
      strides_[i] = stride;
      stride *= shape_[i];
    }
    size_ = stride;
  }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  // in elements
  std::int64_t size() const { return size_; }
  T* address() const { return static_cast<T*>(buffer_.address()); }
  const Buffer& buffer() const { return buffer_; }
  /// Both check that the sizes agree.
  Result<void> copy_from(std::span<const T> source) const {
    if (static_cast<std::int64_t>(source.size()) != size_) return size_mismatch(source.size());
    return buffer_.copy_from_host(source.data(), size_ * static_cast<std::int64_t>(sizeof(T)));
  }
  Result<void> copy_to(std::span<T> target) const {
    if (static_cast<std::int64_t>(target.size()) != size_) return size_mismatch(target.size());
    return buffer_.copy_to_host(target.data(), size_ * static_cast<std::int64_t>(sizeof(T)));
  }

 private:
  Error size_mismatch(std::size_t host) const {
    return Error{ErrorCode::InvalidArgument, "a host span of " + std::to_string(host) + " elements does not fit an array of " +
                                                 std::to_string(size_) + " elements"};
  }
  Buffer buffer_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::int64_t size_ = 0;
};

class Device {
 public:
  /// "cuda:0", "cuda:1", …, "cpu"; "" opens the first GPU, or the CPU device where there is none.
  static Result<Device> open(std::string_view name = "");
  /// Every device of this machine, the CPU device last. Never fails: a machine without a driver has one device.
  static std::vector<DeviceInfo> list();

  const DeviceInfo& info() const;
  bool is_cpu() const;

  Result<Module> load(const Artifact& artifact) const;
  Result<Buffer> allocate_bytes(std::int64_t bytes) const;
  Result<Stream> create_stream() const;
  /// The stream that launches use when none is given.
  Stream default_stream() const;
  /// Waits for all work of the device, and reports the first fault.
  Result<void> synchronize() const;

  template <typename T>
  Result<Array<T>> allocate(std::vector<std::int64_t> shape) const {
    std::int64_t size = 1;
    for (std::int64_t extent : shape) {
      if (extent < 0 || (extent > 0 && size > (std::int64_t{1} << 46) / extent))
        return Error{ErrorCode::InvalidArgument, "an array cannot have the extent " + std::to_string(extent)};
      size *= extent;
    }
    Result<Buffer> buffer = allocate_bytes(size * static_cast<std::int64_t>(sizeof(T)));
    if (!buffer) return buffer.error();
    return Array<T>(std::move(*buffer), std::move(shape));
  }
  template <typename T>
  Result<Array<T>> allocate(std::int64_t size) const {
    return allocate<T>(std::vector<std::int64_t>{size});
  }
  template <typename T>
  Result<Array<T>> copy_from(std::span<const T> source) const {
    Result<Array<T>> array = allocate<T>(static_cast<std::int64_t>(source.size()));
    if (!array) return array;
    if (Result<void> copied = array->copy_from(source); !copied) return copied.error();
    return array;
  }

  const detail::DeviceState* state() const { return state_.get(); }

 private:
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::DeviceState> state_;
};

template <typename T>
  requires std::is_arithmetic_v<T>
Argument Argument::of(T value) {
  static_assert(sizeof(T) <= sizeof(scalar));
  Argument argument;
  argument.type = scalar_type_of<T>();
  __builtin_memcpy(argument.scalar, &value, sizeof(T));
  return argument;
}

template <typename T>
Argument Argument::of(const Array<T>& array) {
  Argument argument;
  argument.is_array = true;
  argument.type = scalar_type_of<T>();
  argument.rank = static_cast<int>(array.shape().size());
  argument.address = array.address();
  for (int i = 0; i < argument.rank && i < kMaxRank; ++i) {
    argument.extents[i] = array.shape()[static_cast<std::size_t>(i)];
    argument.strides[i] = array.strides()[static_cast<std::size_t>(i)];
  }
  argument.device = array.buffer().device();
  return argument;
}

}  // namespace pykc
