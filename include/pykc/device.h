// The devices of this machine: what they are, and what is made on them. See runtime.h for an example.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pykc/array.h"
#include "pykc/artifact.h"
#include "pykc/costs.h"
#include "pykc/error.h"
#include "pykc/kernel.h"
#include "pykc/pool.h"
#include "pykc/stream.h"

namespace [[gnu::visibility("default")]] pykc {

class Device;

/// Takes text.
using Output = std::function<void(std::string_view)>;
/// Takes what a launch has cost (pykc/costs.h).
using CostOutput = std::function<void(const LaunchCosts&)>;

namespace detail {
struct DeviceState;

enum class UnifiedKind : std::uint8_t { Managed, Mapped };
/// Memory with an address on the host, too.
struct UnifiedBuffer {
  Buffer buffer;
  void* host = nullptr;
};

/// Memory of somebody else, as a buffer and where the elements lie there.
struct WrappedElements {
  Buffer buffer;
  Mapping mapping;
};
/// `first` is the address of the element with indices 0.
Result<WrappedElements> wrap_elements(const Device& device, void* first, const Mapping& mapping,
                                      std::int64_t element_bytes, std::int64_t alignment, std::shared_ptr<void> owner);
}  // namespace detail

/// Made by Device::make_current(). The context that was current before is current again when this goes, which must
/// happen on the thread that it was made on; several on one thread must go in reverse order. Where none was current,
/// the GPU's stays. Keeps the device.
class [[nodiscard]] CurrentContext {
 public:
  CurrentContext(CurrentContext&&) = default;
  CurrentContext& operator=(CurrentContext&&) = delete;

 private:
  friend class Device;
  explicit CurrentContext(std::shared_ptr<void> restorer) : restorer_(std::move(restorer)) {}
  std::shared_ptr<void> restorer_;
};

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
  std::string uuid;    // what `nvidia-smi -L` tells a GPU by: "GPU-…"; "" of the CPU device
};

struct MemoryInfo {
  std::int64_t free_bytes = 0;  // on the CPU device what programs can have without the system taking it from others
  std::int64_t total_bytes = 0;
};

/// A device of this machine.
class Device {
 public:
  /// "cuda:0", "cuda:1", …, "cpu"; "cuda" means "cuda:0"; "" opens the first GPU, or the CPU device where there is
  /// none.
  static Result<Device> open(std::string_view name = "");
  /// Every device of this machine, the CPU device last. Never fails: a machine without a driver has one device.
  static std::vector<DeviceInfo> list();
  /// What the driver says of a GPU, by the number that CUdevice_attribute has for it: of "cuda:0" 33 is its PCI bus. The
  /// device need not be open. An error for the CPU device, and for numbers that the driver does not know.
  static Result<int> driver_attribute(std::string_view name, int attribute);

  const DeviceInfo& info() const;
  bool is_cpu() const;
  /// What there is of memory now: other programs take and give back, too.
  Result<MemoryInfo> memory_info() const;

  /// A GPU takes PTX text or a cubin as the artifact's code, the CPU device an object file.
  Result<Module> load(const Artifact& artifact) const;
  /// Memory is not cleared.
  Result<Buffer> allocate_bytes(std::int64_t bytes) const;
  Result<std::shared_ptr<void>> allocate_pinned_bytes(std::int64_t bytes) const;
  /// What Stream::allocate() takes its memory from.
  MemoryPool pool() const;
  Result<Stream> create_stream() const;
  /// A stream that other code has made on this GPU, a `CUstream` or `cudaStream_t`, to put pykc's work on it, too. It
  /// is not destroyed: `owner`, where given, is kept until the last handle and all memory of Stream::allocate() are
  /// gone; else the stream must outlive them. Null gives the default stream. One that was made not to wait for the
  /// default stream (cudaStreamNonBlocking) is not waited for by it either: use copies that name the stream. A handle
  /// that is none is not noticed in general. Wrap a stream once, and keep the handle: faults of kernels are told by the
  /// handle that they were launched with, and when it goes, it waits for kernels that can fault. An error on the CPU
  /// device.
  Result<Stream> wrap_stream(void* native_handle, std::shared_ptr<void> owner = nullptr) const;
  /// The stream that launches use when none is given.
  Stream default_stream() const;
  /// Makes the GPU's primary context, which is the CUDA runtime's, current on this thread. Calls of pykc do so
  /// themselves; other libraries (cuBLAS, cuFFT, cuRAND, NCCL, the CUDA runtime) work on the GPU that they find
  /// current. Does nothing on the CPU device.
  Result<CurrentContext> make_current() const;
  /// Waits for all work of the device, and reports the first fault.
  Result<void> synchronize() const;
  /// Reports the first fault, as synchronize() does, of the work that is done: on the CPU device that is all work of
  /// calls that have returned. It waits for nothing, so that work on streams is not ordered by it. On a GPU faults are
  /// told of by calls that wait.
  Result<void> report_faults() const;
  /// Stops what runs on the CPU device: all launches that other threads have made and that have not returned, of graphs
  /// too, end with ErrorCode::Cancelled, within milliseconds. What their kernels have written so far stays; the device
  /// and its memory can be used as before. Called from any thread, but not by a signal handler. Kernels look whether
  /// they are to stop where they may take long, in loops and where functions call themselves; code of libraries
  /// (CompileOptions::libraries) does not. An error on a GPU, whose driver stops no kernel.
  Result<void> cancel() const;
  /// Where `print` of kernels goes from now on, for all handles of this device; null: to stdout. `output` gets one line
  /// at a time, with its newline, on whatever thread; it must not throw, and neither launch nor call this. An error on
  /// a GPU, whose driver writes to stdout.
  Result<void> set_output(Output output) const;
  /// Where the costs of launches go from now on, for all handles of this device; null, as at first: nothing is counted.
  /// Of kernels that are compiled with CompileOptions::costs_for, the first launch from now on of each shape, with each
  /// list of extents and integers, is counted. `output` is called by the launch, before it returns; it must not throw,
  /// and neither launch nor call this. An error on a GPU.
  Result<void> set_cost_output(CostOutput output) const;
  /// A kernel of the CPU device that touches memory which is not there ends the process, as such code does in C++. At
  /// first, a message on stderr says which kernel it was: while a launch runs that is new or takes 20 us or more, the
  /// process has handlers of SIGSEGV and SIGBUS, which hand the signal on to the handlers of before. This turns them
  /// off and on, for all handles of this device. Does nothing on a GPU.
  void set_crash_messages(bool on) const;
  /// The order in which launches that are watched (CompileOptions::sanitize) run their blocks on the CPU device from
  /// now on: one that `seed` stands for, or, as at first, that of their numbers. For all handles of this device;
  /// cooperative launches keep to their numbers. Does nothing on a GPU.
  void set_block_order(std::optional<std::uint64_t> seed) const;
  /// Lets kernels of this GPU reach memory of another, whose arrays a launch refuses else; not the other way round. An
  /// error where no link joins the two. Copies between devices need it not.
  Result<void> enable_peer_access(const Device& other) const;

  /// See UnifiedArray. Managed memory is at most as large as the GPU's own.
  template <typename T>
  Result<UnifiedArray<T>> allocate_managed(const std::vector<std::int64_t>& shape) const {
    return allocate_unified<T>(detail::UnifiedKind::Managed, shape);
  }
  template <typename T>
  Result<UnifiedArray<T>> allocate_mapped(const std::vector<std::int64_t>& shape) const {
    return allocate_unified<T>(detail::UnifiedKind::Mapped, shape);
  }
  /// Arrays, dense in the order given, of a shape or of one axis: allocate<float>({rows, columns}), allocate<float>(n).
  /// allocate() leaves the elements as they come, zeros() clears them; like() and zeros_like() take shape and order
  /// from another array, of any device.
  template <typename T>
  Result<Array<T>> allocate(const std::vector<std::int64_t>& shape, Layout order = Layout::RowMajor) const {
    return allocate_dense<T>(shape, order);
  }
  template <typename T, std::integral Size>
  Result<Array<T>> allocate(Size size) const {
    const auto extent = static_cast<std::int64_t>(size);
    return allocate_dense<T>({&extent, 1});
  }
  template <typename T>
  Result<Array<T>> zeros(const std::vector<std::int64_t>& shape, Layout order = Layout::RowMajor) const {
    return cleared(allocate<T>(shape, order));
  }
  template <typename T, std::integral Size>
  Result<Array<T>> zeros(Size size) const {
    return cleared(allocate<T>(size));
  }
  template <typename T>
  Result<Array<T>> like(const Array<T>& other) const {
    return allocate_dense<T>(other.shape(), other.mapping().order());
  }
  template <typename T>
  Result<Array<T>> zeros_like(const Array<T>& other) const {
    return cleared(like(other));
  }
  template <typename T>
  Result<PinnedArray<T>> allocate_pinned(std::int64_t size) const {
    const Result<detail::DenseMemory> dense = detail::dense_memory({&size, 1}, Layout::RowMajor, sizeof(T));
    if (!dense) return dense.error();
    Result<std::shared_ptr<void>> memory = allocate_pinned_bytes(dense->bytes);
    if (!memory) return memory.error();
    return PinnedArray<T>(std::move(*memory), size);
  }
  /// A copy of host elements, with one axis or in row-major order; of a HostView; or of an array of any device.
  /// copy_from(values) takes the type of the elements from a std::vector, a std::array or a span.
  template <std::ranges::contiguous_range Values>
  auto copy_from(const Values& values) const {
    return copy_from(std::span<const std::ranges::range_value_t<Values>>(values));
  }
  template <std::ranges::contiguous_range Values>
  auto copy_from(const Values& values, const std::vector<std::int64_t>& shape) const {
    return copy_from(std::span<const std::ranges::range_value_t<Values>>(values), shape);
  }
  template <typename T>
  Result<Array<T>> copy_from(std::span<const T> source) const {
    return filled_from(allocate<T>(source.size()), source);
  }
  template <typename T>
  Result<Array<T>> copy_from(std::span<const T> source, const std::vector<std::int64_t>& shape) const {
    return filled_from(allocate<T>(shape), source);
  }
  template <typename T>
  Result<Array<T>> copy_from(const HostView<const T>& source) const {
    return filled_from(allocate_dense<T>(source.shape()), source);
  }
  template <typename T>
  Result<Array<T>> copy_from(const Array<T>& source) const {
    return filled_from(like(source), source);
  }

  /// Memory that somebody else has allocated on this device, as an array: nothing is copied. `first` is the address of
  /// the element with indices 0. `owner`, where given, is kept until the last handle is gone; else the memory must
  /// outlive them. A GPU refuses what is no memory of its own, as far as the driver knows; the CPU device takes every
  /// address.
  template <typename T>
  Result<Array<T>> wrap(T* first, const std::vector<std::int64_t>& shape, std::shared_ptr<void> owner = nullptr) const {
    return wrapped(first, Mapping::dense(shape), std::move(owner));
  }
  template <typename T>
  Result<Array<T>> wrap(T* first, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                        std::shared_ptr<void> owner = nullptr) const {
    return wrapped(first, Mapping::strided(shape, strides), std::move(owner));
  }
  Result<Buffer> wrap_bytes(void* address, std::int64_t bytes, std::shared_ptr<void> owner = nullptr) const;

  const detail::DeviceState* state() const { return state_.get(); }

 private:
  Result<detail::UnifiedBuffer> allocate_unified_bytes(detail::UnifiedKind kind, std::int64_t bytes) const;
  template <typename T>
  Result<UnifiedArray<T>> allocate_unified(detail::UnifiedKind kind, const std::vector<std::int64_t>& shape) const {
    const Result<detail::DenseMemory> dense = detail::dense_memory(shape, Layout::RowMajor, sizeof(T));
    if (!dense) return dense.error();
    const Result<detail::UnifiedBuffer> memory = allocate_unified_bytes(kind, dense->bytes);
    if (!memory) return memory.error();
    const std::span<T> host(static_cast<T*>(memory->host), static_cast<std::size_t>(dense->mapping.size()));
    return UnifiedArray<T>(Array<T>(memory->buffer, dense->mapping), HostView<T>::of(host, shape).value());
  }
  template <typename T>
  Result<Array<T>> allocate_dense(std::span<const std::int64_t> shape, Layout order = Layout::RowMajor) const {
    const Result<detail::DenseMemory> dense = detail::dense_memory(shape, order, sizeof(T));
    if (!dense) return dense.error();
    Result<Buffer> buffer = allocate_bytes(dense->bytes);
    if (!buffer) return buffer.error();
    return Array<T>(std::move(*buffer), dense->mapping);
  }
  template <typename T>
  static Result<Array<T>> cleared(const Result<Array<T>>& array) {
    if (!array) return array;
    if (Result<void> filled = array->fill_zero(); !filled) return filled.error();
    return array;
  }
  template <typename T>
  Result<Array<T>> wrapped(T* first, const Result<Mapping>& mapping, std::shared_ptr<void> owner) const {
    if (!mapping) return mapping.error();
    const auto elements = detail::wrap_elements(*this, first, *mapping, sizeof(T), alignof(T), std::move(owner));
    if (!elements) return elements.error();
    return Array<T>(elements->buffer, elements->mapping);
  }
  template <typename T, typename Source>
  static Result<Array<T>> filled_from(const Result<Array<T>>& array, const Source& source) {
    if (!array) return array;
    if (Result<void> copied = array->copy_from(source); !copied) return copied.error();
    return array;
  }
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::DeviceState> state_;
};

namespace detail {
/// A new array of this shape, which `fill` computes.
template <typename T, typename Fill>
Result<Array<T>> new_array(const Device& device, const Result<std::vector<std::int64_t>>& shape, Fill fill) {
  if (!shape) return shape.error();
  Result<Array<T>> array = device.template allocate<T>(*shape);
  if (!array) return array;
  if (Result<void> filled = fill(*array); !filled) return filled.error();
  return array;
}
}  // namespace detail

}  // namespace pykc
