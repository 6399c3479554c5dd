// The heat equation on a square plate, step by step, from one array into the other and back. The steps are captured
// once as a pykc::Graph, which costs one call where they would cost a launch each. The kernel (heat.pyk) is compiled by
// the build.
//
//   heat [DEVICE [SIZE]]        a plate of SIZE x SIZE points
#include "heat.h"

#include <numbers>

#include "example.h"

using example::require;

namespace {

constexpr int kSteps = 20, kGraphs = 5;
constexpr double kDiffusion = 0.2;  // at most 0.25, or the steps grow without bound

/// A wave with `half_waves` over the plate, 0 at both ends.
std::vector<double> wave(std::int64_t n, int half_waves) {
  std::vector<double> values(n);
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = std::sin(std::numbers::pi * half_waves * static_cast<double>(i) / static_cast<double>(n - 1));
  values[n - 1] = 0;
  return values;
}

/// A product of two such waves keeps its form: a step multiplies it by this number.
double decay(std::int64_t n, int half_waves_y, int half_waves_x) {
  const auto term = [n](int half_waves) {
    return std::pow(std::sin(std::numbers::pi * half_waves / (2.0 * static_cast<double>(n - 1))), 2);
  };
  return 1 - 4 * kDiffusion * (term(half_waves_y) + term(half_waves_x));
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options =
      example::options(count, arguments, {.gpu = 8192, .cpu = 512, .smallest = 32, .largest = 32768});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("heat in a plate of " + std::to_string(n) + " x " + std::to_string(n) + " points", device);
  const heat::Kernels kernels = require(heat::load(device));

  // Short waves, so that they decay within the steps: about one in 15 points.
  const int waves_y = static_cast<int>(n / 15) + 1, waves_x = static_cast<int>(n / 20) + 2;
  const std::vector<double> column = wave(n, waves_y), row = wave(n, waves_x);
  std::vector<float> plate(n * n);
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x) plate[y * n + x] = static_cast<float>(column[y] * row[x]);
  const pykc::Array<float> even = require(device.copy_from<float>(plate, {n, n})), odd = require(device.like(even));

  const pykc::Stream stream = require(device.create_stream());
  const pykc::LaunchConfig config{.grid = {(n + 63) / 64, (n + 15) / 16}, .block = {64, 4}, .stream = &stream};
  const auto do_steps = [&] {
    for (int i = 0; i < kSteps; i += 2) {
      require(kernels.step(config, odd, even, static_cast<float>(kDiffusion)));
      require(kernels.step(config, even, odd, static_cast<float>(kDiffusion)));
    }
  };
  require(stream.begin_capture());
  do_steps();
  const pykc::Graph steps = require(stream.end_capture());

  for (int i = 0; i < kGraphs; ++i) require(steps.launch(stream));
  require(stream.synchronize());
  require(even.copy_to(plate));
  const double left = std::pow(decay(n, waves_y, waves_x), kSteps * kGraphs);
  double difference = 0;
  std::vector<double> expected(n);
  for (std::int64_t y = 0; y < n; ++y) {
    for (std::int64_t x = 0; x < n; ++x) expected[x] = left * column[y] * row[x];
    difference = std::max(difference, example::largest_difference(std::span<const float>(&plate[y * n], n), expected));
  }
  report.check(std::to_string(kSteps * kGraphs) + " steps, which leave " + std::to_string(left) + " of a wave of 1",
               difference, 5e-6);

  const double bytes = 2.0 * sizeof(float) * static_cast<double>(n * n) * kSteps;
  const double by_graph = example::milliseconds(stream, [&] { require(steps.launch(stream)); });
  report.rate(std::to_string(kSteps) + " steps as a graph", by_graph, 1e-6 * bytes / by_graph, "GB/s");
  const double one_by_one = example::milliseconds(stream, do_steps);
  report.rate(std::to_string(kSteps) + " steps, each launched", one_by_one, 1e-6 * bytes / one_by_one, "GB/s");
  return report.exit_code();
}
