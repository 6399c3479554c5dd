// What kernels report when they fault, and that it is lost nowhere.
#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

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

TEST_F(CudaMock, WaitsOnceWhereNothingFaulted) {
  const Device device = Device::open("cuda:0").value();
  const Kernel first = device.load(test_artifact()).value().kernel("faulty").value();
  const Kernel second = device.load(test_artifact()).value().kernel("faulty").value();
  const Stream stream = device.create_stream().value();
  const auto launch = [&] {
    ASSERT_TRUE(first.launch({.grid = {1}, .block = {32}, .stream = &stream}));
    ASSERT_TRUE(second.launch({.grid = {1}, .block = {32}, .stream = &stream}));
  };
  const auto waits_of = [&](const auto& wait) {
    constexpr const char* kWaits[] = {"cuStreamSynchronize", "cuCtxSynchronize", "cuEventSynchronize",
                                      "cuMemcpyDtoHAsync"};
    launch();
    int calls = 0;
    for (const char* function : kWaits) calls -= mock_calls(function);
    EXPECT_TRUE(wait());
    for (const char* function : kWaits) calls += mock_calls(function);
    return calls;
  };
  EXPECT_EQ(waits_of([&] { return stream.synchronize(); }), 1);
  EXPECT_EQ(waits_of([&] { return device.synchronize(); }), 1);
  EXPECT_EQ(waits_of([&] { return stream.record().value().synchronize(); }), 1);
  EXPECT_EQ(waits_of([&] { return device.allocate<int>(1).value().fill_zero(); }), 1);
}

TEST_F(CudaMock, AFaultIsFoundWithoutPinnedMemoryToo) {
  const Device device = Device::open("cuda:0").value();
  mock_fail("cuMemHostAlloc", 1, kOutOfMemory);
  const Kernel plain = device.load(test_artifact()).value().kernel("faulty").value();
  const Kernel signals = device.load(test_artifact()).value().kernel("faulty").value();
  for (const Kernel& faulty : {plain, signals, plain}) {
    fault_at_next_launch(1);
    ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
    expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 1");
    ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
    EXPECT_TRUE(device.synchronize());
  }
}

TEST_F(CudaMock, ThousandsOfModulesHaveSignals) {
  const Device device = Device::open("cuda:0").value();
  std::vector<Kernel> kernels;
  while (kernels.size() < 2500) kernels.push_back(device.load(test_artifact()).value().kernel("faulty").value());
  for (const Kernel& faulty : kernels) ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  fault_at_next_launch(1);
  ASSERT_TRUE(kernels[2000].launch({.grid = {1}, .block = {32}}));
  const int copies = mock_calls("cuMemcpyDtoHAsync");
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 1");
  EXPECT_EQ(mock_calls("cuMemcpyDtoHAsync"), copies + 1);
  kernels.clear();
  const int blocks = mock_calls("cuMemHostAlloc");
  EXPECT_EQ(blocks, 3);
  while (kernels.size() < 2500) kernels.push_back(device.load(test_artifact()).value().kernel("faulty").value());
  EXPECT_EQ(mock_calls("cuMemHostAlloc"), blocks) << "signals of modules that are gone are others'";
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
  const auto load = [&] { return device.load(test_artifact()); };
  expect_failures({"cuStreamCreate", "cuMemHostGetDevicePointer", "cuMemcpyHtoDAsync", "cuStreamSynchronize"}, load);
  const Kernel faulty = load().value().kernel("faulty").value();
  fault_at_next_launch(1);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  expect_failures({"cuMemcpyDtoHAsync", "cuStreamSynchronize"}, [&] { return device.synchronize(); });
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 1");  // not lost
  fault_at_next_launch(2);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  expect_failures({"cuMemsetD8Async"}, [&] { return device.synchronize(); });
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 2");
  fault_at_next_launch(3);
  ASSERT_TRUE(faulty.launch({.grid = {1}, .block = {32}}));
  expect_error(device.synchronize(), ErrorCode::KernelFault, "x > 3");
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

}  // namespace
}  // namespace pykc::testing
