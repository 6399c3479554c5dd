// The CPU device from load to launch, on kernels that the C++ compiler made.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "pykc/runtime.h"
#include "runtime/cpu/device.h"
#include "runtime/cpu/processor.h"
#include "tests/unit/runtime/allocations.h"
#include "tests/unit/runtime/kernel_descriptions.h"
#include "tests/unit/runtime/test_object.h"

namespace pykc {
namespace {

using testing::array;
using testing::constant;
using testing::for_each_thread;
using testing::kAny;
using testing::kernel;
using testing::scalar;

Artifact test_artifact() {
  KernelInfo faulty = kernel("faulty", {scalar("bad", ScalarType::I64)});
  faulty.faults = {{"assert failed: block != {0}", "faulty.pyk", 7, 3}};
  KernelInfo block_numbers = kernel("block_numbers", {array("out", ScalarType::I64, {kAny})});
  block_numbers.static_shared_bytes = 8;
  block_numbers.dynamic_shared_bytes = for_each_thread(8);
  block_numbers.scratch_bytes = for_each_thread(8);
  const ParameterInfo vector = array("x", ScalarType::F32, {kAny});
  return {.target = "cpu:x86-64",
          .code = testing::test_object(),
          .kernels = {kernel("vecadd", {vector, vector, vector}), faulty, kernel("nothing", {}), block_numbers,
                      kernel("printing", {scalar("text", ScalarType::I64)}), kernel("endless", {}),
                      kernel("references", {array("out", ScalarType::F64, {5})}),
                      kernel("add_indices", {array("x", ScalarType::I32, {kAny, kAny}, Layout::Strided)})}};
}

class CpuDevice : public ::testing::Test {
 protected:
  Kernel kernel_named(const char* name) { return module_.kernel(name).value(); }
  Device device_ = Device::open("cpu").value();
  Module module_ = device_.load(test_artifact()).value();
};

// Their indices would meet in one bank of the memory.
TEST(Processor, LargeArraysBeginAtDifferentPlacesOfTheirPages) {
  constexpr std::int64_t kBytes = std::int64_t{8} << 20, kPage = std::int64_t{2} << 20;
  std::vector<void*> arrays;
  std::set<std::uintptr_t> places;
  for (int n = 0; n < 16; ++n) {
    arrays.push_back(cpu::allocate_host(kBytes).value());
    std::memset(arrays.back(), n, kBytes);
    const auto address = reinterpret_cast<std::uintptr_t>(arrays.back());
    EXPECT_EQ(address % cpu::kMemoryAlignment, 0u);
    places.insert(address % kPage);
  }
  EXPECT_EQ(places.size(), arrays.size());
  for (void* array : arrays) cpu::free_host(array, kBytes);
}

TEST(Processor, DeviceAsksForCodeForTheProcessorThatTheEnvironmentNames) {
  EXPECT_EQ(cpu::device_info().target, "cpu");
  setenv("PYKC_PROCESSOR", "x86-64-v3", 1);
  EXPECT_EQ(cpu::device_info().target, "cpu:x86-64-v3");
  unsetenv("PYKC_PROCESSOR");
}

TEST_F(CpuDevice, AddsVectorsOfEverySize) {
  for (std::int64_t n : {0, 1, 255, 256, 257, 100003}) {
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size()), z(x.size());
    std::iota(x.begin(), x.end(), 1.0F);
    std::iota(y.begin(), y.end(), 0.5F);
    const Array<float> dx = device_.copy_from<float>(x).value(), dy = device_.copy_from<float>(y).value();
    const Array<float> dz = device_.allocate<float>(n).value();
    const Result<void> launched =
        kernel_named("vecadd").launch({.grid = {(n + 255) / 256}, .block = {256}}, dz, dx, dy);
    ASSERT_TRUE(launched) << launched.error().message;
    ASSERT_TRUE(dz.copy_to(z));
    for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], x[i] + y[i]) << i << " of " << n;
  }
}

#ifndef __SANITIZE_THREAD__  // which ends a child that starts threads
TEST_F(CpuDevice, LaunchesInTheChildOfAProcessThatHasLaunched) {
  const auto adds = [&] {
    constexpr std::int64_t kSize = 1 << 20;  // for all threads
    const std::vector<float> ones(kSize, 1.0F);
    const Array<float> x = device_.copy_from<float>(ones).value(), z = device_.allocate<float>(kSize).value();
    std::vector<float> sums(kSize);
    return kernel_named("vecadd").for_all(kSize, z, x, x) && z.copy_to(sums) &&
           std::accumulate(sums.begin(), sums.end(), 0.0) == 2.0 * kSize;
  };
  ASSERT_TRUE(adds());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(adds() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "SIGALRM is " << SIGALRM;
}
#endif

TEST_F(CpuDevice, LaunchesThatNeverEndAreStopped) {
  using namespace std::chrono_literals;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([this, n] {
      for (int i = 0; i < 20; ++i) {
        const Result<void> launched = kernel_named("endless").launch(
            {.grid = {n + 1}, .block = {1}, .timeout = n % 2 == 0 ? 1ms : std::chrono::nanoseconds::max()});
        ASSERT_FALSE(launched);
        const ErrorCode code = launched.error().code;
        EXPECT_TRUE(code == ErrorCode::Timeout || code == ErrorCode::Cancelled) << launched.error().message;
      }
    });
  std::atomic<bool> is_done = false;
  std::thread canceller([&] {
    while (!is_done) {
      std::this_thread::sleep_for(1ms);
      EXPECT_TRUE(device_.cancel());
    }
  });
  for (std::thread& thread : threads) thread.join();
  is_done = true;
  canceller.join();
  EXPECT_TRUE(kernel_named("nothing").launch({.grid = {9}, .block = {1}, .timeout = 100s}));
  EXPECT_EQ(kernel_named("endless").launch({.grid = {1}, .block = {1}, .timeout = 1s}).error().message,
            "kernel `endless` has taken longer than its limit of 1 s, and was stopped at endless.pyk:7");
}

TEST_F(CpuDevice, AThreadForEachTask) {
  for (std::int64_t n : {0, 1, 1000, 100003}) {
    const std::vector<float> ones(static_cast<std::size_t>(n), 1.0F);
    std::vector<float> sum(ones.size());
    const Array<float> x = device_.copy_from<float>(ones).value(), z = device_.allocate<float>(n).value();
    ASSERT_TRUE(kernel_named("vecadd").for_all(n, z, x, x));
    ASSERT_TRUE(z.copy_to(sum));
    EXPECT_EQ(std::accumulate(sum.begin(), sum.end(), 0.0), 2.0 * static_cast<double>(n));
  }
  EXPECT_FALSE(kernel_named("nothing").for_all(-1));
  EXPECT_EQ(kernel_named("nothing").active_blocks_per_multiprocessor({.block = {256}}).value(), 1);
  EXPECT_FALSE(kernel_named("nothing").active_blocks_per_multiprocessor({.block = {0}}));
  EXPECT_EQ(kernel_named("nothing").resources().value().max_threads_per_block, 1024);
}

TEST_F(CpuDevice, HasNoHandlesOfCuda) {
  EXPECT_TRUE(device_.make_current());
  EXPECT_EQ(device_.default_stream().native_handle(), nullptr);
  EXPECT_EQ(device_.create_stream().value().native_handle(), nullptr);
  EXPECT_TRUE(device_.wrap_stream(nullptr));
  int nothing = 0;
  EXPECT_FALSE(device_.wrap_stream(&nothing));
}

TEST_F(CpuDevice, StreamsCallFunctions) {
  const Stream stream = device_.create_stream().value();
  std::vector<std::int64_t> host(2);
  const Array<std::int64_t> out = device_.copy_from<std::int64_t>(host).value();
  std::int64_t seen = 0;
  ASSERT_TRUE(kernel_named("block_numbers").launch({.grid = {2}, .block = {8}, .stream = &stream}, out));
  ASSERT_TRUE(out.copy_to(stream, host));
  ASSERT_TRUE(stream.call([&] { seen = host[1]; }));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(seen, 2);
  EXPECT_FALSE(stream.call(nullptr));
}

TEST_F(CpuDevice, AGraphIsLaunchedAsOne) {
  const Stream stream = device_.create_stream().value(), other = device_.create_stream().value();
  std::vector<float> host = {1, 2, 3}, sum(3);
  int calls = 0;
  const Array<float> x = device_.allocate<float>(3).value(), z = device_.zeros<float>({3}).value();
  ASSERT_TRUE(stream.begin_capture());
  EXPECT_FALSE(stream.synchronize());
  EXPECT_FALSE(stream.begin_capture());
  ASSERT_TRUE(x.copy_from(stream, host));
  ASSERT_TRUE(kernel_named("vecadd").launch({.grid = {1}, .block = {3}, .stream = &stream}, z, z, x));
  ASSERT_TRUE(z.copy_to(stream, sum));
  ASSERT_TRUE(stream.call([&] { ++calls; }));
  const Graph graph = stream.end_capture().value();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(sum, (std::vector<float>{0, 0, 0}));
  ASSERT_TRUE(graph.launch(other));
  EXPECT_EQ(sum, (std::vector<float>{1, 2, 3}));
  host[0] = 10;  // read anew by each launch
  ASSERT_TRUE(graph.launch(stream));
  EXPECT_EQ(sum, (std::vector<float>{11, 4, 6}));
  EXPECT_EQ(calls, 2);
  ASSERT_TRUE(kernel_named("vecadd").launch({.grid = {1}, .block = {3}, .stream = &stream}, z, z, x));
  ASSERT_TRUE(z.copy_to(sum));
  EXPECT_EQ(sum[0], 21) << "the stream works again";

  ASSERT_TRUE(stream.begin_capture());
  ASSERT_TRUE(z.fill_zero(stream));
  ASSERT_TRUE(kernel_named("faulty").launch({.grid = {9}, .block = {32}, .stream = &stream}, 1));
  const Graph faulty = stream.end_capture().value();
  ASSERT_TRUE(faulty.launch(other));
  EXPECT_TRUE(stream.synchronize());
  EXPECT_EQ(other.synchronize().error().code, ErrorCode::KernelFault);
  EXPECT_FALSE(stream.end_capture());
  EXPECT_FALSE(device_.default_stream().begin_capture());
}

TEST_F(CpuDevice, ACaptureSpansStreams) {
  const Stream first = device_.create_stream().value(), second = device_.create_stream().value();
  const Array<float> x = device_.copy_from<float>(std::vector<float>{1, 2, 3}).value();
  const Array<float> y = device_.zeros<float>({3}).value(), z = device_.zeros<float>({3}).value();
  const auto add = [&](const Stream& stream, const Array<float>& to) {
    return kernel_named("vecadd").launch({.grid = {1}, .block = {3}, .stream = &stream}, to, to, x);
  };
  const auto message = [](const auto& result) { return result ? "no error" : result.error().message.substr(0, 60); };
  const Event outside = second.record().value();
  ASSERT_TRUE(first.begin_capture());
  EXPECT_TRUE(first.is_capturing());
  EXPECT_EQ(message(first.wait(outside)), "while a stream captures a graph, it waits for no event from ");
  const Event fork = first.record().value();
  EXPECT_EQ(message(fork.synchronize()), "the event was recorded while its stream captured a graph: it");
  EXPECT_EQ(message(fork.milliseconds_since(outside)), "the event was recorded while its stream captured a graph: it");
  EXPECT_EQ(message(device_.default_stream().wait(fork)),
            "the event was recorded in a capture, and the default stream ");
  ASSERT_TRUE(second.wait(fork));
  EXPECT_TRUE(second.is_capturing());
  EXPECT_EQ(message(second.begin_capture()), "while a stream captures a graph, it cannot begin another; ca");
  EXPECT_EQ(message(second.end_capture()), "the stream takes part in a capture that another began: end_c");
  ASSERT_TRUE(add(first, y));
  ASSERT_TRUE(add(second, z));
  ASSERT_TRUE(first.wait(second.record().value()));
  ASSERT_TRUE(add(first, z));
  const Graph graph = first.end_capture().value();
  EXPECT_FALSE(first.is_capturing());
  EXPECT_FALSE(second.is_capturing());
  EXPECT_EQ(message(second.wait(fork)), "the event was recorded in a capture, which has ended; wait f");
  for (const Stream* on : {&first, &second}) ASSERT_TRUE(graph.launch(*on));
  std::vector<float> sums(3);
  ASSERT_TRUE(y.copy_to(sums));
  EXPECT_EQ(sums, (std::vector<float>{2, 4, 6}));
  ASSERT_TRUE(z.copy_to(sums));
  EXPECT_EQ(sums, (std::vector<float>{4, 8, 12}));

  // Work that the first stream never waits for.
  ASSERT_TRUE(first.begin_capture());
  ASSERT_TRUE(second.wait(first.record().value()));
  ASSERT_TRUE(first.wait(second.record().value()));
  ASSERT_TRUE(add(second, z));
  EXPECT_EQ(message(first.end_capture()), "the capture ended before its first stream had waited for all");
  EXPECT_FALSE(second.is_capturing());
  ASSERT_TRUE(add(second, y));  // done at once

  // A third stream, joined by way of the second; and streams that go before the capture ends.
  ASSERT_TRUE(first.begin_capture());
  {
    const Stream third = device_.create_stream().value();
    ASSERT_TRUE(second.wait(first.record().value()));
    ASSERT_TRUE(third.wait(second.record().value()));
    ASSERT_TRUE(add(third, z));
    ASSERT_TRUE(second.wait(third.record().value()));
  }
  ASSERT_TRUE(first.wait(second.record().value()));
  EXPECT_TRUE(first.end_capture());
  {
    const Stream abandoned = device_.create_stream().value();
    ASSERT_TRUE(abandoned.begin_capture());
    ASSERT_TRUE(second.wait(abandoned.record().value()));
  }
  EXPECT_FALSE(second.is_capturing());
}

TEST_F(CpuDevice, AGraphIsUpdatedFromAnother) {
  const Stream stream = device_.create_stream().value();
  const Array<float> x = device_.copy_from<float>(std::vector<float>{1, 2, 3}).value();
  const Array<float> y = device_.zeros<float>({3}).value(), z = device_.zeros<float>({3}).value();
  const auto capture = [&](const Array<float>& to, int times) {
    EXPECT_TRUE(stream.begin_capture());
    for (int i = 0; i < times; ++i)
      EXPECT_TRUE(kernel_named("vecadd").launch({.grid = {1}, .block = {3}, .stream = &stream}, to, to, x));
    return stream.end_capture().value();
  };
  const Graph graph = capture(y, 1);
  ASSERT_TRUE(graph.launch(stream));
  ASSERT_TRUE(graph.update(capture(z, 1)));  // of which nothing else is left
  ASSERT_TRUE(graph.launch(stream));
  ASSERT_TRUE(graph.update(capture(z, 3)));
  ASSERT_TRUE(graph.update(graph));
  ASSERT_TRUE(graph.launch(stream));
  std::vector<float> sums(3);
  ASSERT_TRUE(y.copy_to(sums));
  EXPECT_EQ(sums, (std::vector<float>{1, 2, 3}));
  ASSERT_TRUE(z.copy_to(sums));
  EXPECT_EQ(sums, (std::vector<float>{4, 8, 12}));
}

TEST_F(CpuDevice, AGraphKeepsWhatItIsGiven) {
  const Stream stream = device_.create_stream().value();
  const auto owner = std::make_shared<int>(1);
  EXPECT_FALSE(stream.keep_in_graph(owner));
  {
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(stream.keep_in_graph(owner));
    Graph graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(graph.launch(stream));  // becomes a part of another
    graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(CpuDevice, LaunchesWithoutTheHeap) {
  const Array<float> x = device_.allocate<float>(1000).value();
  const Array<std::int64_t> numbers = device_.allocate<std::int64_t>(64).value();
  const Kernel vecadd = kernel_named("vecadd"), block_numbers = kernel_named("block_numbers");
  const Stream stream = device_.create_stream().value();
  const auto launch = [&] {
    EXPECT_TRUE(vecadd.launch({.grid = {4}, .block = {256}, .stream = &stream}, x, x, x));
    EXPECT_TRUE(block_numbers.launch({.grid = {8}, .block = {8}}, numbers));  // with shared memory and scratch
  };
  launch();  // threads and their memory are made once
  const long before = testing::allocations();
  launch();
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_GT(testing::allocations(), 0);
}

TEST_F(CpuDevice, LaunchesOnViews) {
  const Array<int> x = device_.zeros<int>({3, 4}).value();
  const Kernel add_indices = kernel_named("add_indices");
  ASSERT_TRUE(add_indices.launch({}, x.transpose().slice(Slice{.step = -2}, Slice{1, 3}).value()));
  std::vector<int> host(12);
  ASSERT_TRUE(x.copy_to(host));
  EXPECT_EQ(host, (std::vector<int>{0, 0, 0, 0, 0, 100, 0, 0, 0, 101, 0, 1}));
}

TEST_F(CpuDevice, GivesEachBlockItsMemory) {
  const std::int64_t blocks = 5000;
  const Array<std::int64_t> out = device_.allocate<std::int64_t>(blocks).value();
  ASSERT_TRUE(out.fill_zero());
  ASSERT_TRUE(kernel_named("block_numbers").launch({.grid = {blocks}, .block = {256}}, out));
  std::vector<std::int64_t> host(static_cast<std::size_t>(blocks));
  ASSERT_TRUE(out.copy_to(host));
  for (std::int64_t i = 0; i < blocks; ++i) ASSERT_EQ(host[static_cast<std::size_t>(i)], 2 * i);
}

TEST_F(CpuDevice, ConnectsTheObjectWithTheHost) {
  const Array<double> values = device_.copy_from<double>(std::vector<double>{2, 11, 21, 5, 0}).value();
  ASSERT_TRUE(kernel_named("references").launch({.grid = {1}, .block = {1}}, values));
  std::vector<double> host(5);
  ASSERT_TRUE(values.copy_to(host));
  EXPECT_EQ(host, (std::vector<double>{7, 3, 42, 25, 41}));
}

TEST_F(CpuDevice, ReportsAFaultOnceAtTheNextWait) {
  const Array<float> other = device_.allocate<float>(1).value();
  const Kernel faulty = kernel_named("faulty");
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}}, 42));
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}}, 43));
  const Result<void> waited = device_.synchronize();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::KernelFault);
  EXPECT_EQ(waited.error().message,
            "faulty.pyk:7: assert failed: block != 42, in kernel faulty, block (42, 0, 0), thread (3, 0, 0)");
  EXPECT_TRUE(device_.synchronize());
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}}, 5));
  std::vector<float> host(1);
  EXPECT_FALSE(other.copy_to(host));
  EXPECT_TRUE(other.copy_to(host));
  ASSERT_TRUE(faulty.launch({.grid = {100}, .block = {32}}, 100));
  EXPECT_TRUE(device_.synchronize());
}

TEST_F(CpuDevice, ReportsAFaultToItsOwnStream) {
  const Stream bad = device_.create_stream().value(), good = device_.create_stream().value();
  ASSERT_TRUE(kernel_named("faulty").launch({.grid = {100}, .block = {32}, .stream = &bad}, 1));
  ASSERT_TRUE(kernel_named("nothing").launch({.grid = {100}, .block = {32}, .stream = &good}));
  EXPECT_TRUE(good.synchronize());
  EXPECT_TRUE(device_.default_stream().synchronize());
  EXPECT_FALSE(bad.record().value().synchronize());
  EXPECT_TRUE(bad.synchronize());
}

TEST_F(CpuDevice, PrintsWholeLinesInOrder) {
  ::testing::internal::CaptureStdout();
  std::printf("before\n");
  ASSERT_TRUE(kernel_named("printing").launch({.grid = {1}, .block = {1}}, 7));
  ASSERT_TRUE(device_.synchronize());
  std::printf("after\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "before\nblock 0 says 7 and 0.5\nafter\n");
}

TEST_F(CpuDevice, MeasuresTime) {
  const Stream stream = device_.create_stream().value();
  const Event start = stream.record().value();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const Event end = stream.record().value();
  EXPECT_TRUE(stream.wait(start));
  EXPECT_GE(end.milliseconds_since(start).value(), 2.0);
  EXPECT_LT(end.milliseconds_since(start).value(), 2000.0);
}

TEST_F(CpuDevice, CopiesOnStreamsAndPinnedMemory) {
  const Stream stream = device_.create_stream().value();
  const PinnedArray<int> from = device_.allocate_pinned<int>(3).value(), to = device_.allocate_pinned<int>(3).value();
  for (int i = 0; i < 3; ++i) from[i] = i + 1;
  const Array<int> middle = device_.allocate<int>(3).value();
  ASSERT_TRUE(middle.copy_from(stream, from));
  ASSERT_TRUE(middle.copy_to(stream, to));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(to[2], 3);
  ASSERT_TRUE(middle.fill_zero(stream));
  ASSERT_TRUE(middle.copy_to(to.span()));
  EXPECT_EQ(to[2], 0);
  EXPECT_EQ(device_.allocate_pinned<int>(0).value().size(), 0);
}

TEST_F(CpuDevice, ChecksSizesOfMemory) {
  const Array<int> three = device_.allocate<int>(3).value();
  std::vector<int> four(4);
  EXPECT_EQ(three.copy_to(four).error().message, "a host span of 4 elements does not fit an array of 3 elements");
  EXPECT_FALSE(three.copy_from(four));
  EXPECT_FALSE(three.buffer().copy_to_host(four.data(), 12, 1));
  EXPECT_FALSE(three.buffer().copy_to_host(four.data(), -1, 0));
  EXPECT_FALSE(three.buffer().copy_to_host(four.data(), 0, -1));
  EXPECT_TRUE(three.buffer().copy_to_host(four.data(), 0, 12));
  EXPECT_FALSE(device_.allocate_bytes(-1));
  EXPECT_FALSE(device_.allocate<int>({2, -1}));
  EXPECT_FALSE(device_.allocate<double>({1L << 40, 1L << 40}));
  const Result<Array<double>> huge = device_.allocate<double>(1L << 50);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::OutOfMemory);
  EXPECT_TRUE(Buffer().copy_to_host(four.data(), 0));
  EXPECT_TRUE(Buffer().fill_zero());
}

TEST_F(CpuDevice, NamesWhatIsMissing) {
  EXPECT_EQ(module_.kernel("saxpy").error().message,
            "the module has no kernel `saxpy`; it has: vecadd, faulty, nothing, block_numbers, printing, endless, "
            "references, add_indices");
  Artifact artifact = test_artifact();
  artifact.kernels[0].symbol = "no_such_symbol";
  EXPECT_EQ(device_.load(artifact).error().message,
            "the artifact is damaged: its code has no entry point `no_such_symbol`");
  artifact = test_artifact();
  artifact.target = "nvptx:sm_90";
  EXPECT_EQ(device_.load(artifact).error().message,
            "the artifact is compiled for nvptx:sm_90; device cpu needs one for cpu");
  artifact.target = "";
  EXPECT_FALSE(device_.load(artifact));
  artifact = test_artifact();
  artifact.code = "nonsense";
  EXPECT_EQ(device_.load(artifact).error().code, ErrorCode::InputOutput);
}

TEST_F(CpuDevice, RefusesScratchThatNoMachineHas) {
  Artifact artifact = test_artifact();
  artifact.kernels[2].scratch_bytes = constant(-1);
  Kernel nothing = device_.load(artifact).value().kernel("nothing").value();
  EXPECT_FALSE(nothing.launch({.grid = {1}, .block = {1}}));
  artifact.kernels[2].scratch_bytes = constant(std::int64_t{1} << 39);
  nothing = device_.load(artifact).value().kernel("nothing").value();
  const Result<void> launched = nothing.launch({.grid = {1}, .block = {1}});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::OutOfMemory);
}

TEST(Devices, TheSameDeviceTwice) {
  const Device first = Device::open("cpu").value(), second = Device::open("cpu").value();
  EXPECT_EQ(first.state(), second.state());
}

TEST(Devices, RefusesOtherNames) {
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU", "cpu:0"}) {
    const Result<Device> device = Device::open(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, ErrorCode::InvalidArgument) << name;
  }
}

TEST(Devices, TheCpuIsTheLast) {
  const DeviceInfo info = Device::list().back();
  EXPECT_EQ(info.name, "cpu");
  EXPECT_FALSE(info.description.empty());
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.memory_bytes, 1 << 20);
}

}  // namespace
}  // namespace pykc
