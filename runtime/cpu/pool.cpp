#include "runtime/cpu/pool.h"

#include <algorithm>

#include "base/errors.h"
#include "runtime/cpu/device.h"

namespace pykc::cpu {

Pool::~Pool() { release_until(0); }

Result<std::shared_ptr<void>> Pool::allocate(std::int64_t bytes, detail::StreamState&) {
  if (bytes > memory_bytes()) return allocate_host(bytes).error();
  const std::int64_t rounded = round_up(bytes, size_step());
  const Result<void*> block = [&]() -> Result<void*> {
    const std::lock_guard lock(mutex_);
    if (rounded > limit_ - bytes_.used) return detail::beyond_limit(bytes, bytes_.used, limit_);
    ASSIGN_OR_RETURN(void* const taken, take(rounded));
    bytes_.used += rounded;
    bytes_.peak_used = std::max(bytes_.peak_used, bytes_.used);
    return taken;
  }();
  if (!block) return block.error();
  watch_.allocated(*block, bytes);
  // Without the lock: where there is no memory for the pointer, it gives the block back at once.
  return std::shared_ptr<void>(*block, [this, rounded](void* memory) { give_back(memory, rounded); });
}

/// A block of exactly this size, so that no room is lost; programs allocate the same sizes again and again.
Result<void*> Pool::take(std::int64_t bytes) {
  if (const auto found = unused_.find(bytes); found != unused_.end()) {
    void* const block = found->second;
    unused_.erase(found);
    return block;
  }
  Result<void*> block = allocate_host(bytes);
  if (!block) {  // what waits for other sizes gives way
    release_until(0);
    block = allocate_host(bytes);
  }
  if (!block) return block;
  bytes_.reserved += bytes;
  bytes_.peak_reserved = std::max(bytes_.peak_reserved, bytes_.reserved);
  return block;
}

void Pool::give_back(void* block, std::int64_t bytes) {
  watch_.unwritten.remove(block);
  const std::lock_guard lock(mutex_);
  bytes_.used -= bytes;
  try {
    unused_.emplace(bytes, block);
    watch_.freed.add(block, bytes);
  } catch (const std::bad_alloc&) {  // no memory to remember it
    free_host(block, bytes);
    bytes_.reserved -= bytes;
  }
  release_until(release_threshold_);
}

void Pool::release_until(std::int64_t reserved) {
  while (bytes_.reserved > reserved && !unused_.empty()) {
    const auto largest = std::prev(unused_.end());
    watch_.freed.remove(largest->second);
    free_host(largest->second, largest->first);
    bytes_.reserved -= largest->first;
    unused_.erase(largest);
  }
}

Result<PoolStatistics> Pool::statistics() {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

Result<void> Pool::reset_peaks() {
  const std::lock_guard lock(mutex_);
  bytes_.peak_used = bytes_.used;
  bytes_.peak_reserved = bytes_.reserved;
  return {};
}

Result<void> Pool::set_limit(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
  return {};
}

Result<void> Pool::set_release_threshold(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  release_threshold_ = bytes;
  release_until(bytes);
  return {};
}

Result<void> Pool::trim(std::int64_t keep) {
  const std::lock_guard lock(mutex_);
  release_until(keep);
  return {};
}

}  // namespace pykc::cpu
