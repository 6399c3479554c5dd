// PTX text or a cubin, loaded on a GPU.
#pragma once

#include <memory>

#include "runtime/cuda/device.h"

namespace pykc::cuda {

Result<std::shared_ptr<detail::ModuleState>> load_module(std::shared_ptr<Device> device, const Artifact& artifact);

}  // namespace pykc::cuda
