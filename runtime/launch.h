// The checks of a launch, in one place, before any device sees it; and its arguments laid out for the kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::detail {

/// Every parameter word (an address, an extent, a stride, a scalar) takes at most 8 bytes, and GPUs of all ages take
/// 4096 bytes of parameters.
inline constexpr int kMaxParameterWords = 512;

/// A parameter as launches compare arguments with it: a few bytes in place of a ParameterInfo, which lies all over the
/// heap.
struct ParameterRule {
  explicit ParameterRule(const ParameterInfo& parameter);
  bool is_array;
  bool is_record;
  bool has_static_shape;
  ScalarType type;
  Layout layout;
  std::uint8_t alignment;
  int rank;
};

/// What launches of a kernel are held against, made once, when it is loaded.
struct LaunchRules {
  LaunchRules(const KernelInfo& kernel, int max_threads_per_block, std::int64_t max_shared_bytes);
  int max_threads_per_block;
  std::int64_t max_shared_bytes;  // static and dynamic together
  std::vector<ParameterRule> parameters;
};

/// A launch that has passed all checks. It lives on the caller's stack: a launch allocates nothing.
struct PreparedLaunch {
  Dim3 grid;
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t blocks = 0;              // 0: nothing to do
  std::chrono::nanoseconds timeout{0};  // 0: none
  int count = 0;
  int words = 0;
  // Uninitialised beyond `count` and `words`. `parameters` is what cuLaunchKernel and abi::CpuLaunch take.
  const void* parameters[kMaxParameterWords];
  alignas(16) std::uint64_t values[kMaxParameterWords];

  PreparedLaunch() {}  // leaves the two arrays alone
  PreparedLaunch(const PreparedLaunch& other);
  PreparedLaunch& operator=(const PreparedLaunch&) = delete;
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

/// Checks the configuration, and fills all but the parameters of `prepared`.
Result<void> prepare_configuration(const KernelInfo& kernel, const LaunchRules& rules, const LaunchConfig& config,
                                   PreparedLaunch& prepared);

/// Checks configuration and arguments, and fills `prepared`.
Result<void> prepare_launch(const KernelInfo& kernel, const LaunchRules& rules, const DeviceState& device,
                            const LaunchConfig& config, std::span<const Argument> arguments, PreparedLaunch& prepared);

/// The error of a launch that a kernel cannot have; the message says why.
inline Error invalid_launch(const KernelInfo& kernel, const std::string& why) {
  return {ErrorCode::InvalidLaunch, "kernel `" + kernel.name + "`: " + why};
}

/// The error of a launch that has taken longer than it may; `then` says what became of it.
Error timeout_error(const KernelInfo& kernel, std::chrono::nanoseconds timeout, const std::string& then);

/// The error of a kernel that waits for its whole grid, where not all blocks can run at a time: the device runs `most`.
Error too_many_cooperative_blocks(const KernelInfo& kernel, std::int64_t blocks, std::int64_t most);

/// Checks the arguments, as many as there are parameters, and appends their words. In arguments.cpp.
Result<void> append_arguments(const KernelInfo& kernel, const LaunchRules& rules, std::span<const Argument> arguments,
                              const DeviceState& device, PreparedLaunch& prepared);

}  // namespace pykc::detail
