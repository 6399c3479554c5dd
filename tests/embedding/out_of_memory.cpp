// Every allocation fails, one after the other, in all that a program does with one small kernel: an Error each, and the
// next call works. Once as if memory were back at once, once as if there were none until the call returns.
//
// Where LLVM is not part of it, nothing is lost either. What LLVM holds when it fails is lost by design, so each such
// failure is tried in a process of its own; of its some thousand allocations a part is tried, another one in each run.
// PYKC_TRIALS says how many (0: all, which takes an hour), PYKC_SEED which.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/npy.h"
#include "pykc/runtime.h"
#include "pykc/source_module.h"
#include "tests/embedding/failing_heap.h"

namespace pykc {
namespace {

using testing::allocations;
using testing::fail_allocation;
using testing::has_failed;
using testing::limit_memory;
using testing::live_allocations;
using testing::most_memory;

constexpr std::string_view kSource =
    "from pykc import *\n"
    "@device\n"
    "def twice(a):\n"
    "    return a + a\n"
    "@kernel\n"
    "def scale(x: f32[:], n: i64):\n"
    "    tile = shared.array(64, f32)\n"
    "    i = grid(1)\n"
    "    tile[threadIdx.x] = x[i]\n"
    "    syncthreads()\n"
    "    for k in range(n):\n"
    "        x[i] += twice(tile[63 - threadIdx.x])\n"
    "    assert x[i] < 1000\n";

CompileOptions options_for(const char* target) {
  CompileOptions options;
  options.target = target;
  options.cache = false;
  return options;
}

/// What a call came to; memory that was missing is no mistake of anything else.
enum class Ended { Well, WithoutMemory, Otherwise };
template <typename T>
Ended ended(const Result<T>& result) {
  if (result) return Ended::Well;
  // A file that the system has no memory to open is told in its words.
  const bool is_of_file =
      result.error().code == ErrorCode::InputOutput && result.error().message.ends_with(std::strerror(ENOMEM));
  return result.error().code == ErrorCode::OutOfMemory || is_of_file ? Ended::WithoutMemory : Ended::Otherwise;
}

// --- With LLVM -------------------------------------------------------------------------------------------------------

/// The exit code of a child that does the work; above 1000 the signal that ended it.
int in_a_child(const std::function<int()>& work) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = work();
    std::cout.flush();
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// 0 where a failure is told as such, and the next compilation works.
int fail_in_llvm(const CompileOptions& options, long n, bool for_good) {
  ::alarm(60);  // where a lock is held for good
  fail_allocation(n, for_good);
  const Ended how = ended(compile(kSource, options));
  fail_allocation(0, false);
  if (how == Ended::Otherwise) return 1;
  return compile(kSource, options) ? 0 : 2;
}

long number_from_environment(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

/// In a process of its own, whose children fail in their second compilation: in the first, LLVM makes tables that it
/// cannot do without. All of the allocations where `trials` is 0.
int try_target(const char* target, long trials, std::mt19937_64& random) {
  const CompileOptions options = options_for(target);
  (void)compile(kSource, options);
  const long before = allocations();
  (void)compile(kSource, options);
  const long count = allocations() - before;
  std::cout << target << ": " << count << " allocations, " << (trials == 0 ? 2 * count : trials) << " tried\n";
  int failed = 0;
  for (long trial = 0; trial < (trials == 0 ? 2 * count : trials); ++trial) {
    const long choice = trials == 0 ? trial : static_cast<long>(random() % static_cast<std::uint64_t>(2 * count));
    const long n = 1 + choice / 2;
    const bool for_good = choice % 2 == 1;
    const int code = in_a_child([&] { return fail_in_llvm(options, n, for_good); });
    if (code == 0) continue;
    std::cout << target << ", allocation " << n << (for_good ? " and all behind it: " : ": ") << code << std::endl;
    ++failed;
  }
  return std::min(failed, 255);
}

// Runs first: its children are to be processes that have not compiled.
TEST(InLlvm, AnErrorAndTheNextCompilationWorks) {
  const long seed = number_from_environment("PYKC_SEED", static_cast<long>(std::time(nullptr)));
  const long trials = number_from_environment("PYKC_TRIALS", 100);
  std::cout << "PYKC_SEED=" << seed << '\n';
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const char* target : {"cpu", "sm_80"}) {
    EXPECT_EQ(in_a_child([&] { return try_target(target, trials, random); }), 0) << target;
  }
}

/// 0 where a first compilation in that many bytes is told as one without memory, or works, and the next works.
int compile_first_in(long bytes, const CompileOptions& options) {
  ::alarm(60);
  limit_memory(bytes);
  const Ended how = ended(compile(kSource, options));
  limit_memory(-1);
  if (how == Ended::Otherwise) return 1;
  return compile(kSource, options) ? 0 : 2;
}

// A host whose memory is almost full. LLVM makes tables in the first compilation, and must not be left within that.
TEST(InLlvm, TheFirstCompilationOfAProcessMayBeTheOneWithoutMemory) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number_from_environment("PYKC_SEED", std::time(nullptr))));
  for (const char* target : {"cpu", "sm_80"}) {
    const CompileOptions options = options_for(target);
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const int measured = in_a_child([&] {
      limit_memory(-1);
      (void)compile(kSource, options);
      const long most = most_memory();
      return ::write(channel[1], &most, sizeof most) == sizeof most ? 0 : 1;
    });
    long most = 0;
    ASSERT_EQ(measured, 0);
    ASSERT_EQ(::read(channel[0], &most, sizeof most), static_cast<ssize_t>(sizeof most));
    ::close(channel[0]);
    ::close(channel[1]);
    std::cout << target << ": " << most << " bytes\n";
    for (long trial = number_from_environment("PYKC_TRIALS", 60); trial > 0; --trial) {
      const long bytes = static_cast<long>(random() % static_cast<std::uint64_t>(most));
      EXPECT_EQ(in_a_child([&] { return compile_first_in(bytes, options); }), 0) << target << " in " << bytes;
    }
  }
}

// --- Without LLVM ----------------------------------------------------------------------------------------------------

/// Fails one allocation of `call`: how that ended, and how many allocations it has lost.
struct Failure {
  Ended ended;
  bool was_met;
  long lost;
};
Failure fail_one(const std::function<Ended()>& call, long n, bool for_good) {
  const long before = live_allocations();
  fail_allocation(n, for_good);
  const Ended how = call();
  const bool was_met = has_failed();
  fail_allocation(0, false);
  return {how, was_met, live_allocations() - before};
}

/// Fails each allocation of `call` in turn, until one call needs no more. It was called before.
void fail_each(const std::string& what, const std::function<Ended()>& call) {
  for (const bool for_good : {false, true}) {
    long n = 0;
    for (bool was_met = true; was_met;) {
      Failure failure = fail_one(call, ++n, for_good);
      if (failure.lost != 0) failure = fail_one(call, n, for_good);  // what is kept for later is kept once
      was_met = failure.was_met;
      ASSERT_EQ(failure.lost, 0) << what << ": allocation " << n;
      // What can be done without is not missed: a failure need not show.
      ASSERT_NE(failure.ended, Ended::Otherwise) << what << ": allocation " << n;
      ASSERT_EQ(call(), Ended::Well) << what << ": the call behind the failure of allocation " << n;
    }
    std::cout << what << (for_good ? ", for good: " : ": ") << n - 1 << " allocations\n";
  }
}

TEST(OutOfMemory, InTheFrontEndAndThePasses) {
  for (const Emit emit : {Emit::Tokens, Emit::Ast, Emit::Checked, Emit::Ir, Emit::CpuIr}) {
    const CompileOptions options = options_for("sm_80");  // a processor is looked up in LLVM
    const auto compile_once = [&] { return ended(compile_to(emit, kSource, options, "scale.pyk")); };
    for (int i = 0; i < 2; ++i) ASSERT_EQ(compile_once(), Ended::Well);
    fail_each("compile_to " + std::to_string(static_cast<int>(emit)), compile_once);
    if (HasFatalFailure()) return;
  }
}

TEST(OutOfMemory, InErrors) {
  const CompileOptions options = options_for("cpu");
  const auto compile_once = [&] {
    const Result<Artifact> artifact = compile("@kernel\ndef k(x: f32[:]):\n    x[0] = y\n    z = q(\n", options);
    if (artifact) return Ended::Otherwise;
    return artifact.error().code == ErrorCode::InvalidSource ? Ended::Well : ended(artifact);
  };
  for (int i = 0; i < 2; ++i) ASSERT_EQ(compile_once(), Ended::Well);
  fail_each("a source with errors", compile_once);
}

TEST(OutOfMemory, OnTheDevice) {
  const Artifact artifact = compile(kSource, options_for("cpu")).value();
  const std::string bytes = artifact.serialize();
  const Device device = Device::open("cpu").value();
  const Module module = device.load(artifact).value();
  const Kernel scale = module.kernel("scale").value();
  const std::vector<float> host(64, 1.0F);
  std::vector<float> back(64);
  const std::vector<std::int64_t> shape{1000};
  const Array<float> x = device.copy_from(host).value();
  const std::string file = ::testing::TempDir() + "/out_of_memory.npy";
  ASSERT_TRUE(save_npy(file, x));
  const std::pair<const char*, std::function<Ended()>> calls[] = {
      {"open", [&] { return ended(Device::open("cpu")); }},
      {"parse", [&] { return ended(Artifact::parse(bytes)); }},
      {"load", [&] { return ended(device.load(artifact)); }},
      {"kernel", [&] { return ended(module.kernel("scale")); }},
      {"allocate", [&] { return ended(device.allocate<float>(1000)); }},
      {"zeros", [&] { return ended(device.zeros<float>(1000)); }},
      {"copy_from", [&] { return ended(device.copy_from(host)); }},
      {"copy_to", [&] { return ended(x.copy_to(back)); }},
      {"copy", [&] { return ended(x.copy()); }},
      {"launch", [&] { return ended(scale.launch({.grid = {1}, .block = {64}}, x, 0)); }},
      {"create_stream", [&] { return ended(device.create_stream()); }},
      {"stream.allocate",
       [&] {
         const Ended how = ended(device.default_stream().allocate<float>(shape));
         (void)device.pool().trim(0);  // which keeps what was given back
         return how;
       }},
      {"load_npy", [&] { return ended(load_npy<float>(device, file)); }},
      {"synchronize", [&] { return ended(device.synchronize()); }},
  };
  for (const auto& [what, call] : calls) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(call(), Ended::Well) << what;
    fail_each(what, call);
    if (HasFatalFailure()) return;
  }
}

TEST(OutOfMemory, OfAKernelThatFaults) {
  const Device device = Device::open("cpu").value();
  const Kernel scale = device.load(compile(kSource, options_for("cpu")).value()).value().kernel("scale").value();
  const std::vector<float> host(64, 1.0F);
  const Array<float> x = device.copy_from(host).value();
  const auto fault = [&] {
    const Result<void> launched = scale.launch({.grid = {1}, .block = {64}}, x, std::int64_t{2000});
    if (!launched) return ended(launched);
    const Result<void> finished = device.synchronize();
    if (finished) return Ended::Otherwise;
    return finished.error().code == ErrorCode::KernelFault ? Ended::Well : ended(finished);
  };
  for (int i = 0; i < 2; ++i) ASSERT_EQ(fault(), Ended::Well);
  const long before = allocations();
  ASSERT_EQ(fault(), Ended::Well);
  for (long n = 1; n <= allocations() - before; ++n) {
    fail_allocation(n, false);
    const Ended how = fault();
    fail_allocation(0, false);
    (void)device.synchronize();
    ASSERT_NE(how, Ended::Otherwise) << n;
    ASSERT_EQ(fault(), Ended::Well) << n;
    if (n > 200) break;
  }
}

}  // namespace
}  // namespace pykc
