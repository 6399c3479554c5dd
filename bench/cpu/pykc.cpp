// The works by pykc's CPU device.
#include <numeric>
#include <span>

#include "bench/cpu/works.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc::bench {
namespace {

template <typename T>
std::function<std::vector<double>()> values_of(const Array<T>& array) {
  return [array] { return as_doubles(std::span(array.address(), static_cast<std::size_t>(array.size()))); };
}

}  // namespace

System make_pykc(const Inputs& inputs, int threads) {
  const Device device = Device::open("cpu").value();
  const Module module = device.load(compile_file(PYKC_BENCH_FOLDER "/kernels.pyk", {.target = "cpu"}).value()).value();
  const auto copy = [&](const auto& list) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    return device.copy_from<T>(list).value();
  };
  const auto kernel = [&](std::size_t work) {
    return [kernel = module.kernel(kWorks[work].kernel).value(), work](const auto&... arguments) {
      const Work& of = kWorks[work];
      kernel.launch({.grid = {of.grid[0], of.grid[1]}, .block = {of.block[0], of.block[1]}}, arguments...).value();
    };
  };
  const std::vector<std::int64_t> matrix = {kMatrix, kMatrix}, square = {kSide, kSide}, image = {kHeight, kWidth};
  const auto a = device.copy_from<float>(inputs.a, matrix).value(),
             b = device.copy_from<float>(inputs.b, matrix).value();
  const auto x = copy(inputs.numbers);
  const auto x2 = x.reshape(square).value();
  const auto c = device.allocate<float>(matrix).value(), turned = device.allocate<float>(square).value();
  const auto sums = device.allocate<float>(kNumbers / 256).value(), total = device.allocate<float>(1).value();
  const auto bytes = copy(inputs.bytes);
  const auto counts = device.allocate<std::int32_t>(kBins).value();
  const auto price = copy(inputs.price), strike = copy(inputs.strike), years = copy(inputs.years);
  const auto call = device.allocate<float>(kOptions).value(), put = device.allocate<float>(kOptions).value();
  const auto steps = device.allocate<std::int32_t>(image).value();
  const auto y = copy(inputs.others);
  const auto sum = device.allocate<float>(kNumbers).value(), smooth = device.allocate<float>(square).value();
  smooth.fill_zero().value();
  const auto part = [](const Array<float>& of, std::int64_t first, std::int64_t count) {
    return of.slice(Slice{first, first + count}).value();
  };
  const auto body = [&](std::int64_t axis) { return part(x, axis * kBodies, kBodies); };
  const auto pull = device.allocate<float>(3 * kBodies).value(), product = device.allocate<float>(kRows).value();
  const auto columns = copy(inputs.columns), starts = copy(inputs.starts);
  const auto smoothed = device.allocate<float>(kSamples).value();
  const auto label = device.allocate<std::int32_t>(kPoints).value();

  System system{.name = "pykc", .description = device.info().description + ", " + std::to_string(threads) + " threads"};
  system.runners = {
      {[=, launch = kernel(0)] { launch(c, a, b); }, values_of(c)},
      {[=, launch = kernel(1)] {
         launch(sums, x);
         *total.address() = std::reduce(sums.address(), sums.address() + sums.size(), 0.0f);
       },
       values_of(total)},
      {[=, launch = kernel(2)] { launch(turned, x2); }, values_of(turned)},
      {[=, launch = kernel(3)] {
         counts.fill_zero().value();
         launch(counts, bytes);
       },
       values_of(counts)},
      {[=, launch = kernel(4)] { launch(call, put, price, strike, years, kRate, kVolatility); }, values_of(call)},
      {[=, launch = kernel(5)] { launch(steps, kIterations); }, values_of(steps)},
      {[=, launch = kernel(6)] { launch(sum, x, y, 0.5f); }, values_of(sum)},
      {[=, launch = kernel(7)] { launch(smooth, x2); }, values_of(smooth)},
      {[=, launch = kernel(8), bx = body(0), by = body(1), bz = body(2), mass = body(3)] {
         launch(pull, bx, by, bz, mass);
       },
       values_of(pull)},
      {[=, launch = kernel(9)] { launch(product, x, columns, starts, y); }, values_of(product)},
      {[=, launch = kernel(10), weights = part(y, 0, kWeights)] { launch(smoothed, x, weights); }, values_of(smoothed)},
      {[=, launch = kernel(11), px = part(x, 0, kPoints), py = part(x, kPoints, kPoints), cx = part(y, 0, kCenters),
        cy = part(y, kCenters, kCenters)] { launch(label, px, py, cx, cy); },
       values_of(label)},
  };
  return system;
}

}  // namespace pykc::bench
