// What a compilation may take, what a stranger's source may do, and what happens to exceptions at the doors.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>

#include "driver/driver.h"
#include "pykc/compiler.h"
#include "pykc/source.h"

namespace pykc {
namespace {

constexpr std::string_view kScale =
    "from pykc import *\n"
    "@kernel\n"
    "def scale(x: f32[:]):\n"
    "    i = grid(1)\n"
    "    if i < len(x):\n"
    "        x[i] *= 2\n";

CompileOptions uncached(std::string target = "cpu") {
  CompileOptions options;
  options.target = std::move(target);
  options.cache = false;
  return options;
}

/// The first diagnostic of a compilation that fails: its code, and where.
std::string failure(std::string_view source, const CompileOptions& options) {
  const Result<Artifact> artifact = compile(source, options);
  if (artifact) return "no error";
  if (artifact.error().diagnostics.empty()) return artifact.error().message;
  const Diagnostic& first = artifact.error().diagnostics.front();
  return first.code + " " + std::to_string(first.place.line);
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// Kernels of many statements, which on the CPU device are compiled side by side.
std::string long_kernels(int count, int statements) {
  std::string text = "from pykc import *\nimport math\n";
  for (int i = 0; i < count; ++i)
    text += "@kernel\ndef k" + std::to_string(i) + "(x: f32[:]):\n" +
            repeated("    x[0] = math.sin(x[1]) + x[0]\n", statements);
  return text;
}
std::string long_kernel(int statements) { return long_kernels(1, statements); }

// --- Exceptions ------------------------------------------------------------------------------------------------------

TEST(Doors, WhatAnImportThrowsIsToldWhereItStands) {
  CompileOptions options = uncached();
  options.import = [](std::string_view name) -> Result<Source> {
    throw std::runtime_error("no connection to fetch " + std::string(name));
  };
  const Result<Artifact> artifact = compile("x = 1\nfrom shapes import area\n", options);
  ASSERT_FALSE(artifact);
  ASSERT_FALSE(artifact.error().diagnostics.empty());
  const Diagnostic& first = artifact.error().diagnostics.front();
  EXPECT_EQ(first.code, "E0288");
  EXPECT_EQ(first.place.line, 2);
  EXPECT_EQ(first.message, "the import of `shapes` failed: no connection to fetch shapes");
  options.import = [](std::string_view) -> Result<Source> { throw 1; };
  EXPECT_EQ(failure("x = 1\nfrom shapes import area\n", options), "E0288 2");
}

TEST(Doors, AnImportWithoutMemoryIsNoMistakeOfTheSource) {
  CompileOptions options = uncached();
  options.import = [](std::string_view) -> Result<Source> { throw std::bad_alloc(); };
  const Result<Artifact> artifact = compile("from shapes import area\n", options);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().code, ErrorCode::OutOfMemory);
}

TEST(Doors, AnImportThatIsNotFoundMayBeTheLibrarys) {
  CompileOptions options = uncached();
  options.import = [](std::string_view) -> Result<Source> { return Error{ErrorCode::NotFound, "no such module"}; };
  EXPECT_EQ(failure("from pykc import *\nfrom pykc.reduce import block_sum\n@kernel\ndef k(x: f32[:]):\n    x[0] = 1\n",
                    options),
            "no error");
  EXPECT_EQ(failure("from shapes import area\n", options), "E0210 1");
  options.import = [](std::string_view) -> Result<Source> {
    return Error{ErrorCode::InputOutput, "the disk is broken"};
  };
  EXPECT_EQ(failure("from shapes import area\n", options), "E0288 1");
}

// --- Limits ----------------------------------------------------------------------------------------------------------

TEST(Limits, OfTime) {
  CompileOptions options = uncached();
  options.limits.emplace().time = std::chrono::milliseconds(20);
  for (const char* target : {"cpu", "sm_80"}) {
    options.target = target;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(failure(long_kernel(4000), options).substr(0, 5), "E0310") << target;
    EXPECT_EQ(failure(long_kernels(6, 700), options).substr(0, 5), "E0310") << target;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << target;
  }
}

TEST(Limits, OfMemory) {
  CompileOptions options = uncached();
  options.limits.emplace().memory = 8 << 20;
  EXPECT_EQ(failure(long_kernel(20'000), options).substr(0, 5), "E0311");
  EXPECT_EQ(failure(long_kernels(10, 2000), options).substr(0, 5), "E0311");
}

TEST(Limits, OfOperationsAndOutput) {
  CompileOptions options = uncached();
  options.limits.emplace().operations = 1000;
  EXPECT_EQ(failure(kScale, options), "no error");
  EXPECT_EQ(failure(long_kernel(1000), options), "E0312 1004");
  options.limits.emplace().output_bytes = 100;
  EXPECT_EQ(failure(kScale, options).substr(0, 5), "E0313");
  options.limits->output_bytes = static_cast<std::int64_t>(compile(long_kernel(40), uncached())->code.size());
  EXPECT_EQ(failure(long_kernel(40), options), "no error");
  EXPECT_EQ(failure(long_kernels(4, 40), options).substr(0, 5), "E0313");
}

TEST(Limits, OfWhatTheCheckerMakes) {
  CompileOptions options = uncached();
  options.limits.emplace().unrolled_turns = 4;
  const std::string unrolled =
      "from pykc import *\n@kernel\ndef k(x: f32[:]):\n    for i in unroll(range(5)):\n        x[i] = 1\n";
  EXPECT_EQ(failure(unrolled, options), "E0278 4");
  options.limits.emplace().unrolled_statements = 4;
  EXPECT_EQ(failure(unrolled, options), "E0278 4");
  options.limits.emplace().specializations = 1;
  EXPECT_EQ(failure("from pykc import *\ndef f(a):\n    return a\n@kernel\ndef k(x: f32[:]):\n"
                    "    x[0] = f(1)\n    x[1] = f(1.5)\n",
                    options),
            "E0287 7");
  options.limits.emplace().diagnostics = 3;
  const Result<Artifact> artifact = compile("@kernel\ndef k(x: f32[:]):\n" + repeated("    x[0] = y\n", 10), options);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().diagnostics.size(), 3U);
}

TEST(Limits, OneErrorIsAlwaysTold) {
  CompileOptions options = uncached();
  for (const int most : {0, -1}) {
    options.limits.emplace().diagnostics = most;
    const Result<Artifact> artifact = compile("x = \n", options);
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().diagnostics.size(), 1U);
  }
}

TEST(Options, WithoutAMeaningAreRefused) {
  for (const int level : {-1, 4}) {
    CompileOptions options = uncached();
    options.optimization = level;
    EXPECT_EQ(compile(kScale, options).error().code, ErrorCode::InvalidArgument);
  }
  for (const char* target : {"cpu", "sm_900"}) {
    CompileOptions options = uncached();
    options.target = "cpu";
    options.costs_for = target;
    EXPECT_FALSE(compile(kScale, options)) << target;
  }
}

TEST(Limits, OfTheText) {
  CompileOptions options = uncached();
  options.limits.emplace().source_bytes = 1 << 20;
  EXPECT_EQ(failure(std::string(2 << 20, '\n'), options), "E0101 1");
}

/// A function that holds so many numbers while it calls itself.
std::string recursive_function(int numbers) {
  std::string before, after;
  for (int i = 0; i < numbers; ++i) {
    const std::string number = std::to_string(i);
    before += "    x" + number + " = o[" + number + "]\n";
    after += "    o[" + number + "] = x" + number + " + r\n";
  }
  return "from pykc import *\n@device\ndef f(o, d):\n    if d <= 0:\n        return 0\n" + before +
         "    r = f(o, d - 1)\n" + after + "    return r\n@kernel\ndef k(o: i64[:], d: i64):\n    o[0] = f(o, d)\n";
}

TEST(Limits, OfTheStackOfFunctionsThatCallThemselves) {
  EXPECT_TRUE(compile(recursive_function(100), uncached()));
  for (const int numbers : {400, 3000})
    EXPECT_NE(failure(recursive_function(numbers), uncached()).find("`f` calls itself"), std::string::npos) << numbers;
}

TEST(Limits, ACompilationIsAsGoodAsBeforeBehindOne) {
  CompileOptions options = uncached();
  options.limits.emplace().time = std::chrono::milliseconds(1);
  (void)failure(long_kernel(4000), options);
  EXPECT_EQ(failure(kScale, uncached()), "no error");
}

// --- Untrusted source ------------------------------------------------------------------------------------------------

TEST(Untrusted, HasNeitherPtxNorLibraries) {
  CompileOptions options = uncached("sm_80");
  options.untrusted = true;
  EXPECT_EQ(failure(kScale, options), "no error");
  EXPECT_EQ(
      failure("from pykc import *\n@kernel\ndef k(x: i32[:]):\n    x[0] = ptx(\"mov.u32 %0, 1;\", i32)\n", options),
      "E0314 4");
  EXPECT_EQ(failure("from pykc import *\n@extern\ndef f(x: i32) -> i32: ...\n@kernel\ndef k(x: i32[:]):\n"
                    "    x[0] = f(1)\n",
                    options),
            "E0314 2");
  options.libraries = {{"library", "BC"}};
  EXPECT_EQ(failure(kScale, options), "no library is linked to source that is not trusted");
}

TEST(Untrusted, MayUseTheLibraryThatIsBuiltIn) {
  CompileOptions options = uncached("sm_90");
  options.untrusted = true;
  EXPECT_EQ(failure("from pykc import *\nfrom pykc.mma import mma_m16n8k8_f16\n@kernel\ndef k(x: f32[:]):\n"
                    "    c = mma_m16n8k8_f16((1, 2), (3,), (0.0, 0.0, 0.0, 0.0))\n    x[0] = c[0]\n",
                    options),
            "no error");
}

TEST(Untrusted, IsChecked) {
  CompileOptions options = uncached();
  options.untrusted = true;
  const Result<Artifact> artifact = compile(kScale, options);
  ASSERT_TRUE(artifact);
  ASSERT_EQ(artifact->kernels.size(), 1U);
  EXPECT_FALSE(artifact->kernels[0].faults.empty());
}

TEST(Untrusted, SeesNoFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "untrusted";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "secret.pyk") << "def area(a):\n    return a\n";
  const std::string text =
      "from pykc import *\nfrom secret import area\n@kernel\ndef k(x: f32[:]):\n    x[0] = area(1)\n";
  std::ofstream(folder / "main.pyk") << text;
  CompileOptions options = uncached();
  const std::string path = (folder / "main.pyk").string();
  EXPECT_TRUE(compile_file(path, options));
  EXPECT_TRUE(compile(text, options, path));
  options.untrusted = true;
  EXPECT_FALSE(compile_file(path, options));
  EXPECT_FALSE(compile(text, options, path));
  options.import = [](std::string_view) -> Result<Source> { return Source("def area(a):\n    return a\n"); };
  EXPECT_TRUE(compile(text, options, path));
}

TEST(Untrusted, ATextHasNoFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "working";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "secret.pyk") << "def area(a):\n    return a\n";
  std::filesystem::current_path(folder);
  EXPECT_EQ(failure("from secret import area\n", uncached()), "E0210 1");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace pykc
