// Kernels that run on this machine's CPU: threads of a block that wait for one another, and tell one another.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

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

/// x[t] = `operation`, the %6 of thread t, unless that has returned `before`.
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

constexpr const char* kLeave = "  %7 = ge %0, i64 35\n  if %7 {\n    return\n  }\n";

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
  const auto vote = [&](const std::string& name, const std::string& type, const std::string& before) {
    return exchange("  %8 = builtin " + name + " : " + type + "\n  %6 = cast %8 : i32\n", 40, before);
  };
  const std::uint32_t multiples = 0x49249249;  // lanes 0, 3, 6 … 30 of the first warp
  EXPECT_EQ(static_cast<std::uint32_t>(vote("ballot_sync u32 4294967295, %4", "u32", "")[7]), multiples);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", "")[33], 0b10010010);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", kLeave)[33], 0b010);
  EXPECT_EQ(vote("ballot_sync u32 4294967295, %4", "u32", kLeave)[36], -1);
  EXPECT_EQ(vote("ballot_sync u32 9, %4", "u32", "")[0], 9);
  EXPECT_EQ(vote("activemask", "u32", kLeave)[34], 0b111);
  EXPECT_EQ(vote("any_sync u32 4294967295, %4", "bool", "")[1], 1);
  EXPECT_EQ(vote("any_sync u32 6, %4", "bool", "")[1], 0);
  EXPECT_EQ(vote("all_sync u32 4294967295, %4", "bool", "")[1], 0);
  EXPECT_EQ(vote("all_sync u32 9, %4", "bool", "")[0], 1);
  EXPECT_EQ(vote("eq_sync u32 6, %4", "bool", "")[1], 1);
  EXPECT_EQ(vote("eq_sync u32 7, %4", "bool", "")[1], 0);
}

TEST(Cpu, CountingBarriers) {
  const auto together = [](const std::string& operation, const std::string& condition, const std::string& before) {
    return exchange(
        "  %8 = " + condition + "\n  %9 = builtin syncthreads_" + operation + " %8 : bool\n  %6 = cast %9 : i32\n", 40,
        before)[1];
  };
  EXPECT_EQ(exchange("  %6 = builtin syncthreads_count %4 : i32\n", 40)[5], 14);
  EXPECT_EQ(exchange("  %6 = builtin syncthreads_count %4 : i32\n", 40, kLeave)[5], 12);
  EXPECT_EQ(together("and", "lt %1, i32 35", kLeave), 1);
  EXPECT_EQ(together("and", "lt %1, i32 35", ""), 0);
  EXPECT_EQ(together("or", "ge %1, i32 35", kLeave), 0);
}

}  // namespace
}  // namespace pykc::codegen::test
