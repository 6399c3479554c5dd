// What it costs the host to find the specialisation of a generic kernel by the types of its arguments: the launch of a
// GenericKernel beside that of the Kernel that it finds, in turn, in one run. The grid is empty, so that the device,
// any device, has no part in it. Prints medians in microseconds and the difference.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "pykc/source_module.h"

namespace {

constexpr int kBatch = 10000;  // launches timed as one
constexpr int kBatches = 101;

/// A kernel of so many arrays.
std::string source(std::size_t arrays) {
  std::string parameters = "a0";
  for (std::size_t i = 1; i < arrays; ++i) parameters += ", a" + std::to_string(i);
  return "@kernel\ndef k(" + parameters + "):\n    if grid(1) < len(a0):\n        a0[grid(1)] = 0\n";
}

template <typename Launch>
double microseconds(Launch launch) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kBatch; ++i) launch();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kBatch;
}

template <std::size_t... I>
void measure(const pykc::Device& device, std::index_sequence<I...>) {
  const pykc::SourceModule module = pykc::SourceModule::load(device, pykc::Source(source(sizeof...(I)))).value();
  std::array<pykc::Array<float>, sizeof...(I)> arrays;
  for (auto& array : arrays) array = device.allocate<float>(1024).value();
  const pykc::GenericKernel generic = module.kernel("k").value();
  const pykc::Kernel kernel = generic.specialization(arrays[I]...).value();

  const pykc::LaunchConfig config{.grid = {0}, .block = {32}};
  std::vector<double> found, known, differences;
  for (int i = 0; i < kBatches; ++i) {
    found.push_back(microseconds([&] { generic.launch(config, arrays[I]...).value(); }));
    known.push_back(microseconds([&] { kernel.launch(config, arrays[I]...).value(); }));
    differences.push_back(found.back() - known.back());
  }
  for (std::vector<double>* list : {&found, &known, &differences}) std::ranges::sort(*list);
  std::printf("%2zu arrays: GenericKernel %.3f us, Kernel %.3f us, difference %.3f us (min %.3f, max %.3f)\n",
              sizeof...(I), found[kBatches / 2], known[kBatches / 2], differences[kBatches / 2], differences.front(),
              differences.back());
}

}  // namespace

int main() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  std::printf("medians of %d batches of %d launches of an empty grid\n", kBatches, kBatch);
  measure(device, std::make_index_sequence<1>());
  measure(device, std::make_index_sequence<3>());
  measure(device, std::make_index_sequence<16>());
  return 0;
}
