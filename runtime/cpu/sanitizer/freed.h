// Memory of arrays that have been freed, as long as nobody else can have it: who reaches it, reaches an array that is
// gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace pykc::cpu {

class FreedArrays {
 public:
  /// Kernels are watched. Before, nothing is kept.
  void want() { is_wanted_.store(true, std::memory_order_relaxed); }
  /// Keeps the memory of an array for a while.
  void keep(std::shared_ptr<void> memory, std::int64_t bytes) noexcept;
  /// Its owner keeps it, until remove().
  void add(const void* memory, std::int64_t bytes) noexcept;
  void remove(const void* memory) noexcept;
  bool holds(std::uintptr_t address);

 private:
  bool is_wanted() const { return is_wanted_.load(std::memory_order_relaxed); }

  std::atomic<bool> is_wanted_ = false;
  std::mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> ends_;  // by begin
  struct Kept {
    std::shared_ptr<void> memory;
    std::int64_t bytes;
  };
  std::deque<Kept> kept_;
  std::int64_t kept_bytes_ = 0;
};

}  // namespace pykc::cpu
