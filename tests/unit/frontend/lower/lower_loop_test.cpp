// Loops mean what they mean in Python, to the ends of i64.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

constexpr std::int64_t kMinimum = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaximum = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostIterations = 5;

__extension__ using Wide = __int128;

/// What a loop left behind.
struct Trace {
  std::int64_t iterations = 0;
  std::int64_t last = -77;  // the variable after the loop
  std::int64_t sum = 0;     // of its values, wrapping
  std::int64_t else_ran = 0;
  friend bool operator==(const Trace&, const Trace&) = default;
};

std::ostream& operator<<(std::ostream& out, const Trace& t) {
  return out << t.iterations << " iterations, last " << t.last << ", sum " << t.sum << ", else " << t.else_ran;
}

/// Python's `for i in range(start, stop, step)`, broken off after a few iterations.
Trace python(std::int64_t start, std::int64_t stop, std::int64_t step) {
  Trace trace;
  for (Wide i = start; step > 0 ? i < stop : step < 0 && i > stop; i += step) {
    trace.last = static_cast<std::int64_t>(i);
    trace.sum =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(trace.sum) + static_cast<std::uint64_t>(trace.last));
    if (++trace.iterations == kMostIterations) return trace;
  }
  trace.else_ran = 1;
  return trace;
}

/// Makes the kernel that fills a Trace: k(out, start, stop, step), where step may be a constant.
class RangeLoop {
 public:
  explicit RangeLoop(const std::int64_t* step, bool body_assigns) {
    const Variable* out = t.parameter("out", t.array(ScalarType::I64, {4}));
    const Variable* start = t.parameter("start", scalar(ScalarType::I64));
    const Variable* stop = t.parameter("stop", scalar(ScalarType::I64));
    const Variable* stride = t.parameter("step", scalar(ScalarType::I64));
    const Variable* i = t.variable("i");
    const auto place = [&](std::int64_t index) { return t.element(out, {t.i64(index)}); };
    const ExprRef counted = t.add(place(0), t.i64(1));
    Suite body = {t.store(place(0), counted), t.store(place(2), t.add(place(2), t.ref(i))), t.store(place(1), t.ref(i)),
                  t.if_(t.compare(CompareOp::Eq, place(0), t.i64(kMostIterations)), {t.break_()})};
    if (body_assigns) body.push_back(t.assign(i, t.i64(1000)));
    t.function->body = {
        t.for_(i, t.ref(start), t.ref(stop), step ? t.i64(*step) : t.ref(stride), body, {t.store(place(3), t.i64(1))})};
    ir = t.lowered();
  }
  Trace run(std::int64_t start, std::int64_t stop, std::int64_t step) const {
    Trace trace;
    const auto outcome =
        reference::run(*ir, *ir->find("k"), {.grid = {}, .block = {}, .launch_shared_bytes = 0, .step_limit = 100000},
                       {reference::bits_of(&trace.iterations), reference::bits_of(start), reference::bits_of(stop),
                        reference::bits_of(step)});
    EXPECT_TRUE(outcome.is_clean()) << outcome.error;
    return trace;
  }

 private:
  Tree t;
  std::unique_ptr<ir::Module> ir;
};

constexpr std::int64_t kBounds[] = {kMinimum, kMinimum + 1, kMinimum + 7, -10,     -3, -1, 0, 1, 2,
                                    9,        kMaximum - 7, kMaximum - 1, kMaximum};
constexpr std::int64_t kSteps[] = {1, -1, 0, 2, 3, -2, -4, kMaximum, kMaximum - 1, kMinimum, kMinimum + 1};

class ForRange : public testing::TestWithParam<std::int64_t> {};

TEST_P(ForRange, ConstantStep) {
  const std::int64_t step = GetParam();
  const RangeLoop loop(&step, false);
  for (const std::int64_t start : kBounds)
    for (const std::int64_t stop : kBounds)
      EXPECT_EQ(loop.run(start, stop, step), python(start, stop, step)) << start << ' ' << stop << ' ' << step;
}

TEST_P(ForRange, UnknownStep) {
  const RangeLoop loop(nullptr, false);
  for (const std::int64_t start : kBounds)
    for (const std::int64_t stop : kBounds)
      EXPECT_EQ(loop.run(start, stop, GetParam()), python(start, stop, GetParam())) << start << ' ' << stop;
}

TEST_P(ForRange, WhatTheBodyAssignsDoesNotCount) {
  const std::int64_t step = GetParam();
  const RangeLoop loop(&step, true);
  for (const std::int64_t start : kBounds)
    for (const std::int64_t stop : kBounds) EXPECT_EQ(loop.run(start, stop, step), python(start, stop, step));
}

INSTANTIATE_TEST_SUITE_P(Steps, ForRange, testing::ValuesIn(kSteps));

class LowerLoop : public testing::Test {
 protected:
  LowerLoop() {
    out = t.parameter("out", t.array(ScalarType::I64, {8}));
    n = t.parameter("n", scalar(ScalarType::I64));
    i = t.variable("i");
    j = t.variable("j");
  }
  const checked::Stmt* count(std::int64_t index) {
    return t.store(t.element(out, {t.i64(index)}), t.add(t.element(out, {t.i64(index)}), t.i64(1)));
  }
  const checked::Stmt* loop(const Variable* variable, std::int64_t stop, Suite body, Suite otherwise = {}) {
    return t.for_(variable, t.i64(0), t.i64(stop), t.i64(1), std::move(body), std::move(otherwise));
  }
  const checked::Stmt* when(const Variable* variable, std::int64_t value, Suite then) {
    return t.if_(t.compare(CompareOp::Eq, t.ref(variable), t.i64(value)), std::move(then));
  }
  std::vector<std::int64_t> run(std::int64_t n_value = 0) {
    std::vector<std::int64_t> values(8);
    EXPECT_TRUE(t.run({reference::bits_of(values.data()), reference::bits_of(n_value)}).is_clean());
    return values;
  }
  Tree t;
  const Variable* out;
  const Variable* n;
  const Variable* i;
  const Variable* j;
};

TEST_F(LowerLoop, BreakLeavesTheInnerLoopAndItsElse) {
  t.function->body = {loop(i, 3, {loop(j, 5, {when(j, 2, {t.break_()}), count(0)}, {count(1)}), count(2)}, {count(3)})};
  EXPECT_EQ(run(), (std::vector<std::int64_t>{6, 0, 3, 1, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, ContinueStepsOn) {
  t.function->body = {loop(i, 5, {when(i, 2, {t.continue_()}), count(0)}, {count(1)})};
  EXPECT_EQ(run(), (std::vector<std::int64_t>{4, 1, 0, 0, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, ElseBelongsToTheLoopAround) {
  t.function->body = {
      loop(i, 5, {count(0), loop(j, 2, {count(1)}, {when(i, 1, {t.break_()}), t.continue_()}), count(2)}, {count(3)})};
  EXPECT_EQ(run(), (std::vector<std::int64_t>{2, 4, 0, 0, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, WhileTestsBeforeEveryRound) {
  const Variable* k = t.variable("k");
  const auto step = t.assign(k, t.add(t.ref(k), t.i64(1)));
  t.function->body = {t.assign(k, t.i64(0)),
                      t.while_(t.compare(CompareOp::Lt, t.ref(k), t.ref(n)),
                               {step, when(k, 2, {t.continue_()}), when(k, 5, {t.break_()}), count(0)}, {count(1)}),
                      t.store(t.element(out, {t.i64(2)}), t.ref(k))};
  EXPECT_EQ(run(0), (std::vector<std::int64_t>{0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run(4), (std::vector<std::int64_t>{3, 1, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run(9), (std::vector<std::int64_t>{3, 0, 5, 0, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, AnEndlessLoopHasNoTest) {
  t.function->body = {t.while_(
      t.boolean(true), {count(0), t.if_(t.compare(CompareOp::Gt, t.element(out, {t.i64(0)}), t.i64(3)), {t.return_()})},
      {count(1)})};
  EXPECT_EQ(run(), (std::vector<std::int64_t>{4, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, ReturnLeavesEverything) {
  t.function->body = {loop(i, 3, {loop(j, 3, {count(0), when(j, 1, {t.return_()})})}), count(1)};
  EXPECT_EQ(run(), (std::vector<std::int64_t>{2, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(LowerLoop, BoundsAreEvaluatedOnce) {
  const Variable* stop = t.variable("stop");
  t.function->body = {t.assign(stop, t.i64(3)),
                      t.for_(i, t.i64(0), t.ref(stop), t.i64(1), {t.assign(stop, t.i64(100)), count(0)})};
  EXPECT_EQ(run()[0], 3);
}

TEST_F(LowerLoop, AGridStrideLoopOverAnExtentCannotWrap) {
  const Variable* x = t.parameter("x", t.array(ScalarType::I64, {ArrayType::kDynamic}));
  const ExprRef stop = t.expr(scalar(ScalarType::I64), checked::Extent{t.ref(x), 0});
  const ExprRef stride = t.builtin(BuiltinId::BlockDimX, scalar(ScalarType::I64));
  t.function->body = {t.for_(i, t.thread(), stop, stride, {t.store(t.element(x, {t.ref(i)}), t.i64(1))})};
  const std::string text = t.text();
  EXPECT_NE(text.find("local $i: i64 from 0 to 281474976711679"), std::string::npos) << text;  // 2^48 - 1 + 1024
  EXPECT_NE(text.find("add no_wrap"), std::string::npos) << text;
  EXPECT_EQ(text.find("select"), std::string::npos) << text;  // nor does the index need wraparound
}

}  // namespace
}  // namespace pykc::lowering
