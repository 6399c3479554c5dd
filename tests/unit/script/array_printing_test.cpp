// What print shows of arrays; the expected texts are NumPy's own.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

TEST(ArrayPrinting, IntegersAreRightAligned) {
  expect_printed({
      {"np.arange(5)", "[0 1 2 3 4]"},
      {"np.array([-1, 10, 100])", "[ -1  10 100]"},
      {"np.array([[1, 2], [30, 4]])", "[[ 1  2]\n [30  4]]"},
      {"np.array([1, 2], dtype=np.uint64)", "[1 2]"},
      {"np.arange(24).reshape(2, 3, 4)",
       "[[[ 0  1  2  3]\n  [ 4  5  6  7]\n  [ 8  9 10 11]]\n\n [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]"},
  });
}

TEST(ArrayPrinting, FloatsHaveTheirPointsBelowEachOther) {
  expect_printed({
      {"np.zeros(3)", "[0. 0. 0.]"},
      {"np.array([1.5, 2.25, 100.0])", "[  1.5    2.25 100.  ]"},
      {"np.array([[1.5, -2.25], [100.125, 0]])", "[[  1.5    -2.25 ]\n [100.125   0.   ]]"},
      {"np.linspace(0, 1, 5)", "[0.   0.25 0.5  0.75 1.  ]"},
      {"np.array([1/3, 2/3, 0.5])", "[0.33333333 0.66666667 0.5       ]"},
      {"np.array([-0.0, 0.0])", "[-0.  0.]"},
      {"np.array([0.1, 0.2], dtype=np.float32) * 3", "[0.3 0.6]"},
      {"np.array([1.0, 2.0], dtype=np.float16) / 3", "[0.3333 0.6665]"},
  });
}

TEST(ArrayPrinting, PartsOfComplexNumbersStandBelowEachOther) {
  expect_printed({
      {"np.array([1 + 2j, 3j])", "[1.+2.j 0.+3.j]"},
      {"np.array([1.5 + 2j, 3j, -1.25 - 1j])", "[ 1.5 +2.j  0.  +3.j -1.25-1.j]"},
      {"np.array([1000000 + 1j, 0.25j])", "[1000000.+1.j         0.+0.25j]"},
      {"np.array([1e10 + 1e-3j, 2 + 0j])", "[1.e+10+0.001j 2.e+00+0.j   ]"},
      {"np.array([[1 + 2j, 3j], [1 + 2j, 3j]])", "[[1.+2.j 0.+3.j]\n [1.+2.j 0.+3.j]]"},
      {"np.array([0.1 + 0.2j], np.complex64), np.array([1j, 2])[0], np.array(3j)", "[0.1+0.2j] 1j 3j"},
      {"(np.arange(12) * (1 + 1j))[::-5], np.zeros((0,), np.complex64)", "[11.+11.j  6. +6.j  1. +1.j] []"},
  });
}

TEST(ArrayPrinting, LargeAndSmallFloatsHaveExponents) {
  expect_printed({
      {"np.array([1e-5, 1.0])", "[1.e-05 1.e+00]"},
      {"np.array([1e10, 1.0])", "[1.e+10 1.e+00]"},
      {"np.array([1.0, 1001.0, 0.5])", "[1.000e+00 1.001e+03 5.000e-01]"},
      {"np.array([99999999.0, 50000000.0])", "[99999999. 50000000.]"},
      {"np.array([123456789.0])", "[1.23456789e+08]"},
      {"np.array([1e-300, 1.0])", "[1.e-300 1.e+000]"},
      {"np.array([1e100, 1e-100])", "[1.e+100 1.e-100]"},
  });
}

TEST(ArrayPrinting, NanAndInfinityStandAmongNumbers) {
  expect_printed({
      {"np.array([1.0, np.nan, np.inf, -np.inf])", "[  1.  nan  inf -inf]"},
      {"np.array([np.nan])", "[nan]"},
      {"np.array([np.nan, 1e10])", "[   nan 1.e+10]"},
  });
}

TEST(ArrayPrinting, BoolsAreOfOneWidth) {
  expect_printed({
      {"np.array([True, False])", "[ True False]"},
      {"np.array([True, True])", "[ True  True]"},
  });
}

TEST(ArrayPrinting, EmptyArraysAndSingleNumbers) {
  expect_printed({
      {"np.zeros(0)", "[]"},
      {"np.zeros((0, 3))", "[]"},
      {"np.array(5)", "5"},
      {"np.array(1.5)", "1.5"},
  });
}

TEST(ArrayPrinting, LongLinesAreBroken) {
  expect_printed({
      {"np.arange(30)",
       "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]"},
      {"np.arange(100).reshape(4, 25)",
       "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n  24]\n [25 26 27 28 29 30 31 32 33 "
       "34 35 36 37 38 39 40 41 42 43 44 45 46 47 48\n  49]\n [50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 "
       "68 69 70 71 72 73\n  74]\n [75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98\n  99]]"},
      {"np.linspace(0, 1, 12)",
       "[0.         0.09090909 0.18181818 0.27272727 0.36363636 0.45454545\n 0.54545455 0.63636364 0.72727273 "
       "0.81818182 0.90909091 1.        ]"},
  });
}

TEST(ArrayPrinting, LargeArraysAreCutToTheirCorners) {
  expect_printed({
      {"np.arange(1001)", "[   0    1    2 ...  998  999 1000]"},
      {"np.arange(2000).reshape(40, 50)",
       "[[   0    1    2 ...   47   48   49]\n [  50   51   52 ...   97   98   99]\n [ 100  101  102 ...  147  148  "
       "149]\n ...\n [1850 1851 1852 ... 1897 1898 1899]\n [1900 1901 1902 ... 1947 1948 1949]\n [1950 1951 1952 ... "
       "1997 1998 1999]]"},
      {"np.arange(1500).reshape(500, 3)",
       "[[   0    1    2]\n [   3    4    5]\n [   6    7    8]\n ...\n [1491 1492 1493]\n [1494 1495 1496]\n [1497 "
       "1498 1499]]"},
      {"np.arange(3000).reshape(3, 10, 100)",
       "[[[   0    1    2 ...   97   98   99]\n  [ 100  101  102 ...  197  198  199]\n  [ 200  201  202 ...  297  298  "
       "299]\n  ...\n  [ 700  701  702 ...  797  798  799]\n  [ 800  801  802 ...  897  898  899]\n  [ 900  901  902 "
       "...  997  998  999]]\n\n [[1000 1001 1002 ... 1097 1098 1099]\n  [1100 1101 1102 ... 1197 1198 1199]\n  [1200 "
       "1201 1202 ... 1297 1298 1299]\n  ...\n  [1700 1701 1702 ... 1797 1798 1799]\n  [1800 1801 1802 ... 1897 1898 "
       "1899]\n  [1900 1901 1902 ... 1997 1998 1999]]\n\n [[2000 2001 2002 ... 2097 2098 2099]\n  [2100 2101 2102 ... "
       "2197 2198 2199]\n  [2200 2201 2202 ... 2297 2298 2299]\n  ...\n  [2700 2701 2702 ... 2797 2798 2799]\n  [2800 "
       "2801 2802 ... 2897 2898 2899]\n  [2900 2901 2902 ... 2997 2998 2999]]]"},
  });
}

}  // namespace
}  // namespace pykc::script
