#include "base/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pykc {
namespace {

TEST(FloatBits, EveryHalfComesBack) {
  for (const ScalarType type : {ScalarType::F16, ScalarType::BF16}) {
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double value = float_from_bits(type, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(float_to_bits(type, value), bits) << value;
    }
  }
}

TEST(FloatBits, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bits(ScalarType::F16, 1.0 + std::ldexp(1, -11)), 0x3c00u);                       // a tie: to even
  EXPECT_EQ(float_to_bits(ScalarType::F16, 1.0 + std::ldexp(3, -11)), 0x3c02u);                       // a tie: to even
  EXPECT_EQ(float_to_bits(ScalarType::F16, 1.0 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3c01u);  // above the tie
  EXPECT_EQ(float_to_bits(ScalarType::F16, std::ldexp(1, -25)), 0u);  // half of the smallest
  EXPECT_EQ(float_to_bits(ScalarType::F16, std::ldexp(1.001, -25)), 1u);
  EXPECT_EQ(float_to_bits(ScalarType::F16, 65519.0), 0x7bffu);
  EXPECT_EQ(float_to_bits(ScalarType::F16, 65520.0), 0x7c00u);  // rounds up to infinity
  EXPECT_EQ(float_to_bits(ScalarType::F16, -1e300), 0xfc00u);
  EXPECT_EQ(float_to_bits(ScalarType::F16, -0.0), 0x8000u);
  EXPECT_EQ(float_to_bits(ScalarType::BF16, 3.0), 0x4040u);
  EXPECT_EQ(float_to_bits(ScalarType::F32, 0.1), 0x3dcccccdu);
}

TEST(FloatBits, EveryFloatOfEightBitsComesBack) {
  for (const ScalarType type : {ScalarType::F8E4M3, ScalarType::F8E5M2}) {
    for (std::uint64_t bits = 0; bits < 0x100; ++bits) {
      const double value = float_from_bits(type, bits);
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(float_to_bits(type, value), bits) << value;
    }
  }
}

TEST(FloatBits, FloatsOfEightBitsSaturate) {
  using enum ScalarType;
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(float_from_bits(F8E4M3, 0x7e), 448);
  EXPECT_EQ(float_from_bits(F8E4M3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(float_from_bits(F8E4M3, 0x7f)));
  EXPECT_EQ(float_from_bits(F8E5M2, 0x7b), 57344);
  EXPECT_EQ(float_from_bits(F8E5M2, 0xfc), -infinity);
  EXPECT_EQ(float_to_bits(F8E4M3, 300), 0x79u);
  EXPECT_EQ(float_to_bits(F8E4M3, 1e300), 0x7eu);
  EXPECT_EQ(float_to_bits(F8E4M3, -infinity), 0xfeu);
  EXPECT_EQ(float_to_bits(F8E5M2, infinity), 0x7bu);
  EXPECT_EQ(float_to_bits(F8E4M3, -nan), 0x7fu);
  EXPECT_EQ(float_to_bits(F8E5M2, nan), 0x7fu);
}

TEST(FloatBits, KeepsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
    EXPECT_TRUE(std::isnan(float_from_bits(type, float_to_bits(type, nan))));
}

}  // namespace
}  // namespace pykc
