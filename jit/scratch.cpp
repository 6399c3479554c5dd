#include "jit/scratch.h"

#include <memory>

#include "base/errors.h"

namespace pykc::jit {

Result<ScratchPool::Scratch> ScratchPool::take(const Device& device, const Stream& stream, std::int64_t bytes) {
  if (stream.is_capturing()) {
    ASSIGN_OR_RETURN(const Buffer own, device.allocate_bytes(bytes));
    RETURN_IF_FAILED(stream.keep_in_graph(std::make_shared<Buffer>(own)));
    return Scratch{own, std::nullopt};
  }
  Scratch scratch;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      scratch = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (scratch.buffer.bytes() < bytes) {
    // What is too small is freed when its work is done.
    ASSIGN_OR_RETURN(Buffer larger, device.allocate_bytes(bytes));
    return Scratch{std::move(larger), std::nullopt};
  }
  if (scratch.last_use) RETURN_IF_FAILED(stream.wait(*scratch.last_use));
  return scratch;
}

Result<void> ScratchPool::give_back(Scratch scratch, const Stream& stream) {
  if (stream.is_capturing()) return {};
  ASSIGN_OR_RETURN(scratch.last_use, stream.record());
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(scratch));
  return {};
}

}  // namespace pykc::jit
