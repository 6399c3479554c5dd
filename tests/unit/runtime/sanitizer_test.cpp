// Launches that the CPU device watches: what is reported, with which places, and which launches need no watching.
// tests/sanitizer/ has programs with faults of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "runtime/cpu/sanitizer/times.h"

namespace pykc {
namespace {

constexpr const char* kSource = R"(
from pykc import *


@kernel
def reversed_in_place(x: i32[:]):
    i = grid(1)
    x[i] = x[len(x) - 1 - i]


@kernel
def scatter(out: i32[:], at: i32[:]):
    i = grid(1)
    out[at[i]] = i


@kernel
def add_to(out: i32[:], x: i32[:], n: i32):
    i = grid(1)
    if i < n:
        out[i] = out[i] + x[(i + 1) % len(x)]


@kernel
def strided(out: i32[:], step: i32):
    out[grid(1) * step] = threadIdx.x


@kernel
def same_value(out: i32[:]):
    out[0] = 7


@kernel
def scaled(x: f32[:], by: f32):
    i = grid(1)
    if by > 0.0:
        x[i] = by
    else:
        x[0] = i


@kernel
def beyond(x: i32[:]):
    x[grid(1)] = 1


@kernel
def meant(x: i32[:]):
    x[0] = threadIdx.x  # pykc: ignore[E0601]


@kernel
def copied(out: i32[:], x: i32[:]):
    i = grid(1)
    if i < len(out):
        out[i] = x[i]


@kernel
def every_second(out: i32[:]):
    out[2 * grid(1)] = 1
)";

class Sanitizer : public ::testing::Test {
 protected:
  static Device open() { return *Device::open("cpu"); }
  Kernel kernel(const std::string& name) {
    CompileOptions options{.target = "cpu", .sanitize = Sanitize::all(), .cache = false, .warnings = false};
    const Result<Artifact> artifact = compile(kSource, options, "k.pyk");
    EXPECT_TRUE(artifact) << (artifact ? "" : artifact.error().message);
    return *device_.load(*artifact)->kernel(name);
  }
  Array<std::int32_t> array(const std::vector<std::int32_t>& values) {
    return *device_.copy_from<std::int32_t>(values);
  }
  /// What a launch of `blocks` blocks of 32 threads is told, drawn; empty where nothing was found.
  template <typename... Arguments>
  Result<void> launch(const Kernel& kernel, int blocks, const Arguments&... arguments) {
    if (Result<void> launched = kernel.launch({.grid = {blocks}, .block = {32}}, arguments...); !launched)
      return launched;
    return device_.synchronize();
  }
  static std::vector<std::int32_t> numbers(int count) {
    std::vector<std::int32_t> values;
    for (int i = 0; i < count; ++i) values.push_back(i);
    return values;
  }

  Device device_ = open();
};

TEST_F(Sanitizer, ARaceHasBothPlaces) {
  const Result<void> done = launch(kernel("reversed_in_place"), 2, array(numbers(64)));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::KernelFault);
  EXPECT_TRUE(done.error().message.starts_with("k.pyk:8: `x[")) << done.error().message;
  ASSERT_FALSE(done.error().diagnostics.empty());
  const Diagnostic& race = done.error().diagnostics.front();
  EXPECT_EQ(race.code, "E0601");
  EXPECT_EQ(race.place.line, 8);
  ASSERT_EQ(race.labels.size(), 1u);
  EXPECT_EQ(race.labels[0].place.line, 8);
  EXPECT_NE(race.fix, "");
  EXPECT_TRUE(device_.synchronize()) << "it is told once";
}

TEST_F(Sanitizer, ReportsAreTheSameOnEachRun) {
  const Kernel reversed = kernel("reversed_in_place");
  const Result<void> first = launch(reversed, 4, array(numbers(128))), again = launch(reversed, 4, array(numbers(128)));
  ASSERT_FALSE(first);
  ASSERT_FALSE(again);
  EXPECT_EQ(to_json(first.error().diagnostics), to_json(again.error().diagnostics));
}

TEST_F(Sanitizer, WhatDependsOnDataIsWatchedEachTime) {
  const Kernel scatter = kernel("scatter");
  const auto out = array(std::vector<std::int32_t>(64));
  EXPECT_TRUE(launch(scatter, 2, out, array(numbers(64))));
  auto twice = numbers(64);
  twice[40] = 3;
  const Result<void> done = launch(scatter, 2, out, array(twice));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("`out[3]`"), std::string::npos) << done.error().message;
}

TEST_F(Sanitizer, ArraysThatShareMemoryAreWatchedThoughOthersWereClean) {
  const Kernel add_to = kernel("add_to");
  const auto out = array(numbers(64)), x = array(numbers(64));
  EXPECT_TRUE(launch(add_to, 2, out, x, 64));
  EXPECT_TRUE(launch(add_to, 2, out, x, 64));
  EXPECT_FALSE(launch(add_to, 2, out, out, 64));
}

TEST_F(Sanitizer, ALaunchWithOtherNumbersIsAnotherOne) {
  const Kernel strided = kernel("strided");
  const auto out = array(numbers(256));
  EXPECT_TRUE(launch(strided, 2, out, 2));
  EXPECT_TRUE(launch(strided, 2, out, 4));
  EXPECT_FALSE(launch(strided, 2, out, 0));
}

TEST_F(Sanitizer, WhatDependsOnAFloatIsWatchedEachTime) {
  const Kernel scaled = kernel("scaled");
  const auto x = *device_.zeros<float>(64);
  EXPECT_TRUE(launch(scaled, 2, x, 1.0F));
  EXPECT_FALSE(launch(scaled, 2, x, -1.0F));
}

TEST_F(Sanitizer, AChecksOutcomeIsNotTakenFromAnArrayOfAnotherSize) {
  const Kernel beyond = kernel("beyond");
  EXPECT_TRUE(launch(beyond, 2, array(numbers(64))));
  const Result<void> done = launch(beyond, 2, array(numbers(63)));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("index 63 is out of bounds"), std::string::npos) << done.error().message;
}

TEST_F(Sanitizer, WritersOfOneValueAreNoError) { EXPECT_TRUE(launch(kernel("same_value"), 2, array(numbers(1)))); }

TEST_F(Sanitizer, ACommentSaysThatARaceIsMeant) { EXPECT_TRUE(launch(kernel("meant"), 1, array(numbers(1)))); }

TEST_F(Sanitizer, ResultsOfWatchedAndOfSettledLaunchesAreThoseOfPlainOnes) {
  const Kernel add_to = kernel("add_to");
  const auto x = array(numbers(64));
  for (int turn = 0; turn < 3; ++turn) {
    const auto out = array(numbers(64));
    ASSERT_TRUE(launch(add_to, 2, out, x, 50));
    const std::vector<std::int32_t> values = *out.to_vector();
    for (int i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i < 50 ? i + (i + 1) % 64 : i);
  }
}

TEST(SanitizeList, IsReadOrRefused) {
  EXPECT_EQ(Sanitize::parse("all"), Sanitize::all());
  EXPECT_EQ(Sanitize::parse("races"), (Sanitize{.races = true}));
  EXPECT_EQ(Sanitize::parse("bounds,divergence"), (Sanitize{.bounds = true, .divergence = true}));
  for (const char* wrong : {"", "race", "races,", ",", "all,races", "races bounds"})
    EXPECT_FALSE(Sanitize::parse(wrong)) << wrong;
}

TEST(Times, AreThoseOfAMap) {
  std::mt19937 random(1);
  const auto number = [&] { return std::uint64_t{random() % 3 == 0 ? random() % 8 : random() % 5000}; };
  for (int round = 0; round < 200; ++round) {
    std::array<cpu::Times, 3> times;
    std::array<std::map<std::uint64_t, cpu::Time>, 3> maps;
    for (int step = 0; step < 60; ++step) {
      const std::size_t to = random() % 3, from = random() % 3;
      switch (random() % 4) {
        case 0:
          times[to].join(times[from]);
          for (const auto& [at, time] : std::map(maps[from])) maps[to][at] = std::max(maps[to][at], time);
          break;
        case 1:
          times[to] = times[from];
          maps[to] = maps[from];
          break;
        default: {
          const std::uint64_t at = number();
          const cpu::Time time = 1 + static_cast<cpu::Time>(random() % 100);
          times[to].raise(at, time);
          maps[to][at] = std::max(maps[to][at], time);
        }
      }
    }
    const std::uint64_t first = random() % 80 * 64;
    for (std::size_t i = 0; i < 3; ++i) {
      const cpu::Times part = times[i].part(first, 2);
      for (std::uint64_t at = 0; at < 6000; ++at) {
        ASSERT_EQ(times[i].at(at), maps[i].contains(at) ? maps[i][at] : 0) << at;
        ASSERT_EQ(part.at(at), at / 64 == first / 64 ? times[i].at(at) : 0) << at;
      }
    }
  }
}

// What is read of an array that nobody has written.
class Unwritten : public Sanitizer {
 protected:
  Array<std::int32_t> fresh(std::int64_t count) { return *device_.allocate<std::int32_t>(count); }
  /// The first element that a copy of an array reads without a value; empty: it reads none.
  std::string first_without_value(const Array<std::int32_t>& x) {
    const Result<void> done = launch(copied_, static_cast<int>(x.size() + 31) / 32, fresh(x.size()), x);
    if (done) return "";
    EXPECT_EQ(done.error().diagnostics.front().code, "E0602") << done.error().message;
    const std::string& message = done.error().diagnostics.front().message;
    return message.substr(0, message.find(' '));
  }
  const Kernel copied_ = kernel("copied");
};

TEST_F(Unwritten, AnArrayWithoutValues) {
  EXPECT_EQ(first_without_value(fresh(64)), "`x[0]`");
  EXPECT_EQ(first_without_value(array(numbers(64))), "");
}

TEST_F(Unwritten, WhatHasBeenCopiedHasValues) {
  const Array<std::int32_t> x = fresh(64);
  ASSERT_TRUE(x.slice(Slice{0, 40})->copy_from(std::vector<std::int32_t>(40)));
  EXPECT_EQ(first_without_value(x), "`x[40]`");
  ASSERT_TRUE(x.slice(Slice{40, 64, 2})->copy_from(std::vector<std::int32_t>(12)));
  EXPECT_EQ(first_without_value(x), "`x[41]`");
  ASSERT_TRUE(x.slice(Slice{41, 64, 2})->fill(3));
  EXPECT_EQ(first_without_value(x), "");
}

TEST_F(Unwritten, ACopyOfWhatHasNoValuesHasNone) {
  const Array<std::int32_t> x = fresh(64);
  ASSERT_TRUE(x.slice(Slice{0, 10})->fill_zero());
  EXPECT_EQ(first_without_value(*x.copy()), "`x[10]`");
  EXPECT_EQ(first_without_value(*device_.default_stream().allocate<std::int32_t>({64})), "`x[0]`");
}

TEST_F(Unwritten, WhatAKernelHasWritten) {
  const Array<std::int32_t> x = fresh(64);
  ASSERT_TRUE(launch(kernel("every_second"), 1, x));
  EXPECT_EQ(first_without_value(x), "`x[1]`");
}

TEST_F(Unwritten, LaunchesThatNeedNoWatchingFillAsTheFirst) {
  for (int i = 0; i < 3; ++i) {
    const Array<std::int32_t> y = fresh(64);
    ASSERT_TRUE(launch(copied_, 2, y, array(numbers(64))));
    EXPECT_EQ(first_without_value(y), "") << i;
  }
  // The same launch with another array, of which half has no values.
  const Array<std::int32_t> x = fresh(64);
  ASSERT_TRUE(x.slice(Slice{0, 32})->fill_zero());
  EXPECT_EQ(first_without_value(x), "`x[32]`");
}

TEST_F(Unwritten, KernelsThatNobodyWatchesWriteWhatTheyMay) {
  const Result<Artifact> artifact = compile(kSource, {.target = "cpu", .cache = false, .warnings = false}, "k.pyk");
  const Kernel plain = *device_.load(*artifact)->kernel("every_second");
  const Array<std::int32_t> x = fresh(64);
  ASSERT_TRUE(launch(plain, 1, x));
  EXPECT_EQ(first_without_value(x), "");
}

TEST_F(Unwritten, WhoeverHasTheAddressMayWrite) {
  const Array<std::int32_t> x = fresh(64);
  std::fill_n(x.address(), 64, 1);
  EXPECT_EQ(first_without_value(x), "");
}

TEST_F(Unwritten, MemoryOfThePoolIsNewEachTime) {
  for (int i = 0; i < 2; ++i) {
    const Array<std::int32_t> x = *device_.default_stream().allocate<std::int32_t>({64});
    EXPECT_EQ(first_without_value(x), "`x[0]`");
    ASSERT_TRUE(x.fill_zero());
    EXPECT_EQ(first_without_value(x), "");
  }
}

class Freed : public Unwritten {
 protected:
  const Stream stream_ = *device_.create_stream();
  /// A graph that copies `x`, which it does not keep.
  template <typename Make>
  Graph copying(const Array<std::int32_t>& out, Make make) {
    EXPECT_TRUE(stream_.begin_capture());
    {
      const Array<std::int32_t> x = make();
      EXPECT_TRUE(copied_.launch({.grid = {2}, .block = {32}, .stream = &stream_}, out, x));
    }
    return *stream_.end_capture();
  }
  void expect_use_after_free(const Graph& graph) {
    EXPECT_TRUE(graph.launch(stream_));
    const Result<void> done = stream_.synchronize();
    ASSERT_FALSE(done);
    ASSERT_EQ(done.error().diagnostics.size(), 1u);
    const Diagnostic& use = done.error().diagnostics.front();
    EXPECT_EQ(use.code, "E0605");
    EXPECT_EQ(use.message, "`x[0]`: thread (0, 0, 0) of block (0, 0, 0) reads it, and the array has been freed");
  }
};

TEST_F(Freed, AnArrayThatAGraphDoesNotKeep) {
  const Array<std::int32_t> out = fresh(64);
  expect_use_after_free(copying(out, [&] { return array(numbers(64)); }));
}

TEST_F(Freed, AnArrayOfThePool) {
  const Array<std::int32_t> out = fresh(64);
  const Stream other = device_.default_stream();
  expect_use_after_free(copying(out, [&] {
    const auto x = *other.allocate<std::int32_t>({64});
    EXPECT_TRUE(x.fill(1));
    return x;
  }));
}

TEST_F(Freed, ALaunchThatNeededNoWatchingNeedsIt) {
  const Array<std::int32_t> out = fresh(64);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(launch(copied_, 2, out, array(numbers(64))));
  expect_use_after_free(copying(out, [&] { return array(numbers(64)); }));
}

TEST_F(Freed, AnArrayThatLivesIsNone) {
  const Array<std::int32_t> out = fresh(64), x = array(numbers(64));
  const Graph graph = copying(out, [&] { return x; });
  EXPECT_TRUE(graph.launch(stream_));
  EXPECT_TRUE(stream_.synchronize());
}

class Streams : public Unwritten {
 protected:
  /// The code of the first report of what has been done, and where it stands; empty: none.
  std::string report() {
    const Result<void> done = device_.report_faults();
    if (done) return "";
    std::string text;
    for (const Diagnostic& one : done.error().diagnostics) {
      text += one.code + " " + std::to_string(one.place.line);
      for (const DiagnosticLabel& label : one.labels) text += " " + std::to_string(label.place.line);
      text += ": " + one.message.substr(0, one.message.find(" on another")) + "\n";
    }
    return text;
  }
  void copy(const Stream& stream, const Array<std::int32_t>& out, const Array<std::int32_t>& x) {
    EXPECT_TRUE(copied_.launch({.grid = {2}, .block = {32}, .stream = &stream}, out, x));
  }
  const Array<std::int32_t> x_ = array(numbers(64)), y_ = array(numbers(64)), z_ = array(numbers(64));
  const Stream first_ = *device_.create_stream(), second_ = *device_.create_stream();
};

TEST_F(Streams, TwoLaunchesThatNothingOrders) {
  copy(first_, y_, x_);
  EXPECT_EQ(report(), "");
  copy(second_, z_, y_);
  EXPECT_EQ(report(), "E0606 57 57: `x[0]`: kernel `copied` reads what kernel `copied` writes\n");
}

TEST_F(Streams, WhatOrdersThem) {
  const auto second = [&] {
    copy(second_, z_, y_);
    EXPECT_EQ(report(), "");
  };
  copy(first_, y_, x_);
  EXPECT_TRUE(second_.wait(*first_.record()));
  second();
  EXPECT_TRUE(second_.synchronize());

  copy(first_, y_, x_);
  EXPECT_TRUE(first_.synchronize());
  second();
  EXPECT_TRUE(first_.wait(*second_.record()));

  copy(first_, y_, x_);
  EXPECT_TRUE(first_.record()->synchronize());
  second();
  EXPECT_TRUE(device_.synchronize());

  copy(first_, y_, x_);
  copy(device_.default_stream(), array(numbers(64)), x_);
  second();
  EXPECT_TRUE(second_.synchronize());

  copy(first_, y_, x_);
  EXPECT_TRUE(x_.fill_zero());  // which waits
  second();
}

TEST_F(Streams, OtherElementsAndReadsAlone) {
  copy(first_, *y_.slice(Slice{0, 32}), *x_.slice(Slice{0, 32}));
  copy(second_, *y_.slice(Slice{32, 64}), *x_.slice(Slice{32, 64}));
  copy(second_, z_, x_);
  EXPECT_EQ(report(), "");
  copy(second_, *z_.slice(Slice{0, 2}), *y_.slice(Slice{31, 33}));
  EXPECT_EQ(report(), "E0606 57 57: `x[0]`: kernel `copied` reads what kernel `copied` writes\n");
}

TEST_F(Streams, AnEventBehindTooLittle) {
  const Event early = *first_.record();
  copy(first_, y_, x_);
  EXPECT_TRUE(second_.wait(early));
  copy(second_, z_, y_);
  EXPECT_NE(report(), "");
}

TEST_F(Streams, Copies) {
  std::vector<std::int32_t> values(64);
  EXPECT_TRUE(y_.copy_from(first_, values));
  copy(second_, z_, y_);
  EXPECT_EQ(report(), "E0606 57: `x[0]`: kernel `copied` reads what a copy writes\n");
  EXPECT_TRUE(device_.synchronize());
  copy(first_, y_, x_);
  EXPECT_TRUE(y_.copy_to(second_, values));
  EXPECT_EQ(report(), "E0606 57: `out[0]`: a copy reads what kernel `copied` writes\n");
  EXPECT_TRUE(device_.synchronize());
  copy(first_, y_, x_);
  EXPECT_TRUE(second_.wait(*first_.record()));
  EXPECT_TRUE(y_.copy_to(second_, values));
  EXPECT_EQ(report(), "");
}

TEST_F(Streams, MemoryThatIsAnotherArraysByNow) {
  for (int i = 0; i < 4; ++i) {
    const Stream& on = i % 2 == 0 ? first_ : second_;
    copy(on, *device_.default_stream().allocate<std::int32_t>({64}), x_);
    EXPECT_EQ(report(), "") << i;
  }
}

TEST_F(Sanitizer, TheOrderOfBlocksIsThatOfTheSeed) {
  const Kernel reversed = kernel("reversed_in_place");
  const auto report = [&](std::optional<std::uint64_t> seed) {
    device_.set_block_order(seed);
    return to_json(launch(reversed, 16, array(numbers(512))).error().diagnostics);
  };
  const std::string plain = report({}), other = report(5);
  EXPECT_EQ(report({}), plain);
  EXPECT_EQ(report(5), other);
  EXPECT_NE(other, plain);
  EXPECT_NE(other.find("the blocks ran in the order of seed 5"), std::string::npos) << other;
}

TEST_F(Sanitizer, EachBlockRunsOnceInAnyOrder) {
  const Kernel copied = kernel("copied");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    device_.set_block_order(seed);
    for (const int blocks : {1, 2, 3, 16, 30}) {
      const Array<std::int32_t> out = array(std::vector<std::int32_t>(static_cast<std::size_t>(32 * blocks)));
      ASSERT_TRUE(launch(copied, blocks, out, array(numbers(32 * blocks))));
      EXPECT_EQ(*out.to_vector(), numbers(32 * blocks));
    }
  }
}

}  // namespace
}  // namespace pykc
