// Every call of the driver, in everything that a program does with a GPU, fails once: nothing leaks, nothing crashes,
// and the error names the call. Calls are found by counting those of a run without failures, so a new one is tested
// too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "pykc/profiler.h"
#include "pykc/runtime.h"
#include "tests/mock_cuda/mock_cuda.h"
#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc {
namespace {

using namespace mock_cuda;
using testing::array;
using testing::for_each_thread;
using testing::kAny;
using testing::kernel;
using testing::scalar;

constexpr int kNotInitialized = 3;

constexpr const char* kFunctions[] = {
#define DRIVER_FUNCTION(name, symbol, parameters, arguments) #name,
#include "runtime/cuda/driver_api.def"
};

/// Calls after whose failure the program goes on.
const std::set<std::string> kTolerated = {
    // Giving back: there is nobody to tell.
    "cuMemFree", "cuMemFreeAsync", "cuMemFreeHost", "cuMemPoolDestroy", "cuModuleUnload", "cuStreamDestroy",
    "cuEventDestroy", "cuLinkDestroy", "cuGraphDestroy", "cuGraphExecDestroy", "cuDevicePrimaryCtxRelease",
    // Texts and numbers of messages.
    "cuGetErrorName", "cuGetErrorString", "cuDriverGetVersion", "cuMemGetInfo",
    // Device::list() leaves out what it cannot describe.
    "cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem", "cuDeviceGetUuid",
    "cuDeviceGetAttribute",
    // The context counts as not current, and is made so; or stays current when it goes.
    "cuCtxGetCurrent", "cuCtxSetCurrent",
    // Faults are found without signals; that pinned arrays report the same call is tested by SaysHowMuchMemoryThereIs.
    "cuMemHostAlloc",
    // A destructor waits.
    "cuCtxSynchronize", "cuStreamSynchronize",
    // What a capture forbids is allowed a little longer.
    "cuThreadExchangeStreamCaptureMode",
    // Stack that a module gives back stays reserved; that loading reports the same calls is tested by
    // RecursionReserves….
    "cuCtxGetLimit", "cuCtxSetLimit"};

Artifact test_artifact() {
  KernelInfo faulty = kernel("faulty", {});
  faulty.faults = {{"assert failed", "faulty.pyk", 7, 3}};
  KernelInfo shared = kernel("shared", {});
  shared.dynamic_shared_bytes = for_each_thread(1024);
  shared.begins_early = true;
  KernelInfo waiting = kernel("waiting", {});
  waiting.is_cooperative = true;
  waiting.recursion_bytes = 10000;
  KernelInfo scale = kernel("scale", {array("x", ScalarType::F32, {kAny}), scalar("a", ScalarType::F32)});
  scale.tensor_maps = {{0, {64}, 0}};
  return {.target = "nvptx:sm_80",
          .code =
              ".version 8.0\n.global .align 8 .b8 pykc_fault[120];\n"
              ".visible .const .align 16 .b8 WEIGHTS[12];\n"
              ".entry scale(\n.entry faulty(\n.entry shared(\n.entry waiting(\n",
          .kernels = {scale, faulty, shared, waiting},
          .constants = {{"WEIGHTS", "WEIGHTS", {ScalarType::F32, Layout::RowMajor, {3}}}}};
}

#define TRY(call) \
  if (const auto done = (call); !done) return done.error()
#define TRY_TO_MAKE(value, call)                          \
  const auto value##_or_error = (call);                   \
  if (!value##_or_error) return value##_or_error.error(); \
  const auto& value = *value##_or_error

Result<void> use_memory(const Device& device, const Stream& stream) {
  std::vector<float> host(64);
  TRY_TO_MAKE(x, device.copy_from<float>(std::span<const float>(host), {8, 8}));
  TRY_TO_MAKE(y, x.copy());
  TRY(x.transpose().copy_from(y));
  TRY_TO_MAKE(columns, x.slice(Slice{}, Slice{0, 4}));
  TRY(columns.fill_zero());
  TRY(x.fill_zero(stream));
  TRY(x.fill(1.5F));
  TRY(columns.fill(1.5F));
  TRY_TO_MAKE(halves, device.zeros<Half>({8, 8}));
  TRY(halves.fill(Half{1}));
  TRY(halves.slice(Slice{}, Slice{0, 4}).value().fill(Half{1}));
  TRY(x.copy_to(host));
  TRY_TO_MAKE(pinned, device.allocate_pinned<float>(64));
  TRY(y.copy_from(stream, pinned.span()));
  TRY_TO_MAKE(managed, device.allocate_managed<float>({4}));
  TRY_TO_MAKE(mapped, device.allocate_mapped<float>({4}));
  TRY_TO_MAKE(wrapped, device.wrap(x.address(), {64}));
  TRY_TO_MAKE(scratch, stream.allocate<float>({16}));
  for (const Array<float>& array : {Array<float>(managed), Array<float>(mapped), wrapped, scratch})
    TRY(array.fill_zero(stream));
  TRY(device.pool().statistics());
  TRY(device.pool().reset_peaks());
  TRY(device.pool().set_release_threshold(1000));
  return device.pool().trim();
}

Result<void> use_kernels(const Device& device, const Stream& stream) {
  Artifact artifact = test_artifact();
  artifact.libraries = {{"library.ptx", ".func in_the_library(\n"}};
  TRY_TO_MAKE(module, device.load(artifact));
  TRY_TO_MAKE(x, device.allocate<float>(100));
  const std::vector<float> weights = {1, 2, 1};
  TRY(module.set_constant("WEIGHTS", weights));
  TRY(module.set_constant(stream, "WEIGHTS", weights));
  TRY(module.kernel("scale")->for_all(100, x, 2.0F));
  TRY(module.kernel("faulty")->launch({.grid = {1}, .block = {32}, .stream = &stream}));
  TRY(module.kernel("shared")->launch({.grid = {1}, .block = {200}}));
  TRY(module.kernel("waiting")->launch({.grid = {1}, .block = {32}, .timeout = std::chrono::hours(1)}));
  return stream.synchronize();  // reads the record of faults
}

Result<void> use_streams(const Device& device, const Stream& stream) {
  int calls = 0;
  TRY_TO_MAKE(start, stream.record());
  TRY(stream.call([&] { ++calls; }));
  TRY_TO_MAKE(end, stream.record());
  TRY(device.default_stream().wait(end));
  TRY(end.milliseconds_since(start));
  TRY(device.wrap_stream(stream.native_handle()));
  TRY(stream.begin_capture());
  TRY(stream.call([&] { ++calls; }));
  TRY_TO_MAKE(second, device.create_stream());
  TRY_TO_MAKE(fork, stream.record());
  TRY(second.wait(fork));
  TRY_TO_MAKE(scratch, device.allocate<float>(4));
  TRY(scratch.fill_zero(second));
  TRY_TO_MAKE(join, second.record());
  TRY(stream.wait(join));
  TRY_TO_MAKE(graph, stream.end_capture());
  TRY(graph.launch(stream));
  TRY(stream.begin_capture());
  TRY_TO_MAKE(other, stream.end_capture());
  TRY(graph.update(other));
  return device.synchronize();
}

Result<void> use_peers(const Device& device) {
  TRY_TO_MAKE(other, Device::open("cuda:1"));
  TRY(device.enable_peer_access(other));
  TRY_TO_MAKE(here, device.allocate<float>(4));
  TRY_TO_MAKE(there, other.allocate<float>(4));
  return there.copy_from(here);
}

Result<void> use_profiler(const Device& device) {
  TRY(start_profiler(device));
  return stop_profiler(device);
}

Result<void> use_everything() {
  mock_set_devices(2);
  Device::list();
  TRY_TO_MAKE(device, Device::open("cuda:0"));
  TRY_TO_MAKE(stream, device.create_stream());
  TRY(use_memory(device, stream));
  TRY(use_kernels(device, stream));
  TRY(use_peers(device));
  TRY(use_profiler(device));
  return use_streams(device, stream);
}

TEST(FaultInjection, EveryCallFailsOnce) {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  mock_reset();
  const Result<void> whole = use_everything();
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_EQ(mock_live_objects(), 0);
  std::vector<std::pair<std::string, int>> calls;
  for (const char* function : kFunctions) calls.emplace_back(function, mock_calls(function));
  for (const auto& [function, count] : calls) {
    const bool is_for_messages = function.starts_with("cuGetError") || function == "cuMemGetInfo";
    EXPECT_TRUE(count > 0 || is_for_messages) << function << " is not tested here";
    for (int nth = 1; nth <= count; ++nth) {
      SCOPED_TRACE(function + ", call " + std::to_string(nth));
      mock_reset();
      mock_fail(function.c_str(), nth, kNotInitialized);
      const Result<void> result = use_everything();
      EXPECT_EQ(mock_live_objects(), 0);
      if (result) {
        EXPECT_TRUE(kTolerated.contains(function));
        continue;
      }
      const bool lacks_context = function == "cuCtxSetCurrent";  // what the next call says
      EXPECT_NE(result.error().message.find(lacks_context ? "CUDA_ERROR_INVALID_CONTEXT" : function + " failed:"),
                std::string::npos)
          << result.error().message;
    }
  }
}

}  // namespace
}  // namespace pykc
