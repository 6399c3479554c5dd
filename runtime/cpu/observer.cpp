#include "runtime/cpu/observer.h"

#include <atomic>

namespace pykc::cpu {
namespace {

/// Kernels have no other way to reach it.
std::atomic<Observer*> watching = nullptr;

/// Nothing may be thrown into a kernel. What there is no memory for stays unseen.
template <typename Work>
void tell(Work work) noexcept {
  Observer& observer = *watching.load(std::memory_order_relaxed);
  try {
    work(observer);
  } catch (...) {
    observer.lose_sight();
  }
}

}  // namespace

Watch::Watch(Observer& observer) { watching.store(&observer, std::memory_order_relaxed); }
Watch::~Watch() { watching.store(nullptr, std::memory_order_relaxed); }

void observe(std::int64_t block, std::int64_t thread, std::int64_t site, const void* address, std::int64_t value) {
  tell([&](Observer& observer) {
    observer.observe({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(thread)},
                     static_cast<std::uint32_t>(site), address, static_cast<std::uint64_t>(value));
  });
}

void observe_meeting(std::int64_t block, std::int64_t meeting) {
  tell([&](Observer& observer) {
    observer.meet(static_cast<std::uint32_t>(block), static_cast<abi::Meeting>(meeting));
  });
}

}  // namespace pykc::cpu
