// Memory, pools of it, and copies.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/mock_cuda/state.h"

namespace fake {
namespace {

std::uint64_t* find_attribute(CUmemoryPool pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return &pool->threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return &pool->reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return &pool->peak_reserved;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return &pool->used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return &pool->peak_used;
  }
  return nullptr;
}

/// One side of a rectangle; the driver asks that rows do not overlap.
CUresult find_rows(const CUDA_MEMCPY2D& copy, CUmemorytype type, const void* host, CUdeviceptr device,
                   std::size_t pitch, char** rows) {
  constexpr std::size_t kMaxPitch = 2147483647;
  if (pitch < copy.WidthInBytes || pitch > kMaxPitch || copy.Height == 0) return kInvalidValue;
  const std::size_t covered = pitch * (copy.Height - 1) + copy.WidthInBytes;
  if (type == CU_MEMORYTYPE_DEVICE && !is_device_range(device, covered)) return kInvalidValue;
  *rows = static_cast<char*>(type == CU_MEMORYTYPE_DEVICE ? pointer(device) : const_cast<void*>(host));
  return CUDA_SUCCESS;
}

template <typename Value>
CUresult fill_rows(CUdeviceptr target, std::size_t pitch, Value value, std::size_t width, std::size_t height,
                   CUstream stream) {
  const std::size_t bytes = width * sizeof(Value);
  if (pitch < bytes || height == 0 || !is_device_range(target, pitch * (height - 1) + bytes)) return kInvalidValue;
  if (target % sizeof(Value) != 0 || pitch % sizeof(Value) != 0) return kInvalidValue;
  return run(stream, [=] {
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t i = 0; i < width; ++i)
        std::memcpy(pointer(target + row * pitch + i * sizeof(Value)), &value, sizeof(Value));
  });
}

}  // namespace

const Block* find_block(CUdeviceptr address, std::size_t bytes) {
  for (const auto& [start, block] : state().blocks) {
    const auto first = reinterpret_cast<CUdeviceptr>(start);
    if (address >= first && address + bytes <= first + block.bytes) return &block;
  }
  return nullptr;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = state().memory;
  *free = state().memory - state().memory_used;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (current == nullptr) return kInvalidContext;
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  if (bytes == 0) return kInvalidValue;
  if (bytes > state().memory - state().memory_used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = std::malloc(bytes);
  state().blocks[block] = {.bytes = bytes, .device = current->device};
  state().memory_used += bytes;
  *address = reinterpret_cast<CUdeviceptr>(block);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  const auto block = state().blocks.find(pointer(address));
  if (block == state().blocks.end()) return kInvalidValue;
  if (CUmemoryPool const pool = block->second.pool)
    pool->used -= block->second.bytes;
  else
    state().memory_used -= block->second.bytes;
  std::free(block->first);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL) return kInvalidValue;
  const CUresult allocated = cuMemAlloc(address, bytes);
  if (allocated == CUDA_SUCCESS) state().blocks[pointer(*address)].is_managed = true;
  return allocated;
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return kInvalidValue;
  if (current == nullptr || properties->location.id != current->device) return kInvalidValue;
  *pool = make<CUmemPoolHandle_st>();
  return CUDA_SUCCESS;
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  state().memory_used -= pool->reserved;
  return destroy(pool);
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  *static_cast<std::uint64_t*>(value) = *find_attribute(pool, attribute);
  return CUDA_SUCCESS;
}
/// The peaks may be set to 0, and are then what is in use.
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  const std::uint64_t number = *static_cast<std::uint64_t*>(value);
  if (attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && number != 0) return kInvalidValue;
  *find_attribute(pool, attribute) = number;
  pool->peak_used = std::max(pool->peak_used, pool->used);
  pool->peak_reserved = std::max(pool->peak_reserved, pool->reserved);
  return CUDA_SUCCESS;
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t keep) {
  const std::uint64_t reserved = std::min(pool->reserved, std::max<std::uint64_t>(pool->used, keep));
  state().memory_used -= pool->reserved - reserved;
  pool->reserved = reserved;
  return CUDA_SUCCESS;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  if (current == nullptr || bytes == 0) return kInvalidValue;
  if (stream == nullptr && captures_of_thread > 0) return kCaptureImplicit;
  const std::size_t more = bytes - std::min<std::size_t>(bytes, pool->reserved - pool->used);
  if (more > state().memory - state().memory_used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = std::malloc(bytes);
  state().blocks[block] = {.bytes = bytes, .device = current->device, .pool = pool};
  state().memory_used += more;
  pool->used += bytes;
  pool->reserved += more;
  pool->peak_used = std::max(pool->peak_used, pool->used);
  pool->peak_reserved = std::max(pool->peak_reserved, pool->reserved);
  *address = reinterpret_cast<CUdeviceptr>(block);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const auto block = state().blocks.find(pointer(address));
  if (stream == nullptr && captures_of_thread > 0) return kCaptureImplicit;
  const bool is_stream = stream == nullptr || state().objects.contains(stream);
  if (block == state().blocks.end() || block->second.pool == nullptr || !is_stream) return kInvalidValue;
  block->second.pool->used -= block->second.bytes;
  std::free(block->first);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  if (const CUresult safe = check_unsafe(); safe != CUDA_SUCCESS) return safe;
  *address = std::malloc(bytes);
  state().blocks[*address] = {.bytes = bytes, .is_pinned = true};
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* on_device, void* address, unsigned) {
  *on_device = reinterpret_cast<CUdeviceptr>(address);
  return find_block(*on_device, 1) != nullptr ? CUDA_SUCCESS : kInvalidValue;
}
CUresult cuMemFreeHost(void* address) {
  const auto block = state().blocks.find(address);
  if (block == state().blocks.end() || !block->second.is_pinned) return kInvalidValue;
  std::free(address);
  state().blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const Block* const block = find_block(address, 1);
  if (block == nullptr) return kInvalidValue;
  int* const number = static_cast<int*>(value);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *number = block->is_pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *number = block->is_managed ? 1 : 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *number = block->device;
      break;
  }
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void* source, std::size_t bytes, CUstream stream) {
  if (!is_device_range(target, bytes)) return kInvalidValue;
  return run(stream, [=] { std::memcpy(pointer(target), source, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  if (!is_device_range(source, bytes)) return kInvalidValue;
  return run(stream, [=] { std::memcpy(target, pointer(source), bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  if (!is_device_range(target, bytes) || !is_device_range(source, bytes)) return kInvalidValue;
  return run(stream, [=] { std::memcpy(pointer(target), pointer(source), bytes); });
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  char *target = nullptr, *source = nullptr;
  for (const CUresult found :
       {find_rows(*copy, copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstPitch, &target),
        find_rows(*copy, copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcPitch, &source)})
    if (found != CUDA_SUCCESS) return found;
  return run(stream, [target, source, copied = *copy] {
    for (std::size_t row = 0; row < copied.Height; ++row)
      std::memcpy(target + row * copied.dstPitch, source + row * copied.srcPitch, copied.WidthInBytes);
  });
}
CUresult cuMemsetD2D8Async(CUdeviceptr target, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr target, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_rows(target, pitch, value, width, height, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, std::size_t bytes, CUstream) {
  std::memset(pointer(target), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, std::size_t count, CUstream stream) {
  return fill_rows(target, count * sizeof(value), value, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, std::size_t count, CUstream stream) {
  return fill_rows(target, count * sizeof(value), value, count, 1, stream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context,
                           std::size_t bytes, CUstream) {
  if (target_context == source_context || !is_device_range(target, bytes) || !is_device_range(source, bytes))
    return kInvalidValue;
  std::memcpy(pointer(target), pointer(source), bytes);
  return CUDA_SUCCESS;
}

}  // namespace fake
