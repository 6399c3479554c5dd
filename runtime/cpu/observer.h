// Who is told of what the threads of a watched kernel do (pykc/sanitize.h, pykc/costs.h).
#pragma once

#include <cstdint>

#include "pykc/kernel_abi.h"

namespace pykc::cpu {

inline constexpr std::uint32_t kLanes = 32;  // of a warp

struct ThreadId {
  std::uint32_t block = 0, thread = 0;  // linear numbers
  friend bool operator==(ThreadId, ThreadId) = default;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // What a kernel tells, by abi::kObserveSymbol and abi::kObserveMeetingSymbol.
  virtual void observe(ThreadId thread, std::uint32_t site, const void* address, std::uint64_t value) = 0;
  virtual void meet(std::uint32_t block, abi::Meeting meeting) = 0;
  /// Some of what the kernel tells could not be kept.
  virtual void lose_sight() = 0;
};

/// While it lives, kernels tell `observer`. One lives at a time: launches take turns.
class Watch {
 public:
  explicit Watch(Observer& observer);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

// What kernels call.
void observe(std::int64_t block, std::int64_t thread, std::int64_t site, const void* address, std::int64_t value);
void observe_meeting(std::int64_t block, std::int64_t meeting);

}  // namespace pykc::cpu
