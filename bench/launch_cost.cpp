// What a launch costs the host. On a GPU: Kernel::launch beside a bare cuLaunchKernel of the same kernel with the same
// parameters, and Graph::launch beside cuGraphLaunch of the same kernels, in turn, in one run; prints medians in
// microseconds and the difference. On the CPU device, where a launch of one block is done when it returns: the time
// with so many arrays, which shows what checking them costs.
//
//   pykc_bench_launch [JSON]     where the figures of the GPU are written, too
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/report.h"
#include "bench/timing.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace {

using namespace pykc::bench;

using LaunchFunction = int (*)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               void* stream, void** parameters, void** extra);
using LoadFunction = int (*)(void** module, const void* image);
using GetFunction = int (*)(void** function, void* module, const char* name);

using CreateStreamFunction = int (*)(void** stream, unsigned flags);
using BeginCaptureFunction = int (*)(void* stream, int mode);
using EndCaptureFunction = int (*)(void* stream, void** graph);
using InstantiateFunction = int (*)(void** executable, void* graph, unsigned long long flags);
using LaunchGraphFunction = int (*)(void* executable, void* stream);

constexpr int kGraphKernels = 8;
constexpr int kBatch = 200;  // launches timed as one, so that the queue never fills

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
  for (int i = 0; i < kBatches; ++i) times.push_back(microseconds(device, kBatch, [&] { our.launch(); }));
  std::printf("cpu, %2d arrays: launch %.3f us\n", Arrays, median(times));
}

/// A function of the driver, by the name that its library gives it.
template <typename Function>
Function symbol(void* driver, const char* name) {
  return reinterpret_cast<Function>(dlsym(driver, name));
}

/// Runs both in turn.
template <typename Ours, typename Bare>
Row compare(const pykc::Device& device, const std::string& name, const char* bare_name, Ours our_launch,
            Bare bare_launch) {
  const InTurn medians = in_turn(device, kBatch, name, "pykc", our_launch, bare_name, bare_launch);
  return {name, 0, {{"pykc", medians.ours * 1e-6}, {"CUDA C++", medians.other * 1e-6}}};
}

/// Adds what it finds to the rows.
template <std::size_t... I>
void measure(const pykc::Device& device, void* driver, std::index_sequence<I...>, std::vector<Row>& rows) {
  constexpr int kArrays = sizeof...(I);
  const Case<kArrays> our(device);

  void *module = nullptr, *function = nullptr;
  const auto launch_kernel = symbol<LaunchFunction>(driver, "cuLaunchKernel");
  if (symbol<LoadFunction>(driver, "cuModuleLoadData")(&module, our.artifact.code.c_str()) != 0 ||
      symbol<GetFunction>(driver, "cuModuleGetFunction")(&function, module, "k") != 0)
    return;
  std::array<void*, kArrays> addresses{static_cast<void*>(our.arrays[I].address())...};
  std::int64_t extent = 1024;
  std::array<void*, 2 * kArrays> parameters;
  for (std::size_t i = 0; i < kArrays; ++i) parameters[2 * i] = &addresses[i], parameters[2 * i + 1] = &extent;
  const auto bare_launch = [&](void* stream) {
    launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters.data(), nullptr);
  };
  rows.push_back(compare(
      device, "launch, " + std::to_string(kArrays) + (kArrays > 1 ? " arrays" : " array"), "cuLaunchKernel",
      [&] { our.launch(); }, [&] { bare_launch(nullptr); }));
  if (kArrays != 3) return;

  our.stream.begin_capture().value();
  for (int i = 0; i < kGraphKernels; ++i) our.launch();
  const pykc::Graph our_graph = our.stream.end_capture().value();
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  constexpr unsigned kDefault = 0;  // CU_STREAM_DEFAULT, as our streams are
  constexpr int kThreadLocal = 1;
  if (symbol<CreateStreamFunction>(driver, "cuStreamCreate")(&stream, kDefault) != 0 ||
      symbol<BeginCaptureFunction>(driver, "cuStreamBeginCapture_v2")(stream, kThreadLocal) != 0)
    return;
  for (int i = 0; i < kGraphKernels; ++i) bare_launch(stream);
  if (symbol<EndCaptureFunction>(driver, "cuStreamEndCapture")(stream, &graph) != 0 ||
      symbol<InstantiateFunction>(driver, "cuGraphInstantiateWithFlags")(&executable, graph, 0) != 0)
    return;
  const auto launch_graph = symbol<LaunchGraphFunction>(driver, "cuGraphLaunch");
  rows.push_back(compare(
      device, "launch of a graph of " + std::to_string(kGraphKernels) + " kernels", "cuGraphLaunch",
      [&] { our_graph.launch(our.stream).value(); }, [&] { launch_graph(executable, stream); }));
}

}  // namespace

int main(int count, char** arguments) {
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
  std::vector<Row> rows;
  measure(*device, driver, std::make_index_sequence<1>(), rows);
  measure(*device, driver, std::make_index_sequence<3>(), rows);
  measure(*device, driver, std::make_index_sequence<16>(), rows);
  if (count > 1 && !write_report(arguments[1], rows)) {
    std::fprintf(stderr, "%s cannot be written\n", arguments[1]);
    return 1;
  }
  return 0;
}
