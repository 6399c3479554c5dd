#include "jit/timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace pykc::jit {
namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<Result<void>()>;

constexpr int kSamples = 11;  // odd: the median is one of them
constexpr int kMostSingles = 25;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Times summary_of(std::span<double> times, std::int64_t launches) {
  std::ranges::sort(times);
  return {times.front(), times[times.size() / 2], times.back(), static_cast<int>(times.size()), launches};
}

struct Interval {
  Event start, end;
  Result<double> seconds() const {
    const Result<double> milliseconds = end.milliseconds_since(start);
    return milliseconds ? Result<double>(*milliseconds * 1e-3) : milliseconds;
  }
};

/// Puts the launches between two events; waits for nothing.
Result<Interval> enclose(const Stream& stream, std::int64_t launches, const Work& launch) {
  ASSIGN_OR_RETURN(const Event start, stream.record());
  for (std::int64_t i = 0; i < launches; ++i) RETURN_IF_FAILED(launch());
  ASSIGN_OR_RETURN(const Event end, stream.record());
  return Interval{start, end};
}

Result<double> time_batch(const Stream& stream, std::int64_t launches, const Work& launch) {
  const Result<Interval> interval = enclose(stream, launches, launch);
  return interval ? interval->seconds() : interval.error();
}

/// Launches until a batch takes long enough to tell how many fill a sample; by the host's clock, whose patience it is.
Result<std::int64_t> warm_up(const Stream& stream, double sample_seconds, const Work& launch) {
  constexpr std::int64_t kMostLaunches = 1 << 20;
  // The first launch loads code and touches pages.
  RETURN_IF_FAILED(time_batch(stream, 1, launch));
  for (std::int64_t launches = 1;; launches *= 2) {
    const Clock::time_point start = Clock::now();
    RETURN_IF_FAILED(time_batch(stream, launches, launch));
    const double seconds = seconds_since(start);
    if (seconds < sample_seconds / 4 && launches < kMostLaunches) continue;
    const double fitting = std::ceil(sample_seconds / seconds * static_cast<double>(launches));
    return static_cast<std::int64_t>(std::clamp(fitting, 1.0, static_cast<double>(kMostLaunches)));
  }
}

/// All of the samples are on their way before the first is waited for, so that a GPU does not wait for the host between
/// the events of one.
Result<std::vector<double>> time_each(const Stream& stream, int samples, const Work& prepare, const Work& launch) {
  std::vector<Interval> intervals;
  for (int i = 0; i < samples; ++i) {
    RETURN_IF_FAILED(prepare());
    ASSIGN_OR_RETURN(Interval interval, enclose(stream, 1, launch));
    intervals.push_back(std::move(interval));
  }
  std::vector<double> times;
  for (const Interval& interval : intervals) {
    ASSIGN_OR_RETURN(const double seconds, interval.seconds());
    times.push_back(seconds);
  }
  return times;
}

}  // namespace

Result<Times> time_launches(const Device& device, double seconds, const Work& launch) {
  const Stream stream = device.default_stream();
  ASSIGN_OR_RETURN(const std::int64_t launches, warm_up(stream, seconds / kSamples, launch));
  std::array<double, kSamples> times;
  for (double& time : times) {
    ASSIGN_OR_RETURN(const double batch, time_batch(stream, launches, launch));
    time = batch / static_cast<double>(launches);
  }
  RETURN_IF_FAILED(device.synchronize());
  return summary_of(times, launches);
}

Result<Times> time_single_launches(const Stream& stream, double seconds, const Work& prepare, const Work& launch) {
  // The first launch loads code and touches pages; how long the second one takes tells how many there is time for.
  RETURN_IF_FAILED(time_each(stream, 1, prepare, launch));
  const Clock::time_point start = Clock::now();
  Result<std::vector<double>> times = time_each(stream, 1, prepare, launch);
  const auto fitting = static_cast<int>(std::min(seconds / seconds_since(start), 1.0 * kMostSingles));
  if (times && fitting > 1) times = time_each(stream, fitting, prepare, launch);
  if (!times) return times.error();
  RETURN_IF_FAILED(stream.synchronize());
  return summary_of(*times, 1);
}

}  // namespace pykc::jit
