// The pool that a device's streams allocate from: Stream::allocate() takes a few microseconds where Device::allocate()
// waits for the GPU, since memory that was given back is used again.
//
//   {
//     auto scratch = stream.allocate<float>({n}).value();
//     kernel.launch({.grid = {n / 256}, .block = {256}, .stream = &stream}, scratch, x).value();
//   }                                     // the memory goes back once the stream has done its work; nobody waits
//   device.pool().trim().value();         // gives what is not used back to the system
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "pykc/error.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct PoolState;
}  // namespace detail

/// Bytes of a pool now, and the most since the peaks were reset.
struct PoolStatistics {
  std::int64_t used = 0;      // by arrays
  std::int64_t reserved = 0;  // taken from the system: what is used, and what waits to be used again
  std::int64_t peak_used = 0;
  std::int64_t peak_reserved = 0;
};

/// A handle to a device's pool, which pykc does not share with other users of the GPU. All threads may use it.
class MemoryPool {
 public:
  Result<PoolStatistics> statistics() const;
  Result<void> reset_peaks() const;
  /// An allocation that would make more than `bytes` used fails with ErrorCode::OutOfMemory. No limit at first.
  Result<void> set_limit(std::int64_t bytes) const;
  /// What is reserved beyond `bytes` and not used goes back to the system when next a stream, an event or the device is
  /// waited for. At first all of it stays; a Device::allocate() that finds no memory takes it back.
  Result<void> set_release_threshold(std::int64_t bytes) const;
  /// Gives unused memory back now, until at most `keep` bytes are reserved.
  Result<void> trim(std::int64_t keep = 0) const;

 private:
  friend class Device;
  explicit MemoryPool(std::shared_ptr<detail::PoolState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::PoolState> state_;
};

}  // namespace pykc
