#include "runtime/cuda/cuda_memory.h"

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
