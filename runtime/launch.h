// The checks of a launch, in one place, before any device sees it; and its arguments laid out for the kernel.
#pragma once

#include <cstdint>
#include <span>

#include "pykc/runtime.h"

namespace pykc::detail {

/// Every parameter word (an address, an extent, a stride, a scalar) takes at most 8 bytes, and GPUs of all ages take
/// 4096 bytes of parameters.
inline constexpr int kMaxParameterWords = 512;

/// What a device allows one kernel, found out when it is loaded.
struct KernelLimits {
  int max_threads_per_block = 0;
  std::int64_t max_shared_bytes = 0;  // static and dynamic together
};

/// A launch that has passed all checks. It lives on the caller's stack: a launch allocates nothing.
struct PreparedLaunch {
  Dim3 grid;
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t blocks = 0;  // 0: nothing to do
  int count = 0;
  int words = 0;
  // Uninitialised beyond `count` and `words`. `parameters` is what cuLaunchKernel and abi::CpuLaunch take.
  const void* parameters[kMaxParameterWords];
  alignas(16) std::uint64_t values[kMaxParameterWords];

  PreparedLaunch() {}  // leaves the two arrays alone
  void append(std::uint64_t value) {
    parameters[count++] = &values[words];
    values[words++] = value;
  }
  /// A record's bytes, on a boundary of 16.
  void append(const void* bytes, std::int64_t size) {
    words += words % 2;
    parameters[count++] = &values[words];
    __builtin_memcpy(&values[words], bytes, static_cast<std::size_t>(size));
    words += static_cast<int>((size + 7) / 8);
  }
};

/// Refuses a description that no launch could follow: it came from a damaged or hand-made artifact.
Result<void> check_description(const KernelInfo& kernel);

/// Checks configuration and arguments, and fills `prepared`.
Result<void> prepare_launch(const KernelInfo& kernel, const KernelLimits& limits, const DeviceState& device,
                            const LaunchConfig& config, std::span<const Argument> arguments, PreparedLaunch& prepared);

/// For kernels that wait for their whole grid: all blocks must run at a time, and the device runs `most`.
Error too_many_cooperative_blocks(const KernelInfo& kernel, std::int64_t blocks, std::int64_t most);

/// Checks one argument and appends its words. In arguments.cpp.
Result<void> append_argument(const KernelInfo& kernel, const ParameterInfo& parameter, const Argument& argument,
                             const DeviceState& device, PreparedLaunch& prepared);

}  // namespace pykc::detail
