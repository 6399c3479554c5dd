// The functions of the host that a kernel's object may call; kernel_abi.h lists them for code generation.
#pragma once

#include <string_view>

namespace pykc::cpu {

/// The function's address, or null.
void* find_host_function(std::string_view name);

/// Shows what kernels have printed so far.
void flush_prints();

}  // namespace pykc::cpu
