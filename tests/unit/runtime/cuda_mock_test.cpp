// The CUDA device against the fake driver: every path where a call of the driver fails, and that nothing leaks.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "pykc/runtime.h"
#include "tests/mock_cuda/mock_cuda.h"
#include "tests/unit/runtime/kernel_descriptions.h"

extern "C" int cuCtxGetCurrent(void** context);

namespace pykc {
namespace {

using namespace mock_cuda;
using testing::array;
using testing::for_each_thread;
using testing::kAny;
using testing::kernel;
using testing::scalar;

constexpr int kOutOfMemory = 2, kNotInitialized = 3, kNoDevice = 100, kIllegalAddress = 700, kOutOfResources = 701;

Artifact test_artifact() {
  KernelInfo faulty = kernel("faulty", {});
  faulty.faults = {{"assert failed: x > {0}", "faulty.pyk", 7, 3}};
  KernelInfo shared = kernel("shared", {});
  shared.dynamic_shared_bytes = for_each_thread(1024);
  return {.target = "nvptx:sm_80",
          .code =
              ".version 8.0\n.global .align 8 .b8 pykc_fault[112];\n"
              ".entry scale(\n.entry faulty(\n.entry shared(\n",
          .kernels = {kernel("scale", {array("x", ScalarType::F32, {kAny}), scalar("a", ScalarType::F32)}), faulty,
                      shared}};
}

class CudaMock : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_reset(); }
  void TearDown() override { EXPECT_EQ(mock_live_objects(), 0); }

  static void fault_at_next_launch(std::int64_t value) {
    const abi::FaultRecord record{.claimed = 1, .ready = 1, .kernel = 1, .values = {value}};
    mock_fault_at_next_launch(&record);
  }
  template <typename T>
  static void expect_error(const Result<T>& result, ErrorCode code, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
};

TEST_F(CudaMock, DescribesTheDevices) {
  mock_set_devices(2);
  const std::vector<DeviceInfo> devices = Device::list();
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[1].name, "cuda:1");
  EXPECT_EQ(devices[1].description, "Mock GPU");
  EXPECT_EQ(devices[1].target, "sm_90a");
  EXPECT_EQ(devices[1].driver, "CUDA driver 13.0");
  EXPECT_EQ(Device::open("").value().info().name, "cuda:0");
  EXPECT_EQ(Device::open("cuda").value().info().name, "cuda:0");
  EXPECT_EQ(Device::open("cuda:1").value().info().name, "cuda:1");
}

TEST_F(CudaMock, NoDriver) {
  setenv("PYKC_CUDA_LIBRARY", "/no/such/libcuda.so", 1);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable, "no NVIDIA driver: /no/such/libcuda.so");
  EXPECT_EQ(Device::open("").value().info().name, "cpu");
  EXPECT_EQ(Device::list().size(), 1U);
  setenv("PYKC_CUDA_LIBRARY", "libm.so.6", 1);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable, "too old: libm.so.6 has no function cuInit");
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
}

TEST_F(CudaMock, NoDevice) {
  mock_fail("cuInit", 1, kNoDevice);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable, "the NVIDIA driver finds no GPU");
  mock_set_devices(0);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable, "the NVIDIA driver finds no GPU");
  EXPECT_EQ(Device::open("").value().info().name, "cpu");
  EXPECT_EQ(Device::list().size(), 1U);
  mock_set_devices(2);
  expect_error(Device::open("cuda:2"), ErrorCode::NotFound, "there is no device `cuda:2`: the last GPU is cuda:1");
}

TEST_F(CudaMock, RecursionReservesStackWhileItsModuleLives) {
  Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("cuCtxSetLimit"), 0);
  artifact.kernels[0].recursion_bytes = 10000;
  {
    const Result<Module> deep = device.load(artifact);
    ASSERT_TRUE(deep);
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 1);
    artifact.kernels[0].recursion_bytes = 5000;
    EXPECT_TRUE(device.load(artifact));  // there is enough
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 1);
    artifact.kernels[0].recursion_bytes = 20000;
    EXPECT_TRUE(device.load(artifact));
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 3);  // more, and back to what `deep` needs
  }
  EXPECT_EQ(mock_calls("cuCtxSetLimit"), 4);
  artifact.kernels[2].recursion_bytes = 30000;
  mock_fail("cuCtxSetLimit", 1, kOutOfMemory);
  expect_error(device.load(artifact), ErrorCode::OutOfMemory, "cuCtxSetLimit failed");
  mock_fail("cuCtxGetLimit", 1, kNotInitialized);
  expect_error(device.load(artifact), ErrorCode::DriverError, "cuCtxGetLimit failed");
  artifact.kernels[2].recursion_bytes = -1;
  expect_error(device.load(artifact), ErrorCode::InputOutput, "has a stack for recursion of -1 bytes");
}

TEST_F(CudaMock, StackThatOtherCodeReservesStays) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.kernels[0].recursion_bytes = 10000;
  *mock_stack_limit() = 4096;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(*mock_stack_limit(), 4096U);
  {
    const Result<Module> deep = device.load(artifact);
    ASSERT_TRUE(deep);
    EXPECT_EQ(*mock_stack_limit(), 11024U);
    *mock_stack_limit() = 50000;
    EXPECT_TRUE(device.load(artifact));
    EXPECT_EQ(*mock_stack_limit(), 50000U);
  }
  EXPECT_EQ(*mock_stack_limit(), 50000U);
}

TEST_F(CudaMock, EveryCallOfOpeningMayFail) {
  mock_fail("cuInit", 1, kNotInitialized);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable,
               "cuInit failed: CUDA_ERROR_NOT_INITIALIZED (initialization error), code 3");
  for (const char* function :
       {"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(Device::open("cuda:0"), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  mock_fail("cuDevicePrimaryCtxRetain", 1, 12345);
  expect_error(Device::open(""), ErrorCode::DriverError, "an unknown error");
}

TEST_F(CudaMock, LoadingFailsWithTheCompilersLog) {
  const Device device = Device::open("cuda:0").value();
  mock_fail_next_load("ptxas line 7: unexpected token");
  expect_error(device.load(test_artifact()), ErrorCode::DriverError,
               "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed), code 218\nptxas line 7: unexpected token");
  for (const char* function :
       {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuModuleGetGlobal"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(device.load(test_artifact()), ErrorCode::DriverError, std::string(function) + " failed:");
  }
}

TEST_F(CudaMock, RefusesArtifactsForOtherDevices) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.target = "cpu:znver4";
  expect_error(device.load(artifact), ErrorCode::Unsupported, "device cuda:0 needs one for sm_90");
  artifact.target = "nvptx:sm_100";
  expect_error(device.load(artifact), ErrorCode::Unsupported, "cuda:0 is an older sm_90a; compile for sm_90a");
  artifact.target = "nvptx:sm_90a";
  EXPECT_TRUE(device.load(artifact));
}

TEST_F(CudaMock, RefusesDamagedCode) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  for (const std::string& code : {std::string(), std::string("\x7f"),
                                  std::string("\x7f"
                                              "ELF"),
                                  "\x7f"
                                  "ELF" +
                                      std::string(100, '\xff'),
                                  std::string("\x50\xed\x55\xba", 4)}) {
    artifact.code = code;
    const Result<Module> module = device.load(artifact);
    ASSERT_FALSE(module);
    EXPECT_TRUE(module.error().code == ErrorCode::InputOutput || code[0] == '\x50') << module.error().message;
  }
  artifact = test_artifact();
  artifact.kernels[0].symbol = "other";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "no entry point `other`");
}

TEST_F(CudaMock, LaunchesWithWhatItWasGiven) {
  const Device device = Device::open("cuda:0").value();
  const Kernel scale = device.load(test_artifact()).value().kernel("scale").value();
  const Array<float> x = device.allocate<float>(1000).value();
  const Stream stream = device.create_stream().value();
  mock_set_words(3);
  ASSERT_TRUE(scale.launch({.grid = {4, 5, 6}, .block = {8, 2, 1}, .shared_bytes = 64, .stream = &stream}, x, 2.0F));
  const Launch& launch = *mock_last_launch();
  EXPECT_STREQ(launch.function, "scale");
  EXPECT_EQ(launch.grid[2], 6U);
  EXPECT_EQ(launch.block[1], 2U);
  EXPECT_EQ(launch.shared_bytes, 64U);
  EXPECT_NE(launch.stream, nullptr);
  EXPECT_EQ(launch.words[0], reinterpret_cast<std::uintptr_t>(x.address()));
  EXPECT_EQ(launch.words[1], 1000U);
  EXPECT_EQ(launch.words[2], 0x40000000U);
}

TEST_F(CudaMock, AnEmptyGridDoesNotReachTheDriver) {
  const Device device = Device::open("cuda:0").value();
  const Kernel scale = device.load(test_artifact()).value().kernel("scale").value();
  const Array<float> empty = device.allocate<float>(0).value();
  EXPECT_EQ(empty.address(), nullptr);
  EXPECT_TRUE(scale.launch({.grid = {0}, .block = {256}}, empty, 1));
  EXPECT_EQ(mock_calls("cuLaunchKernel"), 0);
  EXPECT_EQ(mock_calls("cuMemAlloc"), 0);
}

TEST_F(CudaMock, AsksForMoreSharedMemoryOnce) {
  const Device device = Device::open("cuda:0").value();
  const Kernel shared = device.load(test_artifact()).value().kernel("shared").value();
  ASSERT_TRUE(shared.launch({.grid = {1}, .block = {48}}));
  EXPECT_EQ(mock_calls("cuFuncSetAttribute"), 0);
  ASSERT_TRUE(shared.launch({.grid = {1}, .block = {200}}));
  ASSERT_TRUE(shared.launch({.grid = {1}, .block = {227}}));
  EXPECT_EQ(mock_last_launch()->shared_bytes, 227U * 1024);
  EXPECT_EQ(mock_calls("cuFuncSetAttribute"), 1);
  expect_error(shared.launch({.grid = {1}, .block = {228}}), ErrorCode::InvalidLaunch, "a block at most 232448");
}

TEST_F(CudaMock, AskingForMoreSharedMemoryMayFail) {
  const Device device = Device::open("cuda:0").value();
  const Kernel shared = device.load(test_artifact()).value().kernel("shared").value();
  mock_fail("cuFuncSetAttribute", 1, 1);
  expect_error(shared.launch({.grid = {1}, .block = {200}}), ErrorCode::DriverError, "cuFuncSetAttribute failed:");
  EXPECT_TRUE(shared.launch({.grid = {1}, .block = {200}}));
}

TEST_F(CudaMock, RegistersLimitABlock) {
  mock_set_max_threads(640);
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  expect_error(faulty.launch({.grid = {1}, .block = {641}}), ErrorCode::InvalidLaunch, "leaves room for 640 threads");
}

TEST_F(CudaMock, LaunchingMayFail) {
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  mock_fail("cuLaunchKernel", 1, kOutOfResources);
  expect_error(faulty.launch({.grid = {1}, .block = {32}}), ErrorCode::DriverError,
               "kernel `faulty`: cuLaunchKernel failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
  EXPECT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
}

TEST_F(CudaMock, BlocksThatWaitForOneAnotherMustFit) {
  Artifact artifact = test_artifact();
  artifact.kernels[0].is_cooperative = true;
  const Device device = Device::open("cuda:0").value();
  const Kernel scale = device.load(artifact).value().kernel("scale").value();
  const Array<float> x = device.allocate<float>(8).value();
  const std::int64_t most = std::int64_t{2} * device.info().multiprocessors;  // blocks of 1024 threads
  EXPECT_TRUE(scale.launch({.grid = {most}, .block = {1024}}, x, 1.0F));
  EXPECT_EQ(mock_calls("cuLaunchCooperativeKernel"), 1);
  expect_error(scale.launch({.grid = {most + 1}, .block = {1024}}, x, 1.0F), ErrorCode::InvalidLaunch,
               "wait for one another at `grid_sync`, and the device runs at most " + std::to_string(most));
  mock_fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1, kOutOfResources);
  expect_error(scale.launch({.grid = {1}, .block = {32}}, x, 1.0F), ErrorCode::DriverError, "cuOccupancy");
  mock_fail("cuLaunchCooperativeKernel", 1, kOutOfResources);
  expect_error(scale.launch({.grid = {1}, .block = {32}}, x, 1.0F), ErrorCode::DriverError,
               "kernel `scale`: cuLaunchCooperativeKernel failed");
}

TEST_F(CudaMock, AGridIsMadeOfWholeClusters) {
  Artifact artifact = test_artifact();
  artifact.kernels[1].cluster = {2, 1, 1};
  const Device device = Device::open("cuda:0").value();
  const Kernel clustered = device.load(artifact).value().kernel("faulty").value();
  EXPECT_TRUE(clustered.launch({.grid = {8}, .block = {32}}));
  expect_error(clustered.launch({.grid = {7}, .block = {32}}), ErrorCode::InvalidLaunch,
               "the grid (7, 1, 1) is no multiple of its clusters of (2, 1, 1)");
}

TEST_F(CudaMock, AKernelThatWaitsForThoseBeforeItBeginsEarly) {
  Artifact artifact = test_artifact();
  artifact.kernels[1].begins_early = true;
  const Device device = Device::open("cuda:0").value();
  const Module module = device.load(artifact).value();
  const Kernel scale = module.kernel("scale").value(), early = module.kernel("faulty").value();
  const Array<float> x = device.allocate<float>(8).value();
  ASSERT_TRUE(scale.launch({.grid = {1}, .block = {32}}, x, 1.0F));
  EXPECT_EQ(mock_calls("cuLaunchKernelEx"), 0);
  ASSERT_TRUE(early.launch({.grid = {4, 3, 2}, .block = {32, 2}, .shared_bytes = 48}));
  EXPECT_EQ(mock_early_launches(), 1);
  const mock_cuda::Launch& launch = *mock_last_launch();
  EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector<unsigned>{4, 3, 2}));
  EXPECT_EQ(std::vector(launch.block, launch.block + 3), (std::vector<unsigned>{32, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 48U);
  mock_fail("cuLaunchKernelEx", 1, kOutOfResources);
  expect_error(early.launch({.grid = {1}, .block = {32}}), ErrorCode::DriverError,
               "kernel `faulty`: cuLaunchKernelEx failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
}

/// A kernel of one matrix, with a map of boxes of 8 rows and 64 columns of it.
Artifact artifact_with_tensor_map(Layout layout) {
  Artifact artifact = test_artifact();
  ParameterInfo matrix = array("x", ScalarType::BF16, {kAny, kAny});
  matrix.array.layout = layout;
  artifact.kernels[0].parameters = {scalar("a", ScalarType::F32), matrix};
  artifact.kernels[0].tensor_maps = {{1, {8, 64}, 128}};
  return artifact;
}

Result<void> launch_on(const Kernel& kernel, const Argument& matrix) {
  return kernel.launch_with({.grid = {1}, .block = {32}}, std::array{Argument::of(1.0F), matrix});
}

TEST_F(CudaMock, TensorMapsAreMadeOfTheArraysOfALaunch) {
  const Device device = Device::open("cuda:0").value();
  const Kernel kernel = device.load(artifact_with_tensor_map(Layout::RowMajor)).value().kernel("scale").value();
  const Array<std::uint16_t> memory = device.allocate<std::uint16_t>(100 * 72 + 8).value();
  const auto matrix = [&](std::int64_t first, std::int64_t rows, std::int64_t columns) {
    Argument argument = Argument::of(memory);
    argument.type = ScalarType::BF16;
    argument.address = static_cast<std::uint16_t*>(argument.address) + first;
    argument.rank = 2;
    argument.extents[0] = rows, argument.extents[1] = columns;
    argument.strides[0] = columns, argument.strides[1] = 1;
    return argument;
  };
  mock_set_words(5);  // a, x, its extents, the map
  ASSERT_TRUE(launch_on(kernel, matrix(8, 100, 72)));
  const TensorMap& made = *mock_last_tensor_map();
  EXPECT_EQ(mock_last_launch()->words[4], made.address) << "the map is the last parameter";
  EXPECT_EQ(made.address, mock_last_launch()->words[1]);
  EXPECT_EQ(made.type, 9) << "bf16";
  EXPECT_EQ(made.swizzle, 3) << "128 bytes";
  EXPECT_EQ(made.rank, 2);
  EXPECT_EQ(made.extents[0], 72U);
  EXPECT_EQ(made.extents[1], 100U);
  EXPECT_EQ(made.strides[0], 144U);
  EXPECT_EQ(made.box[0], 64U);
  EXPECT_EQ(made.box[1], 8U);

  const int calls = mock_calls("cuTensorMapEncodeTiled");
  EXPECT_TRUE(launch_on(kernel, matrix(0, 0, 72)));
  EXPECT_EQ(mock_calls("cuTensorMapEncodeTiled"), calls) << "there is nothing to copy of an empty array";
  expect_error(launch_on(kernel, matrix(1, 100, 72)), ErrorCode::InvalidLaunch,
               "parameter `x`: a GPU's copy unit cannot read it: it does not begin at a multiple of 16 bytes");
  expect_error(launch_on(kernel, matrix(0, 100, 71)), ErrorCode::InvalidLaunch,
               "its rows lie 142 bytes apart, which is no multiple of 16");
  mock_fail("cuTensorMapEncodeTiled", 1, kOutOfResources);
  expect_error(launch_on(kernel, matrix(0, 100, 72)), ErrorCode::DriverError, "cuTensorMapEncodeTiled failed");
}

TEST_F(CudaMock, TensorMapsFollowTheArraysLayout) {
  const Device device = Device::open("cuda:0").value();
  const Array<std::uint16_t> memory = device.allocate<std::uint16_t>(64 * 80).value();
  Argument argument = Argument::of(memory);
  argument.type = ScalarType::BF16;
  argument.rank = 2;
  argument.extents[0] = 64, argument.extents[1] = 48;
  argument.strides[0] = 1, argument.strides[1] = 64;
  const Kernel by_columns = device.load(artifact_with_tensor_map(Layout::ColumnMajor)).value().kernel("scale").value();
  ASSERT_TRUE(launch_on(by_columns, argument));
  EXPECT_EQ(mock_last_tensor_map()->extents[0], 64U);
  EXPECT_EQ(mock_last_tensor_map()->strides[0], 128U);
  EXPECT_EQ(mock_last_tensor_map()->box[0], 8U);

  const Kernel strided = device.load(artifact_with_tensor_map(Layout::Strided)).value().kernel("scale").value();
  expect_error(launch_on(strided, argument), ErrorCode::InvalidLaunch, "elements of its last axis are no neighbours");
  argument.strides[0] = 80, argument.strides[1] = 1;
  ASSERT_TRUE(launch_on(strided, argument));
  EXPECT_EQ(mock_last_tensor_map()->extents[0], 48U);
  EXPECT_EQ(mock_last_tensor_map()->strides[0], 160U);
}

TEST_F(CudaMock, RefusesTensorMapsThatFitNoArray) {
  const Device device = Device::open("cuda:0").value();
  for (const TensorMapInfo& wrong : {TensorMapInfo{0, {8, 64}, 0}, {2, {8, 64}, 0}, {-1, {8, 64}, 0}, {1, {8}, 0}}) {
    Artifact artifact = artifact_with_tensor_map(Layout::RowMajor);
    artifact.kernels[0].tensor_maps = {wrong};
    expect_error(device.load(artifact), ErrorCode::InputOutput, "has a tensor map that fits no array of it");
  }
}

TEST_F(CudaMock, SuggestsWhatTheDriverSuggests) {
  const Device device = Device::open("cuda:0").value();
  const Kernel scale = device.load(test_artifact()).value().kernel("scale").value();
  mock_fail("cuOccupancyMaxPotentialBlockSize", 1, kOutOfResources);
  expect_error(scale.suggested_block_size(), ErrorCode::DriverError, "cuOccupancyMaxPotentialBlockSize");
  EXPECT_EQ(scale.suggested_block_size().value(), 512);
  expect_error(scale.suggested_block_size(1 << 30), ErrorCode::InvalidLaunch, "are not possible");
  expect_error(scale.suggested_block_size(-1), ErrorCode::InvalidLaunch, "are not possible");
}

TEST_F(CudaMock, TellsWhatAThreadTakes) {
  const Device device = Device::open("cuda:0").value();
  mock_set_max_threads(640);
  const Kernel scale = device.load(test_artifact()).value().kernel("scale").value();
  const KernelResources resources = scale.resources().value();
  EXPECT_EQ(resources.registers_per_thread, 40);
  EXPECT_EQ(resources.local_bytes_per_thread, 24);
  EXPECT_EQ(resources.max_threads_per_block, 640);
  mock_fail("cuFuncGetAttribute", 2, kOutOfResources);
  expect_error(scale.resources(), ErrorCode::DriverError, "cuFuncGetAttribute");
}

TEST_F(CudaMock, AThreadForEachTask) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.kernels[1].cluster = {4, 1, 1};
  const Module module = device.load(artifact).value();
  const Kernel scale = module.kernel("scale").value();
  const Array<float> x = device.allocate<float>(1025).value();
  ASSERT_TRUE(scale.for_all(x.size(), x, 2.0F));
  EXPECT_EQ(mock_last_launch()->grid[0], 3U);
  EXPECT_EQ(mock_last_launch()->block[0], 512U);
  ASSERT_TRUE(scale.for_all(1024, x, 2.0F));
  EXPECT_EQ(mock_last_launch()->grid[0], 2U);
  EXPECT_EQ(mock_calls("cuOccupancyMaxPotentialBlockSize"), 1) << "asked once";
  EXPECT_TRUE(scale.for_all(0, x, 2.0F));
  EXPECT_EQ(mock_calls("cuLaunchKernel"), 2);
  EXPECT_EQ(module.kernel("faulty").value().configuration_for(513).value().grid.x, 4) << "whole clusters";
  EXPECT_EQ(scale.configuration_for(1, 64).value().shared_bytes, 64);
  expect_error(scale.for_all(-1, x, 2.0F), ErrorCode::InvalidLaunch, "kernel `scale`: there cannot be -1 tasks");
  mock_fail("cuOccupancyMaxPotentialBlockSize", 1, kOutOfResources);
  expect_error(module.kernel("shared").value().for_all(1), ErrorCode::DriverError, "cuOccupancyMaxPotentialBlockSize");
}

TEST_F(CudaMock, SaysHowManyBlocksRunAtATime) {
  const Device device = Device::open("cuda:0").value();
  const Module module = device.load(test_artifact()).value();
  const Kernel faulty = module.kernel("faulty").value(), shared = module.kernel("shared").value();
  EXPECT_EQ(faulty.active_blocks_per_multiprocessor({.block = {256}}).value(), 8);
  EXPECT_EQ(shared.active_blocks_per_multiprocessor({.block = {64}}).value(), 32);
  EXPECT_EQ(mock_calls("cuFuncSetAttribute"), 1) << "64 KiB of shared memory must be asked for";
  expect_error(faulty.active_blocks_per_multiprocessor({.block = {2000}}), ErrorCode::InvalidLaunch, "(2000, 1, 1)");
  mock_fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1, kOutOfResources);
  expect_error(faulty.active_blocks_per_multiprocessor({.block = {256}}), ErrorCode::DriverError, "cuOccupancyMaxAct");
}

TEST_F(CudaMock, StreamsCallFunctions) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  int calls = 0;
  ASSERT_TRUE(stream.call([&calls, held = std::make_shared<int>(5)] { calls += *held; }));
  EXPECT_EQ(calls, 5);
  expect_error(stream.call({}), ErrorCode::InvalidArgument, "is empty");
  mock_fail("cuLaunchHostFunc", 1, kNotInitialized);
  expect_error(stream.call([&calls] { ++calls; }), ErrorCode::DriverError, "cuLaunchHostFunc failed:");
  EXPECT_EQ(calls, 5);
}

TEST_F(CudaMock, RefusesMemoryAndStreamsOfOtherDevices) {
  mock_set_devices(2);
  const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
  const Kernel scale = first.load(test_artifact()).value().kernel("scale").value();
  const Array<float> there = second.allocate<float>(8).value(), here = first.allocate<float>(8).value();
  expect_error(scale.launch({.grid = {1}, .block = {32}}, there, 1.0F), ErrorCode::InvalidLaunch,
               "kernel `scale`, parameter `x`: the array lies on cuda:1, the kernel runs on cuda:0");
  const Stream stream = second.create_stream().value();
  expect_error(scale.launch({.grid = {1}, .block = {32}, .stream = &stream}, here, 1.0F), ErrorCode::InvalidArgument,
               "belongs to another device");
  expect_error(here.fill_zero(stream), ErrorCode::InvalidArgument, "belongs to another device");
  expect_error(stream.record().value().milliseconds_since(first.default_stream().record().value()),
               ErrorCode::InvalidArgument, "belongs to another device");
  EXPECT_TRUE(stream.wait(first.default_stream().record().value()));
}

TEST_F(CudaMock, CopiesThereAndBack) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  const PinnedArray<int> pinned = device.allocate_pinned<int>(4).value();
  for (int i = 0; i < 4; ++i) pinned[i] = i;
  const Array<int> array = device.copy_from<int>(pinned).value();
  std::vector<int> back(4);
  ASSERT_TRUE(array.copy_to(stream, back));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(back, (std::vector<int>{0, 1, 2, 3}));
  ASSERT_TRUE(array.fill_zero());
  ASSERT_TRUE(array.copy_to(back));
  EXPECT_EQ(back, (std::vector<int>(4)));
}

TEST_F(CudaMock, ALaunchWithALimitOfTimeWaits) {
  constexpr int kNotReady = 600;
  const Device device = Device::open("cuda:0").value();
  const Module module = device.load(test_artifact()).value();
  const Kernel shared = module.kernel("shared").value();
  LaunchConfig config{.grid = {1}, .block = {1}, .timeout = std::chrono::seconds(20)};
  mock_fail("cuStreamQuery", 2, kNotReady);
  ASSERT_TRUE(shared.launch(config));
  ASSERT_TRUE(shared.launch(config));
  EXPECT_EQ(mock_calls("cuStreamQuery"), 3);
  config.timeout = std::chrono::nanoseconds(1);
  mock_fail("cuStreamQuery", 1, kNotReady);
  expect_error(shared.launch(config), ErrorCode::Timeout, "kernel `shared` has taken longer than its limit of 1e-09 s");
  mock_fail("cuStreamQuery", 1, kIllegalAddress);
  expect_error(shared.launch(config), ErrorCode::DriverError, "cuStreamQuery failed:");
  mock_reset();
  expect_error(device.cancel(), ErrorCode::Unsupported, "no driver stops a kernel");
  expect_error(device.set_output(nullptr), ErrorCode::Unsupported, "writes what kernels print");
  const Stream stream = device.create_stream().value();
  config.stream = &stream;
  ASSERT_TRUE(stream.begin_capture());
  expect_error(shared.launch(config), ErrorCode::InvalidLaunch, "no limits of time on a GPU");
  ASSERT_TRUE(stream.end_capture());
}

TEST_F(CudaMock, EveryCopyMayFail) {
  const Device device = Device::open("cuda:0").value();
  const Array<int> array = device.allocate<int>(4).value();
  std::vector<int> host(4);
  mock_fail("cuMemcpyHtoDAsync", 1, 1);
  expect_error(array.copy_from(host), ErrorCode::DriverError, "cuMemcpyHtoDAsync failed: CUDA_ERROR_INVALID_VALUE");
  mock_fail("cuMemcpyDtoHAsync", 1, 1);
  expect_error(array.copy_to(host), ErrorCode::DriverError, "cuMemcpyDtoHAsync failed:");
  mock_fail("cuMemsetD8Async", 1, 1);
  expect_error(array.fill_zero(), ErrorCode::DriverError, "cuMemsetD8Async failed:");
  mock_fail("cuStreamSynchronize", 1, 1);
  expect_error(array.copy_to(host), ErrorCode::DriverError, "cuStreamSynchronize failed:");
  mock_fail("cuMemcpyHtoDAsync", 1, 1);
  expect_error(device.copy_from<int>(host), ErrorCode::DriverError, "cuMemcpyHtoDAsync failed:");
}

TEST_F(CudaMock, SaysHowMuchMemoryThereIs) {
  const Device device = Device::open("cuda:0").value();
  mock_set_memory(1000);
  const Array<char> some = device.allocate<char>(600).value();
  expect_error(device.allocate<char>(500), ErrorCode::OutOfMemory,
               "cuda:0 has no room for 500 bytes: 400 of its 1000 bytes are free");
  mock_fail("cuMemHostAlloc", 1, kOutOfMemory);
  expect_error(device.allocate_pinned<char>(7), ErrorCode::OutOfMemory, "no room for 7 bytes of pinned memory");
  mock_fail("cuMemAlloc", 1, kNotInitialized);
  expect_error(device.allocate<char>(1), ErrorCode::DriverError, "cuMemAlloc failed:");
  mock_fail("cuMemHostAlloc", 1, kNotInitialized);
  expect_error(device.allocate_pinned<char>(7), ErrorCode::DriverError, "cuMemHostAlloc failed:");
}

TEST_F(CudaMock, LibrariesAreLinkedWhenTheModuleIsLoaded) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.libraries = {{"library.ptx", ".func in_the_library(\n.entry scale2(\n"}};
  artifact.kernels.push_back(artifact.kernels.front());
  artifact.kernels.back().symbol = "scale2";  // which the library alone has
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("cuLinkAddData"), 2);
  EXPECT_EQ(mock_calls("cuLinkDestroy"), 1);
  for (const char* call : {"cuLinkCreate", "cuLinkAddData", "cuLinkComplete"}) {
    mock_fail(call, 1, kOutOfMemory);
    expect_error(device.load(artifact), ErrorCode::OutOfMemory, call);
  }
  mock_fail_next_load("ptxas error: in_the_library is defined twice");
  const Result<Module> refused = device.load(artifact);
  expect_error(refused, ErrorCode::DriverError, "cuLinkComplete");
  expect_error(refused, ErrorCode::DriverError, "in_the_library is defined twice");
  artifact.libraries.front().bytes = "\177ELF";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "library.ptx is neither PTX nor a whole cubin");
}

TEST_F(CudaMock, TheLinkerIsToldWhatALibraryIs) {
  const auto elf = [](int machine) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_machine = static_cast<Elf64_Half>(machine);
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
  };
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.libraries = {{"a.ptx", ".version 8.0\n"},
                        {"b.cubin", elf(EM_CUDA)},
                        {"c.fatbin", "\x50\xed\x55\xba"},
                        {"d.o", elf(EM_X86_64)},
                        {"e.a", "!<arch>\n"}};
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("input 1"), 2);  // PTX: of the kernels, too
  for (const char* other : {"input 0", "input 2", "input 3", "input 4"}) EXPECT_EQ(mock_calls(other), 1) << other;
}

TEST_F(CudaMock, UnoptimisedCodeIsAssembledAsItIs) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), kHighestAssemblerLevel);
  artifact.assembler_level = 0;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), 0);
  artifact.libraries = {{"library.ptx", ".func in_the_library(\n"}};
  artifact.assembler_level = 2;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), 2);
}

TEST_F(CudaMock, ConstantsAreSetByTheirNames) {
  Artifact artifact = test_artifact();
  artifact.code += ".visible .const .align 16 .b8 WEIGHTS[12];\n.visible .const .align 16 .b8 filters_u2eN[4];\n";
  artifact.constants = {{"WEIGHTS", "WEIGHTS", {ScalarType::F32, Layout::RowMajor, {3}}},
                        {"filters.N", "filters_u2eN", {ScalarType::I32, Layout::RowMajor, {1}}}};
  const Device device = Device::open("cuda").value();
  const Stream stream = device.create_stream().value();
  const Module module = device.load(artifact).value(), other = device.load(artifact).value();
  EXPECT_EQ(module.constants(), artifact.constants);
  const std::vector<float> values = {1, 2, 4}, others = {7, 8, 9};
  module.set_constant("WEIGHTS", values).value();
  module.set_constant("filters.N", 5).value();
  other.set_constant(stream, "WEIGHTS", others).value();
  stream.synchronize().value();
  std::vector<float> weights(3);
  module.constant<float>("WEIGHTS")->copy_to(weights).value();
  EXPECT_EQ(weights, values);
  int n = 0;
  module.constant_bytes("filters.N")->copy_to_host(&n, 4).value();
  EXPECT_EQ(n, 5);

  // As work of a graph, which reads the values anew at each launch.
  std::vector<float> changing = {0, 0, 1};
  stream.begin_capture().value();
  module.set_constant(stream, "WEIGHTS", changing).value();
  const Graph graph = stream.end_capture().value();
  changing[0] = 3;
  graph.launch(stream).value();
  module.constant<float>("WEIGHTS")->copy_to(weights).value();
  EXPECT_EQ(weights, changing);

  const Array<float> kept = Device::open("cuda").value().load(artifact)->constant<float>("WEIGHTS").value();
  kept.fill_zero().value();  // its module is still loaded

  artifact.constants[1].type.extents = {2};
  expect_error(device.load(artifact), ErrorCode::InputOutput, "its code has no variable `filters_u2eN` of 8 bytes");
  artifact.constants[1].symbol = "missing";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "its code has no variable `missing`");
}

TEST_F(CudaMock, EveryCallOfStreamsAndEventsMayFail) {
  const Device device = Device::open("cuda:0").value();
  mock_fail("cuStreamCreate", 1, 1);
  expect_error(device.create_stream(), ErrorCode::DriverError, "cuStreamCreate failed:");
  const Stream stream = device.create_stream().value();
  for (const char* function : {"cuEventCreate", "cuEventRecord"}) {
    mock_fail(function, 1, 1);
    expect_error(stream.record(), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  const Event start = stream.record().value(), end = stream.record().value();
  EXPECT_EQ(end.milliseconds_since(start).value(), 1.5);
  for (const char* function : {"cuEventSynchronize", "cuEventElapsedTime"}) {
    mock_fail(function, 1, 1);
    expect_error(end.milliseconds_since(start), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  mock_fail("cuStreamWaitEvent", 1, 1);
  expect_error(stream.wait(start), ErrorCode::DriverError, "cuStreamWaitEvent failed:");
  mock_fail("cuCtxSynchronize", 1, 1);
  expect_error(device.synchronize(), ErrorCode::DriverError, "cuCtxSynchronize failed:");
}

TEST_F(CudaMock, PeersReachOneAnothersMemory) {
  mock_set_devices(2);
  const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
  const Kernel scale = first.load(test_artifact()).value().kernel("scale").value();
  const Array<float> there = second.allocate<float>(8).value();
  const LaunchConfig config{.grid = {1}, .block = {32}};
  expect_error(scale.launch(config, there, 1.0F), ErrorCode::InvalidLaunch,
               "the array lies on cuda:1, the kernel runs on cuda:0; copy it there, or call enable_peer_access()");
  mock_set_peers(false);
  expect_error(first.enable_peer_access(second), ErrorCode::Unsupported, "cuda:0 cannot reach the memory of cuda:1");
  mock_set_peers(true);
  for (const char* function : {"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"}) {
    mock_fail(function, 1, 1);
    expect_error(first.enable_peer_access(second), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  EXPECT_FALSE(scale.launch(config, there, 1.0F));
  ASSERT_TRUE(first.enable_peer_access(second));
  ASSERT_TRUE(first.enable_peer_access(second)) << "twice is fine";
  ASSERT_TRUE(first.enable_peer_access(first));
  EXPECT_TRUE(scale.launch(config, there, 1.0F));
  const Kernel other_way = second.load(test_artifact()).value().kernel("scale").value();
  EXPECT_FALSE(other_way.launch(config, first.allocate<float>(8).value(), 1.0F));
  expect_error(first.enable_peer_access(Device::open("cpu").value()), ErrorCode::InvalidArgument, "joins two GPUs");
}

TEST_F(CudaMock, PeersCopyWithoutTheHost) {
  mock_set_devices(2);
  const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
  const std::vector<float> values = {1, 2, 3, 4};
  const Array<float> here = first.copy_from<float>(values).value(), there = second.allocate<float>(4).value();
  const int downloads = mock_calls("cuMemcpyDtoHAsync");
  ASSERT_TRUE(there.copy_from(here));
  EXPECT_EQ(mock_calls("cuMemcpyDtoHAsync"), downloads);
  std::vector<float> copy(4);
  ASSERT_TRUE(there.copy_to(copy));
  EXPECT_EQ(copy, values);
  mock_fail("cuMemcpyPeerAsync", 1, 1);
  expect_error(there.copy_from(here), ErrorCode::DriverError, "cuMemcpyPeerAsync failed:");
}

TEST_F(CudaMock, AGraphIsLaunchedAsOne) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value(), other = device.create_stream().value();
  const std::vector<float> from = {1, 2, 3};
  std::vector<float> to(3);
  int calls = 0;
  const Array<float> x = device.allocate<float>(3).value();
  Result<Graph> graph = [&] {
    const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
    EXPECT_TRUE(stream.begin_capture());
    EXPECT_TRUE(x.copy_from(stream, from));
    EXPECT_TRUE(faulty.launch({.grid = {7}, .block = {32}, .stream = &stream}));
    EXPECT_TRUE(stream.call([&] { ++calls; }));
    EXPECT_TRUE(x.copy_to(stream, to));
    return stream.end_capture();
  }();
  ASSERT_TRUE(graph);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(to[2], 0.0F);
  const int launches = mock_calls("cuLaunchKernel");
  for (const Stream* on : {&stream, &other}) ASSERT_TRUE(graph->launch(*on));
  EXPECT_EQ(mock_calls("cuLaunchKernel"), launches);
  EXPECT_EQ(mock_calls("cuGraphLaunch"), 2);
  EXPECT_EQ(mock_last_launch()->grid[0], 7U) << "the graph keeps the module";
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(to, from);
  ASSERT_TRUE(device.synchronize());
  fault_at_next_launch(4);
  ASSERT_TRUE(graph->launch(other));
  EXPECT_TRUE(stream.synchronize());
  expect_error(other.synchronize(), ErrorCode::KernelFault, "x > 4");
}

TEST_F(CudaMock, ACapturingStreamDoesNothingElse) {
  mock_set_devices(2);
  const Device device = Device::open("cuda:0").value(), elsewhere = Device::open("cuda:1").value();
  const Stream stream = device.create_stream().value();
  const Event event = stream.record().value();
  expect_error(stream.end_capture(), ErrorCode::InvalidArgument, "captures no graph; call begin_capture() first");
  expect_error(device.default_stream().begin_capture(), ErrorCode::InvalidArgument, "the default stream cannot");
  ASSERT_TRUE(stream.begin_capture());
  expect_error(stream.begin_capture(), ErrorCode::InvalidArgument, "cannot begin another");
  expect_error(stream.synchronize(), ErrorCode::InvalidArgument, "nothing to wait for; call end_capture() first");
  expect_error(stream.wait(event), ErrorCode::InvalidArgument, "waits for no event from outside of the capture");
  expect_error(stream.allocate_bytes(8), ErrorCode::InvalidArgument, "gives no memory");
  const Graph empty = stream.end_capture().value();
  EXPECT_TRUE(empty.launch(stream));
  expect_error(empty.launch(elsewhere.default_stream()), ErrorCode::InvalidArgument, "belongs to another device");
  const Stream abandoned = device.create_stream().value();
  ASSERT_TRUE(abandoned.begin_capture());
}

TEST_F(CudaMock, ACaptureSpansStreams) {
  mock_set_devices(2);
  const Device device = Device::open("cuda:0").value(), elsewhere = Device::open("cuda:1").value();
  const Stream first = device.create_stream().value(), second = device.create_stream().value();
  std::vector<int> calls;
  const auto call = [&](const Stream& stream, int number) {
    return stream.call([&calls, number] { calls.push_back(number); });
  };
  ASSERT_TRUE(first.begin_capture());
  const Event fork = first.record().value();
  expect_error(fork.synchronize(), ErrorCode::InvalidArgument, "happens at no one time");
  expect_error(elsewhere.create_stream()->wait(fork), ErrorCode::InvalidArgument, "one of another device");
  expect_error(device.default_stream().wait(fork), ErrorCode::InvalidArgument, "the default stream cannot take part");
  ASSERT_TRUE(second.wait(fork));
  expect_error(second.end_capture(), ErrorCode::InvalidArgument, "a capture that another began");
  {
    const Stream other = device.create_stream().value();
    ASSERT_TRUE(other.begin_capture());
    expect_error(second.wait(other.record().value()), ErrorCode::InvalidArgument, "takes part in another");
  }
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  ASSERT_TRUE(call(first, 1));
  ASSERT_TRUE(call(second, 2));
  ASSERT_TRUE(faulty.launch({.grid = {7}, .block = {32}, .stream = &second}));
  ASSERT_TRUE(first.wait(second.record().value()));
  ASSERT_TRUE(call(first, 3));
  const Graph graph = first.end_capture().value();
  EXPECT_TRUE(calls.empty());
  ASSERT_TRUE(call(second, 4));
  fault_at_next_launch(4);
  ASSERT_TRUE(graph.launch(first));
  EXPECT_EQ(calls, (std::vector<int>{4, 1, 2, 3}));
  expect_error(first.synchronize(), ErrorCode::KernelFault, "x > 4");

  ASSERT_TRUE(first.begin_capture());
  ASSERT_TRUE(second.wait(first.record().value()));
  ASSERT_TRUE(call(second, 5));
  expect_error(first.end_capture(), ErrorCode::InvalidArgument, "before its first stream had waited for all work");
  ASSERT_TRUE(call(second, 6));
  EXPECT_EQ(calls.back(), 6);
}

TEST_F(CudaMock, AGraphIsUpdatedFromAnother) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  std::vector<int> calls;
  const auto capture = [&](std::vector<int> numbers) {
    EXPECT_TRUE(stream.begin_capture());
    for (const int number : numbers) EXPECT_TRUE(stream.call([&calls, number] { calls.push_back(number); }));
    return stream.end_capture().value();
  };
  const Graph graph = capture({1, 2});
  const int instantiated = mock_calls("cuGraphInstantiateWithFlags");
  ASSERT_TRUE(graph.update(capture({3, 4})));  // whose handle goes
  ASSERT_TRUE(graph.launch(stream));
  EXPECT_EQ(mock_calls("cuGraphInstantiateWithFlags"), instantiated + 1) << "of the other";
  EXPECT_EQ(mock_calls("cuCtxSynchronize"), 2) << "before the functions of the first go; and by the other's handle";
  ASSERT_TRUE(graph.update(capture({5})));  // of another form
  ASSERT_TRUE(graph.launch(stream));
  const Graph copy = capture({6});
  ASSERT_TRUE(copy.update(graph));  // what that does by now
  ASSERT_TRUE(copy.launch(stream));
  EXPECT_EQ(calls, (std::vector<int>{3, 4, 5, 5}));
  for (const char* function : {"cuCtxSynchronize", "cuGraphExecUpdate"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(graph.update(capture({7})), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  ASSERT_TRUE(graph.launch(stream));
  EXPECT_EQ(calls.back(), 5);
  mock_set_devices(2);
  const Device elsewhere = Device::open("cuda:1").value();
  const Stream there = elsewhere.create_stream().value();
  ASSERT_TRUE(there.begin_capture());
  expect_error(graph.update(there.end_capture().value()), ErrorCode::InvalidArgument, "belongs to another device");
}

TEST_F(CudaMock, AGraphKeepsWhatItIsGiven) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  const auto owner = std::make_shared<int>(1);
  expect_error(stream.keep_in_graph(owner), ErrorCode::InvalidArgument, "captures no graph");
  int calls = 0;
  {
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(stream.keep_in_graph(owner));
    ASSERT_TRUE(stream.call([&] { ++calls; }));
    Graph graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(graph.launch(stream));  // becomes a part of another
    graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(calls, 0);
    ASSERT_TRUE(graph.launch(stream));
    EXPECT_EQ(calls, 1);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(CudaMock, MemoryAndModulesAreHadWhileAStreamCaptures) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  EXPECT_TRUE(device.allocate<float>(8));
  EXPECT_EQ(mock_calls("cuThreadExchangeStreamCaptureMode"), 0);
  ASSERT_TRUE(stream.begin_capture());
  {
    EXPECT_TRUE(device.allocate<float>(8));
    EXPECT_TRUE(device.allocate_pinned<float>(8));
    EXPECT_TRUE(device.allocate_managed<float>({8}));
    EXPECT_TRUE(device.load(test_artifact()));
    mock_fail("cuThreadExchangeStreamCaptureMode", 1, kNotInitialized);
    expect_error(device.allocate<float>(8), ErrorCode::DriverError, "cuThreadExchangeStreamCaptureMode failed:");
  }
  EXPECT_TRUE(stream.end_capture());
}

TEST_F(CudaMock, EveryCallOfGraphsMayFail) {
  const Device device = Device::open("cuda:0").value();
  const auto capture = [&]() -> Result<Graph> {
    const Stream stream = device.create_stream().value();
    if (Result<void> begun = stream.begin_capture(); !begun) return begun.error();
    return stream.end_capture();
  };
  for (const char* function : {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(capture(), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  mock_fail("cuGraphLaunch", 1, kNotInitialized);
  expect_error(capture().value().launch(device.default_stream()), ErrorCode::DriverError, "cuGraphLaunch failed:");
}

TEST_F(CudaMock, ReportsAFaultOnceAtTheNextWait) {
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  fault_at_next_launch(-3);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  const Result<void> waited = device.synchronize();
  expect_error(waited, ErrorCode::KernelFault,
               "faulty.pyk:7: assert failed: x > -3, in kernel faulty, block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_TRUE(device.synchronize());
  const int copies = mock_calls("cuMemcpyDtoHAsync");
  EXPECT_TRUE(device.synchronize());
  EXPECT_EQ(mock_calls("cuMemcpyDtoHAsync"), copies) << "nothing was launched since";
}

TEST_F(CudaMock, ReportsAFaultToItsOwnStream) {
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  const Stream bad = device.create_stream().value(), good = device.create_stream().value();
  fault_at_next_launch(0);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}, .stream = &bad}));
  EXPECT_TRUE(good.synchronize());
  expect_error(bad.synchronize(), ErrorCode::KernelFault, "faulty.pyk:7");
  EXPECT_TRUE(bad.synchronize());
  fault_at_next_launch(1);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}, .stream = &bad}));
  expect_error(bad.record().value().synchronize(), ErrorCode::KernelFault, "x > 1");
  fault_at_next_launch(2);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}, .stream = &bad}));
  expect_error(device.allocate<int>(1).value().fill_zero(), ErrorCode::KernelFault, "x > 2");
}

TEST_F(CudaMock, AFaultOutlivesItsModuleAndItsStream) {
  const Device device = Device::open("cuda:0").value();
  {
    const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
    fault_at_next_launch(1);
    ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  }
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 1");
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  {
    const Stream stream = device.create_stream().value();
    fault_at_next_launch(2);
    ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}, .stream = &stream}));
  }
  expect_error(device.default_stream().synchronize(), ErrorCode::KernelFault, "x > 2");
  EXPECT_TRUE(device.synchronize());
}

TEST_F(CudaMock, ReadingTheRecordMayFail) {
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  fault_at_next_launch(1);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  for (const char* function : {"cuStreamCreate", "cuMemcpyDtoHAsync", "cuStreamSynchronize"}) {
    mock_fail(function, 1, 1);
    expect_error(device.synchronize(), ErrorCode::DriverError, std::string(function) + " failed:");
  }
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 1");  // not lost
}

TEST_F(CudaMock, SaysThatTheContextIsLost) {
  const Device device = Device::open("cuda:0").value();
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  const Array<int> array = device.allocate<int>(4).value();
  mock_break_at_next_launch(kIllegalAddress);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  expect_error(device.synchronize(), ErrorCode::DriverError,
               "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered), code "
               "700; a kernel launched before broke the CUDA context, which is lost");
  std::vector<int> host(4);
  expect_error(array.copy_to(host), ErrorCode::DriverError, "which is lost");
  expect_error(faulty.launch({.grid = {1}, .block = {32}}), ErrorCode::DriverError, "which is lost");
  mock_reset();  // so that everything can be given back
}

TEST_F(CudaMock, LeavesTheThreadsContextAlone) {
  mock_set_devices(2);
  const auto current = [] {
    void* context = nullptr;
    cuCtxGetCurrent(&context);
    return context;
  };
  std::thread([&] {
    const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
    EXPECT_EQ(current(), nullptr);
    ASSERT_TRUE(first.synchronize());
    void* const mine = current();
    EXPECT_NE(mine, nullptr);
    ASSERT_TRUE(second.synchronize());
    EXPECT_TRUE(second.allocate<int>(10));
    EXPECT_EQ(current(), mine);
  }).join();
}

TEST_F(CudaMock, OtherLibrariesGetTheContextAndTheStream) {
  mock_set_devices(2);
  const auto current = [] {
    void* context = nullptr;
    cuCtxGetCurrent(&context);
    return context;
  };
  std::thread([&] {
    const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
    void* contexts[2] = {};
    {
      const Result<CurrentContext> outer = first.make_current();
      ASSERT_TRUE(outer);
      contexts[0] = current();
      {
        const Result<CurrentContext> inner = second.make_current();
        ASSERT_TRUE(inner);
        contexts[1] = current();
        EXPECT_TRUE(first.allocate<int>(10));
        EXPECT_EQ(current(), contexts[1]);
      }
      EXPECT_EQ(current(), contexts[0]);
    }
    EXPECT_NE(contexts[0], nullptr);
    EXPECT_NE(contexts[1], contexts[0]);
    EXPECT_EQ(current(), contexts[0]);  // none was current before

    const Stream stream = first.create_stream().value();
    EXPECT_NE(stream.native_handle(), nullptr);
    EXPECT_EQ(first.default_stream().native_handle(), nullptr);
    const Module module = first.load(test_artifact()).value();
    ASSERT_TRUE(module.kernel("shared").value().launch({.grid = {1}, .block = {1}, .stream = &stream}));
    EXPECT_EQ(mock_last_launch()->stream, stream.native_handle());

    mock_fail("cuCtxSetCurrent", 1, kNotInitialized);
    expect_error(second.make_current(), ErrorCode::DriverError, "cuCtxSetCurrent failed");
    mock_fail("cuCtxGetCurrent", 1, kNotInitialized);
    expect_error(second.make_current(), ErrorCode::DriverError, "cuCtxGetCurrent failed");
  }).join();
}

TEST_F(CudaMock, WrapsStreamsOfOtherCode) {
  mock_set_devices(2);
  const Device device = Device::open("cuda:0").value(), other = Device::open("cuda:1").value();
  const Module module = device.load(test_artifact()).value();
  const Stream made = device.create_stream().value();  // stands for one of other code
  auto owner = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = owner;
  {
    const Result<Stream> wrapped = device.wrap_stream(made.native_handle(), std::move(owner));
    ASSERT_TRUE(wrapped) << wrapped.error().message;
    EXPECT_EQ(wrapped->native_handle(), made.native_handle());
    ASSERT_TRUE(module.kernel("faulty").value().launch({.grid = {1}, .block = {1}, .stream = &*wrapped}));
    EXPECT_EQ(mock_last_launch()->stream, made.native_handle());
    const Array<int> memory = wrapped->allocate<int>({10}).value();
    const Stream copy = *wrapped;
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(mock_calls("cuStreamDestroy"), 0);
  EXPECT_TRUE(made.synchronize());

  EXPECT_EQ(device.wrap_stream(nullptr).value().native_handle(), nullptr);
  expect_error(other.wrap_stream(made.native_handle()), ErrorCode::InvalidArgument,
               "the stream to wrap is of another GPU, or of another context, than the primary one of cuda:1");
  int nothing = 0;
  expect_error(device.wrap_stream(&nothing), ErrorCode::DriverError, "cuStreamGetCtx failed");
}

TEST_F(CudaMock, TheCurrentContextKeepsItsDevice) {
  std::thread([] {
    Result<CurrentContext> context = Device::open("cuda:0").value().make_current();
    ASSERT_TRUE(context);
    EXPECT_EQ(mock_calls("cuDevicePrimaryCtxRelease"), 0);
    const CurrentContext moved = std::move(*context);
    EXPECT_EQ(mock_calls("cuDevicePrimaryCtxRelease"), 0);
  }).join();
}

}  // namespace
}  // namespace pykc
