// What the examples share: the command line, the clock, the comparison with a calculation on the host, and the report.
//
//   PROGRAM [DEVICE [SIZE]]        DEVICE: "cuda:0", "cpu" …; default, or "": the first GPU, else the CPU device
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pykc/runtime.h"

namespace example {

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

/// The value; a program this small ends where there is none.
template <typename T>
T require(pykc::Result<T> result) {
  if (result) return std::move(result).value();
  for (const pykc::Diagnostic& diagnostic : result.error().diagnostics)
    std::fprintf(stderr, "%s", to_text(diagnostic).c_str());
  fail(result.error().message);
}
inline void require(const pykc::Result<void>& result) {
  if (!result) fail(result.error().message);
}

struct Options {
  pykc::Device device;
  std::int64_t size;
};

/// The size without an argument, on a GPU and on the CPU device, and what an argument may be.
struct Sizes {
  std::int64_t gpu, cpu, smallest = 1, largest = std::int64_t{1} << 30;
};
inline Options options(int count, char** arguments, const Sizes& sizes) {
  pykc::Device device = require(pykc::Device::open(count > 1 ? arguments[1] : ""));
  if (count < 3) return {device, device.is_cpu() ? sizes.cpu : sizes.gpu};
  char* end = nullptr;
  const std::int64_t size = std::strtoll(arguments[2], &end, 10);
  if (*end != '\0' || size < sizes.smallest || size > sizes.largest)
    fail("the size must be a number from " + std::to_string(sizes.smallest) + " to " + std::to_string(sizes.largest) +
         ", not " + arguments[2]);
  return {device, size};
}

/// The median time of one run of `work`, which puts something on the stream, in milliseconds. Two runs go before, since
/// the first ones load and warm up; then as many as fit half a second, 3 to 51.
template <typename Work>
double milliseconds(const pykc::Stream& stream, Work work) {
  const auto one_run = [&] {
    const pykc::Event start = require(stream.record());
    work();
    const pykc::Event end = require(stream.record());
    return require(end.milliseconds_since(start));
  };
  one_run();
  const double expected = one_run();
  std::vector<double> times(static_cast<std::size_t>(std::clamp(500.0 / std::max(expected, 1e-3), 3.0, 51.0)));
  for (double& time : times) time = one_run();
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// The largest distance from what was expected; infinity where a value is no number.
template <typename T>
double largest_difference(std::span<const T> values, const std::vector<double>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(values[i]) - expected[i]);
    largest = difference <= largest    ? largest
              : std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : difference;
  }
  return largest;
}

/// Prints what was measured and checked, and remembers whether a check has failed.
class Report {
 public:
  Report(const std::string& title, const pykc::Device& device) {
    std::printf("%s, on %s\n", title.c_str(), device.info().description.c_str());
  }
  void rate(const std::string& what, double milliseconds, double amount_per_second, const std::string& unit) {
    std::printf("  %-40s %10.3f ms %12.5g %s\n", what.c_str(), milliseconds, amount_per_second, unit.c_str());
  }
  void check(const std::string& what, double difference, double tolerance) {
    const bool holds = difference <= tolerance;  // not for a NaN
    std::printf("  %s: %s, differs by %.2g, allowed %.2g\n", holds ? "checked" : "WRONG", what.c_str(), difference,
                tolerance);
    failed_ |= !holds;
  }
  void note(const std::string& text) { std::printf("  %s\n", text.c_str()); }
  /// What main() returns.
  int exit_code() const { return failed_ ? 1 : 0; }

 private:
  bool failed_ = false;
};

/// Numbers in [0, 1) for inputs, the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  float next() {  // SplitMix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24F;
  }

 private:
  std::uint64_t state_;
};

}  // namespace example
