// Two GPUs of one machine: access of one's kernels to the other's memory, and copies between them.
#include <algorithm>

#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {

Result<void> Device::enable_peer_access(detail::DeviceState& other) {
  const auto& peer = static_cast<Device&>(other);
  int can = 0;
  const CUresult asked = driver_.cuDeviceCanAccessPeer(&can, context_->device(), peer.context_->device());
  RETURN_IF_FAILED(check("cuDeviceCanAccessPeer", asked));
  if (can == 0)
    return Error{ErrorCode::Unsupported, info.name + " cannot reach the memory of " + peer.info.name +
                                             ": no link of this machine joins them; copy the arrays"};
  const ContextScope scope = enter();
  const CUresult enabled = driver_.cuCtxEnablePeerAccess(peer.context_->handle(), 0);
  if (enabled != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) RETURN_IF_FAILED(check("cuCtxEnablePeerAccess", enabled));
  const std::lock_guard lock(peers_mutex_);
  peers_.push_back(other.weak_from_this());
  return {};
}

bool Device::has_peer_access(const detail::DeviceState& other) const {
  const std::lock_guard lock(peers_mutex_);
  return std::ranges::any_of(peers_, [&](const auto& peer) { return peer.lock().get() == &other; });
}

Result<void> Device::copy_from_peer(const detail::StridedCopy& row, detail::DeviceState& source) {
  if (row.row_bytes == 0) return {};
  const ContextScope scope = enter();
  const auto address = [](const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); };
  const CUresult copied = driver_.cuMemcpyPeerAsync(address(row.target), context_->handle(), address(row.source),
                                                    static_cast<Device&>(source).context_->handle(),
                                                    static_cast<std::size_t>(row.row_bytes), nullptr);
  RETURN_IF_FAILED(check("cuMemcpyPeerAsync", copied));
  return finish_default_stream();
}

}  // namespace pykc::cuda
