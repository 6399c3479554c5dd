// Launches that the CPU device watches: what is reported, with which places, and which launches need no watching.
// tests/sanitizer/ has programs with faults of all kinds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

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

}  // namespace
}  // namespace pykc
