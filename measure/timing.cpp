#include "measure/timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace pykc::measure {
namespace {

constexpr int kSamples = 11;  // odd: the median is one of them

Result<double> time_batch(const Stream& stream, std::int64_t launches, const std::function<Result<void>()>& launch) {
  const Result<Event> start = stream.record();
  if (!start) return start.error();
  for (std::int64_t i = 0; i < launches; ++i)
    if (Result<void> launched = launch(); !launched) return launched.error();
  const Result<Event> end = stream.record();
  if (!end) return end.error();
  const Result<double> milliseconds = end->milliseconds_since(*start);
  if (!milliseconds) return milliseconds.error();
  return *milliseconds * 1e-3;
}

/// Launches until a batch takes long enough to tell how many fill a sample; by the host's clock, whose patience it is.
Result<std::int64_t> warm_up(const Stream& stream, double sample_seconds, const std::function<Result<void>()>& launch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kMostLaunches = 1 << 20;
  // The first launch loads code and touches pages.
  if (const Result<double> first = time_batch(stream, 1, launch); !first) return first.error();
  for (std::int64_t launches = 1;; launches *= 2) {
    const Clock::time_point start = Clock::now();
    if (const Result<double> batch = time_batch(stream, launches, launch); !batch) return batch.error();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds < sample_seconds / 4 && launches < kMostLaunches) continue;
    const double fitting = std::ceil(sample_seconds / seconds * static_cast<double>(launches));
    return static_cast<std::int64_t>(std::clamp(fitting, 1.0, static_cast<double>(kMostLaunches)));
  }
}

}  // namespace

Result<Times> time_launches(const Device& device, double seconds, const std::function<Result<void>()>& launch) {
  const Stream stream = device.default_stream();
  const Result<std::int64_t> launches = warm_up(stream, seconds / kSamples, launch);
  if (!launches) return launches.error();
  std::array<double, kSamples> times;
  for (double& time : times) {
    const Result<double> batch = time_batch(stream, *launches, launch);
    if (!batch) return batch.error();
    time = *batch / static_cast<double>(*launches);
  }
  if (Result<void> finished = device.synchronize(); !finished) return finished.error();
  std::ranges::sort(times);
  return Times{times.front(), times[kSamples / 2], times.back(), kSamples, *launches};
}

}  // namespace pykc::measure
