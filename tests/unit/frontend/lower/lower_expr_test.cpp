// Choices: what is evaluated, and what becomes a select.
#include <gtest/gtest.h>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

class LowerChoice : public testing::Test {
 protected:
  LowerChoice() {
    out = t.parameter("out", t.array(ScalarType::I64, {4}));
    a = t.parameter("a", scalar(ScalarType::Bool));
    b = t.parameter("b", scalar(ScalarType::Bool));
  }
  /// A bool that counts in out[1] how often it is evaluated.
  ExprRef counted(ExprRef value) {
    const Variable* seen = t.variable("seen");
    const ExprRef count =
        t.expr(scalar(ScalarType::I64), checked::Atomic{ir::AtomicOp::Add, {}, t.element(out, {t.i64(1)}), t.i64(1)});
    return t.expr(scalar(ScalarType::Bool), checked::Let{seen, count, value});
  }
  void result(ExprRef value) { t.function->body = {t.store(t.element(out, {t.i64(0)}), value)}; }
  /// out[0] and out[1] after a run.
  std::pair<std::int64_t, std::int64_t> run(bool a_value, bool b_value) {
    std::int64_t values[4] = {};
    EXPECT_TRUE(t.run({reference::bits_of(&values[0]), a_value, b_value}).is_clean());
    return {values[0], values[1]};
  }
  Tree t;
  const Variable* out;
  const Variable* a;
  const Variable* b;
};

TEST_F(LowerChoice, AndEvaluatesItsRightSideOnlyIfTheLeftHolds) {
  result(t.cast(t.logical(true, t.ref(a), counted(t.ref(b))), ScalarType::I64));
  EXPECT_EQ(run(false, true), (std::pair<std::int64_t, std::int64_t>{0, 0}));
  EXPECT_EQ(run(true, false), (std::pair<std::int64_t, std::int64_t>{0, 1}));
  EXPECT_EQ(run(true, true), (std::pair<std::int64_t, std::int64_t>{1, 1}));
}

TEST_F(LowerChoice, OrEvaluatesItsRightSideOnlyIfTheLeftFails) {
  result(t.cast(t.logical(false, t.ref(a), counted(t.ref(b))), ScalarType::I64));
  EXPECT_EQ(run(true, false), (std::pair<std::int64_t, std::int64_t>{1, 0}));
  EXPECT_EQ(run(false, false), (std::pair<std::int64_t, std::int64_t>{0, 1}));
  EXPECT_EQ(run(false, true), (std::pair<std::int64_t, std::int64_t>{1, 1}));
}

TEST_F(LowerChoice, OnlyTheChosenSideIsEvaluated) {
  result(t.cast(t.conditional(t.ref(a), counted(t.boolean(true)), t.ref(b)), ScalarType::I64));
  EXPECT_EQ(run(true, false), (std::pair<std::int64_t, std::int64_t>{1, 1}));
  EXPECT_EQ(run(false, true), (std::pair<std::int64_t, std::int64_t>{1, 0}));
}

TEST_F(LowerChoice, CheapSidesNeedNoBranch) {
  const ExprRef choice = t.conditional(t.logical(true, t.ref(a), t.ref(b)), t.add(t.thread(), t.i64(1)), t.i64(7));
  result(choice);
  EXPECT_EQ(t.text(),
            "  argument out: i64[4] row_major\n"
            "  argument a: bool\n"
            "  argument b: bool\n"
            "  %0 = and %a, %b\n"
            "  %1 = builtin threadIdx.x : i64\n"
            "  %2 = add %1, i64 1\n"
            "  %3 = select %0, %2, i64 7 : i64\n"
            "  %4 = element %out, i64 0\n"
            "  store %4, %3\n"
            "  return\n");
}

TEST_F(LowerChoice, ALoadIsBehindABranch) {
  result(t.conditional(t.ref(a), t.element(out, {t.i64(2)}), t.i64(7)));
  EXPECT_EQ(t.text(),
            "  argument out: i64[4] row_major\n"
            "  argument a: bool\n"
            "  argument b: bool\n"
            "  local $either: i64\n"
            "  if %a {\n"
            "    %0 = element %out, i64 2\n"
            "    %1 = load %0 : i64\n"
            "    store_local $either, %1\n"
            "  } else {\n"
            "    store_local $either, i64 7\n"
            "  }\n"
            "  %2 = load_local $either : i64\n"
            "  %3 = element %out, i64 0\n"
            "  store %3, %2\n"
            "  return\n");
}

TEST_F(LowerChoice, OfArraysGoesPartByPart) {
  const Variable* x = t.parameter("x", t.array(ScalarType::I64, {ArrayType::kDynamic}));
  const Variable* y = t.parameter("y", t.array(ScalarType::I64, {ArrayType::kDynamic}));
  result(t.element(t.conditional(t.ref(a), t.ref(x), t.ref(y)), {t.i64(-1)}));
  std::int64_t values[4] = {}, xs[2] = {1, 2}, ys[3] = {3, 4, 5};
  for (const bool choice : {true, false}) {
    t.run({reference::bits_of(&values[0]), choice, 0, reference::bits_of(&xs[0]), 2, reference::bits_of(&ys[0]), 3});
    EXPECT_EQ(values[0], choice ? 2 : 5);
  }
}

TEST_F(LowerChoice, OperatorsMapOneToOne) {
  const ExprRef shifted = t.binary(BinaryOp::Shl, t.i64(3), t.i64(4));
  const ExprRef divided = t.binary(BinaryOp::FloorDiv, shifted, t.i64(-5));
  const ExprRef inverted = t.expr(scalar(ScalarType::I64), checked::Unary{checked::UnaryOp::Invert, divided});
  result(t.expr(scalar(ScalarType::I64), checked::Unary{checked::UnaryOp::Negate, inverted}));
  EXPECT_EQ(run(false, false).first, -(~(-10)));
}

TEST_F(LowerChoice, BitcastKeepsTheBits) {
  const ExprRef bits = t.expr(scalar(ScalarType::I32), checked::Bitcast{t.f32(1)});
  result(t.cast(bits, ScalarType::I64));
  EXPECT_EQ(run(false, false).first, 0x3f800000);
}

}  // namespace
}  // namespace pykc::lowering
