// Kinds of memory beside a device's own: managed and mapped, and the pool of streams; on the CPU device and over the
// fake driver, which keeps all memory on the host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <thread>

#include "pykc/profiler.h"
#include "pykc/runtime.h"
#include "tests/mock_cuda/mock_cuda.h"

namespace pykc {
namespace {

using namespace mock_cuda;
using Values = std::vector<int>;

constexpr int kOutOfMemory = 2, kNotInitialized = 3;

class Memory : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
    mock_reset();
    device_ = Device::open(GetParam()).value();
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(mock_live_objects(), 0);
  }
  PoolStatistics statistics() { return device_->pool().statistics().value(); }
  std::optional<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Devices, Memory, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& info) { return std::string(info.param) == "cpu" ? "Cpu" : "Cuda"; });

TEST_P(Memory, UnifiedHasOneContentOnBothSides) {
  for (const bool managed : {true, false}) {
    const UnifiedArray<int> x =
        (managed ? device_->allocate_managed<int>({2, 3}) : device_->allocate_mapped<int>({2, 3})).value();
    std::iota(x.span().begin(), x.span().end(), 0);
    EXPECT_EQ(x.host()(1, 0), 3);
    const Array<int> y = device_->copy_from(x.transpose()).value();
    Values values(6);
    ASSERT_TRUE(y.copy_to(values));
    EXPECT_EQ(values, (Values{0, 3, 1, 4, 2, 5}));
    ASSERT_TRUE(x.slice(1).value().copy_from(Values{7, 8, 9}));
    EXPECT_EQ(x.span()[4], 8);
  }
  EXPECT_EQ(device_->allocate_managed<int>({0}).value().span().size(), 0U);
  EXPECT_EQ(device_->allocate_mapped<int>({3, 0}).value().size(), 0);
  EXPECT_FALSE(device_->allocate_managed<int>({-1}));
  const Result<UnifiedArray<int>> huge = device_->allocate_managed<int>({1L << 45});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::OutOfMemory);
}

TEST_P(Memory, IsCounted) {
  const MemoryInfo before = device_->memory_info().value();
  EXPECT_GT(before.free_bytes, 0);
  EXPECT_LT(before.free_bytes, before.total_bytes + 1);
  EXPECT_EQ(before.total_bytes, device_->info().memory_bytes);
  if (device_->is_cpu()) return;  // where others take memory, too
  const Buffer held = device_->allocate_bytes(1 << 20).value();
  EXPECT_EQ(device_->memory_info().value().free_bytes, before.free_bytes - (1 << 20));
}

TEST_P(Memory, OfAPoolIsUsedAgain) {
  const Stream stream = device_->create_stream().value();
  const std::int64_t size = 1024;
  EXPECT_EQ(statistics().reserved, 0);
  {
    const Array<int> x = stream.allocate<int>({size / 4}).value();
    const Array<int> y = device_->default_stream().allocate<int>({size / 16, 4}).value();
    EXPECT_EQ(statistics().used, 2 * size);
    std::vector<int> values(static_cast<std::size_t>(x.size()));
    std::iota(values.begin(), values.end(), 0);
    ASSERT_TRUE(x.copy_from(stream, values));
    std::fill(values.begin(), values.end(), -1);
    ASSERT_TRUE(x.copy_to(stream, values));
    ASSERT_TRUE(stream.synchronize());
    EXPECT_EQ(values[255], 255);
  }
  EXPECT_EQ(statistics().used, 0);
  EXPECT_EQ(statistics().reserved, 2 * size);
  EXPECT_EQ(statistics().peak_used, 2 * size);
  { const Array<int> z = stream.allocate<int>({size / 4}).value(); }
  EXPECT_EQ(statistics().peak_reserved, 2 * size);
  ASSERT_TRUE(device_->pool().trim(size));
  EXPECT_EQ(statistics().reserved, size);
  ASSERT_TRUE(device_->pool().trim());
  EXPECT_EQ(statistics().reserved, 0);
  EXPECT_EQ(statistics().peak_used, 2 * size);
  ASSERT_TRUE(device_->pool().reset_peaks());
  EXPECT_EQ(statistics().peak_used, 0);
  EXPECT_EQ(statistics().peak_reserved, 0);
}

TEST_P(Memory, OfAPoolOutlivesItsStreamAndItsDevice) {
  Array<int> x, view;
  {
    const Stream stream = device_->create_stream().value();
    x = stream.allocate<int>({2, 256}).value();
    view = x.slice(1).value();
  }
  device_.reset();
  x = {};
  const Values values(256, 5);
  ASSERT_TRUE(view.copy_from(values));
  Values back(256);
  ASSERT_TRUE(view.copy_to(back));
  EXPECT_EQ(back, values);
  view = {};
}

TEST_P(Memory, OfAPoolHasALimit) {
  const Stream stream = device_->create_stream().value();
  ASSERT_TRUE(device_->pool().set_limit(2048));
  const Array<char> x = stream.allocate<char>({1024}).value();
  const Result<Array<char>> refused = stream.allocate<char>({1280});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(refused.error().message, "the pool's limit of 2048 bytes leaves no room for 1280 beside the 1024 in use");
  EXPECT_TRUE(stream.allocate<char>({1024}));
  ASSERT_TRUE(device_->pool().set_limit(0));
  EXPECT_FALSE(stream.allocate<char>({1}));
  EXPECT_TRUE(stream.allocate<char>({0}));
  EXPECT_EQ(device_->pool().set_limit(-1).error().message, "a number of bytes is not negative, as -1 is");
  EXPECT_FALSE(device_->pool().set_release_threshold(-1));
  EXPECT_FALSE(device_->pool().trim(-1));
  EXPECT_FALSE(stream.allocate_bytes(-1));
  EXPECT_FALSE(stream.allocate<char>({-1}));
  ASSERT_TRUE(device_->pool().set_limit(INT64_MAX));
  EXPECT_EQ(stream.allocate_bytes(INT64_MAX).error().code, ErrorCode::OutOfMemory);
}

TEST_P(Memory, OfAPoolIsForAllThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Stream stream = device_->create_stream().value();
      for (int i = 0; i < 50; ++i) {
        const Array<int> x = stream.allocate<int>({64 * (1 + (t + i) % 3)}).value();
        ASSERT_TRUE(x.fill_zero(stream));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(statistics().used, 0);
}

TEST(CpuPool, GivesBackWhatIsBeyondTheThreshold) {
  const Device device = Device::open("cpu").value();
  const Stream stream = device.create_stream().value();
  const MemoryPool pool = device.pool();
  { const Array<char> x = stream.allocate<char>({1000}).value(), y = stream.allocate<char>({500}).value(); }
  EXPECT_EQ(pool.statistics().value().reserved, 1024 + 512);
  ASSERT_TRUE(pool.set_release_threshold(600));
  EXPECT_EQ(pool.statistics().value().reserved, 512);
  { const Array<char> x = stream.allocate<char>({1000}).value(); }
  EXPECT_EQ(pool.statistics().value().reserved, 512);
}

class CudaMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
    mock_reset();
  }
  void TearDown() override { EXPECT_EQ(mock_live_objects(), 0); }
  template <typename T>
  static void expect_error(const Result<T>& result, ErrorCode code, const std::string& text) {
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, code);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
};

TEST_F(CudaMemory, EveryCallOfUnifiedMemoryMayFail) {
  const Device device = Device::open("cuda:0").value();
  mock_fail("cuMemAllocManaged", 1, kNotInitialized);
  expect_error(device.allocate_managed<int>({4}), ErrorCode::DriverError, "cuMemAllocManaged failed");
  mock_fail("cuMemAllocManaged", 1, kOutOfMemory);
  expect_error(device.allocate_managed<int>({4}), ErrorCode::OutOfMemory, "cuda:0 has no room for 16 bytes");
  mock_fail("cuMemHostAlloc", 1, kOutOfMemory);
  expect_error(device.allocate_mapped<int>({4}), ErrorCode::OutOfMemory, "no room for 16 bytes of pinned memory");
  for (const char* function : {"cuMemHostAlloc", "cuMemHostGetDevicePointer"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(device.allocate_mapped<int>({4}), ErrorCode::DriverError, std::string(function) + " failed");
  }
}

TEST_F(CudaMemory, TheProfilerIsTold) {
  const Device device = Device::open("cuda:0").value();
  EXPECT_TRUE(start_profiler(device));
  EXPECT_TRUE(stop_profiler(device));
  EXPECT_EQ(mock_calls("cuProfilerStart"), 1);
  EXPECT_EQ(mock_calls("cuProfilerStop"), 1);
  mock_fail("cuProfilerStart", 1, kNotInitialized);
  expect_error(start_profiler(device), ErrorCode::DriverError, "cuProfilerStart failed");
  mock_fail("cuProfilerStop", 1, kNotInitialized);
  expect_error(stop_profiler(device), ErrorCode::DriverError, "cuProfilerStop failed");
  EXPECT_TRUE(start_profiler(Device::open("cpu").value()));
}

TEST_F(CudaMemory, EveryCallOfThePoolMayFail) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  const MemoryPool pool = device.pool();
  EXPECT_TRUE(pool.trim());
  for (const char* function : {"cuMemPoolCreate", "cuMemPoolSetAttribute", "cuMemAllocFromPoolAsync"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(stream.allocate<int>({4}), ErrorCode::DriverError, std::string(function) + " failed");
  }
  mock_fail("cuMemPoolGetAttribute", 3, kNotInitialized);
  expect_error(pool.statistics(), ErrorCode::DriverError, "cuMemPoolGetAttribute failed");
  ASSERT_TRUE(pool.set_limit(100));
  mock_fail("cuMemPoolGetAttribute", 1, kNotInitialized);
  expect_error(stream.allocate<int>({4}), ErrorCode::DriverError, "cuMemPoolGetAttribute failed");
  for (int call : {1, 2}) {
    mock_fail("cuMemPoolSetAttribute", call, kNotInitialized);
    expect_error(pool.reset_peaks(), ErrorCode::DriverError, "cuMemPoolSetAttribute failed");
  }
  EXPECT_TRUE(pool.set_release_threshold(100));
  for (const char* function : {"cuCtxSynchronize", "cuMemPoolTrimTo"}) {
    mock_fail(function, 1, kNotInitialized);
    expect_error(pool.trim(), ErrorCode::DriverError, std::string(function) + " failed");
  }
}

TEST_F(CudaMemory, ThePoolGivesWayToOtherAllocations) {
  mock_set_memory(1000);
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  { const Array<char> x = stream.allocate<char>({800}).value(); }
  EXPECT_EQ(device.pool().statistics().value().reserved, 800);
  EXPECT_TRUE(device.allocate<char>(900));
  EXPECT_EQ(device.pool().statistics().value().reserved, 0);
  const Array<char> x = stream.allocate<char>({800}).value();
  expect_error(device.allocate<char>(900), ErrorCode::OutOfMemory, "cuda:0 has no room for 900 bytes");
  expect_error(stream.allocate<char>({900}), ErrorCode::OutOfMemory, "cuda:0 has no room for 900 bytes");
}

}  // namespace
}  // namespace pykc
