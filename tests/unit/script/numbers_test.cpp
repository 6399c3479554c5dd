// Numbers: Python's own, and NumPy's typed ones; the expected texts are Python's and NumPy's own.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

TEST(Numbers, IntegersDivideAsInPython) {
  expect_printed({
      {"7 // 2, -7 // 2, 7 // -2, -7 // -2", "3 -4 -4 3"},
      {"7 % 3, -7 % 3, 7 % -3, -7 % -3", "1 2 -2 -1"},
      {"7 / 2, 6 / 3", "3.5 2.0"},
      {"divmod(-7, 2)", "(-4, 1)"},
      {"2 ** 10, 2 ** -1, (-2) ** 3, 0 ** 0", "1024 0.5 -8 1"},
  });
}

TEST(Numbers, FloatsDivideAsInPython) {
  expect_printed({
      {"7.5 // 2, -7.5 // 2, 7.5 // -2", "3.0 -4.0 -4.0"},
      {"-0.0 // 1, 0.5 // 2, -0.0 // -1", "-0.0 0.0 0.0"},
      {"7.5 % 2, -0.5 % 2, 7.5 % -2", "1.5 1.5 -0.5"},
      {"1.0 // 0.1, 1.0 % 0.1", "9.0 0.09999999999999995"},
      {"-1.0 // float(\"inf\"), -1.0 % float(\"inf\")", "-1.0 inf"},
  });
}

TEST(Numbers, BitsAndShifts) {
  expect_printed({
      {"5 & 3, 5 | 3, 5 ^ 3, ~5", "1 7 6 -6"},
      {"1 << 10, -5 >> 1, 5 >> 100, -5 >> 100, 0 << 100", "1024 -3 0 -1 0"},
      {"True & False, True | False, True ^ True", "False True False"},
  });
}

TEST(Numbers, BoolsCountAsIntegers) {
  expect_printed({
      {"True + True, -True, True / 2, True * 2.5", "2 -1 0.5 2.5"},
  });
}

TEST(Numbers, FloatsPrintTheirShortestDigits) {
  expect_printed({
      {"1e16, 1e15, 123456789.123, 1e-4, 1e-5", "1e+16 1000000000000000.0 123456789.123 0.0001 1e-05"},
      {"0.1 + 0.2, 1/3, -0.0, 1e22, 5e-324", "0.30000000000000004 0.3333333333333333 -0.0 1e+22 5e-324"},
      {"float(\"inf\"), -float(\"inf\"), float(\"nan\")", "inf -inf nan"},
      {"np.float32(0.1), np.float32(1) / np.float32(3), np.float16(0.1)", "0.1 0.33333334 0.1"},
  });
}

TEST(Numbers, TheLimitsOfIntegers) {
  expect_printed({
      {"9223372036854775807, -9223372036854775808", "9223372036854775807 -9223372036854775808"},
      {"9223372036854775806 + 1", "9223372036854775807"},
  });
}

TEST(Numbers, Rounding) {
  expect_printed({
      {"round(2.5), round(3.5), round(-2.5), round(7)", "2 4 -2 7"},
      {"round(2.675, 2), round(1234.5, -2), round(0.5, 0)", "2.67 1200.0 0.0"},
      {"int(3.9), int(-3.9), int(\"42\"), float(\"1e3\"), bool(0), str(1.5)", "3 -3 42 1000.0 False 1.5"},
  });
}

TEST(Numbers, MathFunctions) {
  expect_printed({
      {"math.sqrt(2), math.pi, math.hypot(3, 4), math.log(8, 2)", "1.4142135623730951 3.141592653589793 5.0 3.0"},
      {"math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7)", "-2 2 -1"},
      {"math.isnan(float(\"nan\")), math.isinf(1.0)", "True False"},
      {"abs(-3), abs(-2.5), min(3, 1, 2), max([4, 9, 2]), pow(2, 5)", "3 2.5 1 9 32"},
  });
}

TEST(Numbers, ComparisonsChain) {
  expect_printed({
      {"1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2", "True False True"},
      {"1 == 1.0, 1 != 2, None is None, 1 in (1, 2), 3 not in [1, 2]", "True True True True True"},
  });
}

TEST(Numbers, LogicGivesAnOperand) {
  expect_printed({
      {"not 0, not \"a\", 1 and 2, 0 or \"x\", None or 3, 0 and 1", "True False 2 x 3 0"},
  });
}

TEST(Numbers, TypedNumbersKeepTheirType) {
  expect_printed({
      {"(np.float32(1) + 1.5).dtype == np.float32", "True"},
      {"np.zeros(1).dtype == 'float64', np.zeros(1).dtype == 'i32', 'f64' != np.zeros(1).dtype", "True False False"},
      {"(np.int32(1) + np.float32(1)).dtype == np.float64", "True"},
      {"(np.int8(1) + np.int64(1)).dtype == np.int64", "True"},
      {"np.uint8(200) + np.uint8(100), np.int32(7) // np.int32(2), np.int32(7) / np.int32(2)", "44 3 3.5"},
  });
}

TEST(Numbers, ComplexNumbersShowAndKeepTheirZeros) {
  expect_printed({
      {"3j, 0j, repr(2j), -0j, -3j, 1 - 0j, -(1 + 0j), [3j, 1 + 2j]",
       "3j 0j 2j (-0-0j) (-0-3j) (1+0j) (-1-0j) [3j, (1+2j)]"},
      {"-np.array([1 + 0j, 2j])", "[-1.-0.j -0.-2.j]"},
      {"-np.zeros(2, f32x2)", "E0412"},
  });
}

TEST(Numbers, PowersThatAreTooLargeAreErrors) {
  expect_printed({
      {"1e300 ** 3", "E0415"},
      {"10 ** 400.0", "E0415"},
      {"1e300 * 1e300, float('inf') ** 2, np.float64(1e300) ** 3, 2.0 ** 1000 > 1", "inf inf inf True"},
  });
}

TEST(Numbers, ExtremesOfAnythingInOrder) {
  expect_printed({
      {"max((1, 2), (1, 3)), min([1, 2], [1]), max('ab', 'b'), max('aéz'), min([(2, 'a'), (1, 'b')])",
       "(1, 3) [1] b é (1, 'b')"},
      {"max([1, -5, 5], key=abs), min(3, -4, key=lambda x: -x), max(['aa', 'b'], key=len)", "-5 3 aa"},
      {"max([], default=None), min((), default=3), max([1], default=7), max(np.zeros(0), default=2)", "None 3 1 2"},
      {"max(np.array([1, 3, 2])), min(2.5, 1), max(x * x for x in range(3))", "3 1 4"},
      {"max([])", "E0426"},
      {"max(1, 2, default=3)", "E0408"},
      {"max((1, 2), [1])", "E0411"},
  });
}

TEST(Numbers, ReadFromText) {
  expect_printed({
      {"int(' 42\\n'), int('4_2'), int('+5'), int('-1_000')", "42 42 5 -1000"},
      {"float(' 1.5 '), float('1_0.5'), float('+.5'), float('5.'), float('-Infinity'), float('1e400'), "
       "float('1_0e1_0')",
       "1.5 10.5 0.5 5.0 -inf inf 100000000000.0"},
      {"int('99999999999999999999')", "E0416"},
  });
  for (const char* wrong :
       {"int('abc')", "int('')", "int('4__2')", "int('_4')", "int('4_')", "int('- 5')", "int('+-5')", "int('1.5')",
        "float('')", "float('x')", "float('0x10')", "float('1._5')", "float('++5')", "float('nan(1)')", "float('1 2')"})
    EXPECT_EQ(printed(wrong), "E0410") << wrong;
  EXPECT_EQ(run_host("int('abc')\n").error().message, "`x` of `int` must be the text of a number, not 'abc'");
}

TEST(Numbers, NamedTuplesShowTheirNames) {
  const HostRun run = run_host(R"(
from collections import namedtuple
from typing import NamedTuple

P = namedtuple("P", "x y")
Q = namedtuple("Q", ["x", "y"], defaults=[2])

class Hit(NamedTuple):
    distance: f32
    index: i64 = -1

print(P(1, y=2), [Q(P(1, "a"))], Hit(0.5), Hit(1.5, index=3), P(1, 2)[:1])
)");
  EXPECT_EQ(run.output,
            "P(x=1, y=2) [Q(x=P(x=1, y='a'), y=2)] Hit(distance=0.5, index=-1) Hit(distance=1.5, index=3) (1,)\n");
}

}  // namespace
}  // namespace pykc::script
