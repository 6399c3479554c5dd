// Kernels that run on this machine's CPU: shared memory, local and constant arrays, atomics.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

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

}  // namespace
}  // namespace pykc::codegen::test
