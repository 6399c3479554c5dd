// `assert`: what a failed one tells.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

std::vector<std::string> notes_of(std::string_view condition) {
  const HostRun run =
      run_host("x = arange(4).astype(f64)\ny = x.copy()\ny[2] = 5\nassert " + std::string(condition) + "\n");
  EXPECT_EQ(run.code, -1) << condition;
  if (run.code != -1) return {};
  EXPECT_EQ(run.error().code, "E0434");
  EXPECT_EQ(run.error().place.column, 8);
  return run.error().notes;
}
using Notes = std::vector<std::string>;

TEST(Assertions, ThatHoldSayNothing) {
  EXPECT_EQ(
      run_host("assert 1 < 2\nassert allclose(ones(3), 1.0)\nassert (arange(3) >= 0).all(), 'no'\nprint(1)\n").output,
      "1\n");
}

TEST(Assertions, ShowBothSidesOfAComparison) {
  EXPECT_EQ(notes_of("1 + 1 == 3"), (Notes{"the left side is 2", "the right side is 3"}));
  EXPECT_EQ(notes_of("'a' > 'b'"), (Notes{"the left side is 'a'", "the right side is 'b'"}));
  EXPECT_EQ(notes_of("x.shape == (5,)"), (Notes{"the left side is (4,)", "the right side is (5,)"}));
}

TEST(Assertions, ShowTheLargestDifferenceOfArrays) {
  const Notes expected = {"the largest difference is 3.0 at [2]: 2.0 and 5.0", "1 of 4 elements differ"};
  EXPECT_EQ(notes_of("allclose(x, y)"), expected);
  EXPECT_EQ(notes_of("array_equal(x, y)"), expected);
  EXPECT_EQ(notes_of("(x == y).all()"), expected);
  EXPECT_EQ(notes_of("allclose(x.reshape(2, 2), y.reshape(2, 2))")[0],
            "the largest difference is 3.0 at (1, 0): 2.0 and 5.0");
  EXPECT_EQ(notes_of("array_equal(x, zeros(3))"), (Notes{"the shapes are (4,) and (3,)"}));
}

TEST(Assertions, CountNanAsTheLargestDifference) {
  EXPECT_EQ(notes_of("allclose(array([1.0, 1.0]), array([9.0, float('nan')]))")[0],
            "the largest difference is inf at [1]: 1.0 and nan");
}

TEST(Assertions, ShowTheirMessage) {
  const HostRun run = run_host("n = 3\nassert n == 4, f'n is {n}'\n");
  EXPECT_EQ(run.error().message, "the assertion failed: n is 3");
}

TEST(Assertions, EvaluateTheirConditionOnce) {
  EXPECT_EQ(run_host("def f():\n    print('called')\n    return True\nassert f()\nassert f() == True\n").output,
            "called\ncalled\n");
}

}  // namespace
}  // namespace pykc::script
