#include "runtime/cuda/pool.h"

#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {

Pool::~Pool() {
  if (handle_ == nullptr) return;
  const ContextScope scope = device_.enter();
  device_.driver().cuMemPoolDestroy(handle_);
}

Result<CUmemoryPool> Pool::handle() {
  if (handle_ != nullptr) return handle_;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_.handle()};
  CUmemoryPool made = nullptr;
  const CUresult created = device_.driver().cuMemPoolCreate(&made, &properties);
  RETURN_IF_FAILED(device_.check("cuMemPoolCreate", created));
  std::uint64_t all = UINT64_MAX;
  const CUresult kept = device_.driver().cuMemPoolSetAttribute(made, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
  if (Result<void> done = device_.check("cuMemPoolSetAttribute", kept); !done) {
    device_.driver().cuMemPoolDestroy(made);
    return done.error();
  }
  return handle_ = made;
}

Result<std::int64_t> Pool::attribute(CUmemPool_attribute attribute) {
  ASSIGN_OR_RETURN(const CUmemoryPool pool, handle());
  std::uint64_t value = 0;
  const CUresult asked = device_.driver().cuMemPoolGetAttribute(pool, attribute, &value);
  RETURN_IF_FAILED(device_.check("cuMemPoolGetAttribute", asked));
  return static_cast<std::int64_t>(value);
}

Result<void> Pool::set_attribute(CUmemPool_attribute attribute, std::uint64_t value) {
  ASSIGN_OR_RETURN(const CUmemoryPool pool, handle());
  return device_.check("cuMemPoolSetAttribute", device_.driver().cuMemPoolSetAttribute(pool, attribute, &value));
}

Result<std::shared_ptr<void>> Pool::allocate(std::int64_t bytes, detail::StreamState& stream) {
  const CUstream on = static_cast<Stream&>(stream).handle();
  const ContextScope scope = device_.enter();
  std::unique_lock lock(mutex_);
  if (limit_ != INT64_MAX) {
    ASSIGN_OR_RETURN(const std::int64_t in_pool, attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
    const std::int64_t used = in_pool + beside_;
    if (bytes > limit_ - used) return detail::beyond_limit(bytes, used, limit_);
  }
  if (on == nullptr && device_.has_captures()) {
    lock.unlock();  // the device may ask for what is unused here
    return allocate_beside(bytes);
  }
  ASSIGN_OR_RETURN(const CUmemoryPool pool, handle());
  CUdeviceptr address = 0;
  const CUresult allocated =
      device_.driver().cuMemAllocFromPoolAsync(&address, static_cast<std::size_t>(bytes), pool, on);
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY) return device_.out_of_memory(bytes);
  RETURN_IF_FAILED(device_.check("cuMemAllocFromPoolAsync", allocated));
  return std::shared_ptr<void>(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)),
                               [&device = device_, on](void* memory) {
                                 const ContextScope inner = device.enter();
                                 const auto address = reinterpret_cast<std::uintptr_t>(memory);
                                 if (on == nullptr && device.has_captures()) {
                                   const OutsideCapture outside = device.leave_captures();
                                   device.driver().cuMemFree(address);
                                 } else {
                                   device.driver().cuMemFreeAsync(address, on);
                                 }
                               });
}

/// The default stream takes no work while another stream captures, so this memory is no work of a stream.
Result<std::shared_ptr<void>> Pool::allocate_beside(std::int64_t bytes) {
  ASSIGN_OR_RETURN(const std::shared_ptr<void> memory, device_.allocate(bytes));
  beside_ += bytes;
  // The memory keeps the device, and with it the pool.
  return std::shared_ptr<void>(memory.get(), [this, memory, bytes](void*) { beside_ -= bytes; });
}

Result<PoolStatistics> Pool::statistics() {
  const ContextScope scope = device_.enter();
  const std::lock_guard lock(mutex_);
  PoolStatistics statistics;
  for (const auto& [name, value] : {std::pair{CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &statistics.used},
                                    std::pair{CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &statistics.reserved},
                                    std::pair{CU_MEMPOOL_ATTR_USED_MEM_HIGH, &statistics.peak_used},
                                    std::pair{CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &statistics.peak_reserved}}) {
    ASSIGN_OR_RETURN(const std::int64_t found, attribute(name));
    *value = found;
  }
  statistics.used += beside_;
  return statistics;
}

Result<void> Pool::reset_peaks() {
  const ContextScope scope = device_.enter();
  const std::lock_guard lock(mutex_);
  RETURN_IF_FAILED(set_attribute(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0));
  return set_attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
}

Result<void> Pool::set_limit(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
  return {};
}

Result<void> Pool::set_release_threshold(std::int64_t bytes) {
  const ContextScope scope = device_.enter();
  const std::lock_guard lock(mutex_);
  return set_attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, static_cast<std::uint64_t>(bytes));
}

/// The driver takes back what no work still needs, so all work is waited for first.
Result<void> Pool::trim(std::int64_t keep) {
  const ContextScope scope = device_.enter();
  const std::lock_guard lock(mutex_);
  if (handle_ == nullptr) return {};
  RETURN_IF_FAILED(device_.check("cuCtxSynchronize", device_.driver().cuCtxSynchronize()));
  return device_.check("cuMemPoolTrimTo", device_.driver().cuMemPoolTrimTo(handle_, static_cast<std::size_t>(keep)));
}

bool Pool::release_unused() {
  const std::lock_guard lock(mutex_);
  return handle_ != nullptr && device_.driver().cuCtxSynchronize() == CUDA_SUCCESS &&
         device_.driver().cuMemPoolTrimTo(handle_, 0) == CUDA_SUCCESS;
}

}  // namespace pykc::cuda
