// The CUDA device on a real GPU, with PTX written by hand.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "pykc/dlpack.h"
#include "pykc/runtime.h"
#include "runtime/cuda/driver.h"
#include "tests/unit/runtime/allocations.h"
#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc {
namespace {

using testing::array;
using testing::for_each_thread;
using testing::kAny;
using testing::kernel;
using testing::scalar;

constexpr const char* kPtx = R"(
.version 6.4
.target sm_75
.address_size 64

.visible .global .align 8 .b8 pykc_fault[120];
.extern .shared .align 16 .b8 dynamic[];

// x[i] *= a
.visible .entry scale(.param .u64 x, .param .u64 x_shape0, .param .f32 a)
{
  .reg .pred %outside;
  .reg .b32 %r<5>;
  .reg .b64 %d<6>;
  .reg .f32 %f<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d1, %r4;
  ld.param.u64 %d2, [x_shape0];
  setp.ge.u64 %outside, %d1, %d2;
  @%outside bra done;
  ld.param.u64 %d3, [x];
  shl.b64 %d4, %d1, 2;
  add.u64 %d5, %d3, %d4;
  ld.param.f32 %f1, [a];
  ld.global.f32 %f2, [%d5];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%d5], %f2;
done:
  ret;
}

// out[0] = bytes of dynamic shared memory
.visible .entry shared_bytes(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  mov.u32 %r1, %dynamic_smem_size;
  st.shared.u32 [dynamic], %r1;
  ld.param.u64 %d1, [out];
  st.global.u32 [%d1], %r1;
  ret;
}

// Thread 3 of block `bad` faults.
.visible .entry faulty(.param .u64 bad)
{
  .reg .pred %p<4>;
  .reg .b32 %r<6>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [bad];
  mov.u32 %r1, %ctaid.x;
  cvt.u64.u32 %d2, %r1;
  setp.ne.u64 %p1, %d1, %d2;
  @%p1 bra done;
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 3;
  @%p1 bra done;
  mov.u64 %d3, pykc_fault;
  atom.global.exch.b32 %r3, [%d3], 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra done;
  mov.u32 %r4, 2;
  st.global.u32 [%d3+8], %r4;
  st.global.u32 [%d3+16], %r1;
  st.global.u32 [%d3+28], %r2;
  st.global.u64 [%d3+40], %d1;
  membar.gl;
  mov.u32 %r5, 1;
  st.global.u32 [%d3+4], %r5;
  membar.sys;
  ld.global.u64 %d4, [%d3+112];
  setp.ne.u64 %p3, %d4, 0;
  @%p3 st.global.u32 [%d4], %r5;
done:
  ret;
}

.visible .entry crash()
{
  .reg .b64 %d<2>;
  mov.u64 %d1, 64;
  st.global.u64 [%d1], %d1;
  ret;
}
)";

Artifact test_artifact() {
  KernelInfo shared_bytes = kernel("shared_bytes", {array("out", ScalarType::I32, {1})});
  shared_bytes.dynamic_shared_bytes = for_each_thread(1024);
  KernelInfo faulty = kernel("faulty", {scalar("bad", ScalarType::I64)});
  faulty.faults = {{"assert failed: block != {0}", "faulty.pyk", 7, 3}};
  return {.target = "nvptx:sm_75",
          .code = kPtx,
          .kernels = {kernel("scale", {array("x", ScalarType::F32, {kAny}), scalar("a", ScalarType::F32)}),
                      shared_bytes, faulty, kernel("crash", {})}};
}

class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device> device = Device::open("cuda:0");
    if (!device && device.error().code == ErrorCode::DriverUnavailable) GTEST_SKIP() << "skipped: no NVIDIA driver";
    device_ = std::make_unique<Device>(std::move(device).value());
    Result<Module> module = device_->load(test_artifact());
    ASSERT_TRUE(module) << module.error().message;
    module_ = std::make_unique<Module>(std::move(*module));
  }
  Kernel kernel_named(const char* name) { return module_->kernel(name).value(); }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

TEST_F(CudaDevice, ScalesVectorsOfEverySize) {
  for (std::int64_t n : {0, 1, 255, 256, 257, 100003}) {
    std::vector<float> host(static_cast<std::size_t>(n));
    std::iota(host.begin(), host.end(), 1.0F);
    const Array<float> x = device_->copy_from<float>(host).value();
    ASSERT_TRUE(kernel_named("scale").launch({.grid = {(n + 255) / 256}, .block = {256}}, x, 3));
    ASSERT_TRUE(x.copy_to(host));
    for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(host[i], 3.0F * static_cast<float>(i + 1));
  }
}

TEST_F(CudaDevice, CopiesViewsAndNothingBetween) {
  const std::int64_t rows = 700, columns = 40;
  std::vector<int> host(static_cast<std::size_t>(rows * columns)), back(host.size());
  std::iota(host.begin(), host.end(), 0);
  const HostView<int> image = HostView<int>::of(host, {rows, columns}).value();
  const Array<int> x = device_->copy_from<int>(host, {rows, columns}).value();
  const Stream stream = device_->create_stream().value();
  // Long rows, short rows, single elements, and the same turned round.
  const std::vector<std::pair<Slice, Slice>> parts = {{Slice{1, -1}, Slice{2, 38}},
                                                      {Slice{.step = 3}, Slice{.step = 2}},
                                                      {Slice{.step = -2}, Slice{.step = -7}},
                                                      {Slice{3, 4}, Slice{}}};
  for (const auto& [i, j] : parts) {
    for (const bool turned : {false, true}) {
      Array<int> view = x.slice(i, j).value();
      HostView<int> same = image.slice(i, j).value();
      if (turned) view = view.transpose(), same = same.transpose();
      const Array<int> dense = device_->copy_from<int>(HostView<const int>(same)).value();
      std::vector<int> expected(static_cast<std::size_t>(view.size())), got(expected.size());
      ASSERT_TRUE(dense.copy_to(expected));
      ASSERT_TRUE(view.copy_to(got));
      EXPECT_EQ(got, expected);
      ASSERT_TRUE(view.copy().value().copy_to(got));
      EXPECT_EQ(got, expected);
      for (int& value : got) value += 100000;
      ASSERT_TRUE(view.fill(stream, 7));
      ASSERT_TRUE(stream.synchronize());
      EXPECT_EQ(view.to_vector().value(), std::vector<int>(got.size(), 7));
      ASSERT_TRUE(view.fill_zero(stream));
      ASSERT_TRUE(view.copy_from(stream, got));
      ASSERT_TRUE(stream.synchronize());
      ASSERT_TRUE(view.copy_from(device_->copy_from<int>(got, {view.shape().begin(), view.shape().end()}).value()));
      for (std::int64_t a = 0; a < same.shape()[0]; ++a)
        for (std::int64_t b = 0; b < same.shape()[1]; ++b) same(a, b) += 100000;
      ASSERT_TRUE(x.copy_to(back));
      ASSERT_EQ(back, host);
    }
  }
  ASSERT_TRUE(x.slice(Slice{1, rows}).value().copy_from(x.slice(Slice{0, rows - 1}).value()));
  ASSERT_TRUE(x.copy_to(back));
  EXPECT_TRUE(std::equal(host.begin(), host.end() - columns, back.begin() + columns));
}

TEST_F(CudaDevice, WrapsMemoryOfItsOwn) {
  const Array<float> memory = device_->copy_from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}).value();
  const Array<float> x = device_->wrap(memory.address() + 5, {3}, {-2}).value();
  std::vector<float> host(3);
  ASSERT_TRUE(x.copy_to(host));
  EXPECT_EQ(host, (std::vector<float>{5, 3, 1}));
  const PinnedArray<float> pinned = device_->allocate_pinned<float>(3).value();
  EXPECT_TRUE(device_->wrap(pinned.span().data(), {3}));
  const Result<Array<float>> refused = device_->wrap(host.data(), {3});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument) << refused.error().message;
  const Array<float> back = from_dlpack<float>(*device_, to_dlpack(x).value()).value();
  ASSERT_TRUE(back.copy_to(host));
  EXPECT_EQ(host, (std::vector<float>{5, 3, 1}));
}

TEST_F(CudaDevice, SharesMemoryWithTheHost) {
  for (const bool managed : {true, false}) {
    const UnifiedArray<float> x =
        (managed ? device_->allocate_managed<float>({1000}) : device_->allocate_mapped<float>({1000})).value();
    std::iota(x.span().begin(), x.span().end(), 0.0F);
    ASSERT_TRUE(kernel_named("scale").launch({.grid = {4}, .block = {256}}, x, 2.0F));
    ASSERT_TRUE(device_->synchronize());
    EXPECT_EQ(x.span()[999], 1998.0F) << managed;
    EXPECT_TRUE(device_->wrap(x.address(), {1000}));
    std::vector<float> host(1000);
    ASSERT_TRUE(x.slice(Slice{.step = -1}).value().copy_to(host));
    EXPECT_EQ(host[1], 1996.0F) << managed;
  }
}

TEST_F(CudaDevice, AllocatesInTheOrderOfAStream) {
  const Stream stream = device_->create_stream().value();
  const std::int64_t n = 1 << 20, bytes = 4 * n;
  const MemoryPool pool = device_->pool();
  std::vector<float> host(static_cast<std::size_t>(n), 1.0F);
  const Array<float> result = device_->allocate<float>(n).value();
  for (int i = 0; i < 10; ++i) {
    const Array<float> x = stream.allocate<float>({n}).value();
    ASSERT_TRUE(x.copy_from(stream, host));
    ASSERT_TRUE(kernel_named("scale").launch({.grid = {n / 256}, .block = {256}, .stream = &stream}, x, 3.0F));
    ASSERT_TRUE(result.copy_from(stream, x));
    EXPECT_GE(pool.statistics().value().used, bytes);
  }
  ASSERT_TRUE(stream.synchronize());
  ASSERT_TRUE(result.copy_to(host));
  EXPECT_EQ(host.back(), 3.0F);
  EXPECT_EQ(pool.statistics().value().used, 0);
  EXPECT_GE(pool.statistics().value().reserved, bytes);
  EXPECT_GE(pool.statistics().value().peak_used, bytes);
  ASSERT_TRUE(pool.trim());
  ASSERT_TRUE(pool.reset_peaks());
  EXPECT_EQ(pool.statistics().value().reserved, 0);
  EXPECT_EQ(pool.statistics().value().peak_used, 0);
  ASSERT_TRUE(pool.set_limit(bytes));
  const Array<float> x = stream.allocate<float>({n / 2}).value();
  EXPECT_EQ(stream.allocate<float>({n}).error().code, ErrorCode::OutOfMemory);
  EXPECT_TRUE(device_->wrap(x.address(), {n / 2}));
}

TEST_F(CudaDevice, GivesAKernelAllTheSharedMemoryOfTheDevice) {
  const Array<int> out = device_->allocate<int>(1).value();
  const std::int64_t most = device_->info().max_shared_bytes_per_block / 1024;
  std::vector<int> bytes(1);
  for (std::int64_t threads : {std::int64_t{32}, most}) {
    ASSERT_TRUE(kernel_named("shared_bytes").launch({.grid = {1}, .block = {threads}}, out));
    ASSERT_TRUE(out.copy_to(bytes));
    EXPECT_EQ(bytes[0], threads * 1024);
  }
  EXPECT_FALSE(kernel_named("shared_bytes").launch({.grid = {1}, .block = {most + 1}}, out));
}

TEST_F(CudaDevice, LaunchesWithoutTheHeap) {
  const Array<float> x = device_->allocate<float>(1000).value();
  const Array<int> out = device_->allocate<int>(1).value();
  const Kernel scale = kernel_named("scale"), shared_bytes = kernel_named("shared_bytes"),
               faulty = kernel_named("faulty");
  const Stream stream = device_->create_stream().value();
  const auto launch = [&] {
    EXPECT_TRUE(scale.launch({.grid = {4}, .block = {256}, .stream = &stream}, x, 2.0F));
    EXPECT_TRUE(shared_bytes.launch({.grid = {1}, .block = {32}}, out));
    EXPECT_TRUE(faulty.launch({.grid = {1}, .block = {32}}, 100));
  };
  launch();
  const long before = testing::allocations();
  launch();
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_TRUE(device_->synchronize());
}

TEST_F(CudaDevice, ReportsAFaultOnceAtTheNextWait) {
  const Kernel faulty = kernel_named("faulty");
  const Stream bad = device_->create_stream().value(), good = device_->create_stream().value();
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}, .stream = &bad}, 42));
  EXPECT_TRUE(good.synchronize());
  const Result<void> waited = bad.synchronize();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().message,
            "faulty.pyk:7: assert failed: block != 42, in kernel faulty, block (42, 0, 0), thread (3, 0, 0)");
  EXPECT_TRUE(device_->synchronize());
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}}, 100));
  EXPECT_TRUE(device_->synchronize());
}

TEST_F(CudaDevice, FaultsOfSeveralModulesAndStreamsArriveWithWhomWaits) {
  const Module other = device_->load(test_artifact()).value();
  const Kernel first = kernel_named("faulty"), second = other.kernel("faulty").value();
  const Stream bad = device_->create_stream().value(), worse = device_->create_stream().value();
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(first.launch({.grid = {100}, .block = {32}, .stream = &bad}, 41));
    ASSERT_TRUE(second.launch({.grid = {100}, .block = {32}, .stream = &worse}, 42));
    const Result<void> by_event = bad.record().value().synchronize(), by_stream = worse.synchronize();
    ASSERT_FALSE(by_event);
    EXPECT_NE(by_event.error().message.find("block != 41"), std::string::npos) << by_event.error().message;
    ASSERT_FALSE(by_stream);
    EXPECT_NE(by_stream.error().message.find("block != 42"), std::string::npos) << by_stream.error().message;
    EXPECT_TRUE(device_->synchronize());
  }
}

TEST_F(CudaDevice, AGraphReportsAFaultOfEachLaunch) {
  const Kernel faulty = kernel_named("faulty");
  const Stream stream = device_->create_stream().value();
  ASSERT_TRUE(stream.begin_capture());
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}, .stream = &stream}, 42));
  const Graph graph = stream.end_capture().value();
  EXPECT_TRUE(device_->synchronize()) << "nothing has run yet";
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(graph.launch(stream));
    EXPECT_FALSE(stream.synchronize());
    EXPECT_TRUE(stream.synchronize());
  }
}

TEST_F(CudaDevice, OrdersStreamsByEventsAndMeasuresTime) {
  const std::int64_t n = 1 << 20;
  const PinnedArray<float> host = device_->allocate_pinned<float>(n).value();
  for (std::int64_t i = 0; i < n; ++i) host[i] = 1.0F;
  const Array<float> x = device_->allocate<float>(n).value();
  const Stream first = device_->create_stream().value(), second = device_->create_stream().value();
  const Event start = first.record().value();
  ASSERT_TRUE(x.copy_from(first, host));
  ASSERT_TRUE(kernel_named("scale").launch({.grid = {n / 256}, .block = {256}, .stream = &first}, x, 2.0F));
  const Event end = first.record().value();
  ASSERT_TRUE(second.wait(end));
  ASSERT_TRUE(x.copy_to(second, host));
  ASSERT_TRUE(second.synchronize());
  EXPECT_EQ(host[0], 2.0F);
  EXPECT_EQ(host[n - 1], 2.0F);
  const double milliseconds = end.milliseconds_since(start).value();
  EXPECT_GT(milliseconds, 0.0);
  EXPECT_LT(milliseconds, 10000.0);
}

TEST_F(CudaDevice, LaunchesFromManyThreads) {
  const Kernel scale = kernel_named("scale");
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const Stream stream = device_->create_stream().value();
      const Array<float> x = device_->copy_from<float>(std::vector<float>(1000, 1.0F)).value();
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(scale.launch({.grid = {4}, .block = {256}, .stream = &stream}, x, 2.0F));
      std::vector<float> host(1000);
      ASSERT_TRUE(x.copy_to(host));
      EXPECT_EQ(host[999], 1024.0F);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CudaDevice, ShowsWhatIsWrongWithPtx) {
  Artifact artifact = test_artifact();
  artifact.code.insert(artifact.code.find("mul.f32"), "nonsense.f32 %f1;\n");
  const Result<Module> module = device_->load(artifact);
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("CUDA_ERROR_INVALID_PTX"), std::string::npos) << module.error().message;
  EXPECT_NE(module.error().message.find("nonsense"), std::string::npos) << module.error().message;
}

TEST_F(CudaDevice, AThreadForEachTask) {
  const Kernel scale = kernel_named("scale");
  const std::vector<float> ones(100003, 1.0F);
  const Array<float> x = device_->copy_from<float>(ones).value();
  ASSERT_TRUE(scale.for_all(x.size(), x, 3.0F));
  std::vector<float> host(ones.size());
  ASSERT_TRUE(x.copy_to(host));
  EXPECT_EQ(std::accumulate(host.begin(), host.end(), 0.0), 3.0 * 100003);
  EXPECT_TRUE(scale.for_all(0, x, 3.0F));
  EXPECT_GE(scale.active_blocks_per_multiprocessor({.block = {128}}).value(), 4);
}

TEST_F(CudaDevice, StreamsCallFunctions) {
  const Stream stream = device_->create_stream().value();
  const PinnedArray<float> host = device_->allocate_pinned<float>(1).value();
  const Array<float> x = device_->copy_from<float>(std::vector<float>{2}).value();
  float seen = 0;
  ASSERT_TRUE(kernel_named("scale").launch({.grid = {1}, .block = {32}, .stream = &stream}, x, 3.0F));
  ASSERT_TRUE(x.copy_to(stream, host.span()));
  ASSERT_TRUE(stream.call([&] { seen = host[0]; }));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(seen, 6.0F);
}

TEST_F(CudaDevice, AGraphIsLaunchedAsOne) {
  const Stream stream = device_->create_stream().value();
  const PinnedArray<float> from = device_->allocate_pinned<float>(1).value(),
                           to = device_->allocate_pinned<float>(1).value();
  const Array<float> x = device_->allocate<float>(1).value();
  int calls = 0;
  ASSERT_TRUE(stream.begin_capture());
  ASSERT_TRUE(x.copy_from(stream, from));
  ASSERT_TRUE(kernel_named("scale").launch({.grid = {1}, .block = {32}, .stream = &stream}, x, 3.0F));
  ASSERT_TRUE(x.copy_to(stream, to.span()));
  ASSERT_TRUE(stream.call([&] { ++calls; }));
  const Result<Graph> graph = stream.end_capture();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(calls, 0);
  for (const float value : {2.0F, 5.0F}) {
    from[0] = value;
    ASSERT_TRUE(graph->launch(stream));
    ASSERT_TRUE(stream.synchronize());
    EXPECT_EQ(to[0], 3.0F * value);
  }
  EXPECT_EQ(calls, 2);
}

TEST_F(CudaDevice, OtherCodePutsWorkOnAStream) {
  const cuda::Driver& driver = **cuda::Driver::get();  // as other code would: with what the public handles give
  const Stream stream = device_->create_stream().value();
  const Array<float> x = device_->allocate<float>(1000).value();
  std::vector<float> host(1000, 7.0F), result(1000);
  const auto clear_half = [&](void* on) {
    return driver.cuMemsetD8Async(reinterpret_cast<cuda::CUdeviceptr>(x.address()), 0, 2000,
                                  static_cast<cuda::CUstream>(on));
  };
  const auto expect_half = [&] {
    ASSERT_TRUE(x.copy_to(result));
    EXPECT_EQ(std::accumulate(result.begin(), result.begin() + 500, 0.0F), 0.0F);
    EXPECT_EQ(std::accumulate(result.begin() + 500, result.end(), 0.0F), 500 * 14.0F);
  };
  const LaunchConfig config{.grid = {4}, .block = {256}, .stream = &stream};
  std::thread([&] {  // with no context of its own
    const Result<CurrentContext> context = device_->make_current();
    ASSERT_TRUE(context) << context.error().message;
    ASSERT_TRUE(x.copy_from(host));
    ASSERT_TRUE(kernel_named("scale").launch(config, x, 2.0F));
    EXPECT_EQ(clear_half(stream.native_handle()), cuda::CUDA_SUCCESS);
    ASSERT_TRUE(stream.synchronize());
    expect_half();

    ASSERT_TRUE(x.copy_from(host));
    ASSERT_TRUE(kernel_named("scale").launch({.grid = {4}, .block = {256}}, x, 2.0F));
    EXPECT_EQ(clear_half(device_->default_stream().native_handle()), cuda::CUDA_SUCCESS);
    expect_half();

    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(kernel_named("scale").launch(config, x, 2.0F));
    EXPECT_EQ(clear_half(stream.native_handle()), cuda::CUDA_SUCCESS);
    const Result<Graph> graph = stream.end_capture();
    ASSERT_TRUE(graph) << graph.error().message;
    ASSERT_TRUE(x.copy_from(host));
    ASSERT_TRUE(graph->launch(stream));
    ASSERT_TRUE(stream.synchronize());
    expect_half();
  })
      .join();
}

TEST_F(CudaDevice, ACaptureSpansStreams) {
  const Stream first = device_->create_stream().value(), second = device_->create_stream().value();
  const std::vector<float> ones(1000, 1);
  const Array<float> x = device_->copy_from<float>(ones).value(), y = device_->copy_from<float>(ones).value();
  const auto scale = [&](const Stream& stream, const Array<float>& array, float factor) {
    return kernel_named("scale").launch({.grid = {4}, .block = {256}, .stream = &stream}, array, factor);
  };
  ASSERT_TRUE(first.begin_capture());
  ASSERT_TRUE(second.wait(first.record().value()));
  ASSERT_TRUE(scale(first, x, 2.0F));
  ASSERT_TRUE(scale(second, y, 3.0F));
  ASSERT_TRUE(first.wait(second.record().value()));
  ASSERT_TRUE(scale(first, y, 5.0F));
  const Result<Graph> graph = first.end_capture();
  ASSERT_TRUE(graph) << graph.error().message;
  for (const Stream* on : {&first, &second}) ASSERT_TRUE(graph->launch(*on));
  std::vector<float> host(1000);
  ASSERT_TRUE(x.copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 4));
  ASSERT_TRUE(y.copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 225));

  ASSERT_TRUE(first.begin_capture());
  ASSERT_TRUE(second.wait(first.record().value()));
  ASSERT_TRUE(scale(second, y, 3.0F));
  const Result<Graph> unjoined = first.end_capture();
  ASSERT_FALSE(unjoined);
  EXPECT_NE(unjoined.error().message.find("waited for all work"), std::string::npos) << unjoined.error().message;
  ASSERT_TRUE(scale(second, y, 2.0F)) << "both streams work again";
  ASSERT_TRUE(scale(first, x, 2.0F));
  ASSERT_TRUE(device_->synchronize());
  ASSERT_TRUE(y.copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 450));
}

TEST_F(CudaDevice, AGraphIsUpdatedFromAnother) {
  const Stream stream = device_->create_stream().value();
  const std::vector<float> ones(1000, 1);
  const Array<float> x = device_->copy_from<float>(ones).value(), y = device_->copy_from<float>(ones).value();
  const auto capture = [&](const Array<float>& array, std::vector<float> factors) {
    stream.begin_capture().value();
    for (const float factor : factors)
      kernel_named("scale").launch({.grid = {4}, .block = {256}, .stream = &stream}, array, factor).value();
    return stream.end_capture().value();
  };
  const Graph graph = capture(x, {2});
  ASSERT_TRUE(graph.launch(stream));
  const Result<void> updated = graph.update(capture(y, {3}));
  ASSERT_TRUE(updated) << updated.error().message;
  ASSERT_TRUE(graph.launch(stream));
  const Result<void> longer = graph.update(capture(y, {5, 7}));  // of another form
  ASSERT_TRUE(longer) << longer.error().message;
  ASSERT_TRUE(graph.launch(stream));
  std::vector<float> host(1000);
  ASSERT_TRUE(x.copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 2));
  ASSERT_TRUE(y.copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 105));
}

TEST_F(CudaDevice, MemoryAndModulesAreHadWhileAStreamCaptures) {
  const Stream stream = device_->create_stream().value();
  ASSERT_TRUE(stream.begin_capture());
  const Result<Array<float>> x = device_->allocate<float>(1000);
  ASSERT_TRUE(x) << x.error().message;
  ASSERT_TRUE(device_->allocate<float>(1000)) << "and given back";
  ASSERT_TRUE(device_->allocate_pinned<float>(1000));
  const Result<Module> module = device_->load(test_artifact());
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_TRUE(x->fill_zero(stream));
  ASSERT_TRUE(module->kernel("scale")->launch({.grid = {4}, .block = {256}, .stream = &stream}, *x, 2.0F));
  const Result<Graph> graph = stream.end_capture();
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_TRUE(graph->launch(stream));
  std::vector<float> host(1000, 1);
  ASSERT_TRUE(x->copy_to(host));
  EXPECT_EQ(host, std::vector<float>(1000, 0));
}

TEST_F(CudaDevice, WrapsAStreamOfOtherCode) {
  const cuda::Driver& driver = **cuda::Driver::get();
  const Result<CurrentContext> context = device_->make_current();
  ASSERT_TRUE(context) << context.error().message;
  cuda::CUstream handle = nullptr;
  ASSERT_EQ(driver.cuStreamCreate(&handle, cuda::CU_STREAM_NON_BLOCKING), cuda::CUDA_SUCCESS);
  auto owner = std::shared_ptr<void>(handle, [&](void* stream) {
    EXPECT_EQ(driver.cuStreamDestroy(static_cast<cuda::CUstream>(stream)), cuda::CUDA_SUCCESS);
  });
  const Result<Stream> stream = device_->wrap_stream(handle, std::move(owner));
  ASSERT_TRUE(stream) << stream.error().message;
  const Array<float> x = stream->allocate<float>({1000}).value();
  std::vector<float> host(1000, 3.0F);
  ASSERT_TRUE(x.copy_from(*stream, host));
  ASSERT_TRUE(kernel_named("scale").launch({.grid = {4}, .block = {256}, .stream = &*stream}, x, 2.0F));
  ASSERT_TRUE(x.copy_to(*stream, host));
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(host, std::vector<float>(1000, 6.0F));
}

TEST_F(CudaDevice, SaysWhenMemoryIsShort) {
  const Result<Buffer> buffer = device_->allocate_bytes(device_->info().memory_bytes);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::OutOfMemory);
  EXPECT_NE(buffer.error().message.find("bytes are free"), std::string::npos) << buffer.error().message;
}

TEST_F(CudaDevice, GivesTheStackOfRecursionBack) {
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  const auto scale = [this](const Module& module) {
    const Array<float> x = device_->zeros<float>(64).value();
    EXPECT_TRUE(module.kernel("scale").value().launch({.grid = {1}, .block = {64}}, x, 2.0F));
    EXPECT_TRUE(device_->synchronize());
    return device_->memory_info().value().free_bytes;
  };
  const std::int64_t before = scale(*module_);
  {
    Artifact artifact = test_artifact();
    artifact.kernels[0].recursion_bytes = std::int64_t{1} << 15;
    const Result<Module> deep = device_->load(artifact);
    ASSERT_TRUE(deep) << deep.error().message;
    EXPECT_LT(scale(*deep), before - kGibibyte);
  }
  EXPECT_GT(scale(*module_), before - kGibibyte);
}

/// Ends the process: the context is lost for all that follows.
[[noreturn]] void crash() {
  const Device device = Device::open("cuda:0").value();
  const Kernel kernel = device.load(test_artifact()).value().kernel("crash").value();
  kernel.launch({.grid = {1}, .block = {1}}).value();
  const Result<void> waited = device.synchronize();
  std::fprintf(stderr, "%s\n", waited ? "nothing happened" : waited.error().message.c_str());
  std::exit(0);
}

TEST_F(CudaDevice, SaysThatTheContextIsLost) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(crash(), ::testing::ExitedWithCode(0), "CUDA_ERROR_ILLEGAL_ADDRESS.*which is lost");
}

}  // namespace
}  // namespace pykc
