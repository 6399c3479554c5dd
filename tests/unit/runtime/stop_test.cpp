// Launches that are stopped from outside: Device::cancel() and LaunchConfig::timeout, on kernels that would never end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Each never ends while x[0] is 0, in a way of its own; `n` is large.
constexpr const char* kEndless = R"(
from pykc import *


@kernel
def spins(x: i32[:], n: i64):
    while x[0] == 0:
        pass


@kernel
def forever(x: i32[:], n: i64):
    while True:
        pass


@kernel
def waits_for_others(x: i32[:], n: i64):
    while atomic.load(x, 0) == 0:
        pass


@kernel
def counts(x: i32[:], n: i64):
    s: i32 = 0
    for i in range(n):
        s ^= x[i & 1023] + i32(i >> 3)
    x[1] = s


@kernel
def counts_down(x: i32[:], n: i64):
    s: i32 = 0
    for i in range(n, 0, -3):
        s ^= x[i & 1023] + i32(i >> 3)
    x[1] = s


@kernel
def counts_in_vectors(x: i32[:], n: i64):
    for k in range(n):
        for i in range(1024):
            x[i] += 1


@kernel
def searches(x: i32[:], n: i64):
    for i in range(n):
        if x[i & 1023] != 0:
            x[2] = 1
            return


@kernel
def meets(x: i32[:], n: i64):
    tile = shared.array(64, i32)
    tile[threadIdx.x] = 0
    while x[0] == 0:
        syncthreads()
        tile[threadIdx.x] += tile[63 - threadIdx.x]
        syncthreads()
    x[threadIdx.x] = tile[threadIdx.x]


@kernel
def differ(x: i32[:], n: i64):
    t = threadIdx.x
    value = f32(t)
    while value >= 0.0:
        value = value * 0.5 + 1.0
        syncthreads()
    x[t] = i32(value)


@kernel
def arithmetic(x: i32[:], n: i64):
    value = f32(threadIdx.x)
    while value >= 0.0:
        value = value * 0.5 + 1.0
    x[threadIdx.x] = i32(value)


def paths(depth: i32, n: i32) -> i32:
    if depth == 0:
        return n
    return paths(depth - 1, n) ^ paths(depth - 1, n + 1)


@kernel
def calls_itself(x: i32[:], n: i64):
    x[1] = paths(60, i32(threadIdx.x))


@kernel
def all_blocks_wait(x: i32[:], n: i64):
    while x[0] == 0:
        grid_sync()


@kernel
def one_block_of_all_waits(x: i32[:], n: i64):
    if blockIdx.x == 0:
        while atomic.load(x, 0) == 0:
            pass
    grid_sync()
    x[blockIdx.x + 1] = 5


@kernel
def lets_others_go_on(x: i32[:], n: i64):
    while atomic.load(x, 0) == 0:
        wait_turn()


@kernel
def warps_meet(x: i32[:], n: i64):
    while x[0] == 0:
        barrier_sync(1, 64)


@kernel
def one_warp_waits_for_another(x: i32[:], n: i64):
    if threadIdx.x < 32:
        barrier_sync(1, 64)
    else:
        while x[0] == 0:
            pass
        barrier_arrive(1, 64)


@kernel
def ends(x: i32[:], n: i64):
    x[threadIdx.x] = 7
)";

const std::vector<std::string> kKernels = {
    "spins", "forever", "waits_for_others", "counts",       "counts_down",     "counts_in_vectors",     "searches",
    "meets", "differ",  "arithmetic",       "calls_itself", "all_blocks_wait", "one_block_of_all_waits",
    "lets_others_go_on", "warps_meet", "one_warp_waits_for_another"};

class Stops : public ::testing::TestWithParam<int> {
 protected:
  static constexpr std::int64_t kElements = 1024;
  Device device_ = Device::open("cpu").value();
  CompileOptions options_{.target = "cpu", .optimization = GetParam() % 10, .checked = GetParam() >= 10};
  Module module_ = device_.load(compile(kEndless, options_, "endless.pyk").value()).value();
  Array<std::int32_t> x_ = device_.zeros<std::int32_t>({kElements}).value();

  Result<void> launch(const std::string& name, std::chrono::nanoseconds timeout = {}, std::int64_t blocks = 2) {
    const LaunchConfig config{.grid = {blocks}, .block = {64}, .timeout = timeout};
    return module_.kernel(name).value().launch(config, x_, std::int64_t{1} << 60);
  }
  void expect_all_works() {
    ASSERT_TRUE(x_.fill_zero());
    ASSERT_TRUE(launch("ends"));
    std::vector<std::int32_t> host(kElements);
    ASSERT_TRUE(x_.copy_to(host));
    EXPECT_EQ(host[63], 7);
    ASSERT_TRUE(x_.fill_zero());
  }
  static void expect_error(const Result<void>& result, ErrorCode code, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
};

TEST_P(Stops, AKernelThatNeverEndsIsCancelled) {
  Clock::duration longest{};
  for (const std::string& name : kKernels) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(x_.fill_zero());
    std::atomic<bool> is_over = false;
    std::atomic<Clock::time_point> asked;
    std::thread canceller([&] {
      do {  // a launch that has not begun by then is not meant
        std::this_thread::sleep_for(30ms);
        asked = Clock::now();
        EXPECT_TRUE(device_.cancel());
      } while (!is_over);
    });
    const Result<void> launched = launch(name);
    const auto took = Clock::now() - asked.load();
    is_over = true;
    canceller.join();
    expect_error(launched, ErrorCode::Cancelled, "kernel `" + name + "` was cancelled at endless.pyk");
    EXPECT_LT(took, 500ms) << "50 ms on a machine that has nothing else to do";
    longest = std::max(longest, took);
    expect_all_works();
  }
  std::printf("cancelled within %.1f ms\n", std::chrono::duration<double, std::milli>(longest).count());
}

TEST_P(Stops, AKernelHasALimitOfTime) {
  for (const std::string& name : kKernels) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(x_.fill_zero());
    expect_error(launch(name, 10ms), ErrorCode::Timeout, "has taken longer than its limit of 0.01 s, and was stopped");
    expect_all_works();
  }
}

/// So many turns that each loop has several strips.
TEST_P(Stops, LoopsThatAreTakenInStripsDoTheSame) {
  constexpr const char* kLoops = R"(
from pykc import *


@kernel
def loops(out: i64[:], x: i32[:], n: i64, m: i32):
    s: i64 = 1
    for i in range(n):
        s = s * 31 + i
    out[0] = s
    for i in range(n, 5, -3):
        s = s * 31 + i
    out[1] = s
    for i in range(7, n, 4):
        s = s * 31 + i
    out[2] = s
    k: i32 = 3
    while k <= m:
        s = s * 31 + i64(k)
        k += 5
    out[3] = s
    while k != 3:
        s = s * 31 + i64(k)
        k -= 5
    out[4] = s
    for i in range(n):
        s = s * 31 + i
        if i * 3 == n - 1:
            break
    out[5] = s
    t: i32 = 0
    for i in range(n):
        t += x[i & 1023]
    out[6] = i64(t)
    for i in range(n):
        for j in range(i & 3):
            s = s * 31 + j
    out[7] = s
)";
  const Module module = device_.load(compile(kLoops, options_).value()).value();
  for (const std::int64_t n : {0, 1, 5, 131072, 1'000'003}) {
    const auto m = static_cast<std::int32_t>(n);
    std::vector<std::int32_t> x(kElements);
    for (std::int64_t i = 0; i < kElements; ++i) x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7 + 1);
    const Array<std::int64_t> out = device_.zeros<std::int64_t>(8).value();
    ASSERT_TRUE(x_.copy_from(x));
    ASSERT_TRUE(module.kernel("loops").value().launch({.grid = {1}, .block = {1}}, out, x_, n, m));
    std::vector<std::int64_t> found(8), expected(8);
    ASSERT_TRUE(out.copy_to(found));

    std::uint64_t s = 1;
    const auto add = [&](std::int64_t value) { s = s * 31 + static_cast<std::uint64_t>(value); };
    const auto note = [&](std::size_t at) { expected[at] = static_cast<std::int64_t>(s); };
    for (std::int64_t i = 0; i < n; ++i) add(i);
    note(0);
    for (std::int64_t i = n; i > 5; i -= 3) add(i);
    note(1);
    for (std::int64_t i = 7; i < n; i += 4) add(i);
    note(2);
    std::int32_t k = 3;
    for (; k <= m; k += 5) add(k);
    note(3);
    for (; k != 3; k -= 5) add(k);
    note(4);
    for (std::int64_t i = 0; i < n; ++i) {
      add(i);
      if (i * 3 == n - 1) break;
    }
    note(5);
    for (std::int64_t i = 0; i < n; ++i) expected[6] += x[static_cast<std::size_t>(i & 1023)];
    expected[6] = static_cast<std::int32_t>(expected[6]);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < (i & 3); ++j) add(j);
    note(7);
    EXPECT_EQ(found, expected) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Stops, ::testing::Values(0, 1, 3, 13));

class Stop : public Stops {};

TEST_P(Stop, TellsTheLine) {
  expect_error(launch("spins", 100ms), ErrorCode::Timeout, "was stopped at endless.pyk:7");
  expect_error(launch("counts", 100ms), ErrorCode::Timeout, "was stopped at endless.pyk:26");
  expect_error(launch("calls_itself", 100ms), ErrorCode::Timeout, "was stopped at endless.pyk:83");
}

TEST_P(Stop, LimitsThatAreKeptCostNothingButThemselves) {
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(launch("ends", std::chrono::nanoseconds::max()));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(launch("ends", 10s));
    expect_error(launch("forever", 100us), ErrorCode::Timeout, "0.0001 s");
  }
  expect_error(launch("ends", -1ns), ErrorCode::InvalidLaunch, "less than no time");
}

TEST_P(Stop, AFaultIsToldAsAFault) {
  const char* source =
      "@kernel\ndef faults(x: i32[:]):\n    if threadIdx.x == 0:\n        assert x[0] == 1\n    while x[0] == 0:\n"
      "        pass\n";
  const Module module = device_.load(compile(source, options_).value()).value();
  // The other threads end in their loops once one of them has faulted.
  ASSERT_TRUE(module.kernel("faults").value().launch({.grid = {1}, .block = {4}}, x_));
  expect_error(device_.synchronize(), ErrorCode::KernelFault, "assert failed");
}

TEST_P(Stop, LaunchesThatWaitForTheirTurnAreCancelledToo) {
  constexpr int kLaunches = 8;
  std::atomic<int> begun = 0, ended = 0, cancelled = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kLaunches; ++i)
    threads.emplace_back([&, i] {
      ++begun;
      const Result<void> launched = launch(kKernels[static_cast<std::size_t>(i)]);
      cancelled += !launched && launched.error().code == ErrorCode::Cancelled;
      ++ended;
    });
  int calls = 0;
  while (begun < kLaunches) std::this_thread::sleep_for(1ms);
  for (; ended < kLaunches; ++calls) {  // again, for a launch that has not come to wait by then
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(device_.cancel());
    for (const auto begin = Clock::now(); ended < kLaunches && Clock::now() - begin < 1s;)
      std::this_thread::sleep_for(1ms);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(calls, kLaunches);
  EXPECT_EQ(cancelled, kLaunches);
  expect_all_works();
}

TEST_P(Stop, WhoComesLaterIsNotCancelled) {
  ASSERT_TRUE(device_.cancel());
  ASSERT_TRUE(device_.cancel());
  expect_all_works();
}

TEST_P(Stop, LaunchesOfGraphs) {
  const Stream stream = device_.create_stream().value();
  ASSERT_TRUE(stream.begin_capture());
  ASSERT_TRUE(module_.kernel("ends").value().launch({.grid = {1}, .block = {64}, .stream = &stream}, x_, 1));
  ASSERT_TRUE(
      module_.kernel("forever").value().launch({.grid = {1}, .block = {64}, .stream = &stream, .timeout = 1ms}, x_, 1));
  const Graph graph = stream.end_capture().value();
  expect_error(graph.launch(stream), ErrorCode::Timeout, "`forever`");
}

TEST_P(Stop, AChildOfForkHasLimitsOfItsOwn) {
  expect_error(launch("forever", 1ms, 1), ErrorCode::Timeout, "`forever`");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const Result<void> launched = launch("forever", 1ms, 1);
    _exit(!launched && launched.error().code == ErrorCode::Timeout ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  expect_all_works();
}

INSTANTIATE_TEST_SUITE_P(Once, Stop, ::testing::Values(3));

}  // namespace
}  // namespace pykc
