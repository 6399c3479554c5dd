// Launches: what reaches the driver, what does not, and what fails there.
#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

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

TEST_F(CudaMock, KernelsBeginEarlyInGraphsOfDriversThatCanDoIt) {
  Artifact artifact = test_artifact();
  artifact.kernels[1].begins_early = true;
  const Device device = Device::open("cuda:0").value();
  const Kernel early = device.load(artifact).value().kernel("faulty").value();
  const Stream stream = device.create_stream().value();
  const auto captured = [&] {
    const int before = mock_early_launches();
    EXPECT_TRUE(stream.begin_capture());
    EXPECT_TRUE(early.launch({.grid = {1}, .block = {32}, .stream = &stream}));
    EXPECT_TRUE(stream.end_capture());
    return mock_early_launches() - before;
  };
  EXPECT_EQ(captured(), 1);
  mock_set_driver_version(12020);
  EXPECT_EQ(captured(), 0);
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

}  // namespace
}  // namespace pykc::testing
