#include "pykc/types.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace pykc {
namespace {

using Op = LaunchExpression::Op;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kDynamic = ArrayType::kDynamic;

TEST(Types, ArrayTypesAreSpelledAsInSource) {
  EXPECT_EQ(to_string(ArrayType{ScalarType::F32, Layout::RowMajor, {kDynamic, kDynamic}}), "f32[:, :]");
  EXPECT_EQ(to_string(ArrayType{ScalarType::F64, Layout::ColumnMajor, {kDynamic, kDynamic}}), "f64[::1, :]");
  EXPECT_EQ(to_string(ArrayType{ScalarType::I8, Layout::Strided, {kDynamic, kDynamic, kDynamic}}), "i8[::, ::, ::]");
  EXPECT_EQ(to_string(ArrayType{ScalarType::U16, Layout::RowMajor, {16, 33}}), "u16[16, 33]");
  EXPECT_EQ(to_string(ArrayType{ScalarType::Bool, Layout::RowMajor, {kDynamic}}), "bool[:]");
  EXPECT_EQ(to_string(ArrayType{ScalarType::BF16, Layout::RowMajor, {}}), "bf16[()]");
}

TEST(Types, WhatIsNoScalarTypeIsNamedSo) {
  const auto none = static_cast<ScalarType>(200);
  EXPECT_FALSE(is_valid(none));
  EXPECT_TRUE(is_valid(ScalarType::F64));
  EXPECT_EQ(to_string(none), "an invalid ScalarType");
  EXPECT_EQ(size_in_bytes(none), 0);
  EXPECT_EQ(to_string(ArrayType{none, Layout::RowMajor, {kDynamic}}), "an invalid ScalarType[:]");
  EXPECT_FALSE(vector_type(none, 2));
  EXPECT_FALSE(vector_type(ScalarType::F32, 5));
  EXPECT_EQ(lay_out({"Strange", RecordType::Kind::Struct, {{"field", none, {}}}})->bytes, 0);
}

std::optional<std::int64_t> evaluate(std::int64_t left, Op op, std::int64_t right) {
  const LaunchExpression expression{{{Op::Constant, left}, {Op::Constant, right}, {op, 0}}};
  return expression.evaluate({}, {});
}

TEST(LaunchExpression, DivisionAndModuloFloor) {
  EXPECT_EQ(evaluate(7, Op::FloorDivide, 2), 3);
  EXPECT_EQ(evaluate(-7, Op::FloorDivide, 2), -4);
  EXPECT_EQ(evaluate(7, Op::FloorDivide, -2), -4);
  EXPECT_EQ(evaluate(-7, Op::FloorDivide, -2), 3);
  EXPECT_EQ(evaluate(-8, Op::FloorDivide, 2), -4);
  EXPECT_EQ(evaluate(-7, Op::Modulo, 3), 2);
  EXPECT_EQ(evaluate(7, Op::Modulo, -3), -2);
  EXPECT_EQ(evaluate(-6, Op::Modulo, 3), 0);
}

TEST(LaunchExpression, DivisionByZeroIsZero) {
  EXPECT_EQ(evaluate(7, Op::FloorDivide, 0), 0);
  EXPECT_EQ(evaluate(7, Op::Modulo, 0), 0);
}

TEST(LaunchExpression, WhatDoesNotFitHasNoValue) {
  EXPECT_EQ(evaluate(kMax, Op::Add, 1), std::nullopt);
  EXPECT_EQ(evaluate(kMin, Op::Subtract, 1), std::nullopt);
  EXPECT_EQ(evaluate(kMax, Op::Multiply, 2), std::nullopt);
  EXPECT_EQ(evaluate(kMin, Op::FloorDivide, -1), std::nullopt);
  EXPECT_EQ(evaluate(kMax, Op::FloorDivide, -1), -kMax);
  EXPECT_EQ(evaluate(kMin, Op::Modulo, -1), 0);
}

TEST(LaunchExpression, ReadsTheLaunch) {
  const Dim3 grid{2, 3, 5}, block{7, 11, 13};
  const auto value = [&](Op op) { return LaunchExpression{{{op, 0}}}.evaluate(grid, block); };
  EXPECT_EQ(value(Op::GridDimX), 2);
  EXPECT_EQ(value(Op::GridDimY), 3);
  EXPECT_EQ(value(Op::GridDimZ), 5);
  EXPECT_EQ(value(Op::BlockDimX), 7);
  EXPECT_EQ(value(Op::BlockDimY), 11);
  EXPECT_EQ(value(Op::BlockDimZ), 13);
  // max(blockDim.x - 10, 0) * 4 + min(3, 5)
  const LaunchExpression expression{{{Op::BlockDimX, 0},
                                     {Op::Constant, 10},
                                     {Op::Subtract, 0},
                                     {Op::Constant, 0},
                                     {Op::Maximum, 0},
                                     {Op::Constant, 4},
                                     {Op::Multiply, 0},
                                     {Op::Constant, 3},
                                     {Op::Constant, 5},
                                     {Op::Minimum, 0},
                                     {Op::Add, 0}}};
  EXPECT_EQ(expression.evaluate(grid, block), 3);
}

// What a C++ compiler makes of the same struct.
TEST(RecordType, IsLaidOutAsInCpp) {
  struct Inner {
    std::int8_t tag;
    double value;
  };
  struct Outer {
    bool flag;
    Inner inner;
    std::int16_t list[3];
    float last;
  };
  RecordType inner{"Inner"};
  inner.fields = {{"tag", ScalarType::I8, {}}, {"value", ScalarType::F64, {}}};
  RecordType outer{"Outer"};
  outer.fields = {{"flag", ScalarType::Bool, {}},
                  {"inner", lay_out(inner), {}},
                  {"list", ScalarType::I16, {3}},
                  {"last", ScalarType::F32, {}}};
  const RecordRef type = lay_out(outer);
  EXPECT_EQ(type->bytes, static_cast<std::int64_t>(sizeof(Outer)));
  EXPECT_EQ(type->alignment, static_cast<int>(alignof(Outer)));
  EXPECT_EQ(type->find("inner")->offset, static_cast<std::int64_t>(offsetof(Outer, inner)));
  EXPECT_EQ(type->find("list")->offset, static_cast<std::int64_t>(offsetof(Outer, list)));
  EXPECT_EQ(type->find("last")->offset, static_cast<std::int64_t>(offsetof(Outer, last)));
  EXPECT_EQ(type->find("nothing"), nullptr);
}

TEST(RecordType, VectorsAndComplexNumbersAreAlignedAsInCuda) {
  const auto layout = [](const RecordRef& type) { return std::pair(type->bytes, type->alignment); };
  EXPECT_EQ(layout(vector_type(ScalarType::F32, 4)), std::pair(std::int64_t{16}, 16));
  EXPECT_EQ(layout(vector_type(ScalarType::F32, 3)), std::pair(std::int64_t{12}, 4));
  EXPECT_EQ(layout(vector_type(ScalarType::U8, 2)), std::pair(std::int64_t{2}, 2));
  EXPECT_EQ(layout(vector_type(ScalarType::F64, 4)), std::pair(std::int64_t{32}, 16));
  EXPECT_EQ(layout(complex_type(ScalarType::F32)), std::pair(std::int64_t{8}, 8));
  EXPECT_EQ(layout(complex_type(ScalarType::F64)), std::pair(std::int64_t{16}, 16));
}

TEST(RecordType, EqualWhereNameAndLayoutAre) {
  EXPECT_EQ(vector_type(ScalarType::F32, 2), vector_type(ScalarType::F32, 2));
  EXPECT_NE(vector_type(ScalarType::F32, 2), complex_type(ScalarType::F32));
  EXPECT_NE(vector_type(ScalarType::F32, 2), RecordRef());
  EXPECT_EQ(to_string(ArrayType{vector_type(ScalarType::F32, 4), Layout::RowMajor, {-1}}), "f32x4[:]");
}

TEST(LaunchExpression, WhatIsMissingIsZero) {
  EXPECT_EQ(LaunchExpression{}.evaluate({}, {}), 0);
  EXPECT_EQ((LaunchExpression{{{Op::Add, 0}, {Op::Multiply, 0}}}.evaluate({}, {})), 0);
}

}  // namespace
}  // namespace pykc
