// What the PTX of small kernels must contain, and that ptxas (where it is installed) takes all of it for every chip.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "codegen/codegen.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen::test {
namespace {

std::unique_ptr<ir::Module> read(std::string_view text) {
  std::vector<std::string> errors;
  std::unique_ptr<ir::Module> module = ir::parse_module(text, errors);
  EXPECT_TRUE(module != nullptr) << (errors.empty() ? "" : errors.front());
  EXPECT_EQ(ir::verify(*module), std::vector<std::string>{});
  return module;
}

/// ptxas, or nothing where the CUDA toolkit is not installed.
std::string find_ptxas() {
  for (const char* command : {"ptxas", "/usr/local/cuda/bin/ptxas"})
    if (std::system((std::string(command) + " --version > /dev/null 2>&1").c_str()) == 0) return command;
  return {};
}

/// Every PTX of these tests goes through the assembler as well.
void assemble(const std::string& ptx, const std::string& chip) {
  static const std::string ptxas = find_ptxas();
  if (ptxas.empty()) return;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem = (folder / ("pykc_nvptx_test_" + std::to_string(::getpid()))).string();
  std::ofstream(stem + ".ptx") << ptx;
  const std::string command = ptxas + " -arch=" + chip + " " + stem + ".ptx -o /dev/null > " + stem + ".log 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream log(stem + ".log");
  EXPECT_EQ(status, 0) << chip << ": " << std::string(std::istreambuf_iterator<char>(log), {}) << '\n' << ptx;
  std::filesystem::remove(stem + ".ptx");
  std::filesystem::remove(stem + ".log");
}

std::string ptx(std::string_view text, const std::string& chip = "sm_80", const Options& options = {}) {
  const std::unique_ptr<ir::Module> module = read(text);
  const Artifact artifact = generate(*module, Target::parse(chip).value(), options).value();
  assemble(artifact.code, chip);
  return artifact.code;
}

KernelInfo kernel_info(std::string_view text) {
  const std::unique_ptr<ir::Module> module = read(text);
  return generate(*module, Target::parse("sm_80").value(), {}).value().kernels.at(0);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << part << " in\n" << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_FALSE(has(text, part)) << part << " in\n" << (text)

// What is computed in 64 bits and stored in 32 is computed in 32, and one f64 operation on numbers of f32 that is
// rounded at once is that of f32: Numba's types cost nothing there.
TEST(Nvptx, WideArithmeticThatIsStoredNarrowIsNarrow) {
  const std::string integers = ptx(R"(
kernel @k(%x: ptr<i32, global>) {
  %0 = load %x : i32
  %1 = cast %0 : i64
  %2 = mul %1, i64 7
  %3 = xor %2, %1
  %4 = sub i64 5, %3
  %5 = cast %4 : i32
  store %x, %5
  return
}
)");
  EXPECT_HAS_NOT(integers, ".s64");
  const std::string floats = ptx(R"(
kernel @k(%x: ptr<f32, global>, %a: f32) {
  %0 = load %x : f32
  %1 = cast %0 : f64
  %2 = cast %a : f64
  %3 = mul %1, %2
  %4 = cast %3 : f32
  store %x, %4
  return
}
)");
  EXPECT_HAS_NOT(floats, "f64");
}

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

constexpr std::string_view kVecadd = R"(
kernel @vecadd(%z: ptr<f32, global> no_alias, %n: i64 non_negative, %x: ptr<f32, global> read_only, %a: f32, %on: bool) {
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = builtin threadIdx.x : i64
  %4 = add %2, %3
  %5 = lt %4, %n
  %6 = and %5, %on
  if %6 {
    %7 = element %x, %4
    %8 = load %7 : f32
    %9 = mul %8, %a
    %10 = add %9, %8
    %11 = element %z, %4
    store %11, %10
  }
  return
}
)";

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

TEST(Nvptx, NothingIsContracted) {
  const std::string text = ptx(kVecadd);
  EXPECT_HAS(text, "mul.rn.f32");
  EXPECT_HAS(text, "add.rn.f32");
  EXPECT_HAS_NOT(text, "fma");
}

TEST(Nvptx, ReadOnlyCacheWhereNothingElseCanWrite) {
  EXPECT_HAS(ptx(kVecadd), "ld.global.nc");
  std::string may_alias(kVecadd);
  may_alias.replace(may_alias.find(" no_alias"), 9, "");
  EXPECT_HAS_NOT(ptx(may_alias), "ld.global.nc");
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

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
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

std::string conversion(std::string_view from, std::string_view to) {
  return ptx("kernel @k(%out: ptr<" + std::string(to) + ", global>, %x: " + std::string(from) +
             ") {\n  %0 = cast %x : " + std::string(to) + "\n  store %out, %0\n  return\n}");
}

// The chip saturates by itself, and takes a NaN of 32 bits for 0.
TEST(Nvptx, ConversionsToIntegersAreTheChips) {
  for (const char* to : {"i32", "u32"}) {
    EXPECT_HAS(conversion("f32", to), "cvt.rzi.") << to;
    EXPECT_HAS_NOT(conversion("f32", to), "selp") << to;
  }
  for (const auto& [from, to] :
       {std::pair("f64", "i32"), {"f64", "u32"}, {"f32", "i64"}, {"f32", "u64"}, {"f64", "i64"}})
    EXPECT_EQ(count(conversion(from, to), "selp"), 1U) << from << " to " << to;
}

std::string divisions(std::string_view between) {
  return ptx(std::string("kernel @k(%out: ptr<f32, global>, %x: f32, %y: f32, %z: f32) {\n") +
             "  %0 = element %out, i64 1\n" + "  %1 = div %x, %y\n" + std::string(between) +
             "  %2 = add %1, %z\n  %3 = div %2, %y\n  store %out, %3\n  return\n}");
}

// One reciprocal of %y, one branch to the divisions as they are.
TEST(Nvptx, DivisionsShareTheTestOfTheirOperands) {
  const std::string together = divisions("");
  EXPECT_EQ(count(together, "rcp.approx.ftz.f32"), 1U);
  EXPECT_EQ(count(together, "div.rn.f32"), 2U);
  EXPECT_EQ(count(together, "@%p"), 1U);
  const std::string apart = divisions("  store %0, %1\n");
  EXPECT_EQ(count(apart, "div.rn.f32"), 2U);
  EXPECT_HAS_NOT(apart, "rcp.approx") << "what is stored between two divisions cannot be done twice";
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

constexpr std::string_view kMath = R"(
kernel @k(%x: ptr<f32, global>, %y: ptr<f64, global>) {
  %0 = load %x : f32
  %1 = builtin math.sin %0 : f32
  %2 = builtin math.exp %1 : f32
  %3 = builtin math.sqrt %2 : f32
  %4 = div %3, %0
  store %x, %4
  %5 = load %y : f64
  %6 = builtin math.log %5 : f64
  store %y, %6
  return
}
)";

TEST(Nvptx, MathIsLinkedAndExact) {
  const std::string text = ptx(kMath);
  EXPECT_HAS(text, "div.rn.f32");
  EXPECT_HAS(text, "sqrt.rn.f32");
  EXPECT_HAS_NOT(text, "approx.f32");  // rcp.approx.ftz is where an exact division begins
  EXPECT_HAS_NOT(text, ".extern");
}

TEST(Nvptx, ConstantsThatNoImmediateHoldsAreInConstantMemory) {
  const std::string text = ptx(kMath);
  EXPECT_HAS(text, ".const .align 8 .f64 ");
  EXPECT_HAS(text, "ld.const.b64 ");
}

TEST(Nvptx, FastMathTakesTheApproximations) {
  Options options;
  options.fast_math = true;
  for (const char* chip : {"sm_75", "sm_90"}) {
    const std::string text = ptx(kMath, chip, options);
    EXPECT_HAS(text, "sin.approx.f32");
    EXPECT_HAS(text, "ex2.approx.f32");
    EXPECT_HAS(text, "sqrt.approx.f32");
    EXPECT_HAS(text, "div.approx.f32");
  }
}

TEST(Nvptx, LineInfo) {
  auto module = read(kVecadd);
  module->source = std::make_shared<SourceFile>("vecadd.pyk", "@kernel\ndef vecadd():\n  z = x\n");
  for (ir::Instruction& i : module->functions[0]->instructions) i.range = {22, 27};
  Options options;
  options.line_info = true;
  const std::string text = generate(*module, Target::parse("sm_80").value(), options).value().code;
  EXPECT_HAS(text, ".file");
  EXPECT_HAS(text, "vecadd.pyk");
  EXPECT_HAS(text, ".loc\t1 3");
  assemble(text, "sm_80");
}

TEST(Nvptx, EveryChipAndLevelAssembles) {
  for (const char* chip : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
                           "sm_103", "sm_110", "sm_120", "sm_121"})
    for (const std::string_view kernel : {kVecadd, kBarriers, kFaults, kMath}) ptx(kernel, chip);
  for (const int level : {0, 1, 2}) {
    Options options;
    options.optimization = level;
    for (const std::string_view kernel : {kVecadd, kBarriers, kFaults, kMath}) ptx(kernel, "sm_80", options);
  }
}

TEST(Nvptx, FloatsOfEightBitsOnEveryGeneration) {
  constexpr std::string_view kConversions = R"(
kernel @k(%x: ptr<f8e4m3, global>, %y: ptr<f8e5m2, global>, %d: ptr<f64, global>, %n: i32) {
  %0 = load %x : f8e4m3
  %1 = cast %0 : f64
  store %d, %1
  %2 = load %d : f64
  %3 = cast %2 : f8e5m2
  store %y, %3
  %4 = cast %n : f8e4m3
  store %x, %4
  return
}
)";
  for (const char* chip : {"sm_75", "sm_80"}) EXPECT_HAS_NOT(ptx(kConversions, chip), "e4m3x2");
  for (const char* chip : {"sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"}) {
    const std::string text = ptx(kConversions, chip);
    EXPECT_HAS(text, "cvt.rn.satfinite.e4m3x2.f32");
    EXPECT_HAS(text, "cvt.rn.satfinite.e5m2x2.f32");
    EXPECT_HAS(text, "cvt.rn.f16x2.e4m3x2");
  }
}

TEST(Nvptx, SmallFloatsOnEveryGeneration) {
  for (const std::string type : {"f16", "bf16"}) {
    const std::string text = "kernel @k(%x: ptr<" + type + ", global>, %d: ptr<f64, global>, %a: " + type + R"() {
  %0 = load %x : )" + type + R"(
  %1 = fma %0, %0, %a
  %2 = floordiv %1, %0
  %3 = builtin max %2, %a : )" +
                             type + R"(
  store %x, %3
  %4 = load %d : f64
  %5 = cast %4 : )" + type + R"(
  store %x, %5
  return
})";
    for (const char* chip : {"sm_75", "sm_80", "sm_90", "sm_100"}) ptx(text, chip);
  }
}

}  // namespace
}  // namespace pykc::codegen::test
