// What the PTX of small kernels must contain: arithmetic, conversions, math functions.
#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/codegen/ptx.h"

namespace pykc::codegen::test {
namespace {

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

TEST(Nvptx, NothingIsContracted) {
  const std::string text = ptx(kVecadd);
  EXPECT_HAS(text, "mul.rn.f32");
  EXPECT_HAS(text, "add.rn.f32");
  EXPECT_HAS_NOT(text, "fma");
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

TEST(Nvptx, SignsOfF64AreChangedInUpperHalves) {
  const std::string text = ptx(R"(
kernel @k(%z: ptr<f64, global>) {
  %0 = load %z : f64
  %1 = builtin abs %0 : f64
  %2 = lt %1, f64 2
  %3 = neg %0
  %4 = select %2, %3, %1 : f64
  store %z, %4
  %5 = element %z, i64 1
  %6 = load %5 : f64
  %7 = neg %6
  %8 = mul %7, %1
  store %5, %8
  return
}
)");
  EXPECT_HAS(text, "xor.b32");  // where one of two is chosen
  EXPECT_HAS(text, "and.b32");
  EXPECT_HAS(text, "abs.f32");  // of what is compared
  EXPECT_HAS_NOT(text, "setp.geu.f64");
  EXPECT_HAS_NOT(text, "setp.lt.f64");
  EXPECT_HAS(text, "abs.f64");  // of an operand of arithmetic
  EXPECT_HAS(text, "neg.f64");
}

TEST(Nvptx, FastMathTakesTheApproximations) {
  for (const char* chip : {"sm_75", "sm_90"}) {
    const std::string text = ptx(kMath, chip, {.fast_math = true});
    EXPECT_HAS(text, "sin.approx.f32");
    EXPECT_HAS(text, "ex2.approx.f32");
    EXPECT_HAS(text, "sqrt.approx.f32");
    EXPECT_HAS(text, "div.approx.f32");
  }
}

TEST(Nvptx, MathOfEveryChipAndLevelAssembles) { assemble_for_every_chip_and_level(kMath); }

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
