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

Result<PoolStatistics> MemoryPool::statistics() const try { return state_->statistics(); } catch (...) {
  return error_in_flight();
}

Result<void> MemoryPool::reset_peaks() const try { return state_->reset_peaks(); } catch (...) {
  return error_in_flight();
}

Result<void> MemoryPool::set_limit(std::int64_t bytes) const try {
  RETURN_IF_FAILED(check_bytes(bytes));
  return state_->set_limit(bytes);
} catch (...) {
  return error_in_flight();
}

Result<void> MemoryPool::set_release_threshold(std::int64_t bytes) const try {
  RETURN_IF_FAILED(check_bytes(bytes));
  return state_->set_release_threshold(bytes);
} catch (...) {
  return error_in_flight();
}

Result<void> MemoryPool::trim(std::int64_t keep) const try {
  RETURN_IF_FAILED(check_bytes(keep));
  return state_->trim(keep);
} catch (...) {
  return error_in_flight();
}

Result<Buffer> Stream::allocate_bytes(std::int64_t bytes) const try {
  RETURN_IF_FAILED(check_not_capturing("it gives no memory"));
  RETURN_IF_FAILED(check_bytes(bytes));
  struct Kept {
    std::shared_ptr<detail::StreamState> stream;
    std::shared_ptr<void> memory;  // goes first
  };
  const auto kept = std::make_shared<Kept>(Kept{state_, nullptr});
  if (bytes > 0) {
    ASSIGN_OR_RETURN(kept->memory, state_->device.pool().allocate(bytes, *state_));
  }
  void* const address = kept->memory.get();
  return Buffer(std::shared_ptr<void>(kept, address), address, bytes, &state_->device);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
