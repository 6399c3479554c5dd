// An object file of native code, loaded on the CPU device.
#pragma once

#include <memory>

#include "runtime/cpu/device.h"

namespace pykc::cpu {

Result<std::shared_ptr<detail::ModuleState>> load_module(std::shared_ptr<Device> device, const Artifact& artifact);

}  // namespace pykc::cpu
