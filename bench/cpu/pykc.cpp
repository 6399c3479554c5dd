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
  };
  return system;
}

}  // namespace pykc::bench
