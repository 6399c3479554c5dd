// What the PTX of small kernels must contain: constants, shared memory, atomics.
#include <gtest/gtest.h>

#include "tests/unit/codegen/ptx.h"

namespace pykc::codegen::test {
namespace {

TEST(Nvptx, ConstantsThatTheHostFillsAreNotFolded) {
  const std::string code = ptx(R"(
host constant weights: f32 = "0000000000000000"
host constant unused: u8 = "00"
host constant WARP_SZ: u8 = "00"
kernel @k(%x: ptr<f32, global>) {
  %0 = constant_array 0 : ptr<f32, constant>
  %1 = element %0, i64 1
  %2 = load %1 : f32
  store %x, %2
  return
}
)");
  EXPECT_HAS(code, ".visible .const .align 16 .b8 weights[8];");
  EXPECT_HAS(code, ".visible .const .align 16 .b8 unused[1];");
  EXPECT_HAS(code, ".b8 WARP_SZ$[1];");
  EXPECT_HAS(code, "[weights+4]");
}

TEST(Nvptx, ReadOnlyCacheWhereNothingElseCanWrite) {
  EXPECT_HAS(ptx(kVecadd), "ld.global.nc");
  std::string may_alias(kVecadd);
  may_alias.replace(may_alias.find(" no_alias"), 9, "");
  EXPECT_HAS_NOT(ptx(may_alias), "ld.global.nc");
}

TEST(Nvptx, DynamicSharedMemory) {
  const std::string text = ptx(R"(
kernel @k(%x: ptr<i64, global>) {
  shared_array first: f32 dynamic (blockDim.x 4 mul) align 16
  shared_array second: f32 dynamic (blockDim.y 4 mul) align 16
  shared_array rest: f32 dynamic () align 16
  %0 = shared_array 1 : ptr<f32, shared>
  %1 = shared_array 2 : ptr<f32, shared>
  %2 = builtin threadIdx.x : i64
  %3 = element %0, %2
  store %3, f32 1.0
  %4 = element %1, %2
  store %4, f32 2.0
  %5 = launch_shared_bytes : i64
  store %x, %5
  return
})");
  EXPECT_HAS(text, ".extern .shared .align 16 .b8 pykc_dynamic_shared[]");
  EXPECT_HAS(text, "%dynamic_smem_size");
  EXPECT_HAS(text, "%ntid.x");
  EXPECT_HAS(text, "%ntid.y");
}

TEST(Nvptx, Atomics) {
  const auto one = [](std::string_view type, std::string_view op) {
    const std::string t(type);
    return ptx("kernel @k(%x: ptr<" + t + ", global>, %v: " + t + ") {\n  %0 = atomic " + std::string(op) +
               " %x, %v : " + t + "\n  store %x, %0\n  return\n}\n");
  };
  EXPECT_HAS(one("i32", "add"), "atom.global.add.u32");
  EXPECT_HAS(one("i32", "max"), "atom.global.max.s32");
  EXPECT_HAS(one("u64", "min"), "atom.global.min.u64");
  EXPECT_HAS(one("f32", "add"), "atom.global.add.f32");
  EXPECT_HAS(one("f32", "sub"), "atom.global.add.f32");
  EXPECT_HAS(one("f64", "add"), "atom.global.add.f64");
  EXPECT_HAS(one("f32", "max"), "cas.b32");
  EXPECT_HAS(one("f64", "min"), "cas.b64");
  EXPECT_HAS(one("u32", "increment"), "atom.global.inc.u32");
  EXPECT_HAS(one("u32", "decrement"), "atom.global.dec.u32");
  EXPECT_HAS(one("i32", "increment"), "cas.b32");
  EXPECT_HAS(one("f64", "exchange"), "atom.global.exch.b64");
}

/// A read stands before those of which ptxas makes a loop.
TEST(Nvptx, AtomicsOfSharedMemory) {
  const auto one = [](std::string_view type, std::string_view op) {
    const std::string t(type);
    return ptx("kernel @k(%v: " + t + ") {\n  shared_array x: " + t + "[1] align 8\n  %0 = shared_array 0 : ptr<" + t +
               ", shared>\n  %1 = atomic " + std::string(op) + " %0, %v : " + t + "\n  store %0, %1\n  return\n}\n");
  };
  EXPECT_HAS_NOT(one("i32", "add"), "ld.volatile.shared");
  EXPECT_HAS_NOT(one("u64", "exchange"), "ld.volatile.shared");
  EXPECT_HAS(one("i64", "add"), "ld.volatile.shared.b64");
  EXPECT_HAS(one("u64", "max"), "ld.volatile.shared.b64");
  EXPECT_HAS(one("f32", "add"), "ld.volatile.shared.b32");
  EXPECT_HAS(one("f64", "sub"), "ld.volatile.shared.b64");
}

TEST(Nvptx, CompareAndSwapOfFloats) {
  const std::string text = ptx(R"(
kernel @k(%x: ptr<f64, global>, %a: f64, %b: f64) {
  %0 = atomic_cas %x, %a, %b : f64
  store %x, %0
  return
})");
  EXPECT_HAS(text, "gpu.global.cas.b64");
}

TEST(Nvptx, ConstantArrays) {
  const auto table = [](std::size_t bytes) {
    std::string hex;
    for (std::size_t n = 0; n < bytes; ++n) hex += n % 3 == 0 ? "01" : "02";
    return ptx("constant weights: i32 = \"" + hex + R"("
kernel @k(%x: ptr<i32, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = constant_array 0 : ptr<i32, constant>
  %2 = element %1, %0
  %3 = load %2 : i32
  store %x, %3
  return
})");
  };
  EXPECT_HAS(table(64), "ld.const");
  EXPECT_HAS(table(70000), "ld.global");  // more than constant memory holds
}

}  // namespace
}  // namespace pykc::codegen::test
