// What it costs the host to find the specialisation of a generic kernel by the types of its arguments: the launch of a
// GenericKernel beside that of the Kernel that it finds, in turn, in one run. The grid is empty, so that the device,
// any device, has no part in it. Prints medians in microseconds and the difference.
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "bench/timing.h"
#include "pykc/source_module.h"

namespace {

using namespace pykc::bench;

constexpr int kBatch = 10000;  // launches timed as one

/// A kernel of so many arrays.
std::string source(std::size_t arrays) {
  std::string parameters = "a0";
  for (std::size_t i = 1; i < arrays; ++i) parameters += ", a" + std::to_string(i);
  return "@kernel\ndef k(" + parameters + "):\n    if grid(1) < len(a0):\n        a0[grid(1)] = 0\n";
}

template <std::size_t... I>
void measure(const pykc::Device& device, std::index_sequence<I...>) {
  const pykc::SourceModule module = pykc::SourceModule::load(device, pykc::Source(source(sizeof...(I)))).value();
  std::array<pykc::Array<float>, sizeof...(I)> arrays;
  for (auto& array : arrays) array = device.allocate<float>(1024).value();
  const pykc::GenericKernel generic = module.kernel("k").value();
  const pykc::Kernel kernel = generic.specialization(arrays[I]...).value();

  const pykc::LaunchConfig config{.grid = {0}, .block = {32}};
  in_turn(
      device, kBatch, std::to_string(sizeof...(I)) + " arrays", "GenericKernel",
      [&] { generic.launch(config, arrays[I]...).value(); }, "Kernel",
      [&] { kernel.launch(config, arrays[I]...).value(); });
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
