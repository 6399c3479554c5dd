// How near elementwise functions and reductions come to the memory's bandwidth: a 16384 x 16384 array of f32 (4096 x
// 4096 on the CPU device), beside a copy within the device. Prints the bytes that must move over the median time, and
// that as a share of the copy's. Each result is compared with what it must be.
//
//   pykc_bench_elementwise [DEVICE]     "cuda:0", "cpu"; default: the first GPU, or the CPU device
#include "pykc/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "pykc/reduction.h"

namespace {

constexpr int kRounds = 21;
double copy_bandwidth = 0;

template <typename T>
T require(pykc::Result<T> result) {
  return std::move(result).value();
}

/// Runs `work` on the stream, and prints what it achieves; the first run, which compiles, is not timed.
template <typename Work>
double measure(const char* name, const pykc::Stream& stream, double bytes, Work work) {
  work();
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const pykc::Event start = require(stream.record());
    work();
    const pykc::Event end = require(stream.record());
    times.push_back(require(end.milliseconds_since(start)));
  }
  std::ranges::sort(times);
  const double bandwidth = bytes / times[kRounds / 2] / 1e6;
  if (copy_bandwidth == 0) copy_bandwidth = bandwidth;
  std::printf("%-34s %9.3f ms %8.1f GB/s %6.1f %% of the copy (min %.3f ms, max %.3f ms)\n", name, times[kRounds / 2],
              bandwidth, 100 * bandwidth / copy_bandwidth, times.front(), times.back());
  return bandwidth;
}

bool is_wrong(const char* name, const pykc::Array<float>& array, double expected) {
  std::vector<float> values(static_cast<std::size_t>(array.size()));
  array.copy_to(values).value();
  for (const float value : values)
    if (std::abs(value - expected) > 1e-4 * std::abs(expected)) {
      std::printf("%s: %g instead of %g\n", name, static_cast<double>(value), expected);
      return true;
    }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  const pykc::Device device = require(pykc::Device::open(count > 1 ? arguments[1] : ""));
  const std::int64_t n = device.is_cpu() ? 4096 : 16384;
  const pykc::Stream stream = require(device.create_stream());
  std::printf("%s, %lld x %lld f32, medians of %d\n", device.info().description.c_str(), static_cast<long long>(n),
              static_cast<long long>(n), kRounds);
  const auto x = require(device.allocate<float>({n, n})), y = require(device.allocate<float>({n, n}));
  const auto z = require(device.allocate<float>({n, n}));
  const auto row = require(device.allocate<float>({1, n})), column = require(device.allocate<float>({n, 1}));
  const auto fill = require(pykc::Elementwise::create(device, {"a", "x", "x = a"}));
  fill.launch(x, 1.5F).value();
  fill.launch(y, 0.5F).value();
  fill.launch(row, 0.25F).value();
  fill.launch(column, 0.5F).value();
  device.synchronize().value();

  const double bytes = 4.0 * static_cast<double>(n) * static_cast<double>(n);
  bool wrong = false;
  const auto check = [&](const char* name, const pykc::Array<float>& array, double expected) {
    stream.synchronize().value();
    wrong |= is_wrong(name, array, expected);
  };
  measure("copy", stream, 2 * bytes, [&] { z.copy_from(stream, x).value(); });

  const auto squared_diff = require(pykc::Elementwise::create(device, {"x, y", "z", "z = (x - y) * (x - y)"}));
  measure("squared_diff", stream, 3 * bytes, [&] { squared_diff.launch_on(stream, z, x, y).value(); });
  check("squared_diff", z, 1);
  measure("squared_diff with a row", stream, 2 * bytes, [&] { squared_diff.launch_on(stream, z, x, row).value(); });
  check("squared_diff with a row", z, 1.5625);
  measure("squared_diff with a column", stream, 2 * bytes,
          [&] { squared_diff.launch_on(stream, z, x, column).value(); });
  check("squared_diff with a column", z, 1);

  const auto sum = require(pykc::Reduction::create(device, {}));
  const auto size = static_cast<double>(n);
  for (const int axis : {0, 1}) {
    const auto sums = require(device.allocate<float>(n));
    const std::string name = "sum over axis " + std::to_string(axis);
    measure(name.c_str(), stream, bytes, [&] { sum.launch_on(stream, {.axes = {axis}}, sums, x).value(); });
    check(name.c_str(), sums, 1.5 * size);
  }
  const auto total = require(device.allocate<float>(std::vector<std::int64_t>{}));
  measure("sum of all", stream, bytes, [&] { sum.launch_on(stream, {}, total, x).value(); });
  check("sum of all", total, 1.5 * size * size);

  const auto l2norm = require(pykc::Reduction::create(device, {.steps = {{"x, y", "d", "d = x - y"}},
                                                               .inputs = "d",
                                                               .map = "d * d",
                                                               .post = "math.sqrt(a)",
                                                               .preamble = "import math\n"}));
  measure("l2norm of x - y, fused", stream, 2 * bytes, [&] { l2norm.launch_on(stream, {}, total, x, y).value(); });
  check("l2norm of x - y", total, size);
  const auto norms = require(device.allocate<float>(n));
  for (const int axis : {0, 1}) {
    const std::string name = "l2norm of x - y over axis " + std::to_string(axis);
    measure(name.c_str(), stream, 2 * bytes, [&] { l2norm.launch_on(stream, {.axes = {axis}}, norms, x, y).value(); });
    check(name.c_str(), norms, std::sqrt(size));
  }
  return wrong ? 1 : 0;
}
