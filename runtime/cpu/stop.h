// How a launch is stopped from outside: Device::cancel(), and the time that a launch is given. The host writes to the
// launch's record of faults, at which kernels look (include/pykc/kernel_abi.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "pykc/error.h"
#include "pykc/kernel_abi.h"

namespace pykc::cpu {

/// Asks whoever runs with this record to stop.
void ask_to_stop(abi::FaultRecord& record);

/// Asks the launch that runs to stop when its time is over. Its thread begins with the first launch that has a limit. A
/// child of fork() has a thread of its own.
class Deadline {
 public:
  Deadline();
  ~Deadline();
  /// Fails if there is no thread left.
  Result<void> set(abi::FaultRecord& record, std::chrono::nanoseconds timeout);
  /// Whether the time is over.
  bool clear();

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

/// The launch that a device runs, one at a time.
class RunningLaunch {
 public:
  enum class Stop : std::uint8_t {
    None,
    Cancelled,
    Timeout,
    Endless,  // it has asked for it itself: its warps wait for one another
  };

  /// Before a launch waits for its turn; for begin() and end().
  std::uint64_t cancellations() const { return cancellations_.load(); }
  /// In its turn: empties the record, and asks the launch to stop where cancel() was called since.
  Result<void> begin(std::uint64_t cancellations_before, std::chrono::nanoseconds timeout);
  /// What has stopped the launch before its end, but for a fault.
  Stop end(std::uint64_t cancellations_before, std::chrono::nanoseconds timeout);
  abi::FaultRecord& record() { return record_; }
  bool is_to_stop() const { return std::atomic_ref(record_.claimed).load(std::memory_order_relaxed) != 0; }
  /// Called by any thread.
  void cancel();

 private:
  alignas(64) mutable abi::FaultRecord record_{};  // outlives each launch, so cancel() may come at any time
  std::atomic<std::uint64_t> cancellations_ = 0;
  Deadline deadline_;
};

}  // namespace pykc::cpu
