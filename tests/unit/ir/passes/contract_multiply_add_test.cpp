#include "tests/unit/ir/passes/pass_test.h"

namespace pykc::ir {
namespace {

std::string contracted(const std::string& body) { return after(contract_multiply_add, body); }

TEST(ContractMultiplyAdd, Sums) {
  EXPECT_EQ(contracted("%0 = mul %f, %g\n%1 = add %0, %f\nstore %x, %1\n"), "%0 = fma %f, %g, %f\nstore %x, %0\n");
  EXPECT_EQ(contracted("%0 = mul %f, %g\n%1 = add %f, %0\nstore %x, %1\n"), "%0 = fma %f, %g, %f\nstore %x, %0\n");
  EXPECT_EQ(contracted("%0 = mul %d, %d\n%1 = add %0, %d\n%2 = cast %1 : f32\nstore %x, %2\n"),
            "%0 = fma %d, %d, %d\n%1 = cast %0 : f32\nstore %x, %1\n");
}

TEST(ContractMultiplyAdd, Differences) {
  EXPECT_EQ(contracted("%0 = mul %f, %f\n%1 = sub %0, %g\nstore %x, %1\n"),
            "%0 = neg %g\n%1 = fma %f, %f, %0\nstore %x, %1\n");
  EXPECT_EQ(contracted("%0 = mul %f, %f\n%1 = sub %g, %0\nstore %x, %1\n"),
            "%0 = neg %f\n%1 = fma %0, %f, %g\nstore %x, %1\n");
}

TEST(ContractMultiplyAdd, OfTwoProductsTakesTheLeft) {
  EXPECT_EQ(contracted("%0 = mul %f, %f\n%1 = mul %g, %g\n%2 = add %0, %1\nstore %x, %2\n"),
            "%0 = mul %g, %g\n%1 = fma %f, %f, %0\nstore %x, %1\n");
  EXPECT_EQ(contracted("%0 = mul %f, %f\n%1 = mul %g, %g\n%2 = sub %0, %1\nstore %x, %2\n"),
            "%0 = mul %g, %g\n%1 = neg %0\n%2 = fma %f, %f, %1\nstore %x, %2\n");
}

TEST(ContractMultiplyAdd, Chains) {
  EXPECT_EQ(contracted("%0 = mul %f, %f\n%1 = add %0, %g\n%2 = mul %g, %g\n%3 = add %1, %2\nstore %x, %3\n"),
            "%0 = fma %f, %f, %g\n%1 = fma %g, %g, %0\nstore %x, %1\n");
}

TEST(ContractMultiplyAdd, MovesAProductIntoALoop) {
  EXPECT_EQ(contracted(R"(
  %0 = mul %f, %g
  loop L0 {
    %1 = load %x : f32
    %2 = add %1, %0
    store %x, %2
    if %c {
      break L0
    }
  }
)"),
            R"(loop L0 {
  %0 = load %x : f32
  %1 = fma %f, %g, %0
  store %x, %1
  if %c {
    break L0
  }
}
)");
}

class NotContracted : public testing::TestWithParam<const char*> {};

TEST_P(NotContracted, StaysAsItIs) {
  const std::string body = GetParam();
  EXPECT_EQ(contracted(body), body_text(*module_with(body)));
}

INSTANTIATE_TEST_SUITE_P(ContractMultiplyAdd, NotContracted,
                         testing::Values("%0 = mul %f, %g\n%1 = add %0, %f\n%2 = add %0, %1\nstore %x, %2\n",
                                         "%0 = mul %f, %g\n%1 = add %0, %0\nstore %x, %1\n",
                                         "%0 = mul %f, %g\nstore %x, %0\n%1 = add %0, %f\nstore %x, %1\n",
                                         "%0 = mul %n, %n\n%1 = add %0, %n\n%2 = element %x, %1\nstore %2, %f\n",
                                         "%0 = mul %h, %h\n%1 = add %0, %h\n%2 = cast %1 : f32\nstore %x, %2\n",
                                         "%0 = mul %f, %g\n%1 = neg %0\n%2 = add %1, %f\nstore %x, %2\n",
                                         "no_contract\n%0 = mul %f, %g\n%1 = add %0, %f\nstore %x, %1\n"));

}  // namespace
}  // namespace pykc::ir
