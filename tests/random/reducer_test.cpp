#include "tests/random/reducer.h"

#include <gtest/gtest.h>

namespace pykc::random_test {
namespace {

std::string reduced(const std::string& text, const Shows& shows) {
  return reduce(text, shows, std::chrono::steady_clock::now() + std::chrono::seconds(20));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Reducer, LinesThatDoNotMatterGo) {
  const std::string text = "import math\na = 1\nb = 2\nc = a + b\nd = 4\n";
  EXPECT_EQ(reduced(text, [](const std::string& t) { return has(t, "b = 2") && has(t, "d = 4"); }), "b = 2\nd = 4\n");
}

TEST(Reducer, ABlockGoesWithItsHeadOrLeavesItsBody) {
  const std::string text = "if x:\n    a = 1\n    for i in y:\n        b = 2\nelse:\n    c = 3\nd = 4\n";
  EXPECT_EQ(reduced(text, [](const std::string& t) { return has(t, "b = 2"); }), "b = 2\n");
}

TEST(Reducer, AnExpressionShrinksToTheOperandThatMatters) {
  const std::string text = "t = f(g(a, b[i % 3]) + max(bad, 7), 5) * (c if d else e)\n";
  EXPECT_EQ(reduced(text, [](const std::string& t) { return has(t, "bad") && has(t, "t = "); }), "t = bad\n");
}

TEST(Reducer, AnIndexBecomesANumber) {
  const std::string text = "t = a[(i64(b[c]) & 7) - 8]\n";
  EXPECT_EQ(reduced(text, [](const std::string& t) { return has(t, "a[") && has(t, "]"); }), "t = a[0]\n");
}

TEST(Reducer, AParameterGoesWithItsArgument) {
  const std::string text =
      "# run: grid=1 block=32 | zeros i64[3, 4] | random f32[8] | 7\n@kernel\ndef k(out: i64[:, :], x: f32[:], n: "
      "i64):\n"
      "    pass\n";
  const auto shows = [](const std::string& t) {
    return has(t, "# run: grid=1 block=32") && has(t, "def k(") && has(t, "x: f32[:]");
  };
  EXPECT_EQ(reduced(text, shows), "# run: grid=1 block=32 | random f32[8]\ndef k(x: f32[:]):\n");
}

TEST(Reducer, NoLineBecomesBlank) {
  const std::string text = "if c:\n    f()\n";
  EXPECT_EQ(reduced(text, [](const std::string& t) { return has(t, "    "); }), "if c:\n    0\n");
}

TEST(Reducer, EndsInTime) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(reduce(
                "a = 1\n", [](const std::string&) { return true; }, begin),
            "a = 1\n");
}

}  // namespace
}  // namespace pykc::random_test
