#include "jit/scratch.h"

#include <memory>

namespace pykc::jit {

Result<ScratchPool::Scratch> ScratchPool::take(const Device& device, const Stream& stream, std::int64_t bytes) {
  if (stream.is_capturing()) {
    const Result<Buffer> own = device.allocate_bytes(bytes);
    if (!own) return own.error();
    if (Result<void> kept = stream.keep_in_graph(std::make_shared<Buffer>(*own)); !kept) return kept.error();
    return Scratch{*own, std::nullopt};
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
    Result<Buffer> larger = device.allocate_bytes(bytes);  // what is too small is freed when its work is done
    if (!larger) return larger.error();
    return Scratch{std::move(*larger), std::nullopt};
  }
  if (scratch.last_use)
    if (Result<void> ordered = stream.wait(*scratch.last_use); !ordered) return ordered.error();
  return scratch;
}

Result<void> ScratchPool::give_back(Scratch scratch, const Stream& stream) {
  if (stream.is_capturing()) return {};
  Result<Event> used = stream.record();
  if (!used) return used.error();
  scratch.last_use = std::move(*used);
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(scratch));
  return {};
}

}  // namespace pykc::jit
