// An NVIDIA GPU through the CUDA driver API. The device uses the GPU's primary context, as the CUDA runtime does, so
// its memory and streams mix with those of a host program that uses CUDA itself.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/pending_faults.h"
#include "runtime/cuda/pool.h"
#include "runtime/device.h"

namespace pykc::cuda {

Result<std::shared_ptr<detail::DeviceState>> open_device(int ordinal);
/// Empty where there is no driver or no GPU.
std::vector<DeviceInfo> list_devices();
Result<int> driver_attribute(int ordinal, int attribute);

class Device;

class Stream final : public detail::StreamState {
 public:
  /// `owner` is null for the default stream, which the device itself owns.
  Stream(Device& on, CUstream handle, std::shared_ptr<detail::DeviceState> owner);
  /// One that other code has made and destroys; `keeper` may be null.
  Stream(Device& on, CUstream handle, std::shared_ptr<detail::DeviceState> owner, std::shared_ptr<void> keeper);
  ~Stream() override;
  Result<void> synchronize() override;
  /// Whether the work was done in time.
  Result<bool> wait_at_most(std::chrono::nanoseconds timeout);
  Result<std::shared_ptr<detail::EventState>> record() override;
  Result<void> wait(detail::EventState& event) override;
  Result<void> call(std::function<void()> function) override;
  Result<void> begin_capture() override;
  Result<std::shared_ptr<detail::GraphState>> end_capture() override;
  /// The graph that the stream captures, or null.
  Graph* graph() const { return static_cast<Graph*>(StreamState::graph()); }
  void* native_handle() const override { return handle_; }
  CUstream handle() const { return handle_; }

 private:
  Device& device_;
  const std::shared_ptr<detail::DeviceState> owner_;
  const std::shared_ptr<void> keeper_;
  const CUstream handle_;
  const bool is_wrapped_ = false;
};

class Device final : public detail::DeviceState {
 public:
  Device(const Driver& driver, std::unique_ptr<PrimaryContext> context, DeviceInfo description);
  bool is_cpu() const override { return false; }
  Result<MemoryInfo> memory_info() override;
  Result<std::shared_ptr<detail::ModuleState>> load(const Artifact& artifact) override;
  Result<std::shared_ptr<void>> allocate(std::int64_t bytes) override;
  Result<std::shared_ptr<void>> allocate_pinned(std::int64_t bytes) override;
  Result<detail::UnifiedMemory> allocate_unified(detail::UnifiedKind kind, std::int64_t bytes) override;
  Result<void> start_profiler() const override;
  Result<void> stop_profiler() const override;
  detail::PoolState& pool() override { return pool_; }
  Result<std::shared_ptr<detail::StreamState>> create_stream() override;
  Result<std::shared_ptr<detail::StreamState>> wrap_stream(void* native_handle, std::shared_ptr<void> owner) override;
  detail::StreamState& default_stream() override { return default_stream_; }
  Result<void> synchronize() override;
  Result<void> cancel() override {
    return Error{ErrorCode::Unsupported, "no driver stops a kernel of a GPU that runs; only the CPU device cancels"};
  }
  Result<void> set_output(Output) override {
    return Error{ErrorCode::Unsupported, "the driver of a GPU writes what kernels print to stdout itself"};
  }
  Result<void> set_cost_output(CostOutput) override {
    return Error{ErrorCode::Unsupported, "a GPU does not count what launches cost; the CPU device does"};
  }
  Result<std::shared_ptr<void>> make_current() override;
  Result<void> enable_peer_access(detail::DeviceState& other) override;
  bool has_peer_access(const detail::DeviceState& other) const override;
  Result<void> copy_from_peer(const detail::StridedCopy& row, detail::DeviceState& source) override;
  Result<void> check_foreign(const void* address) override;
  Result<void> copy_from_host(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> copy_to_host(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> copy_within(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> fill(const detail::StridedCopy& rows, detail::FillPattern pattern, detail::StreamState* stream) override;

  const Driver& driver() const { return driver_; }
  CUdevice handle() const { return context_->device(); }
  PendingFaults& faults() { return faults_; }
  [[nodiscard]] ContextScope enter() const { return ContextScope(driver_, context_->handle()); }
  /// Lets this thread do, for the time of a scope, what a capture forbids, although it is no work of a stream:
  /// allocate, and load modules. Costs nothing where no stream captures. The context must be current.
  [[nodiscard]] OutsideCapture leave_captures() const { return OutsideCapture(driver_, has_captures()); }
  void count_capture(int change) { captures_ += change; }
  /// The default stream takes no work then: it would wait for the stream that captures.
  bool has_captures() const { return captures_ > 0; }
  Result<void> check(const char* call, CUresult result) const { return driver_.check(call, result); }

  /// Gives each thread of later launches at least so much stack beside what the driver reserves by itself, which knows
  /// nothing of recursion. It takes memory for all threads that the GPU can hold, so who needs it no more releases it.
  /// The context must be current.
  Result<void> reserve_stack(std::int64_t bytes);
  void release_stack(std::int64_t bytes);
  /// Waits for the default stream and with it for all work given to the device before, then reports faults.
  Result<void> finish_default_stream();
  Error out_of_memory(std::int64_t bytes) const;

 private:
  // The context is current.
  Result<std::size_t> stack_limit() const;
  Result<std::shared_ptr<void>> allocate_host(std::int64_t bytes, unsigned flags);
  Result<detail::UnifiedMemory> allocate_managed(std::int64_t bytes);
  Result<detail::UnifiedMemory> allocate_mapped(std::int64_t bytes);
  std::shared_ptr<void> device_memory(CUdeviceptr address);

  const Driver& driver_;
  const std::unique_ptr<PrimaryContext> context_;  // goes last
  PendingFaults faults_;
  Pool pool_;
  Stream default_stream_;
  std::mutex stack_mutex_;
  std::size_t own_stack_limit_ = 0, others_stack_limit_ = 0;  // set here last; what the context had before
  std::multiset<std::size_t> reserved_stacks_;
  std::atomic<int> captures_ = 0;  // under way
  mutable std::mutex peers_mutex_;
  std::vector<std::weak_ptr<detail::DeviceState>> peers_;  // whose memory this device's kernels may use
};

}  // namespace pykc::cuda
