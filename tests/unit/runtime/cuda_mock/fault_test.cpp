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
  expect_failures({"cuStreamCreate", "cuMemcpyDtoHAsync", "cuStreamSynchronize"}, [&] { return device.synchronize(); });
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

}  // namespace
}  // namespace pykc::testing
