// Devices, their memory, their contexts, and one another.
#include <thread>

#include "tests/unit/runtime/cuda_mock/fixture.h"

extern "C" int cuCtxGetCurrent(void** context);

namespace pykc::testing {
namespace {

void* current_context() {
  void* context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

TEST_F(CudaMock, DescribesTheDevices) {
  mock_set_devices(2);
  const std::vector<DeviceInfo> devices = Device::list();
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[1].name, "cuda:1");
  EXPECT_EQ(devices[1].description, "Mock GPU");
  EXPECT_EQ(devices[1].target, "sm_90a");
  EXPECT_EQ(devices[1].driver, "CUDA driver 13.0");
  EXPECT_EQ(devices[0].uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(devices[2].uuid, "");
  EXPECT_EQ(Device::open("").value().info().name, "cuda:0");
  EXPECT_EQ(Device::open("cuda").value().info().name, "cuda:0");
  EXPECT_EQ(Device::open("cuda:1").value().info().name, "cuda:1");
}

TEST_F(CudaMock, TellsWhatTheDriverKnowsOfADevice) {
  mock_set_devices(2);
  EXPECT_EQ(Device::driver_attribute("cuda:1", 16).value(), 4);
  expect_error(Device::driver_attribute("cuda:1", 1 << 20), ErrorCode::DriverError, "cuDeviceGetAttribute failed");
  expect_error(Device::driver_attribute("cuda:2", 1), ErrorCode::NotFound, "there is no device `cuda:2`");
  expect_error(Device::driver_attribute("gpu", 1), ErrorCode::InvalidArgument, "there is no device `gpu`");
  expect_error(Device::driver_attribute("cpu", 1), ErrorCode::Unsupported, "the CPU device has no driver");
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

TEST_F(CudaMock, EveryCallOfOpeningMayFail) {
  mock_fail("cuInit", 1, kNotInitialized);
  expect_error(Device::open("cuda:0"), ErrorCode::DriverUnavailable,
               "cuInit failed: CUDA_ERROR_NOT_INITIALIZED (initialization error), code 3");
  expect_failures({"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem", "cuDeviceGetUuid", "cuDeviceGetAttribute",
                   "cuDevicePrimaryCtxRetain"},
                  [&] { return Device::open("cuda:0"); });
  mock_fail("cuDevicePrimaryCtxRetain", 1, 12345);
  expect_error(Device::open(""), ErrorCode::DriverError, "an unknown error");
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
  expect_failures({"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"}, [&] { return first.enable_peer_access(second); });
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

TEST_F(CudaMock, LeavesTheThreadsContextAlone) {
  mock_set_devices(2);
  std::thread([&] {
    const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
    EXPECT_EQ(current_context(), nullptr);
    ASSERT_TRUE(first.synchronize());
    void* const mine = current_context();
    EXPECT_NE(mine, nullptr);
    ASSERT_TRUE(second.synchronize());
    EXPECT_TRUE(second.allocate<int>(10));
    EXPECT_EQ(current_context(), mine);
  }).join();
}

TEST_F(CudaMock, OtherLibrariesGetTheContextAndTheStream) {
  mock_set_devices(2);
  std::thread([&] {
    const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
    void* contexts[2] = {};
    {
      const Result<CurrentContext> outer = first.make_current();
      ASSERT_TRUE(outer);
      contexts[0] = current_context();
      {
        const Result<CurrentContext> inner = second.make_current();
        ASSERT_TRUE(inner);
        contexts[1] = current_context();
        EXPECT_TRUE(first.allocate<int>(10));
        EXPECT_EQ(current_context(), contexts[1]);
      }
      EXPECT_EQ(current_context(), contexts[0]);
    }
    EXPECT_NE(contexts[0], nullptr);
    EXPECT_NE(contexts[1], contexts[0]);
    EXPECT_EQ(current_context(), contexts[0]);  // none was current before

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
}  // namespace pykc::testing
