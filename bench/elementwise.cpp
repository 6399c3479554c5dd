// How near elementwise functions and reductions come to the memory's bandwidth: arrays of 2e8 f64 and 16384 x 16384 f32
// (2e7 and 4096 x 4096 on the CPU device), beside a copy within the device. Prints the bytes that must move over the
// median time, and that as a share of the copy's. Each result is compared with what it must be.
//
//   pykc_bench_elementwise [DEVICE [JSON]]     "cuda:0", "cpu"; default: the first GPU, or the CPU device
#include "pykc/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "bench/report.h"
#include "pykc/reduction.h"

namespace {

using namespace pykc::bench;

using Scalar = std::vector<std::int64_t>;  // the shape of an array without axes

constexpr int kRounds = 21;

template <typename T>
T require(pykc::Result<T> result) {
  return std::move(result).value();
}

class Bench {
 public:
  explicit Bench(const pykc::Device& device) : device_(device), stream_(require(device.create_stream())) {}

  /// Runs `work` on the stream, prints what it achieves, and compares what it leaves in `result`. Of two launches the
  /// second is timed, which the host queues while the first one runs.
  template <typename T, typename Work>
  void measure(const std::string& name, double bytes, const pykc::Array<T>& result, double expected, Work work) {
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
      work();
      const pykc::Event start = require(stream_.record());
      work();
      const pykc::Event end = require(stream_.record());
      times.push_back(require(end.milliseconds_since(start)));
    }
    std::ranges::sort(times);
    const double time = times[kRounds / 2], bandwidth = bytes / time / 1e6;
    if (copy_bandwidth_ == 0)
      copy_bandwidth_ = bandwidth;  // the first work
    else
      rows_.push_back({name, bytes, {{"pykc library", time * 1e-3}}});
    std::printf("%-42s %9.3f ms %8.1f GB/s %6.1f %% of the copy (min %.3f ms, max %.3f ms)\n", name.c_str(), time,
                bandwidth, 100 * bandwidth / copy_bandwidth_, times.front(), times.back());
    check(name, result, expected);
  }

  const pykc::Device& device() const { return device_; }
  const pykc::Stream& stream() const { return stream_; }
  const std::vector<Row>& rows() const { return rows_; }
  bool is_wrong() const { return is_wrong_; }

 private:
  template <typename T>
  void check(const std::string& name, const pykc::Array<T>& array, double expected) {
    std::vector<T> values(static_cast<std::size_t>(array.size()));
    stream_.synchronize().value();
    array.copy_to(values).value();
    const auto wrong = std::ranges::find_if(
        values, [&](T value) { return !(std::abs(value - expected) <= 1e-4 * std::abs(expected)); });
    if (wrong == values.end()) return;
    std::printf("%s: %g instead of %g\n", name.c_str(), static_cast<double>(*wrong), expected);
    is_wrong_ = true;
  }

  pykc::Device device_;
  pykc::Stream stream_;
  std::vector<Row> rows_;
  double copy_bandwidth_ = 0;
  bool is_wrong_ = false;
};

/// z = x + y, where memory is all that counts.
void add_vectors(Bench& bench, const pykc::Elementwise& fill) {
  const std::int64_t n = bench.device().is_cpu() ? 20'000'000 : 200'000'000;
  const auto x = require(bench.device().allocate<double>(n)), y = require(bench.device().allocate<double>(n));
  const auto z = require(bench.device().allocate<double>(n));
  fill.launch(x, 1.5).value();
  fill.launch(y, 0.5).value();
  const auto vecadd = require(pykc::Elementwise::create(bench.device(), {"x, y", "z", "z = x + y"}));
  bench.measure("vecadd f64", 24.0 * static_cast<double>(n), z, 2,
                [&] { vecadd.launch_on(bench.stream(), z, x, y).value(); });
}

/// Works on two matrices, all of 1.5 and all of 0.5, a row and a column.
void work_on_matrices(Bench& bench, const pykc::Elementwise& fill) {
  const pykc::Device& device = bench.device();
  const pykc::Stream& stream = bench.stream();
  const std::int64_t n = device.is_cpu() ? 4096 : 16384;
  const auto size = static_cast<double>(n);
  const auto x = require(device.allocate<float>({n, n})), y = require(device.allocate<float>({n, n}));
  const auto z = require(device.allocate<float>({n, n}));
  const auto row = require(device.allocate<float>({1, n})), column = require(device.allocate<float>({n, 1}));
  const auto results = require(device.allocate<float>(n)), result = require(device.allocate<float>(Scalar{}));
  fill.launch(x, 1.5F).value();
  fill.launch(y, 0.5F).value();
  fill.launch(row, 0.25F).value();
  fill.launch(column, 0.5F).value();
  device.synchronize().value();

  const double bytes = 4 * size * size;
  bench.measure("copy", 2 * bytes, z, 1.5, [&] { z.copy_from(stream, x).value(); });
  const auto product = require(pykc::Elementwise::create(device, {"x, y", "z", "z = x * y"}));
  bench.measure("product of matrices f32", 3 * bytes, z, 0.75, [&] { product.launch_on(stream, z, x, y).value(); });
  const auto squared_diff = require(pykc::Elementwise::create(device, {"x, y", "z", "z = (x - y) * (x - y)"}));
  const auto measure_squared_diff = [&](const char* name, double moved, const pykc::Array<float>& other,
                                        double expected) {
    bench.measure(name, moved, z, expected, [&] { squared_diff.launch_on(stream, z, x, other).value(); });
  };
  measure_squared_diff("squared_diff f32", 3 * bytes, y, 1);
  measure_squared_diff("squared_diff f32 with a row", 2 * bytes, row, 1.5625);
  measure_squared_diff("squared_diff f32 with a column", 2 * bytes, column, 1);
  const auto gaussian =
      require(pykc::Elementwise::create(device, {"x, mean, sigma", "z", "z = gaussian_pdf(x, mean, sigma)"}, {},
                                        "from pykc.elementwise import gaussian_pdf"));
  bench.measure("gaussian_pdf f32", 2 * bytes, z, std::exp(-25.0 / 72) / (1.5 * std::sqrt(2 * std::numbers::pi)),
                [&] { gaussian.launch_on(stream, z, x, 0.25F, 1.5F).value(); });

  const auto sum = require(pykc::Reduction::create(device, {}));
  const auto norm =
      require(pykc::Reduction::create(device, {.map = "x * x", .post = "math.sqrt(a)", .preamble = "import math\n"}));
  const auto norm_of_difference = require(pykc::Reduction::create(device, {.steps = {{"x, y", "d", "d = x - y"}},
                                                                           .inputs = "d",
                                                                           .map = "d * d",
                                                                           .post = "math.sqrt(a)",
                                                                           .preamble = "import math\n"}));
  const auto measure_reductions = [&](const std::string& of, const pykc::ReductionAxes& axes,
                                      const pykc::Array<float>& out, double count) {
    bench.measure("sum" + of, bytes, out, 1.5 * count, [&] { sum.launch_on(stream, axes, out, x).value(); });
    if (!axes.axes.empty())
      bench.measure("L2 norm" + of, bytes, out, 1.5 * std::sqrt(count),
                    [&] { norm.launch_on(stream, axes, out, x).value(); });
    bench.measure("L2 norm of x - y" + of, 2 * bytes, out, std::sqrt(count),
                  [&] { norm_of_difference.launch_on(stream, axes, out, x, y).value(); });
  };
  measure_reductions(" f32", {}, result, size * size);
  const auto maximum = require(
      pykc::Reduction::create(device, {.reduce = "max(a, b)", .identity = "-math.inf", .preamble = "import math\n"}));
  bench.measure("max f32", bytes, result, 1.5, [&] { maximum.launch_on(stream, {}, result, x).value(); });
  measure_reductions(" of rows f32", {.axes = {1}}, results, size);
  measure_reductions(" of columns f32", {.axes = {0}}, results, size);
}

}  // namespace

int main(int count, char** arguments) {
  const pykc::Device device = require(pykc::Device::open(count > 1 ? arguments[1] : ""));
  std::printf("%s, medians of %d\n", device.info().description.c_str(), kRounds);
  Bench bench(device);
  const auto fill = require(pykc::Elementwise::create(device, {"a", "x", "x = a"}));
  work_on_matrices(bench, fill);
  add_vectors(bench, fill);
  if (count > 2 && !write_report(arguments[2], bench.rows())) {
    std::fprintf(stderr, "%s cannot be written\n", arguments[2]);
    return 1;
  }
  return bench.is_wrong() ? 1 : 0;
}
