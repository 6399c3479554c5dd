// What the threads of a block do together: barriers, warp operations, shared memory.
#include "tests/reference/kernel_text.h"

namespace pykc::reference {
namespace {

// A sum over the block in shared memory: halves are added until one element is left.
constexpr const char* kBlockSum = R"(
device @wait() {
  builtin syncthreads
  return
}
kernel @k(%x: ptr<i64, global>, %out: ptr<i64, global>) {
  shared_array buffer: i64 dynamic (blockDim.x 8 mul) align 16
  local $stride: i64
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = builtin blockIdx.x : i64
  %3 = mul %1, %2
  %4 = add %3, %0
  %5 = element %x, %4
  %6 = load %5 : i64
  %7 = shared_array 0 : ptr<i64, shared>
  %8 = element %7, %0
  store %8, %6
  %9 = floordiv %1, i64 2
  store_local $stride, %9
  loop L0 {
    call @wait
    %10 = load_local $stride : i64
    %11 = eq %10, i64 0
    if %11 {
      break L0
    }
    %12 = lt %0, %10
    if %12 {
      %13 = add %0, %10
      %14 = element %7, %13
      %15 = load %14 : i64
      %16 = load %8 : i64
      %17 = add %15, %16
      store %8, %17
    }
  } continuing {
    %18 = load_local $stride : i64
    %19 = floordiv %18, i64 2
    store_local $stride, %19
  }
  %20 = eq %0, i64 0
  if %20 {
    %21 = element %out, %2
    %22 = load %7 : i64
    store %21, %22
  }
}
)";

TEST(InterpreterBlock, BarriersInLoopsAndCallees) {
  std::vector<std::int64_t> x(3 * 128), out(3);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i);
  const Outcome outcome = run_text(kBlockSum, {.grid = {3}, .block = {128}}, {bits_of(x.data()), bits_of(out.data())});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  for (std::size_t block = 0; block < 3; ++block) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 128; ++i) sum += x[block * 128 + i];
    EXPECT_EQ(out[block], sum);
  }
}

TEST(InterpreterBlock, ReturnedThreadsAreNotWaitedFor) {
  const auto out = run_threads<std::int32_t>(R"(
  %0 = builtin threadIdx.x : i64
  %1 = ge %0, i64 5
  if %1 {
    return
  }
  %2 = builtin syncthreads_count bool true : i32
  %3 = element %out, %0
  store %3, %2
)",
                                             8);
  EXPECT_EQ(out, (std::vector<std::int32_t>{5, 5, 5, 5, 5, 0, 0, 0}));
}

TEST(InterpreterBlock, BarriersThatAllReachInsideABranch) {
  const auto out = run_threads<std::int32_t>(R"(
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = lt %0, %1
  if %2 {
    %3 = lt %0, i64 3
    %4 = builtin syncthreads_count %3 : i32
    %5 = builtin syncthreads_and %3 : bool
    %6 = builtin syncthreads_or %3 : bool
    %7 = cast %5 : i32
    %8 = cast %6 : i32
    %9 = mul %7, i32 10
    %10 = mul %8, i32 100
    %11 = add %4, %9
    %12 = add %11, %10
    %13 = element %out, %0
    store %13, %12
  }
)",
                                             40);
  EXPECT_EQ(out, std::vector<std::int32_t>(40, 103));
}

TEST(InterpreterBlock, BarriersThatSomeReachAreErrors) {
  Outcome outcome;
  run_threads<std::int32_t>(R"(
  %0 = builtin threadIdx.x : i64
  %1 = lt %0, i64 3
  if %1 {
    builtin syncthreads
  } else {
    builtin syncthreads
  }
)",
                            8, &outcome);
  EXPECT_EQ(outcome.error, "block (0, 0, 0), thread (0, 0, 0): syncthreads is reached by 3 of 8 living threads");
  run_threads<std::int32_t>(R"(
  %0 = builtin threadIdx.x : i64
  %1 = ge %0, i64 3
  if %1 {
    builtin syncthreads
    builtin syncwarp u32 4294967295
  } else {
    builtin syncwarp u32 4294967295
  }
)",
                            8, &outcome);
  EXPECT_EQ(outcome.error, "block (0, 0, 0), thread (0, 0, 0): syncwarp is reached by 3 of 8 living threads");
}

// The same barrier of a function, reached through two calls, is not one barrier.
TEST(InterpreterBlock, BarriersThroughDifferentCallsAreDifferent) {
  const Outcome outcome = run_text(R"(
device @wait() {
  builtin syncthreads
  return
}
kernel @k() {
  %0 = builtin threadIdx.x : i64
  %1 = eq %0, i64 0
  if %1 {
    call @wait
  } else {
    call @wait
  }
}
)",
                                   {.grid = {}, .block = {4}}, {});
  EXPECT_EQ(outcome.error, "block (0, 0, 0), thread (0, 0, 0): syncthreads is reached by 1 of 4 living threads");
}

// Thread 0 spins until thread 1, which comes later in turn, has set a flag.
TEST(InterpreterBlock, ThreadsThatSpinLetOthersRun) {
  const auto out = run_threads<std::int32_t>(R"(
  %0 = builtin threadIdx.x : i64
  %1 = eq %0, i64 0
  if %1 {
    loop L0 {
      %2 = atomic add %out, i32 0 : i32
      %3 = ne %2, i32 0
      if %3 {
        break L0
      }
    }
    %4 = element %out, i64 1
    store %4, i32 2
  } else {
    %5 = atomic exchange %out, i32 7 : i32
  }
)",
                                             2);
  EXPECT_EQ(out, (std::vector<std::int32_t>{7, 2}));
}

TEST(InterpreterBlock, ShufflesSumAWarp) {
  const auto out = run_threads<std::int32_t>(R"(
  local $v: i32
  local $delta: i32
  %0 = builtin threadIdx.x : i64
  %1 = cast %0 : i32
  store_local $v, %1
  store_local $delta, i32 16
  loop L0 {
    %2 = load_local $delta : i32
    %3 = eq %2, i32 0
    if %3 {
      break L0
    }
    %4 = load_local $v : i32
    %5 = builtin shfl_down_sync u32 4294967295, %4, %2, i32 32 : i32
    %6 = add %4, %5
    store_local $v, %6
  } continuing {
    %7 = load_local $delta : i32
    %8 = shr %7, i32 1
    store_local $delta, %8
  }
  %9 = load_local $v : i32
  %10 = element %out, %0
  store %10, %9
)",
                                             64);
  EXPECT_EQ(out[0], 31 * 32 / 2);
  EXPECT_EQ(out[32], 31 * 32 / 2 + 32 * 32);
}

// Two halves of a warp vote by themselves; lanes that have returned are not waited for.
TEST(InterpreterBlock, WarpOperationsOfPartsOfAWarp) {
  const auto out = run_threads<std::uint32_t>(R"(
  local $votes: u32
  %0 = builtin threadIdx.x : i64
  %1 = eq %0, i64 3
  if %1 {
    return
  }
  %2 = lt %0, i64 16
  %3 = and %0, i64 1
  %4 = eq %3, i64 1
  if %2 {
    %5 = builtin ballot_sync u32 65535, %4 : u32
    store_local $votes, %5
  } else {
    %6 = builtin ballot_sync u32 4294901760, %4 : u32
    store_local $votes, %6
  }
  %7 = load_local $votes : u32
  %8 = element %out, %0
  store %8, %7
)",
                                              32);
  EXPECT_EQ(out[0], 0xaaa2u);
  EXPECT_EQ(out[3], 0u);
  EXPECT_EQ(out[16], 0xaaaa0000u);
}

TEST(InterpreterBlock, ALaneMustBeInItsOwnMask) {
  Outcome outcome;
  run_threads<std::int32_t>("  builtin syncwarp u32 1\n", 2, &outcome);
  EXPECT_EQ(outcome.error,
            "block (0, 0, 0), thread (1, 0, 0): a lane that is not in the mask of its own warp operation");
}

TEST(InterpreterBlock, ActiveMasksOfBranches) {
  const auto out = run_threads<std::uint32_t>(R"(
  local $mask: u32
  %0 = builtin laneid : i64
  %1 = lt %0, i64 4
  if %1 {
    %2 = builtin activemask : u32
    store_local $mask, %2
  } else {
    %3 = builtin activemask : u32
    store_local $mask, %3
  }
  %4 = builtin lanemask_lt : u32
  %5 = load_local $mask : u32
  %6 = and %5, %4
  %7 = builtin threadIdx.x : i64
  %8 = element %out, %7
  store %8, %6
)",
                                              40);
  EXPECT_EQ(out[3], 0x7u);
  EXPECT_EQ(out[4], 0x0u);
  EXPECT_EQ(out[31], 0x7ffffff0u);
  EXPECT_EQ(out[35], 0x7u);
  EXPECT_EQ(out[39], 0x70u);
}

TEST(InterpreterBlock, DynamicSharedArraysStandOneAfterTheOther) {
  std::int64_t offsets[4] = {};
  const Outcome outcome = run_text(R"(
kernel @k(%out: ptr<i64, global>) {
  shared_array fixed: u8[3] align 16
  shared_array a: u8 dynamic (blockDim.x) align 16
  shared_array rest: u8 dynamic () align 16
  shared_array b: u8 dynamic (blockDim.x 2 mul) align 16
  shared_array rest2: u8 dynamic () align 16
  %0 = shared_array 0 : ptr<u8, shared>
  %1 = shared_array 1 : ptr<u8, shared>
  %2 = shared_array 2 : ptr<u8, shared>
  %3 = shared_array 3 : ptr<u8, shared>
  %4 = shared_array 4 : ptr<u8, shared>
  store %0, u8 10
  store %1, u8 11
  store %3, u8 12
  store %2, u8 13
  %5 = element %0, i64 16
  %6 = element %1, i64 32
  %7 = element %3, i64 48
  %8 = load %5 : u8
  %9 = load %6 : u8
  %10 = load %7 : u8
  %11 = load %4 : u8
  %12 = cast %8 : i64
  %13 = cast %9 : i64
  %14 = cast %10 : i64
  %15 = cast %11 : i64
  store %out, %12
  %16 = element %out, i64 1
  store %16, %13
  %17 = element %out, i64 2
  store %17, %14
  %18 = element %out, i64 3
  store %18, %15
}
)",
                                   {.grid = {}, .block = {20}, .launch_shared_bytes = 8}, {bits_of(&offsets[0])});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(offsets[0], 11);  // behind the 3 bytes, rounded up to 16
  EXPECT_EQ(offsets[1], 12);  // behind 20 bytes, rounded up to 32; the launch's own arrays stand last
  EXPECT_EQ(offsets[2], 13);  // behind 40 bytes, rounded up to 48
  EXPECT_EQ(offsets[3], 13);  // in the same place
}

}  // namespace
}  // namespace pykc::reference
