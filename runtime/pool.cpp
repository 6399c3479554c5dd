// MemoryPool and the allocations of streams: what all devices ask for is checked here.
#include "pykc/pool.h"

#include <string>

#include "base/errors.h"
#include "runtime/device.h"

namespace pykc {
namespace {

Result<void> check_bytes(std::int64_t bytes) {
  if (bytes >= 0) return {};
  return invalid_argument("a number of bytes is not negative, as " + std::to_string(bytes) + " is");
}

}  // namespace

Error detail::beyond_limit(std::int64_t bytes, std::int64_t used, std::int64_t limit) {
  return Error{ErrorCode::OutOfMemory, "the pool's limit of " + std::to_string(limit) + " bytes leaves no room for " +
                                           std::to_string(bytes) + " beside the " + std::to_string(used) + " in use"};
}

Result<PoolStatistics> MemoryPool::statistics() const { return state_->statistics(); }

Result<void> MemoryPool::reset_peaks() const { return state_->reset_peaks(); }

Result<void> MemoryPool::set_limit(std::int64_t bytes) const {
  if (Result<void> checked = check_bytes(bytes); !checked) return checked;
  return state_->set_limit(bytes);
}

Result<void> MemoryPool::set_release_threshold(std::int64_t bytes) const {
  if (Result<void> checked = check_bytes(bytes); !checked) return checked;
  return state_->set_release_threshold(bytes);
}

Result<void> MemoryPool::trim(std::int64_t keep) const {
  if (Result<void> checked = check_bytes(keep); !checked) return checked;
  return state_->trim(keep);
}

Result<Buffer> Stream::allocate_bytes(std::int64_t bytes) const {
  if (Result<void> free = check_not_capturing("it gives no memory"); !free) return free.error();
  if (Result<void> checked = check_bytes(bytes); !checked) return checked.error();
  struct Kept {
    std::shared_ptr<detail::StreamState> stream;
    std::shared_ptr<void> memory;  // goes first
  };
  const auto kept = std::make_shared<Kept>(Kept{state_, nullptr});
  if (bytes > 0) {
    Result<std::shared_ptr<void>> memory = state_->device.pool().allocate(bytes, *state_);
    if (!memory) return memory.error();
    kept->memory = std::move(*memory);
  }
  void* const address = kept->memory.get();
  return Buffer(std::shared_ptr<void>(kept, address), address, bytes, &state_->device);
}

}  // namespace pykc
