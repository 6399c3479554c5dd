// What a launch costs the host. On a GPU: Kernel::launch beside a bare cuLaunchKernel of the same kernel with the same
// parameters, in turn, in one run; prints medians in microseconds and the difference. On the CPU device, where a launch
// of one block is done when it returns: the time with so many arrays, which shows what checking them costs.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

using LaunchFunction = int (*)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               void* stream, void** parameters, void** extra);
using LoadFunction = int (*)(void** module, const void* image);
using GetFunction = int (*)(void** function, void* module, const char* name);

constexpr int kBatch = 200;  // launches timed as one, so that the queue never fills
constexpr int kBatches = 101;

/// A kernel of so many arrays that does next to nothing.
template <int Arrays>
std::string source() {
  std::string parameters, sum = "0.0";
  for (int i = 0; i < Arrays; ++i) {
    parameters += (i > 0 ? ", a" : "a") + std::to_string(i) + ": f32[:]";
    if (i > 0) sum += " + a" + std::to_string(i) + "[i]";
  }
  return "@kernel\ndef k(" + parameters + "):\n    i = grid(1)\n    if i < len(a0):\n        a0[i] = " + sum + "\n";
}

template <typename Launch>
double microseconds(const pykc::Device& device, Launch launch) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kBatch; ++i) launch();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  device.synchronize().value();
  return time.count() / kBatch;
}

double median(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 2];
}

/// A kernel of so many arrays, and what it is launched with.
template <int Arrays>
struct Case {
  explicit Case(const pykc::Device& device)
      : artifact(pykc::compile(source<Arrays>(), {.target = device.info().target}).value()),
        kernel(device.load(artifact).value().kernel("k").value()),
        stream(device.create_stream().value()) {
    for (auto& array : arrays) array = device.allocate<float>(1024).value();
  }
  void launch() const {
    const pykc::LaunchConfig config{.grid = {1}, .block = {32}, .stream = &stream};
    std::apply([&](const auto&... array) { kernel.launch(config, array...).value(); }, arrays);
  }
  const pykc::Artifact artifact;
  const pykc::Kernel kernel;
  const pykc::Stream stream;
  std::array<pykc::Array<float>, Arrays> arrays;
};

template <int Arrays>
void measure_on_cpu(const pykc::Device& device) {
  const Case<Arrays> our(device);
  std::vector<double> times;
  for (int i = 0; i < kBatches; ++i) times.push_back(microseconds(device, [&] { our.launch(); }));
  std::printf("cpu, %2d arrays: launch %.3f us\n", Arrays, median(times));
}

template <std::size_t... I>
void measure(const pykc::Device& device, void* driver, std::index_sequence<I...>) {
  constexpr int kArrays = sizeof...(I);
  const Case<kArrays> our(device);

  void *module = nullptr, *function = nullptr;
  const auto load = reinterpret_cast<LoadFunction>(dlsym(driver, "cuModuleLoadData"));
  const auto get = reinterpret_cast<GetFunction>(dlsym(driver, "cuModuleGetFunction"));
  const auto launch_kernel = reinterpret_cast<LaunchFunction>(dlsym(driver, "cuLaunchKernel"));
  if (load(&module, our.artifact.code.c_str()) != 0 || get(&function, module, "k") != 0) return;
  std::array<void*, kArrays> addresses{static_cast<void*>(our.arrays[I].address())...};
  std::int64_t extent = 1024;
  std::array<void*, 2 * kArrays> parameters;
  for (std::size_t i = 0; i < kArrays; ++i) parameters[2 * i] = &addresses[i], parameters[2 * i + 1] = &extent;

  std::vector<double> ours, bare, differences;
  for (int i = 0; i < kBatches; ++i) {
    ours.push_back(microseconds(device, [&] { our.launch(); }));
    bare.push_back(microseconds(
        device, [&] { launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters.data(), nullptr); }));
    differences.push_back(ours.back() - bare.back());
  }
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  std::printf("%2d arrays: launch %.3f us, cuLaunchKernel %.3f us, difference %.3f us (min %.3f, max %.3f)\n", kArrays,
              median(ours), median(bare), median(differences), *least, *most);
}

}  // namespace

int main() {
  const pykc::Device cpu = pykc::Device::open("cpu").value();
  measure_on_cpu<1>(cpu);
  measure_on_cpu<3>(cpu);
  measure_on_cpu<16>(cpu);
  const pykc::Result<pykc::Device> device = pykc::Device::open("cuda:0");
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!device || driver == nullptr) {
    std::printf("cuda: skipped, there is no NVIDIA driver\n");
    return 0;
  }
  std::printf("%s, medians of %d batches of %d launches\n", device->info().description.c_str(), kBatches, kBatch);
  measure(*device, driver, std::make_index_sequence<1>());
  measure(*device, driver, std::make_index_sequence<3>());
  measure(*device, driver, std::make_index_sequence<16>());
  return 0;
}
