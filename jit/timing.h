// How long a launch takes, between two events of the device.
#pragma once

#include <cstdint>
#include <functional>

#include "pykc/runtime.h"

namespace pykc::jit {

/// Seconds of one launch: of each sample, which is a batch of launches one after the other, the mean.
struct Times {
  double minimum = 0, median = 0, maximum = 0;
  int samples = 0;
  std::int64_t launches = 0;  // in a batch
};

/// Samples of about `seconds` in all, 11 of them, after a warm-up. `launch` puts work on the device's default stream.
Result<Times> time_launches(const Device& device, double seconds, const std::function<Result<void>()>& launch);

/// Samples of one launch each, 1 to 25 of them in about `seconds`, after a warm-up. Each has its own `prepare`, which
/// is not counted. Both put their work on `stream`.
Result<Times> time_single_launches(const Stream& stream, double seconds, const std::function<Result<void>()>& prepare,
                                   const std::function<Result<void>()>& launch);

}  // namespace pykc::jit
