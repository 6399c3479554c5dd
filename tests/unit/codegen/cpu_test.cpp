// Kernels that run on this machine's CPU: blocks and threads, guards, stores past the cache, functions, faults.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

#include "codegen/parts.h"
#include "ir/text/parser.h"
#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

TEST(Cpu, EveryThreadOfEveryBlockRunsOnce) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>) {
  %0 = builtin blockIdx.z : i64
  %1 = builtin gridDim.y : i64
  %2 = mul %0, %1
  %3 = builtin blockIdx.y : i64
  %4 = add %2, %3
  %5 = builtin gridDim.x : i64
  %6 = mul %4, %5
  %7 = builtin blockIdx.x : i64
  %8 = add %6, %7
  %9 = builtin blockDim.z : i64
  %10 = mul %8, %9
  %11 = builtin threadIdx.z : i64
  %12 = add %10, %11
  %13 = builtin blockDim.y : i64
  %14 = mul %12, %13
  %15 = builtin threadIdx.y : i64
  %16 = add %14, %15
  %17 = builtin blockDim.x : i64
  %18 = mul %16, %17
  %19 = builtin threadIdx.x : i64
  %20 = add %18, %19
  %21 = element %x, %20
  %22 = load %21 : i32
  %23 = cast %20 : i32
  %24 = add %22, %23
  store %21, %24
  return
})");
  for (const auto& [grid, block] :
       {std::pair<Dim3, Dim3>{{2, 3, 4}, {5, 6, 7}}, {{1, 1, 1}, {1, 1, 1}}, {{7, 1, 1}, {33, 1, 1}}}) {
    Words words(static_cast<std::size_t>(grid.x * grid.y * grid.z * block.x * block.y * block.z));
    run(program, {.grid = grid, .block = block}, words);
    for (std::size_t n = 0; n < words.size(); ++n) ASSERT_EQ(words[n], static_cast<int>(n));
  }
}

constexpr const char* kAddOne = R"(
  %6 = element %x, %4
  %7 = load %6 : i32
  %8 = add %7, i32 1
  store %6, %8)";

/// `body`, of i = %4 and %n, unless `condition`, their %5, holds.
CpuProgram guarded(const std::string& condition, const std::string& body = kAddOne,
                   const std::string& more_parameters = "") {
  return CpuProgram::from_text("kernel @k(%x: ptr<i32, global>, %n: i64" + more_parameters + R"() {
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = builtin threadIdx.x : i64
  %4 = add %2, %3
)" + condition + R"(
  if %5 {
    return
  })" + body + "\n  return\n}");
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

TEST(Cpu, GuardsHoldAtEveryEdge) {
  struct Case {
    const char* returns_if;
    bool (*runs)(std::int64_t i, std::int64_t n);
  };
  const Case cases[] = {
      {"  %5 = ge %4, %n", [](std::int64_t i, std::int64_t n) { return i < n; }},
      {"  %5 = gt %4, %n", [](std::int64_t i, std::int64_t n) { return i <= n; }},
      {"  %5 = lt %4, %n", [](std::int64_t i, std::int64_t n) { return i >= n; }},
      {"  %5 = le %n, %4", [](std::int64_t i, std::int64_t n) { return i < n; }},
      {"  %5 = ne %4, %n", [](std::int64_t i, std::int64_t n) { return i == n; }},
      {"  %5 = eq %4, %n", [](std::int64_t i, std::int64_t n) { return i != n; }},
      {"  %9 = mul %4, i64 3\n  %5 = ge %9, %n", [](std::int64_t i, std::int64_t n) { return 3 * i < n; }},
      {"  %9 = mul %4, i64 -5\n  %5 = ge %9, %n", [](std::int64_t i, std::int64_t n) { return -5 * i < n; }},
      {"  %9 = sub i64 100, %4\n  %5 = le %9, %n", [](std::int64_t i, std::int64_t n) { return 100 - i > n; }},
      {"  %9 = mul %4, i64 3\n  %5 = eq %9, %n", [](std::int64_t i, std::int64_t n) { return 3 * i != n; }},
      {"  %9 = sub i64 100, %4\n  %5 = ne %n, %9", [](std::int64_t i, std::int64_t n) { return 100 - i == n; }},
      {"  %9 = mul %4, i64 2\n  %10 = add %4, %n\n  %5 = gt %9, %10",
       [](std::int64_t i, std::int64_t n) { return 2 * i <= i + n; }},
      {"  %9 = add %4, %3\n  %10 = lt %9, %n\n  %11 = lt %4, i64 70\n  %5 = and %10, %11",
       [](std::int64_t i, std::int64_t n) { return !(i + i % 64 < n && i < 70); }},
      // A slope that may be 0: then the outcome never changes.
      {"  %9 = mod %n, i64 3\n  %10 = mul %4, %9\n  %5 = eq %10, i64 0",
       [](std::int64_t i, std::int64_t n) { return i * floor_mod(n, 3) != 0; }},
      {"  %9 = mod %n, i64 3\n  %10 = mul %4, %9\n  %5 = ne %10, i64 80",
       [](std::int64_t i, std::int64_t n) { return i * floor_mod(n, 3) == 80; }},
      {"  %9 = mod %n, i64 3\n  %10 = mul %4, %9\n  %5 = ge %10, i64 80",
       [](std::int64_t i, std::int64_t n) { return i * floor_mod(n, 3) < 80; }},
      // So steep that the difference overflows within a row.
      {"  %9 = mul no_wrap %4, i64 36028797018963968\n  %5 = ge %9, %n",
       [](std::int64_t i, std::int64_t n) { return (i << 55) < n; }},
      {"  %9 = mul no_wrap %4, i64 36028797018963968\n  %5 = eq %9, %n",
       [](std::int64_t i, std::int64_t n) { return (i << 55) != n; }},
  };
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  for (const Case& one : cases) {
    CpuProgram program = guarded(one.returns_if);
    for (const std::int64_t n :
         {-kLargest - 1,     -kLargest,         std::int64_t{-900}, std::int64_t{-100}, std::int64_t{-1},
          std::int64_t{0},   std::int64_t{1},   std::int64_t{2},    std::int64_t{15},   std::int64_t{17},
          std::int64_t{36},  std::int64_t{63},  std::int64_t{64},   std::int64_t{65},   std::int64_t{99},
          std::int64_t{100}, std::int64_t{127}, std::int64_t{191},  std::int64_t{192},  std::int64_t{573},
          kLargest - 1,      kLargest}) {
      if (std::string_view(one.returns_if).find("add %4, %n") != std::string_view::npos && n > kLargest / 2) continue;
      Words words(192);
      run(program, {.grid = {3}, .block = {64}}, words, n);
      for (std::int64_t i = 0; i < 192; ++i)
        ASSERT_EQ(words[static_cast<std::size_t>(i)], one.runs(i, n)) << one.returns_if << " i " << i << " n " << n;
    }
  }
}

// Rows that begin on a boundary of vectors, and others; such that end within a vector; two arrays, of which one is
// read.
TEST(Cpu, StoresPastTheCacheWriteTheSame) {
  CpuProgram program = guarded("  %5 = ge %4, %n", R"(
  %6 = element %y, %4
  %7 = load %6 : i32
  %8 = add %7, i32 1
  store %6, %8
  %9 = element %x, %4
  %10 = mul %8, i32 3
  store %9, %10)",
                               ", %y: ptr<i32, global>");
  constexpr std::int64_t kBlock = 96;
  for (const std::int64_t offset : {0, 1, 7, 8, 16})
    for (const std::int64_t n : {0, 1, 15, 16, 31, 32, 64, 95, 96, 97, 200, 288}) {
      alignas(64) std::array<std::int32_t, 320> x{}, y{};
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(i);
      const void* const to = x.data() + offset;
      const void* const from = y.data();
      program.run("k", {.grid = {3, 1, 1}, .block = {kBlock, 1, 1}, .streams = true}, {&to, &n, &from});
      for (std::int64_t i = 0; i < 320; ++i) {
        const std::int64_t thread = i - offset;
        const bool is_written = thread >= 0 && thread < n;
        ASSERT_EQ(x[static_cast<std::size_t>(i)], is_written ? 3 * (thread + 1) : 0) << offset << " " << n << " " << i;
      }
    }
}

TEST(Cpu, GuardThatWrapsIsNotTakenForMonotone) {
  // i * 2^62 wraps: true, true, false, false, true …
  CpuProgram program = guarded("  %9 = mul %4, i64 4611686018427387904\n  %5 = lt %9, %n");
  Words words(64);
  run(program, {.grid = {1}, .block = {64}}, words, std::int64_t{0});
  for (int i = 0; i < 64; ++i) EXPECT_EQ(words[static_cast<std::size_t>(i)], i % 4 < 2) << i;
}

TEST(Cpu, AVariableThatNobodySetIsZeroInEveryTurn) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>) {
  local $v: i32
  %0 = builtin threadIdx.x : i64
  %1 = eq %0, i64 3
  if %1 {
    store_local $v, i32 7
  }
  %2 = load_local $v : i32
  %3 = element %x, %0
  store %3, %2
  return
})");
  Words words(8, -1);
  run(program, {.block = {8}}, words);
  EXPECT_EQ(words, (Words{0, 0, 0, 7, 0, 0, 0, 0}));
}

std::vector<Part> parts_of(const std::string& text, const Options& options = {}, const std::string& target = "cpu") {
  std::vector<std::string> errors;
  const std::unique_ptr<ir::Module> module = ir::parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  return codegen::parts_of(*module, Target::parse(target).value(), options);
}

/// A kernel of so many instructions and three more.
std::string kernel_of(int number, int instructions) {
  std::string text = "kernel @k" + std::to_string(number) + "(%x: ptr<i32, global>) {\n  %0 = load %x : i32\n";
  for (int i = 1; i <= instructions; ++i)
    text += "  %" + std::to_string(i) + " = add %" + std::to_string(i - 1) + ", i32 1\n";
  return text + "  store %x, %" + std::to_string(instructions) + "\n  return\n}\n";
}

TEST(Cpu, LongKernelsAreCompiledSideBySide) {
  std::string of_short, of_long;
  for (int i = 0; i < 10; ++i) of_short += kernel_of(i, 5);
  for (int i = 0; i < 100; ++i) of_long += kernel_of(i, 130);
  EXPECT_EQ(parts_of(of_short).size(), 1U);
  EXPECT_EQ(parts_of(of_long, {}, "sm_80").size(), 1U);
  EXPECT_EQ(parts_of(of_long, {.line_info = true}).size(), 1U);
  EXPECT_EQ(parts_of(kernel_of(0, 130) + kernel_of(1, 130)).size(), 2U);
  const std::vector<Part> parts = parts_of(of_long);
  EXPECT_GT(parts.size(), 32U);
  EXPECT_LE(parts.size(), 64U);
  std::size_t functions = 0;
  for (const Part& part : parts) {
    EXPECT_EQ(part.is_first, &part == &parts.front());
    EXPECT_FALSE(part.functions.empty());
    functions += part.functions.size();
  }
  EXPECT_EQ(functions, 100U);
}

TEST(Cpu, KernelsOfAllPartsReadTheConstantThatTheHostFills) {
  constexpr int kKernels = 150;
  std::string text = "host constant unused: u8 = \"00\"\nhost constant factor: i32 = \"0000000005000000\"\n";
  for (int i = 0; i < kKernels; ++i)
    text += "kernel @k" + std::to_string(i) + R"((%x: ptr<i32, global>) {
  %0 = constant_array 1 : ptr<i32, constant>
  %1 = element %0, i64 1
  %2 = load %1 : i32
  %3 = mul %2, i32 )" +
            std::to_string(i) + R"(
  store %x, %3
  return
}
)";
  EXPECT_GT(parts_of(text).size(), 1U);
  CpuProgram program = CpuProgram::from_text(text);
  EXPECT_NE(program.constant(program.artifact().constants[0].symbol, 1), nullptr);
  auto* const factor = static_cast<std::int32_t*>(program.constant(program.artifact().constants[1].symbol, 8));
  ASSERT_NE(factor, nullptr);
  for (const std::int32_t value : {factor[1], -7}) {
    factor[1] = value;
    for (int i = 0; i < kKernels; ++i) {
      std::int32_t x = -1;
      void* const address = &x;
      program.run("k" + std::to_string(i), {.grid = {1, 1, 1}, .block = {1, 1, 1}}, {&address});
      ASSERT_EQ(x, value * i);
    }
  }
  EXPECT_EQ(program.artifact().code, CpuProgram::from_text(text).artifact().code);
}

TEST(Cpu, FaultIsReportedAndStopsTheLaunch) {
  CpuProgram program = CpuProgram::from_text(R"(
fault "never" "k.pyk" 1 1
fault "x is {0}" "k.pyk" 3 5
kernel @other(%x: ptr<i32, global>) {
  return
}
kernel @k(%x: ptr<i32, global>, %n: i64) {
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockIdx.x : i64
  %2 = mul %1, i64 4
  %3 = add %2, %0
  %4 = ge %3, %n
  if %4 {
    fault 1 %3
  }
  %5 = element %x, %3
  store %5, i32 1
  return
})");
  EXPECT_TRUE(program.artifact().kernels[0].faults.empty());
  EXPECT_EQ(program.artifact().kernels[1].faults.size(), 2U);
  Words words(16);
  run(program, {.grid = {4}, .block = {4}}, words, std::int64_t{6});
  const abi::FaultRecord& fault = program.fault();
  EXPECT_EQ(fault.claimed, 1);
  EXPECT_EQ(fault.ready, 1);
  EXPECT_EQ(fault.kernel, 1);
  EXPECT_EQ(fault.site, 1);
  EXPECT_EQ(fault.block[0], 1);
  EXPECT_EQ(fault.thread[0], 2);
  EXPECT_EQ(fault.values[0], 6);
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0), 6);
}

TEST(Cpu, PrintsWholeLines) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<f64, global>) {
  format "i = %lld, x = %g, %s, 100%%\n"
  %0 = builtin threadIdx.x : i64
  %1 = element %x, %0
  %2 = load %1 : f64
  %3 = gt %2, f64 1.0
  print 0 %0, %2, %3
  return
})");
  double x[] = {0.5, 1.5};
  void* address = x;
  CpuProgram::printed().clear();
  program.run("k", {.block = {2}}, {&address});
  EXPECT_EQ(CpuProgram::printed(), "i = 0, x = 0.5, False, 100%\ni = 1, x = 1.5, True, 100%\n");
}

TEST(Cpu, DeviceFunctionsWithSeveralResults) {
  CpuProgram program = CpuProgram::from_text(R"(
device @split(%v: i32) -> i32, i32 {
  local_array pair: i32[2] align 16
  %0 = local_array 0 : ptr<i32, local>
  %1 = element %0, i64 1
  %2 = floordiv %v, i32 10
  store %0, %2
  %3 = mod %v, i32 10
  store %1, %3
  %4 = load %0 : i32
  %5 = load %1 : i32
  return %4, %5
}
kernel @k(%x: ptr<i32, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = element %x, %0
  %2 = load %1 : i32
  %3 = call @split %2
  %4 = extract 0 %3 : i32
  %5 = extract 1 %3 : i32
  %6 = mul %4, i32 100
  %7 = add %6, %5
  store %1, %7
  return
})");
  Words words(40);
  std::iota(words.begin(), words.end(), 30);
  run(program, {.block = {40}}, words);
  for (int t = 0; t < 40; ++t) EXPECT_EQ(words[static_cast<std::size_t>(t)], (t + 30) / 10 * 100 + (t + 30) % 10);
}

TEST(Cpu, LevelsAgree) {
  constexpr std::string_view kText = R"(
kernel @k(%x: ptr<i32, global>, %n: i64) {
  %0 = builtin threadIdx.x : i64
  %1 = lt %0, %n
  if %1 {
    %2 = element %x, %0
    %3 = cast %0 : i32
    %4 = shl %3, i32 2
    store %2, %4
  }
  return
})";
  for (const int level : {0, 1, 2, 3}) {
    CpuProgram program = CpuProgram::from_text(kText, level);
    Words words(10, -1);
    run(program, {.block = {10}}, words, std::int64_t{3});
    EXPECT_EQ(words, (Words{0, 4, 8, -1, -1, -1, -1, -1, -1, -1})) << level;
  }
}

}  // namespace
}  // namespace pykc::codegen::test
