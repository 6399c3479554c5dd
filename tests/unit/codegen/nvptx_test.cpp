// What the PTX of small kernels must contain: parameters, bounds, loops, barriers, warps, faults.
#include <gtest/gtest.h>

#include "pykc/kernel_abi.h"
#include "tests/unit/codegen/ptx.h"

namespace pykc::codegen::test {
namespace {

TEST(Nvptx, KernelAndParameters) {
  const std::string text = ptx(kVecadd);
  EXPECT_HAS(text, ".target sm_80");
  EXPECT_HAS(text, ".visible .entry vecadd(");
  EXPECT_HAS(text, ".param .u64 .ptr .global .align 4 vecadd_param_0");
  EXPECT_HAS(text, ".param .f32 vecadd_param_3");
  EXPECT_HAS(text, ".param .u8 vecadd_param_4");
}

TEST(Nvptx, LowestPtxVersion) {
  EXPECT_HAS(ptx(kVecadd, "sm_75"), ".version 6.3");
  EXPECT_HAS(ptx(kVecadd, "sm_80"), ".version 7.0");
  EXPECT_HAS(ptx(kVecadd, "sm_90"), ".version 7.8");
  EXPECT_HAS(ptx(kVecadd, "sm_100"), ".version 8.6");
  EXPECT_HAS(ptx(kVecadd, "sm_120"), ".version 8.7");
}

TEST(Nvptx, IndexRangesReachTheOptimiser) {
  const std::string text = ptx(kVecadd);
  EXPECT_HAS(text, "mul.wide.u32");  // blockIdx and blockDim fit 32 bits
  EXPECT_HAS(text, "setp.ge.u64");   // neither the index nor the extent is negative
}

TEST(Nvptx, LaunchBounds) {
  const std::string text = ptx(R"(
kernel @k(%x: ptr<i32, global>) {
  max_threads_per_block 256
  min_blocks_per_multiprocessor 2
  max_registers 64
  store %x, i32 1
  return
})");
  EXPECT_HAS(text, ".maxntid 256");
  EXPECT_HAS(text, ".minnctapersm 2");
  EXPECT_HAS(text, ".maxnreg 64");
}

/// A loop over an array, whose body is this.
std::string loop(std::string_view body, std::string_view options = "") {
  return "kernel @k(%out: ptr<f32, global>, %x: ptr<f32, global> read_only, %n: i64 non_negative) {\n" +
         std::string(options) + R"(
  local $total: f32
  local $i: i64 from 0 to 281474976710911
  store_local $total, f32 0
  store_local $i, i64 0
  loop L0 {
    %1 = load_local $i : i64
    %2 = lt %1, %n
    %3 = not %2
    if %3 {
      break L0
    }
    %4 = load_local $total : f32
    %5 = element %x, %1
    %6 = load %5 : f32
)" + std::string(body) +
         R"(
  } continuing {
    %10 = load_local $i : i64
    %11 = add no_wrap %10, i64 1
    store_local $i, %11
  }
  %12 = load_local $total : f32
  store %out, %12
  return
})";
}

constexpr std::string_view kSum = "    %7 = add %4, %6\n    store_local $total, %7";

// ptxas gives a kernel without bounds 32 registers where it can, which are too few for so many loads.
TEST(Nvptx, ManyLoadsOfALoopAreOnTheirWayTogether) {
  const std::string sum = ptx(loop(kSum));
  EXPECT_GE(count(sum, "ld.global"), 16U);
  EXPECT_HAS(sum, ".maxntid 1024");
  EXPECT_HAS(sum, ".minnctapersm 1");
}

TEST(Nvptx, OtherLoopsAndBoundsStayAsTheyAre) {
  const std::string writing = ptx(loop("    %8 = element %out, %1\n    store %8, %6\n" + std::string(kSum)));
  EXPECT_HAS_NOT(writing, ".maxntid");
  const std::string bounded = ptx(loop(kSum, "  max_threads_per_block 256\n"));
  EXPECT_HAS(bounded, ".maxntid 256");
  EXPECT_HAS_NOT(bounded, ".minnctapersm");
  EXPECT_HAS_NOT(ptx(loop(kSum), "sm_80", {.optimization = 1}), ".maxntid");
}

constexpr std::string_view kBarriers = R"(
kernel @k(%x: ptr<i32, global>, %n: i64) {
  shared_array tile: i32[64] align 16
  %0 = builtin threadIdx.x : i64
  %1 = shared_array 0 : ptr<i32, shared>
  %2 = element %1, %0
  store %2, i32 7
  builtin syncthreads
  %3 = lt %0, %n
  if %3 {
    builtin syncthreads
  }
  %4 = builtin syncthreads_count %3 : i32
  %5 = element %x, %0
  %6 = load %2 : i32
  %7 = add %6, %4
  store %5, %7
  return
}
)";

TEST(Nvptx, BarrierIsAlignedOnlyWhereThreadsArriveTogether) {
  const std::string text = ptx(kBarriers);
  EXPECT_HAS(text, "bar.sync \t0;");
  EXPECT_HAS(text, "barrier.sync \t0;");
  EXPECT_HAS(text, "red.popc");
  const std::string unoptimised = ptx(kBarriers, "sm_80", {.optimization = 0});
  EXPECT_HAS(unoptimised, "bar.sync \t0;");
  EXPECT_HAS_NOT(unoptimised, "barrier.") << "ptxas lets threads of a warp meet at the aligned form alone";
}

TEST(Nvptx, StaticSharedMemory) {
  EXPECT_HAS(ptx(kBarriers), ".shared .align 16 .b8");
  EXPECT_EQ(kernel_info(kBarriers).static_shared_bytes, 256);
}

TEST(Nvptx, NamesThatPtxOrTheModuleHasTaken) {
  for (const std::string name : {"vprintf", "WARP_SZ", "_", "pykc_fault", "pykc_dynamic_shared", "__pykc_sin_f32"}) {
    const std::string text = "fault \"no\" \"k.pyk\" 1 1\nkernel @" + name + R"((%x: ptr<f32, global>) {
  shared_array rest: f32 dynamic () align 16
  format "%g\n"
  %0 = load %x : f32
  %1 = builtin math.sin %0 : f32
  %2 = cast %1 : f64
  print 0 %2
  %3 = shared_array 0 : ptr<f32, shared>
  store %3, %1
  %4 = eq %1, f32 0.0
  if %4 {
    fault 0
  }
  return
})";
    EXPECT_HAS(ptx(text), ".entry " + name + "$(");
    EXPECT_EQ(kernel_info(text).symbol, name + "$");
  }
  EXPECT_EQ(kernel_info("kernel @add(%x: ptr<f32, global>) {\n  return\n}").symbol, "add");
}

TEST(Nvptx, WarpOperations) {
  const std::string text = ptx(R"(
kernel @k(%x: ptr<f64, global>, %y: ptr<u32, global>, %m: u32) {
  %0 = load %x : f64
  %1 = builtin shfl_down_sync %m, %0, i32 1, i32 32 : f64
  store %x, %1
  %2 = load %y : u32
  %3 = builtin shfl_up_sync %m, %2, i32 1, i32 8 : u32
  %4 = builtin laneid : i64
  %5 = lt %4, i64 3
  %6 = builtin ballot_sync %m, %5 : u32
  %7 = builtin all_sync %m, %5 : bool
  %8 = cast %7 : u32
  %9 = builtin activemask : u32
  %10 = builtin lanemask_lt : u32
  %11 = add %3, %6
  %12 = add %11, %8
  %13 = add %12, %9
  %14 = add %13, %10
  builtin syncwarp %m
  builtin threadfence
  store %y, %14
  return
})");
  EXPECT_HAS(text, "shfl.sync.down.b32");
  EXPECT_HAS(text, "shfl.sync.up.b32");
  EXPECT_HAS(text, "6144");  // groups of 8: (32 - 8) * 256, and nothing below lane 0 of a group
  EXPECT_HAS(text, "vote.sync.ballot.b32");
  EXPECT_HAS(text, "vote.sync.all.pred");
  EXPECT_HAS(text, "activemask.b32");
  EXPECT_HAS(text, "%lanemask_lt");
  EXPECT_HAS(text, "bar.warp.sync");
}

constexpr std::string_view kFaults = R"(
fault "assert failed: n > {0}" "k.pyk" 3 5
device @check(%n: i64) -> i64 {
  %0 = lt %n, i64 10
  if %0 {
    fault 0 %n
  }
  %1 = sub %n, i64 10
  return %1
}
kernel @first(%x: ptr<i64, global>) {
  store %x, i64 0
  return
}
kernel @second(%x: ptr<i64, global>, %n: i64) {
  format "n = %lld %s\n"
  %0 = call @check %n
  %1 = extract 0 %0 : i64
  %2 = lt %1, i64 5
  print 0 %1, %2
  store %x, %1
  return
}
)";

TEST(Nvptx, FaultsAndPrints) {
  const std::string text = ptx(kFaults);
  EXPECT_HAS(text, ".visible .global .align 8 .b8 pykc_fault[" + std::to_string(sizeof(abi::FaultRecord)) + "]");
  EXPECT_HAS(text, "st.relaxed.sys.b32");  // the signal, which lies in no space that the compiler knows
  EXPECT_HAS(text, "exit;");
  EXPECT_HAS(text, "vprintf");
  const std::unique_ptr<ir::Module> module = read(kFaults);
  const Artifact artifact = generate(*module, Target::parse("sm_80").value(), {}).value();
  ASSERT_EQ(artifact.kernels.size(), 2U);
  EXPECT_TRUE(artifact.kernels[0].faults.empty());
  ASSERT_EQ(artifact.kernels[1].faults.size(), 1U);
  EXPECT_EQ(artifact.kernels[1].faults[0].message, "assert failed: n > {0}");
}

TEST(Nvptx, NoFaultRecordWhereNothingCanFault) { EXPECT_HAS_NOT(ptx(kVecadd), "pykc_fault"); }

TEST(Nvptx, LineInfo) {
  auto module = read(kVecadd);
  module->source = std::make_shared<SourceFile>("vecadd.pyk", "@kernel\ndef vecadd():\n  z = x\n");
  for (ir::Instruction& i : module->functions[0]->instructions) i.range = {22, 27};
  const std::string text = ptx(*module, "sm_80", {.line_info = true});
  EXPECT_HAS(text, ".file");
  EXPECT_HAS(text, "vecadd.pyk");
  EXPECT_HAS(text, ".loc\t1 3");
}

TEST(Nvptx, EveryChipAndLevelAssembles) {
  for (const std::string_view kernel : {kVecadd, kBarriers, kFaults}) assemble_for_every_chip_and_level(kernel);
}

}  // namespace
}  // namespace pykc::codegen::test
