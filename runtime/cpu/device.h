// The CPU device: host memory, kernels as native code, blocks spread over the cores. Every call is done when it
// returns; streams and events exist so that the same program runs on both kinds of device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/errors.h"
#include "runtime/cpu/block_pool.h"
#include "runtime/cpu/graph.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/processor.h"
#include "runtime/cpu/sanitizer/array_watch.h"
#include "runtime/cpu/sanitizer/sanitizer.h"
#include "runtime/cpu/stop.h"
#include "runtime/cpu/thread_pool.h"
#include "runtime/device.h"
#include "runtime/fault.h"

namespace pykc::cpu {

Result<std::shared_ptr<detail::DeviceState>> open_device();

inline constexpr std::int64_t kMemoryAlignment = 256;  // as the CUDA driver's
/// Memory for arrays. With the environment variable PYKC_GUARD_ARRAYS=on each ends at a page that nobody may touch.
Result<void*> allocate_host(std::int64_t bytes);
void free_host(void* memory, std::int64_t bytes);
/// What sizes are rounded up to, so that memory can be used once more.
std::int64_t size_step();

class Stream final : public detail::StreamState {
 public:
  /// `owner` is null for the default stream, which the device itself owns.
  Stream(detail::DeviceState& on, std::shared_ptr<detail::DeviceState> owner);
  ~Stream() override;
  Result<void> synchronize() override;
  Result<std::shared_ptr<detail::EventState>> record() override;
  Result<void> wait(detail::EventState& event) override;
  Result<void> call(std::function<void()> function) override;
  Result<void> begin_capture() override;
  Result<std::shared_ptr<detail::GraphState>> end_capture() override;
  void* native_handle() const override { return nullptr; }
  /// In StreamOrder.
  std::uint64_t number() const { return number_; }
  /// Adds the work to the graph that the stream captures; false where it captures none.
  template <typename Work>
  bool capture(const Work& work) const {
    auto* const captured = static_cast<Graph*>(graph());
    if (captured != nullptr) captured->add(*this, work);
    return captured != nullptr;
  }

 private:
  const std::shared_ptr<detail::DeviceState> owner_;
  const std::uint64_t number_;
};

class Device final : public detail::DeviceState {
 public:
  Device();
  bool is_cpu() const override { return true; }
  Result<std::shared_ptr<detail::ModuleState>> load(const Artifact& artifact) override;
  Result<std::shared_ptr<void>> allocate(std::int64_t bytes) override;
  Result<std::shared_ptr<void>> allocate_pinned(std::int64_t bytes) override;
  Result<detail::UnifiedMemory> allocate_unified(detail::UnifiedKind kind, std::int64_t bytes) override;
  detail::PoolState& pool() override { return pool_; }
  Result<std::shared_ptr<detail::StreamState>> create_stream() override;
  Result<std::shared_ptr<detail::StreamState>> wrap_stream(void*, std::shared_ptr<void>) override {
    return invalid_argument("the CPU device has no streams of CUDA to wrap; use create_stream()");
  }
  detail::StreamState& default_stream() override { return default_stream_; }
  Result<MemoryInfo> memory_info() override { return MemoryInfo{available_bytes(), memory_bytes()}; }
  Result<void> synchronize() override {
    watch_.streams.wait_for_all();
    return finish(nullptr);
  }
  Result<void> report_faults() override { return finish(nullptr); }
  Result<void> cancel() override {
    running_.cancel();
    return {};
  }
  Result<void> set_output(Output output) override;
  Result<void> set_cost_output(CostOutput output) override;
  void set_crash_messages(bool on) override;
  void set_block_order(std::optional<std::uint64_t> seed) override;
  Result<std::shared_ptr<void>> make_current() override { return std::shared_ptr<void>(); }
  // There is one CPU device.
  Result<void> enable_peer_access(detail::DeviceState&) override { return {}; }
  bool has_peer_access(const detail::DeviceState&) const override { return false; }
  Result<void> copy_from_peer(const detail::StridedCopy& row, detail::DeviceState&) override {
    return copy_from_host(row, nullptr);
  }
  Result<void> check_foreign(const void*) override { return {}; }  // the host's addresses are not told apart
  Result<void> copy_from_host(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> copy_to_host(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> copy_within(const detail::StridedCopy& copy, detail::StreamState* stream) override;
  Result<void> fill(const detail::StridedCopy& rows, detail::FillPattern pattern, detail::StreamState* stream) override;

  void note_written(void* memory, std::int64_t bytes) override;
  void note_shown(void* memory) override;
  void note_unwritten(void* memory, std::int64_t bytes) override;

  /// What a waiting call does: shows what was printed, and reports the first fault of `stream` (null: of any).
  Result<void> finish(const detail::StreamState* stream);
  /// Launches and copies take turns: a launch uses all cores anyway.
  Turn& turn() { return turn_; }
  BlockPool& blocks() { return blocks_; }
  RunningLaunch& running() { return running_; }
  Sanitizer& sanitizer() { return sanitizer_; }  // in the device's turn
  ArrayWatch& watch() { return watch_; }
  detail::FaultLog& faults() { return faults_; }
  // In the device's turn.
  const Output& output() const { return output_; }
  const CostOutput& cost_output() const { return cost_output_; }
  std::uint64_t cost_outputs() const { return cost_outputs_; }  // that there were so far
  bool tells_crashes() const { return tells_crashes_; }
  std::optional<std::uint64_t> seed() const { return seed_; }

 private:
  void note_work(const detail::StridedCopy& copy, bool reads, const detail::StreamState* stream);

  Turn turn_;
  BlockPool blocks_;
  RunningLaunch running_;
  ArrayWatch watch_;
  Sanitizer sanitizer_;
  detail::FaultLog faults_;
  Output output_;
  CostOutput cost_output_;
  std::uint64_t cost_outputs_ = 0;
  bool tells_crashes_ = true;
  std::optional<std::uint64_t> seed_;  // of the order of blocks
  Pool pool_;
  Stream default_stream_;
};

}  // namespace pykc::cpu
