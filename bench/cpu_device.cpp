// The CPU device beside plain C++ with OpenMP, beside PoCL, and beside Numba and Warp where a Python that has them is
// named, on the same number of threads, in one run: the works of bench/cpu/works.h, and launches of blocks that do
// nothing. Prints medians and ratios; exits non-zero if the systems compute different results.
//
//   pykc_bench_cpu [PYTHON]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "bench/cpu/works.h"
#include "bench/timing.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

using namespace pykc::bench;

constexpr std::size_t kRounds = 11;  // odd, so that the median is a measurement

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Inputs make_inputs() {
  std::mt19937 random(1);
  const auto floats = [&](std::int64_t n, float low, float high) {
    std::vector<float> list(static_cast<std::size_t>(n));
    std::generate(list.begin(), list.end(), [&] { return std::uniform_real_distribution<float>(low, high)(random); });
    return list;
  };
  Inputs inputs{.a = floats(kMatrix * kMatrix, 0, 1),
                .b = floats(kMatrix * kMatrix, 0, 1),
                .numbers = floats(kNumbers, 0, 1),
                .bytes = std::vector<std::uint8_t>(kNumbers),
                .price = floats(kOptions, 5, 30),
                .strike = floats(kOptions, 1, 100),
                .years = floats(kOptions, 0.25f, 10),
                .others = floats(kNumbers, 0, 1),
                .columns = std::vector<std::int32_t>(kRows * kInRow),
                .starts = std::vector<std::int32_t>(kRows + 1)};
  std::generate(inputs.bytes.begin(), inputs.bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
  std::generate(inputs.columns.begin(), inputs.columns.end(),
                [&] { return std::uniform_int_distribution<std::int32_t>(0, kRows - 1)(random); });
  for (std::size_t row = 0; row <= kRows; ++row) inputs.starts[row] = static_cast<std::int32_t>(row * kInRow);
  return inputs;
}

bool agree(const Work& work, const std::vector<double>& a, const std::vector<double>& b) {
  std::int64_t differing = a.size() == b.size() ? 0 : static_cast<std::int64_t>(a.size() + b.size());
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    // Not a number differs from everything.
    if (!(std::fabs(a[i] - b[i]) <= work.tolerance * std::max({std::fabs(a[i]), std::fabs(b[i]), 1.0}))) ++differing;
  return static_cast<double>(differing) <= work.may_differ * static_cast<double>(a.size());
}

/// Does a work by each system in turn, so that a machine that changes its speed changes all; times by system and round.
std::vector<std::vector<double>> time_in_turn(const std::vector<System>& systems, std::size_t work) {
  std::vector<std::vector<double>> times(systems.size());
  for (std::size_t round = 0; round < kRounds + 1; ++round)
    for (std::size_t n = 0; n < systems.size(); ++n) {
      // The threads of the system before have gone to sleep then; libgomp's spin for more than 5 ms.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const Runner& runner = systems[n].runners[work];
      const double time = runner.time ? runner.time() : milliseconds(runner.run);
      if (round > 0) times[n].push_back(time);
    }
  return times;
}

/// How many times as long as `other` the first system takes, as the median over the rounds.
double ratio_to(const std::vector<std::vector<double>>& times, std::size_t other) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < kRounds; ++round) ratios.push_back(times[0][round] / times[other][round]);
  return median(ratios);
}

/// Prints a line for each work; false if results differ.
bool compare(const std::vector<System>& systems) {
  std::printf("%-34s", "medians in milliseconds");
  for (const System& system : systems) std::printf("%10s", system.name.c_str());
  for (std::size_t n = 1; n < systems.size(); ++n) std::printf("   pykc/%-6s", systems[n].name.c_str());
  std::printf("\n");
  std::vector<double> logarithms(systems.size());
  bool all_agree = true;
  for (std::size_t work = 0; work < std::size(kWorks); ++work) {
    const std::vector<std::vector<double>> times = time_in_turn(systems, work);
    std::printf("%-34s", kWorks[work].title);
    for (const std::vector<double>& of_system : times) std::printf("%10.3f", median(of_system));
    for (std::size_t n = 1; n < systems.size(); ++n) {
      logarithms[n] += std::log(ratio_to(times, n)) / static_cast<double>(std::size(kWorks));
      std::printf("   %11.2f", ratio_to(times, n));
    }
    const std::vector<double> result = systems[0].runners[work].result();
    for (std::size_t n = 1; n < systems.size(); ++n)
      if (!agree(kWorks[work], result, systems[n].runners[work].result())) {
        all_agree = false;
        std::printf("  differs from %s", systems[n].name.c_str());
      }
    std::printf("\n");
  }
  std::printf("%-34s%*s", "geometric mean", 10 * static_cast<int>(systems.size()), "");
  for (std::size_t n = 1; n < systems.size(); ++n) std::printf("   %11.2f", std::exp(logarithms[n]));
  std::printf("\n");
  return all_agree;
}

void time_empty_launches() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  constexpr const char* kSource =
      "@kernel\ndef nothing(x: f32[:]):\n    i = grid(1)\n    if i < len(x):\n        x[i] = 0.0\n";
  const pykc::Artifact artifact = pykc::compile(kSource, {.target = "cpu"}).value();
  const pykc::Kernel kernel = device.load(artifact).value().kernel("nothing").value();
  const auto nothing = device.allocate<float>(std::int64_t{0}).value();
  for (const std::int64_t blocks : {1, 1000}) {
    std::vector<double> times;
    for (int i = 0; i < 1001; ++i)
      times.push_back(1000 * milliseconds([&] { kernel.launch({.grid = {blocks}, .block = {1}}, nothing).value(); }));
    std::printf("launch of %4lld blocks that do nothing: %.2f us\n", static_cast<long long>(blocks), median(times));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  // All take the number from the environment or from here, before their first thread starts.
  for (const char* variable : {"PYKC_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"})
    setenv(variable, std::to_string(threads).c_str(), 1);
  const Inputs inputs = make_inputs();
  std::vector<System> systems = {make_pykc(inputs, threads), make_openmp(inputs, threads)};
#ifdef PYKC_BENCH_OPENCL
  if (std::optional<System> opencl = make_opencl(inputs, threads)) systems.push_back(std::move(*opencl));
#endif
  for (const char* peer : {"numba", "warp"})
    if (std::optional<System> other = argc > 1 ? make_python(argv[1], peer, inputs, threads) : std::nullopt)
      systems.push_back(std::move(*other));
  for (const System& system : systems) std::printf("%s: %s\n", system.name.c_str(), system.description.c_str());
  std::printf("each work by each in turn, %zu rounds; a ratio is the median of the rounds' ratios\n", kRounds);
  const bool agreed = compare(systems);
  time_empty_launches();
  return agreed ? 0 : 1;
}
