// What the copy unit of a GPU must know of a launch's arrays.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/launch.h"

namespace pykc::cuda {

/// Makes the kernel's tensor maps of the launch's arrays and appends them to its parameters. Fails where an array lies
/// as the unit cannot read it: off boundaries of 16 bytes, or without elements side by side.
Result<void> append_tensor_maps(const Driver& driver, const KernelInfo& kernel, detail::PreparedLaunch& launch);

}  // namespace pykc::cuda
