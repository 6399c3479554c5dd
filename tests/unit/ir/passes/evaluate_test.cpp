#include "ir/evaluate/evaluate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/float_bits.h"

namespace pykc::ir {
namespace {

using enum ScalarType;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

Scalar integer(ScalarType type, std::int64_t value) {
  return {type, type == Bool ? value != 0 : wrap_into(type, static_cast<std::uint64_t>(value))};
}
Scalar floating(ScalarType type, double value) { return {type, float_to_bits(type, value)}; }

std::int64_t integer_result(Opcode opcode, ScalarType type, std::int64_t a, std::int64_t b) {
  const Scalar operands[] = {integer(type, a), integer(type, b)};
  return integer_from_bits(type, evaluate(opcode, type, operands).value());
}

double float_result(Opcode opcode, ScalarType type, double a, double b) {
  const Scalar operands[] = {floating(type, a), floating(type, b)};
  return float_from_bits(type, evaluate(opcode, type, operands).value());
}

std::uint64_t cast(Scalar value, ScalarType to) { return evaluate(Opcode::Cast, to, {{value}}).value(); }

std::uint64_t call(BuiltinId id, std::vector<Scalar> operands) { return evaluate(id, operands).value(); }

struct IntegerRow {
  Opcode opcode;
  ScalarType type;
  std::int64_t a, b, result;
};

TEST(Evaluate, Integers) {
  const IntegerRow rows[] = {
      {Opcode::Add, I8, 127, 1, -128},
      {Opcode::Add, U8, 255, 1, 0},
      {Opcode::Add, I64, kMax64, 1, kMin64},
      {Opcode::Sub, I16, -32768, 1, 32767},
      {Opcode::Sub, U32, 0, 1, 0xffffffff},
      {Opcode::Mul, I32, 65536, 65536, 0},
      {Opcode::Mul, I64, kMin64, -1, kMin64},
      {Opcode::Mul, U16, 0xffff, 0xffff, 1},
      {Opcode::FloorDiv, I32, 7, 2, 3},
      {Opcode::FloorDiv, I32, -7, 2, -4},
      {Opcode::FloorDiv, I32, 7, -2, -4},
      {Opcode::FloorDiv, I32, -7, -2, 3},
      {Opcode::FloorDiv, I32, -6, 2, -3},
      {Opcode::FloorDiv, I32, 5, 0, 0},
      {Opcode::FloorDiv, U8, 255, 0, 0},
      {Opcode::FloorDiv, I8, -128, -1, -128},
      {Opcode::FloorDiv, I64, kMin64, -1, kMin64},
      {Opcode::FloorDiv, U64, -1, 2, kMax64},
      {Opcode::Mod, I32, 7, 3, 1},
      {Opcode::Mod, I32, -7, 3, 2},
      {Opcode::Mod, I32, 7, -3, -2},
      {Opcode::Mod, I32, -7, -3, -1},
      {Opcode::Mod, I32, 7, 0, 0},
      {Opcode::Mod, I64, kMin64, -1, 0},
      {Opcode::Mod, U64, -1, 10, 5},
      {Opcode::Shl, I32, 1, 31, std::numeric_limits<std::int32_t>::min()},
      {Opcode::Shl, I32, 1, 32, 0},
      {Opcode::Shl, I32, 1, -1, 0},
      {Opcode::Shl, U64, 1, 63, kMin64},
      {Opcode::Shl, U64, 1, 64, 0},
      {Opcode::Shr, I32, -8, 1, -4},
      {Opcode::Shr, I32, -8, 32, -1},
      {Opcode::Shr, I32, -8, -1, -1},
      {Opcode::Shr, I32, 8, -1, 0},
      {Opcode::Shr, I64, kMin64, 63, -1},
      {Opcode::Shr, U8, 0x80, 7, 1},
      {Opcode::Shr, U8, 0x80, 8, 0},
      {Opcode::And, I8, -1, 15, 15},
      {Opcode::Or, I8, -128, 1, -127},
      {Opcode::Xor, Bool, 1, 1, 0},
      {Opcode::Or, Bool, 1, 1, 1},
  };
  for (const IntegerRow& row : rows) {
    EXPECT_EQ(integer_result(row.opcode, row.type, row.a, row.b), row.result)
        << info(row.opcode).text << ' ' << to_string(row.type) << ' ' << row.a << ' ' << row.b;
  }
}

TEST(Evaluate, UnaryIntegers) {
  EXPECT_EQ(evaluate(Opcode::Neg, I8, {{integer(I8, -128)}}), 0x80u);
  EXPECT_EQ(evaluate(Opcode::Neg, U32, {{integer(U32, 1)}}), 0xffffffffu);
  EXPECT_EQ(evaluate(Opcode::Not, U16, {{integer(U16, 0x00ff)}}), 0xff00u);
  EXPECT_EQ(evaluate(Opcode::Not, Bool, {{integer(Bool, 1)}}), 0u);
  EXPECT_EQ(evaluate(Opcode::Not, Bool, {{integer(Bool, 0)}}), 1u);
}

struct FloatRow {
  Opcode opcode;
  double a, b, result;
};

// The values of CPython's float.__floordiv__ and float.__mod__, of NumPy's where Python raises.
TEST(Evaluate, FloatDivision) {
  const FloatRow rows[] = {
      {Opcode::Div, 1, 0, kInfinity},
      {Opcode::Div, 0, 0, kNan},
      {Opcode::FloorDiv, 7, 2, 3},
      {Opcode::FloorDiv, -7, 2, -4},
      {Opcode::FloorDiv, 1, 0.1, 9},
      {Opcode::FloorDiv, -1, kInfinity, -1},
      {Opcode::FloorDiv, 1, kInfinity, 0},
      {Opcode::FloorDiv, kInfinity, 1, kNan},
      {Opcode::FloorDiv, 1, 0, kInfinity},
      {Opcode::FloorDiv, -0.5, 0.25, -2},
      {Opcode::FloorDiv, -0.0, 3, -0.0},
      {Opcode::Mod, 7, 3, 1},
      {Opcode::Mod, -7, 3, 2},
      {Opcode::Mod, 7, -3, -2},
      {Opcode::Mod, 6, -3, -0.0},
      {Opcode::Mod, -6, 3, 0.0},
      {Opcode::Mod, -1, kInfinity, kInfinity},
      {Opcode::Mod, 1, 0, kNan},
  };
  for (const FloatRow& row : rows) {
    const double result = float_result(row.opcode, F64, row.a, row.b);
    EXPECT_TRUE(std::isnan(row.result) ? std::isnan(result)
                                       : result == row.result && std::signbit(result) == std::signbit(row.result))
        << info(row.opcode).text << ' ' << row.a << ' ' << row.b << " gives " << result;
  }
}

TEST(Evaluate, FloatsRoundInTheirType) {
  EXPECT_EQ(float_result(Opcode::Add, F32, 16777216, 1), 16777216);
  EXPECT_EQ(float_result(Opcode::Add, F64, 16777216, 1), 16777217);
  EXPECT_EQ(float_result(Opcode::Add, F16, 2048, 1), 2048);
  EXPECT_EQ(float_result(Opcode::Add, F16, 2048, 3), 2052);
  EXPECT_EQ(float_result(Opcode::Add, BF16, 256, 1), 256);
  EXPECT_EQ(float_result(Opcode::Mul, F16, 256, 256), kInfinity);
  EXPECT_EQ(float_result(Opcode::Mul, F32, 0x1p-100, 0x1p-49), 0x1p-149);
  EXPECT_EQ(float_result(Opcode::FloorDiv, F32, 1, 0.1f), std::floor(1 / double{0.1f}));
  const Scalar fma[] = {floating(F32, 1 + 0x1p-12), floating(F32, 1 + 0x1p-12), floating(F32, -1)};
  EXPECT_EQ(float_from_bits(F32, evaluate(Opcode::Fma, F32, fma).value()), 0x1p-11 + 0x1p-24);
}

TEST(Evaluate, NansAreQuietAndPositive) {
  const Scalar zeros[] = {floating(F32, 0), floating(F32, 0)};
  EXPECT_EQ(evaluate(Opcode::Div, F32, zeros), 0x7fc00000u);
  EXPECT_EQ(cast(floating(F32, -kNan), F64), 0x7ff8000000000000u);
  EXPECT_EQ(evaluate(Opcode::Neg, F16, {{floating(F16, 0)}}), 0x8000u);  // a sign, no arithmetic
}

TEST(Evaluate, Comparisons) {
  const auto holds = [](Opcode opcode, Scalar a, Scalar b) { return evaluate(opcode, Bool, {{a, b}}) == 1u; };
  EXPECT_TRUE(holds(Opcode::Lt, integer(I8, -1), integer(I8, 0)));
  EXPECT_FALSE(holds(Opcode::Lt, integer(U8, -1), integer(U8, 0)));
  EXPECT_TRUE(holds(Opcode::Gt, integer(U64, -1), integer(U64, 1)));
  EXPECT_TRUE(holds(Opcode::Le, integer(I64, kMin64), integer(I64, kMin64)));
  EXPECT_TRUE(holds(Opcode::Eq, floating(F32, -0.0), floating(F32, 0.0)));
  EXPECT_TRUE(holds(Opcode::Ne, integer(Bool, 1), integer(Bool, 0)));
  for (const Opcode opcode : {Opcode::Eq, Opcode::Lt, Opcode::Le, Opcode::Gt, Opcode::Ge}) {
    EXPECT_FALSE(holds(opcode, floating(F64, kNan), floating(F64, kNan)));
  }
  EXPECT_TRUE(holds(Opcode::Ne, floating(F64, kNan), floating(F64, kNan)));
}

TEST(Evaluate, CastsFromIntegers) {
  EXPECT_EQ(cast(integer(I8, -1), U64), ~std::uint64_t{0});
  EXPECT_EQ(cast(integer(U8, -1), I64), 255u);
  EXPECT_EQ(cast(integer(I64, 0x1ff), I8), 0xffu);
  EXPECT_EQ(cast(integer(I32, 256), Bool), 1u);
  EXPECT_EQ(cast(integer(Bool, 1), F32), 0x3f800000u);
  EXPECT_EQ(float_from_bits(F32, cast(integer(I32, -16777217), F32)), -16777216);
  EXPECT_EQ(float_from_bits(F64, cast(integer(U64, -1), F64)), 0x1p64);
  EXPECT_EQ(float_from_bits(F64, cast(integer(I64, kMin64), F64)), -0x1p63);
  // Rounded once: rounding to 53 or 24 bits first would make a tie of these.
  EXPECT_EQ(float_from_bits(F32, cast(integer(I64, (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1), F32)),
            0x1p60 + 0x1p37);
  EXPECT_EQ(float_from_bits(BF16, cast(integer(I32, (1 << 24) + (1 << 16) + 1), BF16)), 0x1p24 + 0x1p17);
  EXPECT_EQ(float_from_bits(BF16, cast(integer(I32, (1 << 24) + (1 << 16)), BF16)), 0x1p24);
  EXPECT_EQ(float_from_bits(F16, cast(integer(I32, 65519), F16)), 65504);
  EXPECT_EQ(float_from_bits(F16, cast(integer(I32, 65520), F16)), kInfinity);
}

TEST(Evaluate, CastsFromFloats) {
  EXPECT_EQ(cast(floating(F32, -1.9), I32), 0xffffffffu);
  EXPECT_EQ(cast(floating(F32, 300), U8), 255u);
  EXPECT_EQ(cast(floating(F32, -1), U8), 0u);
  EXPECT_EQ(cast(floating(F64, -129), I8), 0x80u);
  EXPECT_EQ(cast(floating(F64, 127.9), I8), 127u);
  EXPECT_EQ(cast(floating(F64, 0x1p63), I64), static_cast<std::uint64_t>(kMax64));
  EXPECT_EQ(cast(floating(F64, -0x1p63), I64), static_cast<std::uint64_t>(kMin64));
  EXPECT_EQ(cast(floating(F64, 0x1p64), U64), ~std::uint64_t{0});
  EXPECT_EQ(cast(floating(F64, 0x1p63), U64), std::uint64_t{1} << 63);
  EXPECT_EQ(cast(floating(F32, kInfinity), I16), 0x7fffu);
  EXPECT_EQ(cast(floating(F16, kNan), I64), 0u);
  EXPECT_EQ(cast(floating(F32, kNan), Bool), 1u);
  EXPECT_EQ(cast(floating(F32, -0.0), Bool), 0u);
  EXPECT_EQ(cast(floating(F32, 0x1p-149), Bool), 1u);
  // f64 to f16 in one step: by way of f32 this would be a tie.
  EXPECT_EQ(float_from_bits(F16, cast(floating(F64, 1 + 0x1p-11 + 0x1p-40), F16)), 1 + 0x1p-10);
}

TEST(Evaluate, SelectAndBitcast) {
  const Scalar arms[] = {integer(Bool, 0), floating(F32, 1), floating(F32, 2)};
  EXPECT_EQ(evaluate(Opcode::Select, F32, arms), float_to_bits(F32, 2));
  EXPECT_EQ(evaluate(Opcode::Bitcast, I32, {{floating(F32, -0.0)}}), 0x80000000u);
}

TEST(Evaluate, NothingWithoutScalars) {
  EXPECT_FALSE(evaluate(Opcode::SharedArray, F32, {}).has_value());
  EXPECT_FALSE(evaluate(BuiltinId::Sin, {{floating(F32, 0)}}).has_value());
  EXPECT_FALSE(evaluate(BuiltinId::ThreadIdxX, {}).has_value());
}

TEST(EvaluateBuiltin, Bits) {
  EXPECT_EQ(call(BuiltinId::WarpSize, {}), 32u);
  EXPECT_EQ(call(BuiltinId::Popc, {integer(I8, -1)}), 8u);
  EXPECT_EQ(call(BuiltinId::Clz, {integer(I8, 1)}), 7u);
  EXPECT_EQ(call(BuiltinId::Clz, {integer(U16, 0)}), 16u);
  EXPECT_EQ(call(BuiltinId::Clz, {integer(I64, -1)}), 0u);
  EXPECT_EQ(call(BuiltinId::Ffs, {integer(I32, 0)}), 0u);
  EXPECT_EQ(call(BuiltinId::Ffs, {integer(I64, kMin64)}), 64u);
  EXPECT_EQ(call(BuiltinId::Brev, {integer(U8, 0x13)}), 0xc8u);
  EXPECT_EQ(call(BuiltinId::Brev, {integer(U64, 1)}), std::uint64_t{1} << 63);
}

TEST(EvaluateBuiltin, IntegerNumbers) {
  EXPECT_EQ(call(BuiltinId::Abs, {integer(I16, -32768)}), 0x8000u);
  EXPECT_EQ(call(BuiltinId::Abs, {integer(I32, -5)}), 5u);
  EXPECT_EQ(call(BuiltinId::Min, {integer(I8, -1), integer(I8, 1)}), 0xffu);
  EXPECT_EQ(call(BuiltinId::Min, {integer(U8, -1), integer(U8, 1)}), 1u);
  EXPECT_EQ(call(BuiltinId::Max, {integer(I64, kMin64), integer(I64, 0)}), 0u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, 3), integer(I32, 4)}), 81u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, 0), integer(I32, 0)}), 1u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(U8, 2), integer(U8, 8)}), 0u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, 2), integer(I32, -1)}), 0u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, 0), integer(I32, -1)}), 0u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, -1), integer(I32, -3)}), 0xffffffffu);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I32, -1), integer(I32, -4)}), 1u);
  EXPECT_EQ(call(BuiltinId::PowInt, {integer(I64, 1), integer(I64, kMin64)}), 1u);
}

TEST(EvaluateBuiltin, FloatNumbers) {
  const auto value = [](BuiltinId id, ScalarType type, std::vector<double> operands) {
    std::vector<Scalar> scalars;
    for (const double operand : operands) scalars.push_back(floating(type, operand));
    return float_from_bits(type, call(id, scalars));
  };
  EXPECT_EQ(value(BuiltinId::Min, F32, {kNan, 1}), 1);
  EXPECT_EQ(value(BuiltinId::Max, F32, {1, kNan}), 1);
  EXPECT_TRUE(std::isnan(value(BuiltinId::Max, F64, {kNan, kNan})));
  EXPECT_TRUE(std::signbit(value(BuiltinId::Min, F64, {0.0, -0.0})));
  EXPECT_FALSE(std::signbit(value(BuiltinId::Max, F64, {-0.0, 0.0})));
  EXPECT_EQ(value(BuiltinId::Round, F64, {2.5}), 2);
  EXPECT_EQ(value(BuiltinId::Round, F16, {-1.5}), -2);
  EXPECT_EQ(value(BuiltinId::Floor, F32, {-0.5}), -1);
  EXPECT_TRUE(std::signbit(value(BuiltinId::Ceil, F32, {-0.5})));
  EXPECT_EQ(value(BuiltinId::Trunc, BF16, {-2.75}), -2);
  EXPECT_EQ(value(BuiltinId::Sqrt, F32, {2}), std::sqrt(2.0f));
  EXPECT_EQ(value(BuiltinId::Copysign, F64, {3, -0.0}), -3);
  EXPECT_EQ(value(BuiltinId::Fabs, F16, {-2}), 2);
  EXPECT_EQ(value(BuiltinId::Degrees, F32, {1}), 57.295779513082323f);
  EXPECT_EQ(value(BuiltinId::Radians, F64, {180}), 3.141592653589793);
  EXPECT_EQ(call(BuiltinId::Isnan, {floating(F16, kNan)}), 1u);
  EXPECT_EQ(call(BuiltinId::Isinf, {floating(BF16, -kInfinity)}), 1u);
  EXPECT_EQ(call(BuiltinId::Isfinite, {floating(F64, kInfinity)}), 0u);
}

}  // namespace
}  // namespace pykc::ir
