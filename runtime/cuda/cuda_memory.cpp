#include "runtime/cuda/cuda_memory.h"

namespace pykc::cuda {
namespace {

class Memory final : public detail::MemoryState {
 public:
  Memory(std::shared_ptr<Device> device, CUdeviceptr address, std::int64_t bytes)
      : device_(std::move(device)), address_(address), bytes_(static_cast<std::size_t>(bytes)) {}
  ~Memory() override {
    if (bytes_ == 0) return;
    const ContextScope scope = device_->enter();
    device_->driver().cuMemFree(address_);
  }
  void* address() const override { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address_)); }

  Result<void> copy_from_host(std::int64_t offset, const void* source, std::int64_t bytes,
                              detail::StreamState* stream) override {
    const ContextScope scope = device_->enter();
    if (bytes > 0) {
      const CUresult copied =
          device_->driver().cuMemcpyHtoDAsync(at(offset), source, static_cast<std::size_t>(bytes), handle_of(stream));
      if (Result<void> done = device_->check("cuMemcpyHtoDAsync", copied); !done) return done;
    }
    return finish(stream);
  }

  Result<void> copy_to_host(std::int64_t offset, void* target, std::int64_t bytes,
                            detail::StreamState* stream) override {
    const ContextScope scope = device_->enter();
    if (bytes > 0) {
      const CUresult copied =
          device_->driver().cuMemcpyDtoHAsync(target, at(offset), static_cast<std::size_t>(bytes), handle_of(stream));
      if (Result<void> done = device_->check("cuMemcpyDtoHAsync", copied); !done) return done;
    }
    return finish(stream);
  }

  Result<void> fill_zero(detail::StreamState* stream) override {
    const ContextScope scope = device_->enter();
    if (bytes_ > 0) {
      const CUresult filled = device_->driver().cuMemsetD8Async(address_, 0, bytes_, handle_of(stream));
      if (Result<void> done = device_->check("cuMemsetD8Async", filled); !done) return done;
    }
    return finish(stream);
  }

 private:
  CUdeviceptr at(std::int64_t offset) const { return address_ + static_cast<CUdeviceptr>(offset); }
  static CUstream handle_of(detail::StreamState* stream) {
    return stream == nullptr ? nullptr : static_cast<Stream*>(stream)->handle();
  }
  Result<void> finish(detail::StreamState* stream) const {
    return stream == nullptr ? device_->finish_default_stream() : Result<void>();
  }

  const std::shared_ptr<Device> device_;
  const CUdeviceptr address_;
  const std::size_t bytes_;
};

}  // namespace

Result<std::shared_ptr<detail::MemoryState>> allocate_memory(std::shared_ptr<Device> device, std::int64_t bytes) {
  const ContextScope scope = device->enter();
  CUdeviceptr address = 0;
  if (bytes > 0) {
    const CUresult allocated = device->driver().cuMemAlloc(&address, static_cast<std::size_t>(bytes));
    if (allocated == CUDA_ERROR_OUT_OF_MEMORY) return device->out_of_memory(bytes);
    if (Result<void> done = device->check("cuMemAlloc", allocated); !done) return done.error();
  }
  return std::shared_ptr<detail::MemoryState>(std::make_shared<Memory>(std::move(device), address, bytes));
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
