#include "tests/unit/ir/passes/pass_test.h"

namespace pykc::ir {
namespace {

std::string folded(const std::string& body) { return after(fold_constants, body); }

TEST(FoldConstants, EvaluatesOnConstants) {
  EXPECT_EQ(folded("%0 = mul f32 3, f32 0.5\n%1 = add %0, f32 1\nstore %x, %1\n"), "store %x, f32 2.5\n");
  EXPECT_EQ(folded("%0 = floordiv i32 -7, i32 2\n%1 = cast %0 : f32\nstore %x, %1\n"), "store %x, f32 -4\n");
  EXPECT_EQ(folded("%0 = builtin math.sqrt f32 2 : f32\nstore %x, %0\n"), "store %x, f32 1.4142135\n");
  EXPECT_EQ(folded("%0 = add no_wrap i64 1, i64 2\n%1 = cast %0 : f32\nstore %x, %1\n"), "store %x, f32 3\n");
}

// The math library is the device's: folding by the host's would give other bits.
TEST(FoldConstants, LeavesTheMathLibraryAlone) {
  const std::string body = "%0 = builtin math.sin f32 1 : f32\nstore %x, %0\n";
  EXPECT_EQ(folded(body), body);
}

struct Identity {
  const char* instruction;  // defines %0
  const char* value;        // what it is folded to
};

void PrintTo(const Identity& example, std::ostream* out) { *out << example.instruction; }

class FloatIdentity : public testing::TestWithParam<Identity> {};

TEST_P(FloatIdentity, GivesTheOperand) {
  EXPECT_EQ(folded(std::string(GetParam().instruction) + "\nstore %x, %0\n"),
            std::string("store %x, ") + GetParam().value + "\n");
}

INSTANTIATE_TEST_SUITE_P(FoldConstants, FloatIdentity,
                         testing::Values(Identity{"%0 = mul %f, f32 1", "%f"}, Identity{"%0 = mul f32 1, %f", "%f"},
                                         Identity{"%0 = div %f, f32 1", "%f"}, Identity{"%0 = sub %f, f32 0", "%f"},
                                         Identity{"%0 = add %f, f32 -0", "%f"},
                                         Identity{"%0 = select bool true, %f, %g : f32", "%f"},
                                         Identity{"%0 = select bool false, %f, %g : f32", "%g"},
                                         Identity{"%0 = select %c, %f, %f : f32", "%f"},
                                         Identity{"%0 = cast %f : f32", "%f"}));

class FloatNonIdentity : public testing::TestWithParam<const char*> {};

TEST_P(FloatNonIdentity, StaysAsItIs) {
  const std::string body = std::string(GetParam()) + "\nstore %x, %0\n";
  EXPECT_EQ(folded(body), body);
}

INSTANTIATE_TEST_SUITE_P(FoldConstants, FloatNonIdentity,
                         testing::Values("%0 = add %f, f32 0", "%0 = sub %f, f32 -0", "%0 = mul %f, f32 0",
                                         "%0 = sub %f, %f", "%0 = div %f, %f", "%0 = sub f32 0, %f",
                                         "%0 = div f32 1, %f"));

class IntegerIdentity : public testing::TestWithParam<Identity> {};

TEST_P(IntegerIdentity, GivesTheOperand) {
  EXPECT_EQ(folded(std::string(GetParam().instruction) + "\n%1 = element %x, %0\nstore %1, %f\n"),
            std::string("%0 = element %x, ") + GetParam().value + "\nstore %0, %f\n");
}

INSTANTIATE_TEST_SUITE_P(FoldConstants, IntegerIdentity,
                         testing::Values(Identity{"%0 = add %n, i64 0", "%n"}, Identity{"%0 = add i64 0, %n", "%n"},
                                         Identity{"%0 = sub %n, i64 0", "%n"}, Identity{"%0 = mul %n, i64 1", "%n"},
                                         Identity{"%0 = floordiv %n, i64 1", "%n"},
                                         Identity{"%0 = and %n, i64 -1", "%n"}, Identity{"%0 = or %n, i64 0", "%n"},
                                         Identity{"%0 = xor i64 0, %n", "%n"}, Identity{"%0 = shl %n, i64 0", "%n"},
                                         Identity{"%0 = shr %n, i64 0", "%n"}, Identity{"%0 = and %n, %n", "%n"},
                                         Identity{"%0 = or %n, i64 -1", "i64 -1"}));

TEST(FoldConstants, IntegersThatVanish) {
  EXPECT_EQ(folded("%0 = mul %n, i64 0\n%1 = element %x, %0\nstore %1, %f\n"), "store %x, %f\n");
  EXPECT_EQ(folded("%0 = sub %n, %n\n%1 = element %x, %0\nstore %1, %f\n"), "store %x, %f\n");
  EXPECT_EQ(folded("%0 = add %n, i64 3\n%1 = xor %0, %0\n%2 = element %x, %1\nstore %2, %f\n"), "store %x, %f\n");
  EXPECT_EQ(folded("%0 = sub i64 0, %n\n%1 = element %x, %0\nstore %1, %f\n"),
            "%0 = sub i64 0, %n\n%1 = element %x, %0\nstore %1, %f\n");
}

TEST(FoldConstants, DoubleNegations) {
  EXPECT_EQ(folded("%0 = neg %f\n%1 = neg %0\nstore %x, %1\n"), "store %x, %f\n");
  EXPECT_EQ(folded("%0 = not %c\n%1 = not %0\nif %1 {\nstore %x, %f\n}\n"), "if %c {\n  store %x, %f\n}\n");
  EXPECT_EQ(folded("%0 = neg %f\n%1 = neg %0\n%2 = neg %1\nstore %x, %2\n"), "%0 = neg %f\nstore %x, %0\n");
}

// A negative index wraps; that of a thread is not negative.
TEST(FoldConstants, ComparisonsThatRangesDecide) {
  EXPECT_EQ(folded("%0 = builtin threadIdx.x : i64\n%1 = lt %0, i64 0\n%2 = add %0, %x.shape0\n"
                   "%3 = select %1, %2, %0 : i64\n%4 = element %x, %3\nstore %4, %f\n"),
            "%0 = builtin threadIdx.x : i64\n%1 = element %x, %0\nstore %1, %f\n");
  EXPECT_EQ(folded("%0 = gt i64 0, %x.shape0\nif %0 {\nstore %x, %f\n}\n"), "");
  EXPECT_EQ(folded("%0 = ne %x.shape0, i64 -1\nif %0 {\nstore %x, %f\n}\n"), "store %x, %f\n");
  EXPECT_EQ(folded("%0 = ge %x.shape0, i64 0\nif %0 {\nstore %x, %f\n}\n"), "store %x, %f\n");
}

TEST(FoldConstants, ComparisonsThatRangesLeaveOpen) {
  for (const char* comparison : {"lt %n, i64 0", "le %x.shape0, i64 0", "eq %x.shape0, i64 0",
                                 "ge %w, u64 9223372036854775808", "lt %i, i32 2147483647"}) {
    const std::string body = "%0 = " + std::string(comparison) + "\nif %0 {\n  store %x, %f\n}\n";
    EXPECT_EQ(folded(body), body);
  }
}

TEST(FoldConstants, BranchesOnConstants) {
  EXPECT_EQ(folded("if bool true {\nstore %x, %f\n} else {\nstore %x, %g\n}\n"), "store %x, %f\n");
  EXPECT_EQ(folded("if bool false {\nstore %x, %f\n} else {\nstore %x, %g\n}\n"), "store %x, %g\n");
  EXPECT_EQ(folded("if bool false {\nstore %x, %f\n}\n"), "");
}

TEST(FoldConstants, NothingFollowsAJump) {
  EXPECT_EQ(folded("if bool true {\nif bool true {\nstore %x, %f\nreturn\n}\n}\nstore %x, %g\n"),
            "store %x, %f\nreturn\n");
  EXPECT_EQ(folded("if %c {\nif bool true {\nfault 0\n}\nstore %x, %f\n}\nstore %x, %g\n"),
            "if %c {\n  fault 0\n}\nstore %x, %g\n");
}

TEST(FoldConstants, LoopsThatDoNotComeRound) {
  EXPECT_EQ(folded("loop L0 {\n%0 = lt i64 5, i64 5\nif %0 {\n} else {\nbreak L0\n}\nstore %x, %f\n} continuing {\n"
                   "store %x, %g\n}\nstore %x, %g\n"),
            "store %x, %g\n");
  EXPECT_EQ(folded("loop L0 {\nstore %x, %f\nbreak L0\n}\n"), "store %x, %f\n");
  EXPECT_EQ(folded("loop L0 {\nstore %x, %f\nreturn\n}\n"), "store %x, %f\nreturn\n");
  EXPECT_EQ(folded("loop L0 {\nloop L1 {\nstore %x, %f\nif %c {\nbreak L0\n}\nbreak L1\n}\n}\n"),
            "loop L0 {\n  store %x, %f\n  if %c {\n    break L0\n  }\n}\n");
}

TEST(FoldConstants, LoopsThatMayComeRound) {
  for (const char* body : {
           "loop L0 {\n  store %x, %f\n  if %c {\n    continue L0\n  }\n  break L0\n}\n",
           "loop L0 {\n  store %x, %f\n  if %c {\n    break L0\n  }\n}\n",
           "loop L0 {\n  if %c {\n    break L0\n  }\n  store %x, %f\n  break L0\n}\n",
           "loop L0 {\n  store %x, %f\n}\n",
       }) {
    EXPECT_EQ(folded(body), body);
  }
}

TEST(FoldConstants, ScopesThatNobodyLeaves) {
  EXPECT_EQ(folded("scope L0 {\nstore %x, %f\nif bool false {\nbreak L0\n}\nstore %x, %g\n}\n"),
            "store %x, %f\nstore %x, %g\n");
  EXPECT_EQ(folded("scope L0 {\nstore %x, %f\nbreak L0\n}\nstore %x, %g\n"), "store %x, %f\nstore %x, %g\n");
  const std::string left = "scope L0 {\n  if %c {\n    break L0\n  }\n  store %x, %f\n}\n";
  EXPECT_EQ(folded(left), left);
}

TEST(FoldConstants, DropsWhatNobodyUses) {
  EXPECT_EQ(folded("%0 = add %n, i64 1\n%1 = element %x, %0\n%2 = load %1 : f32\n%3 = mul %2, %2\n"), "");
  EXPECT_EQ(folded("%0 = builtin threadIdx.x : i64\n%1 = lt %0, %n\nif %1 {\n%2 = mul %f, %g\n}\n"), "");
  EXPECT_EQ(folded("%0 = call @two %f\n%1 = extract 0 %0 : f32\n"), "%0 = call @two %f\n");
  EXPECT_EQ(folded("assume bool true\n"), "");
}

TEST(FoldConstants, KeepsWhatHasAnEffect) {
  for (const char* body : {
           "builtin syncthreads\n",
           "%0 = builtin shfl_sync u32 4294967295, %f, i32 0, i32 32 : f32\n",
           "%0 = builtin syncthreads_count bool true : i32\n",
           "%0 = atomic add %x, %f : f32\n",
           "assume %c\n",
           "if %c {\n  builtin syncthreads\n}\n",
       }) {
    EXPECT_EQ(folded(body), body);
  }
}

// Linear in the size of the text: a quadratic pass would take minutes here.
TEST(FoldConstants, LongCode) {
  std::string body = "%0 = add %n, i64 1\n";
  for (int i = 1; i < 100000; ++i) body += "%" + std::to_string(i) + " = add %" + std::to_string(i - 1) + ", i64 0\n";
  EXPECT_EQ(folded(body + "%200000 = element %x, %99999\nstore %200000, %f\n"),
            "%0 = add %n, i64 1\n%1 = element %x, %0\nstore %1, %f\n");
}

}  // namespace
}  // namespace pykc::ir
