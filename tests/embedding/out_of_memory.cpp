// Every allocation fails, one after the other, in all that a program does with one small kernel: an Error each, and the
// next call works. Once as if memory were back at once, once as if there were none until the call returns.
//
// Where LLVM is not part of it, nothing is lost either. What LLVM holds when it fails is lost by design, so each such
// failure is tried in a process of its own, in its first compilation: there LLVM makes what it keeps for later ones. Of
// the many allocations a part is tried, another one in each run. PYKC_TRIALS says how many (0: all, which takes an
// hour), PYKC_SEED which.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <future>
#include <iostream>
#include <map>
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

/// The same with two kernels more, long enough to be compiled on other threads.
std::string with_long_kernels() {
  std::string text(kSource);
  for (const char* name : {"first", "second"}) {
    text += "@kernel\ndef " + std::string(name) + "(x: f32[:]):\n";
    for (int i = 0; i < 45; ++i) text += "    x[" + std::to_string(i) + "] *= x[0]\n";
  }
  return text;
}

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

/// The exit code of a child that has ended; above 1000 the signal that ended it.
int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status); }

/// Starts a child that does the work, and ends with the code that this gives.
pid_t start_child(const std::function<int()>& work) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::alarm(20);  // where a lock is held for good
  ::_exit(work());
}

/// What a child has to tell.
std::string told_by_a_child(const std::function<std::string()>& work) {
  int channel[2];
  if (::pipe(channel) != 0) return {};
  const pid_t child = start_child([&] {
    const std::string text = work();
    return ::write(channel[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
  });
  ::close(channel[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t bytes = 0; (bytes = ::read(channel[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(bytes));
  ::close(channel[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Makes each trial in a process of its own, two at a time; the codes of those that did not end with 0.
std::map<long, int> failed_trials(const std::vector<long>& trials, const std::function<int(long)>& make) {
  std::map<pid_t, long> running;
  std::map<long, int> failed;
  const auto wait_for_one = [&] {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    if (const int code = code_of(status); code != 0) failed[running.at(child)] = code;
    running.erase(child);
  };
  for (const long trial : trials) {
    if (running.size() == 2) wait_for_one();
    running[start_child([&] { return make(trial); })] = trial;
  }
  while (!running.empty()) wait_for_one();
  return failed;
}

long number_from_environment(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

/// So many numbers below `end`, even and odd ones, with the same distance and from anywhere on; all where `count` is 0.
std::vector<long> some_below(long end, long count, std::mt19937_64& random) {
  const long distance = count == 0 ? 1 : (end / count) | 1;
  std::vector<long> numbers;
  for (long i = static_cast<long>(random() % static_cast<std::uint64_t>(distance)); i < end; i += distance)
    numbers.push_back(i);
  return numbers;
}

std::mt19937_64 seeded() {
  const long seed = number_from_environment("PYKC_SEED", static_cast<long>(std::time(nullptr)));
  std::cout << "PYKC_SEED=" << seed << '\n';
  return std::mt19937_64(static_cast<std::uint64_t>(seed));
}

/// Whether the kernel computes what it should.
bool launches(const Artifact& artifact) {
  const Device device = Device::open("cpu").value();
  const Kernel scale = device.load(artifact).value().kernel("scale").value();
  std::vector<float> host(64), expected(64), back(64);
  for (std::size_t i = 0; i < 64; ++i) {
    host[i] = static_cast<float>(i);
    expected[i] = static_cast<float>(i + 2 * 3 * (63 - i));
  }
  const Array<float> x = device.copy_from(host).value();
  return scale.launch({.grid = {1}, .block = {64}}, x, std::int64_t{3}) && x.copy_to(back) && back == expected;
}

/// The first compilation of this process; 0 where a failure is told as such, and all is well behind it: on another
/// thread, since a lock that is held may let its holder pass.
int compile_first(const std::string& source, const CompileOptions& options, const std::string& expected) {
  const Ended how = ended(compile(source, options));
  fail_allocation(0, false);
  limit_memory(-1);
  if (how == Ended::Otherwise) return 1;
  const auto go_on = [&] {
    const Result<Artifact> next = compile(source, options);
    if (!next) return 2;
    if (next->serialize() != expected) return 3;
    return options.target != "cpu" || launches(*next) ? 0 : 4;
  };
  return std::async(std::launch::async, go_on).get();
}

struct Target {
  std::string source;
  CompileOptions options;
  long trials;  // a compilation for the CPU takes four times as long
  std::string artifact = told_by_a_child([this] { return compile(source, options).value().serialize(); });
};
std::vector<Target> targets() {
  const std::string source(kSource);
  return {{source, options_for("cpu"), 150},
          {source, options_for("sm_90"), 450},
          {with_long_kernels(), options_for("cpu"), 40}};
}

// The tests of this section run first: their children are to be processes that have not compiled.
TEST(InLlvm, AFirstCompilationFailsAndTheNextWorks) {
  std::mt19937_64 random = seeded();
  for (const Target& target : targets()) {
    const long allocations_made = std::stol(told_by_a_child([&] {
      const long before = allocations();
      (void)compile(target.source, target.options);
      return std::to_string(allocations() - before);
    }));
    // Of one allocation, or of it and all behind it.
    const std::vector<long> choices =
        some_below(2 * allocations_made, number_from_environment("PYKC_TRIALS", target.trials), random);
    const std::string& name = target.options.target;
    std::cout << name << ": " << allocations_made << " allocations, " << choices.size() << " trials\n";
    const auto failed = failed_trials(choices, [&](long choice) {
      fail_allocation(1 + choice / 2, choice % 2 == 1);
      return compile_first(target.source, target.options, target.artifact);
    });
    for (const auto& [choice, code] : failed)
      ADD_FAILURE() << name << ", allocation " << 1 + choice / 2 << (choice % 2 == 1 ? " and all behind it: " : ": ")
                    << code;
  }
}

// A host whose memory is almost full.
TEST(InLlvm, AFirstCompilationInAnyNumberOfBytes) {
  std::mt19937_64 random = seeded();
  for (const Target& target : targets()) {
    const long most = std::stol(told_by_a_child([&] {
      limit_memory(-1);
      (void)compile(target.source, target.options);
      return std::to_string(most_memory());
    }));
    const std::string& name = target.options.target;
    std::cout << name << ": " << most << " bytes\n";
    const std::vector<long> sizes = some_below(most, number_from_environment("PYKC_TRIALS", 60), random);
    const auto failed = failed_trials(sizes, [&](long bytes) {
      limit_memory(bytes);
      return compile_first(target.source, target.options, target.artifact);
    });
    for (const auto& [bytes, code] : failed) ADD_FAILURE() << name << " in " << bytes << ": " << code;
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
