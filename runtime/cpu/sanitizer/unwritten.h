// Which bytes of the device's arrays nobody has written yet.
//
// Memory that an allocation gives is known here until all of it is written: by copies and fills, by kernels, or by a
// host that was handed the address and may do what it likes. What is not known here counts as written. So a program
// pays for a look at a map, where arrays of it are not whole.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/strided_copy.h"

namespace pykc::cpu {

/// One allocation. What writes its bits takes the device's turn.
class UnwrittenMemory {
 public:
  UnwrittenMemory(std::uintptr_t begin, std::int64_t bytes, std::uint64_t number)
      : number_(number), begin_(begin), bytes_(static_cast<std::uintptr_t>(bytes)), left_(bytes_) {}

  /// No other allocation, before or after, has it.
  std::uint64_t number() const { return number_; }
  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return begin_ + bytes_; }
  bool is_whole() const { return is_whole_.load(std::memory_order_relaxed); }
  /// Whether all of some bytes are written; those outside of the memory are.
  bool has(std::uintptr_t address, std::int64_t bytes) const;
  bool has_any(std::uintptr_t address, std::int64_t bytes) const;
  /// Gives how many of them were not written before.
  std::uintptr_t write(std::uintptr_t address, std::int64_t bytes);
  void write_all() { is_whole_.store(true, std::memory_order_relaxed); }

 private:
  struct Free {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };
  template <typename Word>
  void for_each_word(std::uintptr_t address, std::int64_t bytes, const Word& word) const;

  const std::uint64_t number_;
  const std::uintptr_t begin_, bytes_;
  std::uintptr_t left_;
  std::unique_ptr<std::uint64_t[], Free> written_;  // a bit a byte; null: none is
  std::atomic<bool> is_whole_ = false;
};

class UnwrittenArrays {
 public:
  /// Where there is no memory to remember it, the array counts as written.
  void add(const void* memory, std::int64_t bytes) noexcept;
  void remove(const void* memory) noexcept;
  /// A kernel looks for reads of what is not written. Before, a launch counts as one that writes all of its arrays.
  void want() { is_wanted_.store(true, std::memory_order_relaxed); }
  bool is_wanted() const { return is_wanted_.load(std::memory_order_relaxed); }
  /// Whether there is an array that is not wholly written.
  bool any() const { return count_.load(std::memory_order_relaxed) > 0; }
  /// The allocation that holds an address, unless all of it is written.
  std::shared_ptr<UnwrittenMemory> find(const void* address);
  /// Somebody has written there, or may write to all of the allocation.
  void write(const void* address, std::int64_t bytes);
  void write_all(const void* address);
  /// What a copy does to its target: what the source has not, the target has not.
  void copied(const detail::StridedCopy& copy);
  void filled(const detail::StridedCopy& rows);

 private:
  /// The allocation is not looked up any more where all of it is written.
  void drop_whole(const UnwrittenMemory& memory);

  std::mutex mutex_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<bool> is_wanted_ = false;
  std::map<std::uintptr_t, std::shared_ptr<UnwrittenMemory>> by_begin_;
  std::uint64_t last_number_ = 0;
};

}  // namespace pykc::cpu
