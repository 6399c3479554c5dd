// What statements become: the checked tree of small bodies.
#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc {
namespace {

/// The tree of the statements without the lines that in_kernel adds, and without indentation of the first level.
std::string tree_of_body(const std::string& statements, const CheckSetup& setup = {}) {
  const std::string tree = tree_of(in_kernel(statements), setup);
  const std::string first = "  i: i64 = add<i64>(mul<i64>(blockIdx.x<i64>(), blockDim.x<i64>()), threadIdx.x<i64>())\n";
  const std::size_t at = tree.find(first);
  if (at == std::string::npos) return tree;
  std::string result;
  for (std::size_t begin = at + first.size(); begin < tree.size();) {
    const std::size_t end = tree.find('\n', begin);
    result += tree.substr(begin + 2, end - begin - 1);
    begin = end + 1;
  }
  return result;
}

TEST(Statement, OperandsOfAChainAreEvaluatedOnce) {
  EXPECT_EQ(tree_of_body("v = 0.0 < x[i] < 1.0\nprint(v)").substr(0, 80),
            "v: bool = let $0 = x[i] in (lt<f32>(0<f32>, $0) and lt<f32>($0, 1<f32>))\nprint v");
}

TEST(Statement, OrGivesAValue) {
  EXPECT_EQ(tree_of_body("y[i] = x[i] or 5"), "y[i] = let $0 = x[i] in ($0 if cast<bool>($0) else 5<f32>)\n");
  EXPECT_EQ(tree_of_body("if x[i] or n:\n    y[i] = 1"), "if (cast<bool>(x[i]) or cast<bool>(n))\n  y[i] = 1<f32>\n");
}

TEST(Statement, IndicesOfAnAugmentedAssignmentAreEvaluatedOnce) {
  EXPECT_EQ(tree_of_body("y[count[i]] += 1"), "$0: i64 = cast<i64>(count[i])\ny[$0] = add<f32>(y[$0], 1<f32>)\n");
  EXPECT_EQ(tree_of_body("y[i] += 1"), "y[i] = add<f32>(y[i], 1<f32>)\n");
}

TEST(Statement, SwapReadsBeforeItWrites) {
  EXPECT_EQ(tree_of_body("x[0], x[1] = x[1], x[0]"),
            "$0: f32 = x[1<i64>]\n$1: f32 = x[0<i64>]\nx[0<i64>] = $0\nx[1<i64>] = $1\n");
  EXPECT_EQ(tree_of_body("n, i = i, n"), "$0: i64 = i\n$1: i64 = n\nn: i64 = $0\ni: i64 = $1\n");
}

TEST(Statement, SeveralTargetsShareOneValue) {
  EXPECT_EQ(tree_of_body("x[0] = x[1] = y[i]"), "$0: f32 = y[i]\nx[0<i64>] = $0\nx[1<i64>] = $0\n");
}

TEST(Statement, TuplesAreUnpacked) {
  EXPECT_EQ(tree_of_body("h2, w = a.shape\nprint(h2, w)"),
            "h2: i64 = a.shape[0]\nw: i64 = a.shape[1]\nprint h2 \" \" w\n");
  EXPECT_EQ(tree_of_body("t = (n, x[i])\np, (q, r) = n, t\nprint(p, q, r)"),
            "t: tuple[i64, f32] = (n, x[i])\np: i64 = n\nq: i64 = t.0\nr: f32 = t.1\n"
            "print p \" \" q \" \" r prints_as_whole__f64_f64<bool>(cast<f64>(r), 1000000<f64>)\n");
  EXPECT_EQ(tree_of_body("p, q = n, 2\np, q = q, p"),
            "p: i64 = n\nq: i64 = 2<i64>\n$0: i64 = q\n$1: i64 = p\np: i64 = $0\nq: i64 = $1\n");
}

TEST(Statement, PowersBecomeProducts) {
  EXPECT_EQ(tree_of_body("y[i] = x[i] ** 2"), "y[i] = let $0 = x[i] in mul<f32>($0, $0)\n");
  EXPECT_EQ(tree_of_body("y[i] = x[i] ** -4"),
            "y[i] = let $0 = x[i] in div<f32>(1<f32>, let $1 = mul<f32>($0, $0) in mul<f32>($1, $1))\n");
  EXPECT_EQ(tree_of_body("y[i] = n ** 3"), "y[i] = cast<f32>(mul<i64>(mul<i64>(n, n), n))\n");
}

TEST(Statement, ThePowerOfAHalfIsPowAtItsEdges) {
  EXPECT_EQ(tree_of_body("y[i] = x[i] ** 0.5"),
            "y[i] = let $0 = x[i] in (inf<f32> if eq<f32>($0, -inf<f32>) else math.sqrt<f32>(add<f32>($0, 0<f32>)))\n");
}

TEST(Statement, MixedSignsCompareAsNumbers) {
  EXPECT_EQ(tree_of_body("if hashes[i] > n:\n    y[i] = 1"),
            "if let $0 = hashes[i] in (lt<i64>(n, 0<i64>) or gt<u64>($0, cast<u64>(n)))\n  y[i] = 1<f32>\n");
}

TEST(Statement, AWideShiftCountStaysLarge) {
  EXPECT_EQ(tree_of_body("marks[i] = marks[i] << n"),
            "marks[i] = shl<u32>(marks[i], cast<u32>(max<i64>(min<i64>(n, 64<i64>), -1<i64>)))\n");
}

TEST(Statement, Loops) {
  EXPECT_EQ(tree_of_body("for j in range(n, 0, -2):\n    if flag:\n        break\n    x[j] = 0\nelse:\n    x[0] = 1"),
            "for j in range(n, 0<i64>, -2<i64>)\n  if flag\n    break\n  x[j] = 0<f32>\nelse\n  x[0<i64>] = 1<f32>\n");
  EXPECT_EQ(tree_of_body("while n > 0:\n    n -= 1\n    continue"),
            "while gt<i64>(n, 0<i64>)\n  n: i64 = sub<i64>(n, 1<i64>)\n  continue\n");
}

TEST(Statement, ALoopOverAWiderVariableCountsInItsOwn) {
  EXPECT_EQ(tree_of_body("for v in range(3):\n    v = v + 0.5\n    x[i] = v"),
            "for $0 in range(0<i64>, 3<i64>, 1<i64>)\n  v: f64 = cast<f64>($0)\n  v: f64 = add<f64>(v, 0.5<f64>)\n"
            "  x[i] = cast<f32>(v)\n");
}

TEST(Statement, NothingFollowsAReturn) {
  EXPECT_EQ(tree_of_body("if flag:\n    return\n    x[i] = 0\nx[i] = 1"), "if flag\n  return\nx[i] = 1<f32>\n");
}

TEST(Statement, AssertAndRaiseAreFaults) {
  EXPECT_EQ(tree_of_body("assert n > 0, 'few'\nraise ValueError('no')"),
            "check gt<i64>(n, 0<i64>) \"assert failed: n > 0: few\"\nfault \"ValueError: no\"\n");
  EXPECT_EQ(tree_of_body("assert n > 0\nx[i] = 1", {.options = {.asserts = false}}), "x[i] = 1<f32>\n");
}

TEST(Statement, PrintTakesTextAndTuples) {
  EXPECT_EQ(tree_of_body("print('x =', x[i], (n, 1), sep='|')"),
            "$0: f32 = x[i]\nprint \"x =\" \"|\" $0 prints_as_whole__f64_f64<bool>(cast<f64>($0), 1000000<f64>) \"|\" "
            "\"(\" n \", \" "
            "1<i64> \")\"\n");
}

TEST(Statement, BoundsAreFaultsInCheckedBuilds) {
  const CheckedText checked = check_text(in_kernel("a[i, 0] = x[i]"), {.options = {.bounds_checks = true}});
  ASSERT_EQ(checked.module.faults.size(), 4u);
  EXPECT_EQ(checked.module.faults[0].message, "index {0} is out of bounds for `x` of shape ({1},)");
  EXPECT_EQ(checked.module.faults[2].message, "index {0} is out of bounds for dimension 1 of `a` of shape ({1}, {2})");
  EXPECT_EQ(checked.module.stop_fault, 3);
  EXPECT_EQ(checked.module.faults[0].line, 7);
  EXPECT_EQ(check_text(in_kernel("a[i, 0] = x[i]")).module.faults.size(), 0u);
}

TEST(Statement, WhatMayBeUnassignedBeginsAsZero) {
  EXPECT_EQ(tree_of(in_kernel("if flag:\n    v = x[i]\ny[i] = v")).find("  v: f32 = 0<f32>\n") != std::string::npos,
            true);
}

TEST(Statement, MembershipAndTupleComparison) {
  EXPECT_EQ(tree_of_body("if n not in (1, 2):\n    x[i] = 0"),
            "if not<bool>((eq<i64>(n, 1<i64>) or eq<i64>(n, 2<i64>)))\n  x[i] = 0<f32>\n");
  EXPECT_EQ(tree_of_body("if (n, i) == (1, 2):\n    x[i] = 0"),
            "if (eq<i64>(n, 1<i64>) and eq<i64>(i, 2<i64>))\n  x[i] = 0<f32>\n");
}

}  // namespace
}  // namespace pykc
