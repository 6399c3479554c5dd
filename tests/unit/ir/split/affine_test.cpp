#include "ir/analysis/affine.h"

#include "ir/walk.h"
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

constexpr std::int64_t kExtent = std::int64_t{1} << 48;

/// A kernel of that body: %e is an extent.
std::unique_ptr<Module> module_with(const std::string& body) {
  return read("kernel @k(%x: ptr<f32, global>, %e: i64 non_negative, %n: i64) {\n" + body + "  return\n}\n");
}

const Instruction* last_value(const Module& module) {
  const std::vector<Instruction*>& instructions = module.find("k")->body.instructions;
  return instructions[instructions.size() - 2];  // the return comes last
}

/// The slope of the last value of a body, from one thread to the next along an axis.
Slope slope_of(const std::string& body, Certainty certainty = Certainty::Proof, std::size_t axis = 0) {
  const auto module = module_with(body);
  Slopes slopes(*module->find("k"), certainty, [&](const Instruction* value) -> std::optional<Slope> {
    if (has_builtin_effect(value, Effect::Block)) return Slope::exactly(0);
    return slope_of_thread_index(value, axis);
  });
  return slopes.of(last_value(*module));
}

constexpr const char* kPlace = R"(
  %t = builtin threadIdx.x : i64
  %y = builtin threadIdx.y : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %f = mul %b, %w
  %g = add %f, %t
)";

Slope slope_behind_place(const std::string& body, Certainty certainty = Certainty::Proof, std::size_t axis = 0) {
  return slope_of(kPlace + body, certainty, axis);
}

TEST(Affine, ThePlaceInTheGridGoesToTheNextNumber) {
  EXPECT_EQ(slope_behind_place(""), Slope::exactly(1));
  EXPECT_TRUE(slope_behind_place("").is_one());
  EXPECT_TRUE(slope_behind_place("", Certainty::Proof, 1).is_none());
}

TEST(Affine, SumsDifferencesAndProductsAddUp) {
  EXPECT_EQ(slope_behind_place("%r = mul %g, i64 4\n"), Slope::exactly(4));
  EXPECT_EQ(slope_behind_place("%m = mul %g, i64 4\n%r = sub %e, %m\n"), Slope::exactly(-4));
  EXPECT_EQ(slope_behind_place("%m = mul i64 -3, %t\n%r = sub %g, %m\n"), Slope::exactly(4));
  EXPECT_TRUE(slope_behind_place("%r = sub %g, %t\n").is_none());
}

TEST(Affine, AFactorThatIsNotAConstantHasARange) {
  const std::string row = "%r = mul %y, %e\n";
  EXPECT_TRUE(slope_behind_place(row).is_none());
  EXPECT_EQ(slope_behind_place(row, Certainty::Proof, 1), (Slope{0, kExtent}));
  EXPECT_TRUE(slope_behind_place(row, Certainty::Proof, 1).never_falls());
  EXPECT_EQ(slope_behind_place("%m = mul %y, %e\n%r = sub %t, %m\n", Certainty::Proof, 1), (Slope{-kExtent, 0}));
  EXPECT_EQ(slope_behind_place("%m = mul %y, %e\n%r = sub %t, %m\n", Certainty::Proof, 1).steepness(),
            static_cast<std::uint64_t>(kExtent));
}

TEST(Affine, WhatIsMadeOfWhatStandsStillStandsStill) {
  EXPECT_TRUE(slope_behind_place("%r = mod %n, i64 7\n").is_none());
  EXPECT_TRUE(slope_behind_place("%m = mul %n, %n\n%r = add %m, i64 1\n").is_none());  // however it wraps
  EXPECT_FALSE(slope_of("  local_array a: f32[2] align 16\n%r = local_array 0 : ptr<f32, local>\n").is_known());
}

TEST(Affine, OtherOperationsHaveNoSlope) {
  for (const char* last : {"%r = mod %g, i64 7\n", "%r = mul %g, %t\n", "%p = element %x, %g\n%r = load %p : f32\n",
                           "%r = builtin laneid : i64\n"})
    EXPECT_FALSE(slope_behind_place(last).is_known()) << last;
}

TEST(Affine, AProofNeedsThatNothingOverflows) {
  EXPECT_FALSE(slope_behind_place("%r = add %g, %n\n").is_known());
  EXPECT_EQ(slope_behind_place("%r = add no_wrap %g, %n\n"), Slope::exactly(1));
  EXPECT_EQ(slope_behind_place("%r = add %g, %n\n", Certainty::Guess), Slope::exactly(1));
  EXPECT_FALSE(slope_behind_place("%m = mul no_wrap %t, %e\n%r = mul no_wrap %m, %e\n").is_known());
}

TEST(Affine, AGuessFollowsCastsChoicesAndPointers) {
  const std::string narrow = "%r = cast %g : i32\n", pointer = "%r = element %x, %g\n",
                    choice = "%c = lt %n, i64 0\n%m = add %g, %n\n%r = select %c, %m, %g : i64\n",
                    other_choice = "%c = lt %n, i64 0\n%r = select %c, %n, %g : i64\n";
  for (const std::string& body : {narrow, pointer, choice}) {
    EXPECT_FALSE(slope_behind_place(body).is_known()) << body;
    EXPECT_TRUE(slope_behind_place(body, Certainty::Guess).is_one()) << body;
  }
  EXPECT_FALSE(slope_behind_place(other_choice, Certainty::Guess).is_known());
}

TEST(Affine, AnUnknownSlopeIsSteeperThanAll) {
  EXPECT_EQ(Slope::unknown().steepness(), std::uint64_t{1} << 63);
  EXPECT_FALSE(Slope::unknown().never_falls());
  EXPECT_FALSE(Slope::unknown().is_none() || Slope::unknown().is_one());
}

TEST(Affine, AnExtentIsFarFromOverflow) {
  const auto is_far = [](const std::string& body) {
    const auto module = module_with(body);
    return is_far_from_overflow(last_value(*module), *module->find("k"));
  };
  EXPECT_TRUE(is_far("%r = add %e, %e\n"));
  EXPECT_FALSE(is_far("%r = add %n, %n\n"));
}

}  // namespace
}  // namespace pykc::ir
