// Which variables are values, and which are memory.
#include <gtest/gtest.h>

#include "frontend/lower/variables.h"
#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

class LowerVariables : public testing::Test {
 protected:
  LowerVariables() {
    out = t.parameter("out", t.array(ScalarType::I64, {1}));
    c = t.parameter("c", scalar(ScalarType::Bool));
    v = t.variable("v");
  }
  const checked::Stmt* use() { return t.store(t.element(out, {t.i64(0)}), t.ref(v)); }
  const checked::Stmt* set(std::int64_t value) { return t.assign(v, t.i64(value)); }
  const checked::Stmt* loop(Suite body, Suite otherwise = {}) {
    return t.for_(v, t.i64(0), t.i64(4), t.i64(1), std::move(body), std::move(otherwise));
  }
  bool is_memory(Suite body) {
    t.function->body = std::move(body);
    t.lowered();
    return VariableUses(*t.function).needs_local(v);
  }
  Tree t;
  const Variable* out;
  const Variable* c;
  const Variable* v;
};

TEST_F(LowerVariables, AssignedOnceBeforeItsUsesIsAValue) {
  EXPECT_FALSE(is_memory({set(1), use()}));
  EXPECT_FALSE(is_memory({set(1), t.if_(t.ref(c), {use()}, {use()}), t.while_(t.ref(c), {use()})}));
  EXPECT_FALSE(is_memory({t.while_(t.ref(c), {set(1), use()})}));
}

TEST_F(LowerVariables, AssignedTwiceIsMemory) { EXPECT_TRUE(is_memory({set(1), use(), set(2), use()})); }

TEST_F(LowerVariables, UsedOutsideOfItsSuiteIsMemory) {
  EXPECT_TRUE(is_memory({t.if_(t.ref(c), {set(1)}), use()}));
  EXPECT_TRUE(is_memory({t.while_(t.ref(c), {set(1)}), use()}));
  EXPECT_TRUE(is_memory({t.while_(t.ref(c), {set(1)}, {use()})}));
}

TEST_F(LowerVariables, UsedBeforeItsAssignmentIsMemory) {
  EXPECT_TRUE(is_memory({t.while_(t.ref(c), {use(), set(1)})}));
}

TEST_F(LowerVariables, AParameterThatChangesIsMemory) {
  EXPECT_FALSE(VariableUses(*t.function).needs_local(c));
  t.function->body = {t.assign(c, t.boolean(true))};
  EXPECT_TRUE(VariableUses(*t.function).needs_local(c));
}

TEST_F(LowerVariables, ACounterIsAValueInItsLoops) {
  EXPECT_FALSE(is_memory({loop({use()}), loop({use()})}));
  EXPECT_TRUE(is_memory({loop({use()}), use()}));
  EXPECT_TRUE(is_memory({loop({use()}, {use()})}));
  EXPECT_TRUE(is_memory({loop({use(), set(7)})}));
  EXPECT_TRUE(is_memory({loop({loop({use()})}), set(1), use()}));
}

TEST_F(LowerVariables, TheCounterItselfNeedsNoCopy) {
  t.function->body = {loop({use()})};
  EXPECT_EQ(t.text(),
            "  argument out: i64[1] row_major\n"
            "  argument c: bool\n"
            "  local $v: i64 from 0 to 4\n"
            "  store_local $v, i64 0\n"
            "  loop L0 {\n"
            "    %0 = load_local $v : i64\n"
            "    %1 = lt %0, i64 4\n"
            "    %2 = not %1\n"
            "    if %2 {\n"
            "      break L0\n"
            "    }\n"
            "    %3 = element %out, i64 0\n"
            "    store %3, %0\n"
            "  } continuing {\n"
            "    %4 = load_local $v : i64\n"
            "    %5 = add no_wrap %4, i64 1\n"
            "    store_local $v, %5\n"
            "  }\n"
            "  return\n");
}

TEST_F(LowerVariables, WhatIsReadAfterTheLoopIsACopy) {
  t.function->body = {set(-1), loop({}), use()};
  std::int64_t value = 0;
  t.run({reference::bits_of(&value), 0});
  EXPECT_EQ(value, 3);
}

TEST_F(LowerVariables, SwappedArraysAreLocalsOfPointers) {
  const checked::Type row = t.array(ScalarType::I64, {1});
  const Variable* x = t.parameter("x", row);
  const Variable* a = t.variable("a", row);
  const Variable* b = t.variable("b", row);
  const Variable* old = t.variable("old", row);
  t.function->body = {t.assign(a, t.ref(out)),
                      t.assign(b, t.ref(x)),
                      t.assign(old, t.ref(a)),
                      t.assign(a, t.ref(b)),
                      t.assign(b, t.ref(old)),
                      t.store(t.element(a, {t.i64(0)}), t.i64(1)),
                      t.store(t.element(b, {t.i64(0)}), t.i64(2))};
  std::int64_t first = 0, second = 0;
  t.run({reference::bits_of(&first), 0, reference::bits_of(&second)});
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
}

}  // namespace
}  // namespace pykc::lowering
