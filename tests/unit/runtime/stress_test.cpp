// Many threads load, launch and check on one device at once, the CPU device and a GPU of the fake driver; to be run
// under ThreadSanitizer, too.
#include "tests/unit/runtime/stress.h"

#include "pykc/runtime.h"
#include "tests/unit/runtime/kernel_descriptions.h"
#include "tests/unit/runtime/test_object.h"

namespace pykc {
namespace {

using testing::array;
using testing::kAny;
using testing::kernel;
using testing::message_of;
using testing::run_on_all_threads;
using testing::scalar;

TEST(Stress, CpuDevice) {
  const ParameterInfo vector = array("x", ScalarType::F32, {kAny});
  KernelInfo faulty = kernel("faulty", {scalar("bad", ScalarType::I64)});
  faulty.faults = {{"assert failed: block != {0}", "faulty.pyk", 7, 3}};
  const Artifact artifact{.target = "cpu:x86-64",
                          .code = testing::test_object(),
                          .kernels = {kernel("vecadd", {vector, vector, vector}), faulty}};
  const Device device = Device::open("cpu").value();
  const Module shared = device.load(artifact).value();
  run_on_all_threads([&](int thread, int) -> std::string {
    constexpr std::int64_t kSize = 20000;
    const Module own = device.load(artifact).value();
    const Stream stream = device.create_stream().value();
    const std::vector<float> values(kSize, static_cast<float>(thread));
    const Array<float> x = device.allocate<float>(kSize).value(), z = device.allocate<float>(kSize).value();
    // All on the stream: what waits for the whole device reports the faults of other threads.
    x.copy_from(stream, values).value();
    z.fill_zero(stream).value();
    for (const Module* module : {&own, &shared}) {
      const LaunchConfig config{.grid = {(kSize + 127) / 128}, .block = {128}, .stream = &stream};
      if (Result<void> done = module->kernel("vecadd")->launch(config, z, z, x); !done) return message_of(done);
    }
    std::vector<float> sums(kSize);
    if (Result<void> done = z.copy_to(stream, sums); !done) return message_of(done);
    for (const float sum : sums)
      if (sum != 2 * static_cast<float>(thread)) return "a sum is " + std::to_string(sum);
    if (Result<void> done = shared.kernel("faulty")->launch({.grid = {8}, .block = {1}, .stream = &stream}, thread % 8);
        !done)
      return message_of(done);
    return stream.synchronize() ? "a fault was lost" : "";
  });
}

TEST(Stress, Gpu) {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  const Artifact artifact{
      .target = "nvptx:sm_80",
      .code = ".version 8.0\n.entry scale(\n",
      .kernels = {kernel("scale", {array("x", ScalarType::I32, {kAny}), scalar("a", ScalarType::F32)})}};
  run_on_all_threads([&](int thread, int) -> std::string {
    const Device device = Device::open("cuda:0").value();  // opened and closed by many at once
    const Stream stream = device.create_stream().value();
    const Module module = device.load(artifact).value();
    const std::vector<int> values(100, thread);
    std::vector<int> copy(100);
    const Array<int> x = device.allocate<int>(100).value();
    stream.begin_capture().value();
    x.copy_from(stream, values).value();
    module.kernel("scale")->for_all(100, x, 1.0F).value();
    x.copy_to(stream, copy).value();
    const Graph graph = stream.end_capture().value();
    if (Result<void> done = graph.launch(stream); !done) return message_of(done);
    if (Result<void> done = stream.record()->synchronize(); !done) return message_of(done);
    return copy == values ? "" : "a copy differs";
  });
}

}  // namespace
}  // namespace pykc
