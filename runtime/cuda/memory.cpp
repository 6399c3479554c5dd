// Memory of a GPU, and of the host that a GPU reaches.
#include <string>

#include "base/errors.h"
#include "runtime/cuda/device.h"

namespace pykc::cuda {

Result<std::shared_ptr<void>> Device::allocate(std::int64_t bytes) {
  if (bytes == 0) return std::shared_ptr<void>(shared_from_this(), nullptr);
  const ContextScope scope = enter();
  const OutsideCapture outside = leave_captures();
  RETURN_IF_FAILED(outside.check());
  CUdeviceptr address = 0;
  const auto attempt = [&] { return driver_.cuMemAlloc(&address, static_cast<std::size_t>(bytes)); };
  CUresult allocated = attempt();
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY && pool_.release_unused()) allocated = attempt();
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory(bytes);
  RETURN_IF_FAILED(check("cuMemAlloc", allocated));
  return device_memory(address);
}

/// Given back by cuMemFree, which waits for the work that may use it.
std::shared_ptr<void> Device::device_memory(CUdeviceptr address) {
  return std::shared_ptr<void>(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)),
                               [device = shared_from_this(), this](void* memory) {
                                 const ContextScope scope = enter();
                                 const OutsideCapture outside = leave_captures();
                                 driver_.cuMemFree(reinterpret_cast<std::uintptr_t>(memory));
                               });
}

/// Pinned and managed memory may be reached from every GPU, other memory of the host from none that the driver knows
/// of.
Result<void> Device::check_foreign(const void* address) {
  const ContextScope scope = enter();
  const auto refuse = [&](const std::string& why) {
    return invalid_argument("the address is no memory of " + info.name + ": " + why);
  };
  const CUdeviceptr pointer = reinterpret_cast<std::uintptr_t>(address);
  CUmemorytype type{};
  CUresult asked = driver_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
  if (asked == CUDA_ERROR_INVALID_VALUE) return refuse("the driver does not know it; copy from the host's memory");
  RETURN_IF_FAILED(check("cuPointerGetAttribute", asked));
  unsigned is_managed = 0;
  asked = driver_.cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer);
  RETURN_IF_FAILED(check("cuPointerGetAttribute", asked));
  if (type == CU_MEMORYTYPE_HOST || is_managed != 0) return {};
  int ordinal = 0;
  asked = driver_.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
  RETURN_IF_FAILED(check("cuPointerGetAttribute", asked));
  const std::string where = "cuda:" + std::to_string(ordinal);
  return where == info.name ? Result<void>() : refuse("it lies on " + where);
}

Result<std::shared_ptr<void>> Device::allocate_pinned(std::int64_t bytes) {
  const ContextScope scope = enter();
  return bytes == 0 ? Result(std::shared_ptr<void>()) : allocate_host(bytes, 0);
}

Result<std::shared_ptr<void>> Device::allocate_host(std::int64_t bytes, unsigned flags) {
  const OutsideCapture outside = leave_captures();
  RETURN_IF_FAILED(outside.check());
  void* address = nullptr;
  const CUresult allocated = driver_.cuMemHostAlloc(&address, static_cast<std::size_t>(bytes), flags);
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY)
    return Error{ErrorCode::OutOfMemory,
                 "the host has no room for " + std::to_string(bytes) + " bytes of pinned memory"};
  RETURN_IF_FAILED(check("cuMemHostAlloc", allocated));
  return std::shared_ptr<void>(address, [device = shared_from_this(), this](void* memory) {
    const ContextScope inner = enter();
    const OutsideCapture no_capture = leave_captures();
    driver_.cuMemFreeHost(memory);
  });
}

Result<detail::UnifiedMemory> Device::allocate_unified(detail::UnifiedKind kind, std::int64_t bytes) {
  if (bytes > info.memory_bytes) return out_of_memory(bytes);  // more managed memory than the GPU has can stall it
  const ContextScope scope = enter();
  return kind == detail::UnifiedKind::Managed ? allocate_managed(bytes) : allocate_mapped(bytes);
}

Result<detail::UnifiedMemory> Device::allocate_managed(std::int64_t bytes) {
  const OutsideCapture outside = leave_captures();
  RETURN_IF_FAILED(outside.check());
  CUdeviceptr address = 0;
  const CUresult allocated = driver_.cuMemAllocManaged(&address, static_cast<std::size_t>(bytes), CU_MEM_ATTACH_GLOBAL);
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory(bytes);
  RETURN_IF_FAILED(check("cuMemAllocManaged", allocated));
  const std::shared_ptr<void> memory = device_memory(address);
  return detail::UnifiedMemory{memory, memory.get(), memory.get()};
}

Result<detail::UnifiedMemory> Device::allocate_mapped(std::int64_t bytes) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> memory,
                   allocate_host(bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  CUdeviceptr address = 0;
  const CUresult mapped = driver_.cuMemHostGetDevicePointer(&address, memory.get(), 0);
  RETURN_IF_FAILED(check("cuMemHostGetDevicePointer", mapped));
  void* const on_host = memory.get();
  return detail::UnifiedMemory{std::move(memory), reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)),
                               on_host};
}

}  // namespace pykc::cuda
