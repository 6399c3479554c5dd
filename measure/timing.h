// How long a launch takes: batches of launches between two events of the device.
#pragma once

#include <cstdint>
#include <functional>

#include "pykc/runtime.h"

namespace pykc::measure {

/// Seconds of one launch: of each sample, a batch of launches one after the other, the mean.
struct Times {
  double minimum = 0, median = 0, maximum = 0;
  int samples = 0;
  std::int64_t launches = 0;  // in a batch
};

/// Samples of about `seconds` in all, 11 of them, after a warm-up. `launch` puts work on the device's default stream.
Result<Times> time_launches(const Device& device, double seconds, const std::function<Result<void>()>& launch);

}  // namespace pykc::measure
