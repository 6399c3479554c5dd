#include "runtime/cuda/cuda_memory.h"

#include <string>

namespace pykc::cuda {
Result<std::shared_ptr<void>> allocate_memory(std::shared_ptr<Device> device, std::int64_t bytes) {
  const ContextScope scope = device->enter();
  CUdeviceptr address = 0;
  if (bytes == 0) return std::shared_ptr<void>(device, nullptr);
  const CUresult allocated = device->driver().cuMemAlloc(&address, static_cast<std::size_t>(bytes));
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY) return device->out_of_memory(bytes);
  if (Result<void> done = device->check("cuMemAlloc", allocated); !done) return done.error();
  return std::shared_ptr<void>(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), [device](void* memory) {
    const ContextScope inner = device->enter();
    device->driver().cuMemFree(reinterpret_cast<std::uintptr_t>(memory));
  });
}

/// Pinned and managed memory may be reached from every GPU, other memory of the host from none that the driver knows
/// of.
Result<void> Device::check_foreign(const void* address) {
  const ContextScope scope = enter();
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::InvalidArgument, "the address is no memory of " + info.name + ": " + why};
  };
  const CUdeviceptr pointer = reinterpret_cast<std::uintptr_t>(address);
  CUmemorytype type{};
  CUresult asked = driver_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
  if (asked == CUDA_ERROR_INVALID_VALUE) return refuse("the driver does not know it; copy from the host's memory");
  if (Result<void> done = check("cuPointerGetAttribute", asked); !done) return done;
  unsigned is_managed = 0;
  asked = driver_.cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer);
  if (Result<void> done = check("cuPointerGetAttribute", asked); !done) return done;
  if (type == CU_MEMORYTYPE_HOST || is_managed != 0) return {};
  int ordinal = 0;
  asked = driver_.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
  if (Result<void> done = check("cuPointerGetAttribute", asked); !done) return done;
  const std::string where = "cuda:" + std::to_string(ordinal);
  return where == info.name ? Result<void>() : refuse("it lies on " + where);
}

Result<std::shared_ptr<void>> allocate_pinned_memory(std::shared_ptr<Device> device, std::int64_t bytes) {
  const ContextScope scope = device->enter();
  void* address = nullptr;
  if (bytes == 0) return std::shared_ptr<void>();
  const CUresult allocated = device->driver().cuMemAllocHost(&address, static_cast<std::size_t>(bytes));
  if (allocated == CUDA_ERROR_OUT_OF_MEMORY)
    return Error{ErrorCode::OutOfMemory,
                 "the host has no room for " + std::to_string(bytes) + " bytes of pinned memory"};
  if (Result<void> done = device->check("cuMemAllocHost", allocated); !done) return done.error();
  return std::shared_ptr<void>(address, [device](void* memory) {
    const ContextScope inner = device->enter();
    device->driver().cuMemFreeHost(memory);
  });
}

}  // namespace pykc::cuda
