// Kernels that run on this machine's CPU: blocks and threads, guards, barriers, warps, memory, faults.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

#include "codegen/codegen.h"
#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

using Words = std::vector<std::int32_t>;

/// Runs a kernel whose first parameter is an array of i32 and whose others are i64.
template <typename... Numbers>
void run(CpuProgram& program, const Launch& launch, Words& words, Numbers... numbers) {
  void* address = words.data();
  const std::int64_t values[] = {numbers..., 0};
  std::vector<const void*> parameters = {&address};
  for (std::size_t n = 0; n < sizeof...(numbers); ++n) parameters.push_back(&values[n]);
  program.run("k", launch, parameters);
}

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

/// `x[i] += 1` where `condition` (of i = %4 and %n) holds.
CpuProgram guarded(const std::string& condition) {
  return CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>, %n: i64) {
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = builtin threadIdx.x : i64
  %4 = add %2, %3
)" + condition + R"(
  if %5 {
    return
  }
  %6 = element %x, %4
  %7 = load %6 : i32
  %8 = add %7, i32 1
  store %6, %8
  return
})");
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
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>, %y: ptr<i32, global>, %n: i64) {
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = builtin threadIdx.x : i64
  %4 = add %2, %3
  %5 = ge %4, %n
  if %5 {
    return
  }
  %6 = element %y, %4
  %7 = load %6 : i32
  %8 = add %7, i32 1
  store %6, %8
  %9 = element %x, %4
  %10 = mul %8, i32 3
  store %9, %10
  return
})");
  constexpr std::int64_t kBlock = 96;
  for (const std::int64_t offset : {0, 1, 7, 8, 16})
    for (const std::int64_t n : {0, 1, 15, 16, 31, 32, 64, 95, 96, 97, 200, 288}) {
      alignas(64) std::array<std::int32_t, 320> x{}, y{};
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(i);
      const void* const to = x.data() + offset;
      const void* const from = y.data();
      program.run("k", {.grid = {3, 1, 1}, .block = {kBlock, 1, 1}, .streams = true}, {&to, &from, &n});
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

TEST(Cpu, SharedMemoryAndBarrier) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>) {
  shared_array tile: i32[100] align 16
  shared_array other: i32[3] align 16
  %0 = builtin threadIdx.x : i64
  %1 = shared_array 0 : ptr<i32, shared>
  %2 = element %1, %0
  %3 = element %x, %0
  %4 = load %3 : i32
  store %2, %4
  builtin syncthreads
  %5 = builtin blockDim.x : i64
  %6 = sub %5, %0
  %7 = sub %6, i64 1
  %8 = element %1, %7
  %9 = load %8 : i32
  store %3, %9
  return
})");
  EXPECT_EQ(program.artifact().kernels[0].static_shared_bytes, 416);
  Words words(100);
  std::iota(words.begin(), words.end(), 0);
  run(program, {.block = {100}}, words);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(words[static_cast<std::size_t>(i)], 99 - i);
}

TEST(Cpu, DynamicSharedArraysFollowEachOther) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i64, global>) {
  dynamic_shared_bytes (blockDim.x 4 mul 15 add 16 floordiv 16 mul blockDim.y 8 mul 15 add 16 floordiv 16 mul add)
  uses_launch_shared_bytes
  shared_array fixed: i32[5] align 16
  shared_array first: i32 dynamic (blockDim.x 4 mul) align 16
  shared_array second: i64 dynamic (blockDim.y 8 mul) align 16
  shared_array rest: i8 dynamic () align 16
  shared_array same: i32 dynamic () align 16
  %0 = shared_array 0 : ptr<i32, shared>
  %1 = shared_array 1 : ptr<i32, shared>
  %2 = shared_array 2 : ptr<i64, shared>
  %3 = shared_array 3 : ptr<i8, shared>
  %4 = shared_array 4 : ptr<i32, shared>
  store %0, i32 1
  %5 = element %1, i64 4
  store %5, i32 2
  %6 = element %2, i64 2
  store %6, i64 3
  store %4, i32 258
  %7 = load %0 : i32
  %8 = cast %7 : i64
  store %x, %8
  %9 = load %5 : i32
  %10 = cast %9 : i64
  %11 = element %x, i64 1
  store %11, %10
  %12 = load %6 : i64
  %13 = element %x, i64 2
  store %13, %12
  %14 = element %3, i64 1
  %15 = load %14 : i8
  %16 = cast %15 : i64
  %17 = element %x, i64 3
  store %17, %16
  %18 = launch_shared_bytes : i64
  %19 = element %x, i64 4
  store %19, %18
  return
})");
  std::vector<std::int64_t> x(5);
  void* address = x.data();
  program.run("k", {.block = {5, 3, 1}, .shared_bytes = 40}, {&address});
  EXPECT_EQ(x, (std::vector<std::int64_t>{1, 2, 3, 1, 40}));
}

TEST(Cpu, ReductionInALoopOfBarriers) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>, %y: ptr<i32, global>) {
  local $d: i64
  shared_array sums: i32[256] align 16
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockIdx.x : i64
  %2 = builtin blockDim.x : i64
  %3 = mul %1, %2
  %4 = add %3, %0
  %5 = element %x, %4
  %6 = load %5 : i32
  %7 = shared_array 0 : ptr<i32, shared>
  %8 = element %7, %0
  store %8, %6
  builtin syncthreads
  %9 = floordiv %2, i64 2
  store_local $d, %9
  loop L0 {
    %10 = load_local $d : i64
    %11 = le %10, i64 0
    if %11 {
      break L0
    }
    %12 = lt %0, %10
    if %12 {
      %13 = add %0, %10
      %14 = element %7, %13
      %15 = load %14 : i32
      %16 = load %8 : i32
      %17 = add %15, %16
      store %8, %17
    }
    builtin syncthreads
    %18 = floordiv %10, i64 2
    store_local $d, %18
  }
  %19 = eq %0, i64 0
  if %19 {
    %20 = element %y, %1
    %21 = load %7 : i32
    store %20, %21
  }
  return
})");
  Words x(1024), y(4);
  std::iota(x.begin(), x.end(), 1);
  void *xs = x.data(), *ys = y.data();
  program.run("k", {.grid = {4}, .block = {256}}, {&xs, &ys});
  EXPECT_EQ(y, (Words{32896, 98432, 163968, 229504}));
}

/// out[t] = OPERATION of thread t, where the threads that `keeps` says have not returned before.
Words exchange(const std::string& operation, int threads, const std::string& before = "") {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = cast %0 : i32
  %2 = mul %1, i32 10
  %3 = mod %1, i32 3
  %4 = eq %3, i32 0
  %5 = element %x, %0
)" + before + operation + R"(
  store %5, %6
  return
})");
  Words words(static_cast<std::size_t>(threads), -1);
  run(program, {.block = {threads}}, words);
  return words;
}

TEST(Cpu, Shuffles) {
  for (const int threads : {1, 32, 40, 96}) {
    struct Case {
      const char* name;
      int argument;
      int width;
      int (*source)(int lane, int argument, int width);  // -1: the own value
    };
    const Case cases[] = {
        {"shfl_sync", 5, 32, [](int, int a, int) { return a; }},
        {"shfl_sync", 9, 8, [](int lane, int a, int w) { return lane / w * w + a % w; }},
        {"shfl_up_sync", 3, 32, [](int lane, int a, int) { return lane - a; }},
        {"shfl_up_sync", 1, 4, [](int lane, int a, int w) { return lane % w < a ? -1 : lane - a; }},
        {"shfl_down_sync", 16, 32, [](int lane, int a, int) { return lane + a < 32 ? lane + a : -1; }},
        {"shfl_down_sync", 1, 8, [](int lane, int a, int w) { return lane % w + a < w ? lane + a : -1; }},
        {"shfl_xor_sync", 7, 32, [](int lane, int a, int) { return lane ^ a; }},
        {"shfl_xor_sync", 8, 8, [](int lane, int a, int w) { return (lane ^ a) / w > lane / w ? -1 : lane ^ a; }},
    };
    for (const Case& one : cases) {
      const Words words = exchange("  %6 = builtin " + std::string(one.name) + " u32 4294967295, %2, i32 " +
                                       std::to_string(one.argument) + ", i32 " + std::to_string(one.width) + " : i32\n",
                                   threads);
      for (int t = 0; t < threads; ++t) {
        const int lane = t % 32, source = one.source(lane, one.argument, one.width);
        const bool exists = source >= 0 && t - lane + source < threads;
        EXPECT_EQ(words[static_cast<std::size_t>(t)], 10 * (exists ? t - lane + source : t))
            << one.name << ' ' << one.argument << ' ' << one.width << " thread " << t << " of " << threads;
      }
    }
  }
}

TEST(Cpu, VotesSeeLivingLanes) {
  const std::string leave = "  %7 = ge %0, i64 35\n  if %7 {\n    return\n  }\n";
  const auto vote = [&](const std::string& name, const std::string& type, const std::string& before) {
    return exchange("  %8 = builtin " + name + " : " + type + "\n  %6 = cast %8 : i32\n", 40, before);
  };
  const std::uint32_t multiples = 0x49249249;  // lanes 0, 3, 6 … 30 of the first warp
  EXPECT_EQ(static_cast<std::uint32_t>(vote("ballot_sync u32 4294967295, %4", "u32", "")[7]), multiples);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", "")[33], 0b10010010);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", leave)[33], 0b010);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", leave)[36], -1);
  EXPECT_EQ(vote("ballot_sync u32 9, %4", "u32", "")[0], 9);
  EXPECT_EQ(vote("activemask", "u32", leave)[34], 0b111);
  EXPECT_EQ(vote("any_sync u32 4294967295, %4", "bool", "")[1], 1);
  EXPECT_EQ(vote("any_sync u32 6, %4", "bool", "")[1], 0);
  EXPECT_EQ(vote("all_sync u32 4294967295, %4", "bool", "")[1], 0);
  EXPECT_EQ(vote("all_sync u32 9, %4", "bool", "")[0], 1);
  EXPECT_EQ(vote("eq_sync u32 6, %4", "bool", "")[1], 1);
  EXPECT_EQ(vote("eq_sync u32 7, %4", "bool", "")[1], 0);
}

TEST(Cpu, CountingBarriers) {
  const std::string leave = "  %7 = ge %0, i64 35\n  if %7 {\n    return\n  }\n";
  EXPECT_EQ(exchange("  %6 = builtin syncthreads_count %4 : i32\n", 40)[5], 14);
  EXPECT_EQ(exchange("  %6 = builtin syncthreads_count %4 : i32\n", 40, leave)[5], 12);
  EXPECT_EQ(
      exchange("  %8 = lt %1, i32 35\n  %9 = builtin syncthreads_and %8 : bool\n  %6 = cast %9 : i32\n", 40, leave)[1],
      1);
  EXPECT_EQ(exchange("  %8 = lt %1, i32 35\n  %9 = builtin syncthreads_and %8 : bool\n  %6 = cast %9 : i32\n", 40)[1],
            0);
  EXPECT_EQ(
      exchange("  %8 = ge %1, i32 35\n  %9 = builtin syncthreads_or %8 : bool\n  %6 = cast %9 : i32\n", 40, leave)[1],
      0);
}

TEST(Cpu, LocalArraysArePrivate) {
  for (const int count : {4, 5000}) {
    CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>, %j: i64) {
  local_array mine: i32[)" + std::to_string(count) +
                                               R"(] align 16
  %0 = builtin threadIdx.x : i64
  %1 = local_array 0 : ptr<i32, local>
  %2 = mod %0, i64 4
  %3 = element %1, %2
  %4 = cast %0 : i32
  store %3, %4
  builtin syncthreads
  %5 = load %3 : i32
  %6 = element %x, %0
  store %6, %5
  return
})");
    Words words(70);
    run(program, {.block = {70}}, words, std::int64_t{0});
    for (int t = 0; t < 70; ++t) EXPECT_EQ(words[static_cast<std::size_t>(t)], t);
  }
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

TEST(Cpu, AtomicsOnOneElement) {
  CpuProgram program = CpuProgram::from_text(R"(
kernel @k(%x: ptr<i32, global>) {
  shared_array bins: i32[4] align 16
  %0 = builtin threadIdx.x : i64
  %1 = shared_array 0 : ptr<i32, shared>
  %2 = lt %0, i64 4
  if %2 {
    %3 = element %1, %0
    store %3, i32 0
  }
  builtin syncthreads
  %4 = mod %0, i64 3
  %5 = element %1, %4
  %6 = atomic add %5, i32 1 : i32
  %7 = atomic add %x, i32 1 : i32
  builtin syncthreads
  %8 = eq %0, i64 0
  if %8 {
    %9 = load %1 : i32
    %10 = element %x, i64 1
    store %10, %9
  }
  return
})");
  Words words = {100, 0};
  run(program, {.block = {128}}, words);
  EXPECT_EQ(words, (Words{228, 43}));
}

TEST(Cpu, AtomicsInADeviceFunctionAreNotTakenForIndependent) {
  CpuProgram program = CpuProgram::from_text(R"(
device @count(%bins: ptr<i32, shared>, %i: i64) {
  %0 = element %bins, %i
  %1 = atomic add %0, i32 1 : i32
  return
}
kernel @k(%x: ptr<i32, global>) {
  shared_array bins: i32[4] align 16
  %0 = builtin threadIdx.x : i64
  %1 = shared_array 0 : ptr<i32, shared>
  %2 = lt %0, i64 4
  if %2 {
    %3 = element %1, %0
    store %3, i32 0
  }
  builtin syncthreads
  %4 = mod %0, i64 3
  call @count %1, %4
  builtin syncthreads
  if %2 {
    %5 = element %1, %0
    %6 = load %5 : i32
    %7 = element %x, %0
    store %7, %6
  }
  return
})");
  Words words(4);
  run(program, {.block = {128}}, words);
  EXPECT_EQ(words, (Words{43, 43, 42, 0}));
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

TEST(Cpu, ConstantArrays) {
  CpuProgram program = CpuProgram::from_text(R"(
constant powers: i32 = "01000000020000000400000008000000"
kernel @k(%x: ptr<i32, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = constant_array 0 : ptr<i32, constant>
  %2 = mod %0, i64 4
  %3 = element %1, %2
  %4 = load %3 : i32
  %5 = element %x, %0
  store %5, %4
  return
})");
  Words words(20);
  run(program, {.block = {20}}, words);
  for (int t = 0; t < 20; ++t) EXPECT_EQ(words[static_cast<std::size_t>(t)], 1 << t % 4);
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
