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
// Opening a device twice gives the same device.
// Threads: all handles may be used from several threads at once; launches on one stream run in the order they were
// made. The thread's current CUDA context is left as it was found, so CUDA code beside pykc is not disturbed. Order:
// what a device does (launches, copies on a stream) is asynchronous on a GPU; the CPU device finishes each call before
// it returns. The default stream waits for the work of all other streams, and they for its (CUDA's legacy default
// stream); copies that name no stream go there, so they see the results of every launch before them. Faults: an assert,
// a raise or a failed check in a kernel is reported once, as ErrorCode::KernelFault, by the next call that waits for
// the kernel: synchronize() of its stream, of the device or of a later event, or a copy without a stream. A module
// reports its first fault only, also when its kernels ran on several streams.
#pragma once

#include <bit>
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

/// Limits, the same on every device: block.x and .y at most 1024, .z 64, all threads of a block 1024 (and the kernel's
/// own launch bound); grid.x at most 2^31 - 1, .y and .z 65535.
struct LaunchConfig {
  Dim3 grid{};
  Dim3 block{};
  std::int64_t shared_bytes = 0;  // for `shared.array(0, …)`; sized arrays are worked out from the kernel's description
  const Stream* stream = nullptr;  // null: the device's default stream
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

  template <typename T>
    requires std::is_arithmetic_v<T>
  static Argument of(T value);
  template <typename T>
  static Argument of(const Array<T>& array);
  /// A record by value, laid out as `type` says; `bytes` must live until the launch.
  static Argument of(const RecordRef& type, const void* bytes);
};

/// Elements of f16 and bf16 arrays, which C++20 has no types for: `device.allocate<pykc::Half>(n)`.
struct Half {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

namespace detail {
/// As scalar_type_of, for every C++ type that an element or an argument may have (`long long` and `char` too).
template <typename T>
constexpr ScalarType element_type() {
  if constexpr (std::is_same_v<T, Half>)
    return ScalarType::F16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return ScalarType::BF16;
  else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>)
    return scalar_type_of<T>();
  else  // I8, I16, I32, I64 follow one another, and so do U8 to U64
    return static_cast<ScalarType>(static_cast<int>(std::is_signed_v<T> ? ScalarType::I8 : ScalarType::U8) +
                                   std::bit_width(sizeof(T)) - 1);
}
}  // namespace detail

/// What `pykc info` shows of a device.
struct DeviceInfo {
  std::string name;         // "cuda:0" or "cpu"
  std::string description;  // "NVIDIA H200" or the processor's name
  std::string target;       // what to compile for: "sm_90" or "cpu"
  int multiprocessors = 0;  // or cores
  std::int64_t memory_bytes = 0;
  std::int64_t max_shared_bytes_per_block = 0;
  int max_threads_per_block = 0;
  std::string driver;  // "CUDA driver 13.0", or what runs the threads
};

/// A point in a stream's work, made by Stream::record().
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

/// A queue of work: what is put on it runs in order, and beside the work of other streams.
class Stream {
 public:
  /// Waits until all work of the stream is done.
  Result<void> synchronize() const;
  /// Marks the point that the stream's work has reached.
  Result<Event> record() const;
  /// Work put on this stream after this call waits for `event`.
  Result<void> wait(const Event& event) const;

 private:
  friend class Buffer;
  friend class Device;
  friend class Kernel;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state_;
};

/// A kernel that is ready to launch; it keeps its module loaded.
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

  /// Threads of a one-dimensional block with which the device keeps most threads running at a time, when every block asks
  /// for `shared_bytes` of dynamic shared memory. For kernels that work with any size of block.
  Result<int> suggested_block_size(std::int64_t shared_bytes = 0) const;

 private:
  friend class Module;
  Kernel(std::shared_ptr<detail::ModuleState> module, std::size_t index) : module_(std::move(module)), index_(index) {}
  std::shared_ptr<detail::ModuleState> module_;
  std::size_t index_;
};

/// An artifact loaded on a device.
class Module {
 public:
  Result<Kernel> kernel(std::string_view name) const;
  const std::vector<KernelInfo>& kernels() const;

 private:
  friend class Device;
  explicit Module(std::shared_ptr<detail::ModuleState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state_;
};

/// Untyped device memory; Array<T> is the typed view that most programs use. A buffer of 0 bytes is fine.
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

  /// The same as work of a stream. Host memory must stay as it is until the stream has got there; a GPU copies from and
  /// to pinned memory beside the host's own work, and waits for any other.
  Result<void> copy_from_host(const Stream& stream, const void* source, std::int64_t bytes,
                              std::int64_t offset = 0) const;
  Result<void> copy_to_host(const Stream& stream, void* target, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> fill_zero(const Stream& stream) const;

 private:
  friend class Device;
  Result<void> check_range(std::int64_t bytes, std::int64_t offset) const;
  Result<void> check_stream(const Stream& stream) const;
  std::shared_ptr<detail::MemoryState> state_;
  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  const detail::DeviceState* device_ = nullptr;
};

/// A dense array on a device, in row-major order (C) unless made in column-major order (Fortran).
template <typename T>
class Array {
 public:
  Array() = default;
  Array(Buffer buffer, std::vector<std::int64_t> shape, Layout order = Layout::RowMajor)
      : buffer_(std::move(buffer)), shape_(std::move(shape)), strides_(shape_.size()) {
    const std::size_t rank = shape_.size();
    size_ = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t axis = order == Layout::ColumnMajor ? i : rank - 1 - i;
      strides_[axis] = size_;
      size_ *= shape_[axis];
    }
  }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  // in elements
  std::int64_t size() const { return size_; }
  T* address() const { return static_cast<T*>(buffer_.address()); }
  const Buffer& buffer() const { return buffer_; }

  /// Copy all elements as they lie in memory, and wait; both check that the sizes agree.
  Result<void> copy_from(std::span<const T> source) const {
    if (!same_size(source.size())) return size_mismatch(source.size());
    return buffer_.copy_from_host(source.data(), size_in_bytes());
  }
  Result<void> copy_to(std::span<T> target) const {
    if (!same_size(target.size())) return size_mismatch(target.size());
    return buffer_.copy_to_host(target.data(), size_in_bytes());
  }
  Result<void> fill_zero() const { return buffer_.fill_zero(); }

  /// The same as work of a stream; see Buffer.
  Result<void> copy_from(const Stream& stream, std::span<const T> source) const {
    if (!same_size(source.size())) return size_mismatch(source.size());
    return buffer_.copy_from_host(stream, source.data(), size_in_bytes());
  }
  Result<void> copy_to(const Stream& stream, std::span<T> target) const {
    if (!same_size(target.size())) return size_mismatch(target.size());
    return buffer_.copy_to_host(stream, target.data(), size_in_bytes());
  }
  Result<void> fill_zero(const Stream& stream) const { return buffer_.fill_zero(stream); }

 private:
  std::int64_t size_in_bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }
  bool same_size(std::size_t host) const { return host == static_cast<std::size_t>(size_); }
  Error size_mismatch(std::size_t host) const {
    return Error{ErrorCode::InvalidArgument, "a host span of " + std::to_string(host) +
                                                 " elements does not fit an array of " + std::to_string(size_) +
                                                 " elements"};
  }
  Buffer buffer_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::int64_t size_ = 0;
};

/// Host memory that a GPU can reach directly ("pinned", page-locked): copies to and from it are fastest, and those put
/// on a stream run beside the host's own work. On the CPU device it is ordinary memory.
template <typename T>
class PinnedArray {
 public:
  PinnedArray() = default;
  PinnedArray(std::shared_ptr<void> memory, std::int64_t size) : memory_(std::move(memory)), size_(size) {}
  std::span<T> span() const { return {static_cast<T*>(memory_.get()), static_cast<std::size_t>(size_)}; }
  operator std::span<T>() const { return span(); }
  operator std::span<const T>() const { return span(); }
  T& operator[](std::int64_t i) const { return static_cast<T*>(memory_.get())[i]; }
  std::int64_t size() const { return size_; }

 private:
  std::shared_ptr<void> memory_;
  std::int64_t size_ = 0;
};

/// A device of this machine.
class Device {
 public:
  /// "cuda:0", "cuda:1", …, "cpu"; "cuda" means "cuda:0"; "" opens the first GPU, or the CPU device where there is
  /// none.
  static Result<Device> open(std::string_view name = "");
  /// Every device of this machine, the CPU device last. Never fails: a machine without a driver has one device.
  static std::vector<DeviceInfo> list();

  const DeviceInfo& info() const;
  bool is_cpu() const;

  /// A GPU takes PTX text or a cubin as the artifact's code, the CPU device an object file.
  Result<Module> load(const Artifact& artifact) const;
  /// Memory is not cleared.
  Result<Buffer> allocate_bytes(std::int64_t bytes) const;
  Result<std::shared_ptr<void>> allocate_pinned_bytes(std::int64_t bytes) const;
  Result<Stream> create_stream() const;
  /// The stream that launches use when none is given.
  Stream default_stream() const;
  /// Waits for all work of the device, and reports the first fault.
  Result<void> synchronize() const;

  template <typename T>
  Result<Array<T>> allocate(std::vector<std::int64_t> shape, Layout order = Layout::RowMajor) const {
    const Result<std::int64_t> bytes = bytes_of(shape, static_cast<std::int64_t>(sizeof(T)));
    if (!bytes) return bytes.error();
    Result<Buffer> buffer = allocate_bytes(*bytes);
    if (!buffer) return buffer.error();
    return Array<T>(std::move(*buffer), std::move(shape), order);
  }
  template <typename T>
  Result<Array<T>> allocate(std::int64_t size) const {
    return allocate<T>(std::vector<std::int64_t>{size});
  }
  template <typename T>
  Result<PinnedArray<T>> allocate_pinned(std::int64_t size) const {
    const Result<std::int64_t> bytes = bytes_of({&size, 1}, static_cast<std::int64_t>(sizeof(T)));
    if (!bytes) return bytes.error();
    Result<std::shared_ptr<void>> memory = allocate_pinned_bytes(*bytes);
    if (!memory) return memory.error();
    return PinnedArray<T>(std::move(*memory), size);
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
  /// The bytes of an array, or why no array has this shape.
  static Result<std::int64_t> bytes_of(std::span<const std::int64_t> shape, std::int64_t element_bytes);
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::DeviceState> state_;
};

template <typename T>
  requires std::is_arithmetic_v<T>
Argument Argument::of(T value) {
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
  Argument argument;
  argument.is_array = true;
  argument.type = detail::element_type<T>();
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
