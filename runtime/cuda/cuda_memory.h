// Device memory and pinned host memory of a GPU.
#pragma once

#include <memory>

#include "runtime/cuda/cuda_device.h"

namespace pykc::cuda {

Result<std::shared_ptr<void>> allocate_memory(std::shared_ptr<Device> device, std::int64_t bytes);
Result<std::shared_ptr<void>> allocate_pinned_memory(std::shared_ptr<Device> device, std::int64_t bytes);

}  // namespace pykc::cuda
