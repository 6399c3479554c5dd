// Streams, events and copies.
#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

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

TEST_F(CudaMock, EveryCallOfStreamsAndEventsMayFail) {
  const Device device = Device::open("cuda:0").value();
  mock_fail("cuStreamCreate", 1, 1);
  expect_error(device.create_stream(), ErrorCode::DriverError, "cuStreamCreate failed:");
  const Stream stream = device.create_stream().value();
  expect_failures({"cuEventCreate", "cuEventRecord"}, [&] { return stream.record(); });
  const Event start = stream.record().value(), end = stream.record().value();
  EXPECT_EQ(end.milliseconds_since(start).value(), 1.5);
  expect_failures({"cuEventSynchronize", "cuEventElapsedTime"}, [&] { return end.milliseconds_since(start); });
  mock_fail("cuStreamWaitEvent", 1, 1);
  expect_error(stream.wait(start), ErrorCode::DriverError, "cuStreamWaitEvent failed:");
  mock_fail("cuCtxSynchronize", 1, 1);
  expect_error(device.synchronize(), ErrorCode::DriverError, "cuCtxSynchronize failed:");
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

}  // namespace
}  // namespace pykc::testing
