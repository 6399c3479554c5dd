// What stands behind the public handles: abstract bases with two implementations, runtime/cuda and runtime/cpu.
//
// A launch arrives here checked and laid out (runtime/launch.h), so no implementation checks arguments again. A stream
// that is passed to a call always belongs to the same device.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "pykc/runtime.h"
#include "runtime/launch.h"
#include "runtime/strided_copy.h"

namespace pykc::detail {

struct GraphState;

struct EventState {
  EventState(std::shared_ptr<DeviceState> owner, std::shared_ptr<GraphState> graph)
      : device(std::move(owner)), captured_in(std::move(graph)) {}
  virtual ~EventState() = default;
  /// Waits for an event that is not captured.
  virtual Result<void> synchronize() = 0;
  /// `earlier` is an event of the same device.
  virtual Result<double> milliseconds_since(EventState& earlier) = 0;

  const std::shared_ptr<DeviceState> device;
  const std::shared_ptr<GraphState> captured_in;  // or null
};

/// Work to be launched as one.
struct GraphState : std::enable_shared_from_this<GraphState> {
  explicit GraphState(std::shared_ptr<DeviceState> owner) : device(std::move(owner)) {}
  virtual ~GraphState() = default;
  /// `stream` is of the same device.
  virtual Result<void> launch(StreamState& stream) = 0;
  /// `other` is another graph of the same device.
  virtual Result<void> update(GraphState& other) = 0;
  virtual void keep(std::shared_ptr<const void> owner) = 0;

  const std::shared_ptr<DeviceState> device;
  /// Ends the capture: its streams take no part any more.
  void close();
  /// The error of a capture that ends before its first stream has waited for all of the work.
  static Error unjoined();
  // While the graph is captured: the stream where that began, and all that take part.
  StreamState* origin = nullptr;
  std::vector<StreamState*> streams;
};

struct StreamState {
  explicit StreamState(DeviceState& on) : device(on) {}
  virtual ~StreamState() { leave_capture(); }
  virtual Result<void> synchronize() = 0;
  virtual Result<std::shared_ptr<EventState>> record() = 0;
  /// `event` is of the same device; where it is captured, so is this stream, in the same graph.
  virtual Result<void> wait(EventState& event) = 0;
  virtual Result<void> call(std::function<void()> function) = 0;
  virtual Result<void> begin_capture() = 0;
  /// The capture is over, also where it has failed. It began here.
  virtual Result<std::shared_ptr<GraphState>> end_capture() = 0;
  virtual void* native_handle() const = 0;

  bool is_capturing() const { return is_capturing_.load(std::memory_order_acquire); }
  /// The graph that the stream captures, or null.
  GraphState* graph() const { return is_capturing() ? graph_.get() : nullptr; }
  std::shared_ptr<GraphState> shared_graph() const { return is_capturing() ? graph_ : nullptr; }
  void join_capture(std::shared_ptr<GraphState> graph);
  void leave_capture();

  DeviceState& device;

 private:
  std::atomic<bool> is_capturing_ = false;  // asked by other threads, too
  std::shared_ptr<GraphState> graph_;       // while capturing
};

struct ModuleState : std::enable_shared_from_this<ModuleState> {
  explicit ModuleState(std::shared_ptr<DeviceState> owner) : device(std::move(owner)) {}
  virtual ~ModuleState() = default;
  virtual Result<void> launch(std::size_t kernel, const PreparedLaunch& launch, StreamState& stream) = 0;
  virtual Result<int> suggested_block_size(std::size_t kernel, std::int64_t shared_bytes) = 0;
  /// How many blocks run on one multiprocessor at a time.
  virtual Result<int> active_blocks(std::size_t kernel, const PreparedLaunch& launch) = 0;
  /// Everything but the most threads of a block, which the rules know.
  virtual Result<KernelResources> resources(std::size_t kernel) = 0;

  const std::shared_ptr<DeviceState> device;
  std::vector<KernelInfo> kernels;
  std::vector<LaunchRules> rules;  // of kernels, in the same order
  std::vector<ConstantInfo> constants;
  std::vector<void*> constant_addresses;  // on the device, in the same order
};

/// What MemoryPool does. Sizes are at least 0.
struct PoolState {
  virtual ~PoolState() = default;
  /// Memory that the device's pool takes back, in the stream's order, when the pointer goes; the stream must outlive
  /// it.
  virtual Result<std::shared_ptr<void>> allocate(std::int64_t bytes, StreamState& stream) = 0;
  virtual Result<PoolStatistics> statistics() = 0;
  virtual Result<void> reset_peaks() = 0;
  virtual Result<void> set_limit(std::int64_t bytes) = 0;
  virtual Result<void> set_release_threshold(std::int64_t bytes) = 0;
  virtual Result<void> trim(std::int64_t keep) = 0;
};

/// The error of an allocation that a pool's limit forbids.
Error beyond_limit(std::int64_t bytes, std::int64_t used, std::int64_t limit);

/// One memory, given back when the pointer goes, and its addresses on either side.
struct UnifiedMemory {
  std::shared_ptr<void> memory;
  void* on_device = nullptr;
  void* on_host = nullptr;
};

struct DeviceState : std::enable_shared_from_this<DeviceState> {
  virtual ~DeviceState() = default;
  virtual bool is_cpu() const = 0;
  virtual Result<MemoryInfo> memory_info() = 0;
  /// `artifact` is for this kind of device, and its kernels' descriptions make sense.
  virtual Result<std::shared_ptr<ModuleState>> load(const Artifact& artifact) = 0;
  /// Memory that is given back when the pointer goes, which keeps the device until then; a null address of 0 bytes.
  virtual Result<std::shared_ptr<void>> allocate(std::int64_t bytes) = 0;
  virtual Result<std::shared_ptr<void>> allocate_pinned(std::int64_t bytes) = 0;
  /// There is at least one byte.
  virtual Result<UnifiedMemory> allocate_unified(UnifiedKind kind, std::int64_t bytes) = 0;
  virtual PoolState& pool() = 0;
  virtual Result<std::shared_ptr<StreamState>> create_stream() = 0;
  /// `native_handle` is not null.
  virtual Result<std::shared_ptr<StreamState>> wrap_stream(void* native_handle, std::shared_ptr<void> owner) = 0;
  virtual StreamState& default_stream() = 0;
  virtual Result<void> synchronize() = 0;
  virtual Result<void> report_faults() { return {}; }
  virtual Result<void> cancel() = 0;
  virtual Result<void> set_output(Output output) = 0;
  virtual Result<void> set_cost_output(CostOutput output) = 0;
  virtual void set_crash_messages(bool) {}
  virtual void set_block_order(std::optional<std::uint64_t>) {}
  virtual Result<void> start_profiler() const { return {}; }
  virtual Result<void> stop_profiler() const { return {}; }
  /// What CurrentContext holds.
  virtual Result<std::shared_ptr<void>> make_current() = 0;
  /// `other` is another device of this kind.
  virtual Result<void> enable_peer_access(DeviceState& other) = 0;
  /// Whether kernels may use memory of another device.
  virtual bool has_peer_access(const DeviceState& other) const = 0;

  /// Refuses an address that is known to be of no use on this device.
  virtual Result<void> check_foreign(const void* address) = 0;
  Result<Buffer> allocate_buffer(std::int64_t bytes);
  /// `owner` goes before the device does.
  Result<Buffer> wrap_buffer(void* address, std::int64_t bytes, std::shared_ptr<void> owner);
  /// Copies between the host and this device, the device's side leading, or within this device, the target leading; and
  /// fills the target of `rows`. A null stream means: wait until it is done.
  virtual Result<void> copy_from_host(const StridedCopy& copy, StreamState* stream) = 0;
  virtual Result<void> copy_to_host(const StridedCopy& copy, StreamState* stream) = 0;
  virtual Result<void> copy_within(const StridedCopy& copy, StreamState* stream) = 0;
  /// Copies one row from another device of this kind to this one, and waits.
  virtual Result<void> copy_from_peer(const StridedCopy& row, DeviceState& source) = 0;
  virtual Result<void> fill(const StridedCopy& rows, FillPattern pattern, StreamState* stream) = 0;
  /// The host has written to memory of the device by its address, or may do so from now on; or what it has written
  /// there has no meaning.
  virtual void note_written(void*, std::int64_t) {}
  virtual void note_shown(void*) {}
  virtual void note_unwritten(void*, std::int64_t) {}

  DeviceInfo info;
};

}  // namespace pykc::detail
