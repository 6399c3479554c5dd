// Kernels of the CPU device that touch memory which is not theirs, and where kernels print to.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

constexpr const char* kSource = R"(
from pykc import *


@kernel
def writes(x: i32[:], i: i64):
    x[i] = 1


@kernel
def writes_shared(x: i32[:], i: i64):
    tile = shared.array(64, i32)
    tile[i + threadIdx.x] = 1
    syncthreads()
    x[threadIdx.x] = tile[63 - threadIdx.x]


@device
def descends(x: i32[:], i: i64) -> i32:
    own = local.array(200, i32)
    for k in range(200):
        own[k] = x[k % 64] + k
    if i > 0:
        own[i % 200] += descends(x, i - 1)
    return own[i % 100] + own[i % 7]


@kernel
def recurses(x: i32[:], i: i64):
    x[0] = descends(x, i)


@kernel
def prints(x: i32[:], i: i64):
    print("block", blockIdx.x, "says", i)


@kernel
def spins(x: i32[:], i: i64):
    while x[0] == 0:
        pass
)";

constexpr std::int64_t kFarAway = std::int64_t{1} << 44;

/// A device with the kernels and an array of 64 elements.
struct Program {
  Device device = Device::open("cpu").value();
  Module module = device.load(compile(kSource, {.target = "cpu"}).value()).value();
  Array<std::int32_t> x = device.zeros<std::int32_t>(64).value();

  Result<void> launch(const char* kernel, std::int64_t i, std::chrono::nanoseconds timeout = {}) const {
    return module.kernel(kernel).value().launch({.grid = {2}, .block = {1}, .timeout = timeout}, x, i);
  }
};

class Crash : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's own handler ends the process in another way";
#endif
  }
};

TEST_F(Crash, TheKernelIsNamed) {
  EXPECT_EXIT((void)Program().launch("writes", kFarAway), KilledBySignal(SIGSEGV),
              "pykc: kernel `writes` has touched memory that is not its own, at 0x[0-9a-f]*; "
              "a checked build .`--checked`, CompileOptions::checked, Python: `debug=True`. tells the line");
}

TEST_F(Crash, TheHandlerOfBeforeIsCalled) {
  const auto crash = [] {
    struct sigaction own {};
    own.sa_handler = [](int) {
      if (write(STDERR_FILENO, "the host's handler\n", 19) == 19) _exit(7);
    };
    sigaction(SIGSEGV, &own, nullptr);
    (void)Program().launch("writes", kFarAway);
  };
  EXPECT_EXIT(crash(), ExitedWithCode(7), "kernel `writes` has touched .*the host's handler");
}

TEST_F(Crash, AHandlerThatCameDuringALaunchMayCallOurs) {
  const auto crash = [] {
    static struct sigaction ours;
    const Program program;
    // Installed while a kernel runs, so that it stays below the handler of the next launch.
    std::thread spinning([&] { (void)program.launch("spins", 0, std::chrono::milliseconds(300)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    struct sigaction own {};
    own.sa_flags = SA_SIGINFO;
    own.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
      if ((ours.sa_flags & SA_SIGINFO) != 0) ours.sa_sigaction(signal, info, context);
    };
    sigaction(SIGSEGV, &own, &ours);
    spinning.join();
    (void)program.launch("writes", kFarAway);
  };
  EXPECT_EXIT(crash(), KilledBySignal(SIGSEGV), "kernel `writes` has touched");
}

TEST_F(Crash, TheHostsOwnFaultsAreNotTheKernels) {
  const auto crash = [] {
    const Program program;
    std::thread([&] { (void)program.launch("spins", 0); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), KilledBySignal(SIGSEGV), "^$");
}

TEST_F(Crash, MessagesCanBeTurnedOff) {
  const auto crash = [] {
    const Program program;
    program.device.set_crash_messages(false);
    (void)program.launch("writes", kFarAway);
  };
  EXPECT_EXIT(crash(), KilledBySignal(SIGSEGV), "^$");
}

TEST_F(Crash, HandlersAreThereDuringLaunchesAlone) {
  const Program program;
  const auto handler = [](int signal) {
    struct sigaction now;
    sigaction(signal, nullptr, &now);
    return now.sa_handler;
  };
  const auto segv = handler(SIGSEGV), bus = handler(SIGBUS);
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n)
    threads.emplace_back([&] {
      const Program own;
      for (int i = 0; i < 200; ++i) EXPECT_TRUE(own.launch("writes", i % 64));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(handler(SIGSEGV), segv);
  EXPECT_EQ(handler(SIGBUS), bus);
}

/// Calls `work` on a thread with a stack of that many bytes.
template <typename Work>
void on_a_stack_of(std::size_t bytes, Work work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto enter = [](void* argument) -> void* {
    (*static_cast<Work*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, enter, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_F(Crash, AStackThatEndsIsTold) {
  const auto crash = [](std::int64_t levels) {
    const Program program;
    on_a_stack_of(128 << 10, [&] { (void)program.launch("recurses", levels); });
    _exit(0);
  };
  EXPECT_EXIT(crash(20), ExitedWithCode(0), "^$");
  EXPECT_EXIT(crash(250), KilledBySignal(SIGSEGV), "pykc: kernel `recurses` has no stack left, at 0x[0-9a-f]*; 512 KiB");
  const Program program;
  on_a_stack_of(512 << 10, [&] { EXPECT_TRUE(program.launch("recurses", 250)); });
}

TEST_F(Crash, AThreadsAlternateStackStays) {
  const Program program;
  const auto alternate_stack = [] {
    stack_t now{};
    sigaltstack(nullptr, &now);
    return now;
  };
  on_a_stack_of(1 << 20, [&] {
    EXPECT_TRUE(program.launch("writes", 0));
    EXPECT_EQ(alternate_stack().ss_flags, SS_DISABLE);
    std::vector<char> memory(std::size_t{64} << 10);
    const stack_t own{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
    ASSERT_EQ(sigaltstack(&own, nullptr), 0);
    EXPECT_TRUE(program.launch("writes", 0));
    EXPECT_EQ(alternate_stack().ss_sp, memory.data());
  });
}

TEST_F(Crash, TheEndOfSharedMemoryIsGuarded) {
  EXPECT_TRUE(Program().launch("writes_shared", 63));
  EXPECT_EXIT((void)Program().launch("writes_shared", 64), KilledBySignal(SIGSEGV), "kernel `writes_shared`");
}

TEST_F(Crash, TheEndsOfArraysAreGuardedWhereThatIsAskedFor) {
  const auto crash = [](std::int64_t i) {
    setenv("PYKC_GUARD_ARRAYS", "on", 1);
    const Program program;
    const Array<std::int32_t> pooled = program.device.default_stream().allocate<std::int32_t>({3}).value();
    if (!pooled.fill_zero() || !program.launch("writes", i)) _exit(1);
    _exit(0);
  };
  EXPECT_EXIT(crash(63), ExitedWithCode(0), "^$");
  EXPECT_EXIT(crash(64), KilledBySignal(SIGSEGV), "kernel `writes`");
}

TEST(KernelOutput, GoesWhereTheHostWantsIt) {
  const Program program;
  std::vector<std::string> lines;
  ASSERT_TRUE(program.device.set_output([&](std::string_view line) { lines.emplace_back(line); }));
  ASSERT_TRUE(program.launch("prints", 5));
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"block 0 says 5\n", "block 1 says 5\n"}));
  ASSERT_TRUE(program.device.set_output(nullptr));
  ::testing::internal::CaptureStdout();
  ASSERT_TRUE(program.launch("prints", 6));
  ASSERT_TRUE(program.device.synchronize());
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("block 0 says 6\n"), std::string::npos);
  EXPECT_EQ(lines.size(), 2U);
}

}  // namespace
}  // namespace pykc
