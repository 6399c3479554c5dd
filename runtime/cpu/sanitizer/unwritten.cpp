#include "runtime/cpu/sanitizer/unwritten.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace pykc::cpu {
namespace {

constexpr std::uintptr_t kBits = 64;

}  // namespace

/// Calls `word` with each word of bits, and which of its bits are meant, until it says false.
template <typename Word>
void UnwrittenMemory::for_each_word(std::uintptr_t address, std::int64_t bytes, const Word& word) const {
  std::uintptr_t at = std::max(address, begin_) - begin_;
  const std::uintptr_t last = std::min(address + static_cast<std::uintptr_t>(bytes), end());
  const std::uintptr_t stop = last > begin_ ? last - begin_ : 0;
  while (at < stop) {
    const std::uintptr_t first = at % kBits, count = std::min(kBits - first, stop - at);
    if (!word(at / kBits, (~std::uint64_t{0} >> (kBits - count)) << first)) return;
    at += count;
  }
}

bool UnwrittenMemory::has(std::uintptr_t address, std::int64_t bytes) const {
  bool has_all = true;
  if (is_whole()) return has_all;
  for_each_word(address, bytes, [&](std::uintptr_t number, std::uint64_t bits) {
    return has_all = written_ != nullptr && (written_[number] & bits) == bits;
  });
  return has_all;
}

bool UnwrittenMemory::has_any(std::uintptr_t address, std::int64_t bytes) const {
  bool has_none = !is_whole();
  for_each_word(address, bytes, [&](std::uintptr_t number, std::uint64_t bits) {
    return has_none = has_none && (written_ == nullptr || (written_[number] & bits) == 0);
  });
  return !has_none;
}

std::uintptr_t UnwrittenMemory::write(std::uintptr_t address, std::int64_t bytes) {
  if (is_whole()) return 0;
  if (address <= begin_ && address + static_cast<std::uintptr_t>(bytes) >= end()) {
    write_all();
    return left_;
  }
  // Zeros that the system gives take no memory before they are written.
  if (written_ == nullptr)
    written_.reset(static_cast<std::uint64_t*>(std::calloc((bytes_ + kBits - 1) / kBits, sizeof(std::uint64_t))));
  if (written_ == nullptr) {
    write_all();
    return left_;
  }
  std::uintptr_t news = 0;
  for_each_word(address, bytes, [&](std::uintptr_t number, std::uint64_t bits) {
    news += static_cast<std::uintptr_t>(std::popcount(bits & ~written_[number]));
    written_[number] |= bits;
    return true;
  });
  left_ -= news;
  if (left_ == 0) write_all();
  return news;
}

void UnwrittenArrays::add(const void* memory, std::int64_t bytes) noexcept try {
  if (bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(mutex_);
  by_begin_.insert_or_assign(begin, std::make_shared<UnwrittenMemory>(begin, bytes, ++last_number_));
  count_.store(by_begin_.size(), std::memory_order_relaxed);
} catch (...) {
}

void UnwrittenArrays::remove(const void* memory) noexcept {
  if (!any()) return;
  const std::lock_guard lock(mutex_);
  by_begin_.erase(reinterpret_cast<std::uintptr_t>(memory));
  count_.store(by_begin_.size(), std::memory_order_relaxed);
}

std::shared_ptr<UnwrittenMemory> UnwrittenArrays::find(const void* address) {
  if (!any()) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  auto found = by_begin_.upper_bound(at);
  if (found == by_begin_.begin()) return nullptr;
  --found;
  if (at >= found->second->end()) return nullptr;
  if (!found->second->is_whole()) return found->second;
  by_begin_.erase(found);
  count_.store(by_begin_.size(), std::memory_order_relaxed);
  return nullptr;
}

void UnwrittenArrays::drop_whole(const UnwrittenMemory& memory) {
  if (memory.is_whole()) (void)find(reinterpret_cast<const void*>(memory.begin()));
}

void UnwrittenArrays::write(const void* address, std::int64_t bytes) {
  const std::shared_ptr<UnwrittenMemory> memory = find(address);
  if (memory == nullptr) return;
  memory->write(reinterpret_cast<std::uintptr_t>(address), bytes);
  drop_whole(*memory);
}

void UnwrittenArrays::write_all(const void* address) {
  const std::shared_ptr<UnwrittenMemory> memory = find(address);
  if (memory == nullptr) return;
  memory->write_all();
  drop_whole(*memory);
}

void UnwrittenArrays::copied(const detail::StridedCopy& copy) {
  const std::shared_ptr<UnwrittenMemory> target = find(copy.target);
  if (target == nullptr || copy.row_bytes == 0) return;
  const std::shared_ptr<UnwrittenMemory> source = find(copy.source);
  for_each_row(copy, [&](std::int64_t to, std::int64_t from) {
    const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(copy.target + to);
    const std::uintptr_t there = reinterpret_cast<std::uintptr_t>(copy.source + from);
    if (source == nullptr || source->has(there, copy.row_bytes)) {
      target->write(here, copy.row_bytes);
      return;
    }
    for (std::uintptr_t i = 0; i < static_cast<std::uintptr_t>(copy.row_bytes); ++i)
      if (source->has(there + i, 1)) target->write(here + i, 1);
  });
  drop_whole(*target);
}

void UnwrittenArrays::filled(const detail::StridedCopy& rows) {
  const std::shared_ptr<UnwrittenMemory> target = find(rows.target);
  if (target == nullptr || rows.row_bytes == 0) return;
  for_each_row(rows, [&](std::int64_t to, std::int64_t) {
    target->write(reinterpret_cast<std::uintptr_t>(rows.target + to), rows.row_bytes);
  });
  drop_whole(*target);
}

}  // namespace pykc::cpu
