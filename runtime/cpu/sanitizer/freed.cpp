#include "runtime/cpu/sanitizer/freed.h"

#include <iterator>
#include <utility>

namespace pykc::cpu {
namespace {

constexpr std::int64_t kMostKept = std::int64_t{64} << 20;  // bytes

}  // namespace

void FreedArrays::keep(std::shared_ptr<void> memory, std::int64_t bytes) noexcept try {
  if (!is_wanted() || bytes > kMostKept) return;
  std::deque<Kept> gone;  // freed without the lock
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.get());
  kept_.push_back({std::move(memory), bytes});
  kept_bytes_ += bytes;
  ends_.insert_or_assign(begin, begin + static_cast<std::uintptr_t>(bytes));
  while (kept_bytes_ > kMostKept) {
    ends_.erase(reinterpret_cast<std::uintptr_t>(kept_.front().memory.get()));
    kept_bytes_ -= kept_.front().bytes;
    gone.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
} catch (...) {
}

void FreedArrays::add(const void* memory, std::int64_t bytes) noexcept try {
  if (!is_wanted()) return;
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  ends_.insert_or_assign(begin, begin + static_cast<std::uintptr_t>(bytes));
} catch (...) {
}

void FreedArrays::remove(const void* memory) noexcept {
  if (!is_wanted()) return;
  const std::lock_guard lock(mutex_);
  ends_.erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool FreedArrays::holds(std::uintptr_t address) {
  if (!is_wanted()) return false;
  const std::lock_guard lock(mutex_);
  const auto next = ends_.upper_bound(address);
  return next != ends_.begin() && address < std::prev(next)->second;
}

}  // namespace pykc::cpu
