// modf and frexp, which lowering spells out, against the C library; atomics.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

/// A kernel that writes both results of `id` of x, and the second as an i64 for frexp.
void call_pair(Tree& t, BuiltinId id, ScalarType type) {
  const checked::Type second = scalar(id == BuiltinId::Frexp ? ScalarType::I32 : type);
  const Variable* x = t.parameter("x", t.array(type, {}));
  const Variable* a = t.parameter("a", t.array(type, {}));
  const Variable* b = t.parameter("b", t.array(second->scalar, {}));
  const Variable* pair = t.variable("pair", t.tuple({scalar(type), second}));
  t.function->body = {t.assign(pair, t.builtin(id, pair->type, {t.element(x, {})})),
                      t.store(t.element(a, {}), t.tuple_element(t.ref(pair), 0)),
                      t.store(t.element(b, {}), t.tuple_element(t.ref(pair), 1))};
}

template <typename T, typename Bits>
std::vector<T> hard_numbers() {
  std::vector<T> numbers;
  for (const T x : {T(0), T(0.5), T(1), T(1.5), T(-2.75), T(1e6), std::numeric_limits<T>::min(),
                    std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(),
                    std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    numbers.push_back(x);
    numbers.push_back(-x);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) numbers.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
  for (int i = 0; i < 200; ++i)  // subnormals
    numbers.push_back(std::bit_cast<T>(static_cast<Bits>(random()) >> (sizeof(T) == 8 ? 12 : 9)));
  return numbers;
}

template <typename T>
void expect_same(T actual, T expected, T x) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << x;
  } else {
    EXPECT_EQ(actual, expected) << x;
    EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << x;
  }
}

template <typename T, typename Bits>
void test_modf(ScalarType type) {
  Tree t;
  call_pair(t, BuiltinId::Modf, type);
  const auto ir = t.lowered();
  for (T x : hard_numbers<T, Bits>()) {
    T fraction = 0, whole = 0, expected_whole = 0;
    reference::run(*ir, *ir->find("k"), {},
                   {reference::bits_of(&x), reference::bits_of(&fraction), reference::bits_of(&whole)});
    expect_same(fraction, std::modf(x, &expected_whole), x);
    expect_same(whole, expected_whole, x);
  }
}

template <typename T, typename Bits>
void test_frexp(ScalarType type) {
  Tree t;
  call_pair(t, BuiltinId::Frexp, type);
  const auto ir = t.lowered();
  for (T x : hard_numbers<T, Bits>()) {
    T fraction = 0;
    std::int32_t exponent = 77;
    reference::run(*ir, *ir->find("k"), {},
                   {reference::bits_of(&x), reference::bits_of(&fraction), reference::bits_of(&exponent)});
    int expected = 0;
    expect_same(fraction, std::frexp(x, &expected), x);
    EXPECT_EQ(exponent, std::isfinite(x) ? expected : 0) << x;
  }
}

TEST(LowerModf, F32) { test_modf<float, std::uint32_t>(ScalarType::F32); }
TEST(LowerModf, F64) { test_modf<double, std::uint64_t>(ScalarType::F64); }
TEST(LowerFrexp, F32) { test_frexp<float, std::uint32_t>(ScalarType::F32); }
TEST(LowerFrexp, F64) { test_frexp<double, std::uint64_t>(ScalarType::F64); }

TEST(LowerBuiltin, OneInstruction) {
  Tree t;
  const Variable* x = t.parameter("x", t.array(ScalarType::F32, {1}));
  const ExprRef root = t.builtin(BuiltinId::Sqrt, scalar(ScalarType::F32), {t.element(x, {t.i64(0)})});
  t.function->body = {t.stmt(checked::Evaluate{t.builtin(BuiltinId::Syncthreads, checked::Type::none())}),
                      t.store(t.element(x, {t.i64(0)}), root)};
  EXPECT_EQ(t.text(),
            "  argument x: f32[1] row_major\n"
            "  builtin syncthreads\n"
            "  %0 = element %x, i64 0\n"
            "  %1 = load %0 : f32\n"
            "  %2 = builtin math.sqrt %1 : f32\n"
            "  %3 = element %x, i64 0\n"
            "  store %3, %2\n"
            "  return\n");
}

/// What lies in an array of one element, 5 at first, after `op` with `value`; and what the atomic gave.
template <typename T>
std::pair<T, T> run_atomic(ScalarType type, ir::AtomicOp op, T first, T value, bool is_local) {
  Tree t;
  const Variable* out = t.parameter("out", t.array(type, {2}));
  const Variable* given = t.parameter("given", scalar(type));
  const Variable* old = t.variable("old", scalar(type));
  t.function->local_arrays.push_back({"own", {type, Layout::RowMajor, {1}}});
  const ExprRef own = t.expr(t.array(type, {1}, Layout::RowMajor, ir::AddressSpace::Local), checked::LocalArrayRef{0});
  const ExprRef place = t.element(is_local ? own : t.ref(out), {t.i64(0)});
  t.function->body = {t.store(place, t.element(out, {t.i64(0)})),
                      t.assign(old, t.expr(scalar(type), checked::Atomic{op, {}, place, t.ref(given)})),
                      t.store(t.element(out, {t.i64(0)}), place), t.store(t.element(out, {t.i64(1)}), t.ref(old))};
  T values[2] = {first, 0};
  EXPECT_TRUE(t.run({reference::bits_of(&values[0]), reference::bits_of(value)}).is_clean());
  return {values[0], values[1]};
}

TEST(LowerAtomic, OnALocalArrayDoesTheSame) {
  for (int i = 0; i <= static_cast<int>(ir::kLastAtomicOp); ++i) {
    const auto op = static_cast<ir::AtomicOp>(i);
    for (const std::uint32_t first : {0u, 1u, 5u, 6u, 7u, 0xffffffffu})
      for (const std::uint32_t value : {0u, 3u, 6u})
        EXPECT_EQ(run_atomic(ScalarType::U32, op, first, value, true),
                  run_atomic(ScalarType::U32, op, first, value, false))
            << to_string(op) << ' ' << first << ' ' << value;
  }
  for (const auto op : {ir::AtomicOp::Add, ir::AtomicOp::Sub, ir::AtomicOp::Max, ir::AtomicOp::Min,
                        ir::AtomicOp::Exchange, ir::AtomicOp::Raise, ir::AtomicOp::Lower})
    EXPECT_EQ(run_atomic(ScalarType::F64, op, 1.5, -2.0, true), run_atomic(ScalarType::F64, op, 1.5, -2.0, false));
}

TEST(LowerAtomic, CompareAndSwapOnALocalArrayComparesBits) {
  Tree t;
  const Variable* out = t.parameter("out", t.array(ScalarType::F32, {1}));
  const Variable* expected = t.parameter("expected", scalar(ScalarType::F32));
  t.function->local_arrays.push_back({"own", {ScalarType::F32, Layout::RowMajor, {1}}});
  const ExprRef own =
      t.expr(t.array(ScalarType::F32, {1}, Layout::RowMajor, ir::AddressSpace::Local), checked::LocalArrayRef{0});
  const ExprRef place = t.element(own, {t.i64(0)});
  const ExprRef swap =
      t.expr(scalar(ScalarType::F32), checked::AtomicCompareAndSwap{{}, place, t.ref(expected), t.f32(9)});
  t.function->body = {t.store(place, t.element(out, {t.i64(0)})), t.stmt(checked::Evaluate{swap}),
                      t.store(t.element(out, {t.i64(0)}), place)};
  const auto after = [&](float first, float wanted) {
    t.run({reference::bits_of(&first), reference::bits_of(wanted)});
    return first;
  };
  EXPECT_EQ(after(1, 1), 9);
  EXPECT_EQ(after(1, 2), 1);
  EXPECT_EQ(after(0.0f, -0.0f), 0);
  EXPECT_EQ(after(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()), 9);
}

TEST(LowerAtomic, GivesTheOldValue) {
  Tree t;
  const Variable* x = t.parameter("x", t.array(ScalarType::I64, {3}));
  const ExprRef place = t.element(x, {t.i64(0)});
  const ExprRef old = t.expr(scalar(ScalarType::I64), checked::Atomic{ir::AtomicOp::Add, {}, place, t.i64(5)});
  const ExprRef swapped =
      t.expr(scalar(ScalarType::I64), checked::AtomicCompareAndSwap{{}, place, t.i64(15), t.i64(99)});
  t.function->body = {t.store(t.element(x, {t.i64(1)}), old), t.store(t.element(x, {t.i64(2)}), swapped)};
  std::int64_t values[3] = {10, 0, 0};
  EXPECT_TRUE(t.run({reference::bits_of(&values[0])}).is_clean());
  EXPECT_EQ(values[0], 99);
  EXPECT_EQ(values[1], 10);
  EXPECT_EQ(values[2], 15);
}

}  // namespace
}  // namespace pykc::lowering
