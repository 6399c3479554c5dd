// Statements, functions, scopes and imports of host code.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

std::string output(std::string_view source) {
  const HostRun run = run_host(source);
  if (run.code < 0) return run.error().code + ": " + run.error().message;
  return run.output;
}

TEST(Statements, Unpacking) {
  EXPECT_EQ(output("a, (b, c) = 1, (2, 3)\nprint(a, b, c)\n"), "1 2 3\n");
  EXPECT_EQ(output("a, b = b_, a_ = 1, 2\nprint(a, b, b_, a_)\n"), "1 2 1 2\n");
  EXPECT_EQ(output("a, b = 1, 2\na, b = b, a\nprint(a, b)\n"), "2 1\n");
  EXPECT_EQ(output("rows, columns = zeros((2, 5)).shape\nprint(rows * columns)\n"), "10\n");
}

TEST(Statements, LoopsWithBreakContinueAndElse) {
  EXPECT_EQ(
      output("for i in range(10):\n    if i == 2:\n        continue\n    if i == 5:\n        break\n    print(i)\n"),
      "0\n1\n3\n4\n");
  EXPECT_EQ(output("for i in range(2):\n    pass\nelse:\n    print('done', i)\n"), "done 1\n");
  EXPECT_EQ(output("for i in range(2):\n    break\nelse:\n    print('done')\nprint(i)\n"), "0\n");
  EXPECT_EQ(output("n = 0\nwhile n < 3:\n    n += 1\nelse:\n    print('end', n)\n"), "end 3\n");
  EXPECT_EQ(output("for name, n in (('a', 1), ('b', 2)):\n    print(name, n)\n"), "a 1\nb 2\n");
  EXPECT_EQ(output("for row in arange(4).reshape(2, 2):\n    print(row.sum())\n"), "1\n5\n");
  EXPECT_EQ(output("for c in 'ab':\n    print(c)\n"), "a\nb\n");
}

TEST(Statements, AListMayGrowWhileItIsWalked) {
  EXPECT_EQ(output("items = [3]\nfor n in items:\n    if n > 0:\n        items.append(n - 1)\nprint(items)\n"),
            "[3, 2, 1, 0]\n");
}

TEST(Statements, AugmentedAssignmentChangesArraysInPlace) {
  EXPECT_EQ(output("a = zeros(3, i32)\nb = a\nb += 2\nprint(a)\n"), "[2 2 2]\n");
  EXPECT_EQ(output("a = arange(4)\na[1:3] *= 10\na[0] -= 1\nprint(a)\n"), "[-1 10 20  3]\n");
  EXPECT_EQ(output("a = b = [1]\nb += [2]\nprint(a)\n"), "[1, 2]\n");
  EXPECT_EQ(output("a = (1,)\nb = a\nb += (2,)\nprint(a)\n"), "(1,)\n");
}

TEST(Statements, SlicesAreViewsAndCanBeAssigned) {
  EXPECT_EQ(output("a = arange(5)\na[1:4] = 0\nprint(a)\n"), "[0 0 0 0 4]\n");
  EXPECT_EQ(output("a = arange(5)\nb = a[::2]\nb[0] = 9\nprint(a)\n"), "[9 1 2 3 4]\n");
  EXPECT_EQ(output("a = arange(5)\na[1:] = a[:-1]\nprint(a)\n"), "[0 0 1 2 3]\n");
  EXPECT_EQ(output("a = zeros((2, 3))\na[:, 1] = [5, 6]\nprint(a)\n"), "[[0. 5. 0.]\n [0. 6. 0.]]\n");
  EXPECT_EQ(output("a = arange(5)\na[a > 2] = -1\nprint(a)\n"), "[ 0  1  2 -1 -1]\n");
  EXPECT_EQ(output("a = arange(4)\na[array([0, 3])] = array([7, 8])\nprint(a)\n"), "[7 1 2 8]\n");
  EXPECT_EQ(output("a = arange(3).astype(f32)\na[...] = 2\nprint(a)\n"), "[2. 2. 2.]\n");
}

TEST(Statements, FunctionsHaveDefaultsAndKeywords) {
  EXPECT_EQ(output("N = 3\ndef f(a, b=N, c=None):\n    return a, b, c\nprint(f(1), f(1, c=2), f(b=0, a=5))\n"),
            "(1, 3, None) (1, 3, 2) (5, 0, None)\n");
  EXPECT_EQ(output("def f(a, b):\n    return a - b\nargs = (5, 2)\nprint(f(*args))\n"), "3\n");
  EXPECT_EQ(output("def f():\n    pass\nprint(f())\n"), "None\n");
  EXPECT_EQ(output("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))\n"), "610\n");
}

TEST(Statements, NamesHavePythonsScopes) {
  EXPECT_EQ(output("n = 1\ndef f():\n    return n\nn = 2\nprint(f())\n"), "2\n");
  EXPECT_EQ(output("n = 1\ndef f():\n    n = 5\n    return n\nprint(f(), n)\n"), "5 1\n");
  EXPECT_EQ(output("n = 1\ndef f():\n    m = n\n    n = 2\nf()\n"), "E0402: `n` is read before it is assigned");
  EXPECT_EQ(output("sum = 3\nprint(sum)\n"), "3\n");
}

TEST(Statements, Imports) {
  EXPECT_EQ(output("import numpy as np\nfrom math import sqrt as root, pi\nprint(np.zeros(1), root(4.0), pi > 3)\n"),
            "[0.] 2.0 True\n");
  EXPECT_EQ(output("import numba.cuda as cuda\nimport numba\nprint(cuda is numba.cuda)\n"), "True\n");
  EXPECT_EQ(output("from numba import cuda, vectorize, float32\nprint(float32(0.5))\n"), "0.5\n");
  EXPECT_EQ(output("from math import *\nprint(floor(2.5))\n"), "2\n");
  EXPECT_EQ(output("from math import flor\n"), "E0403: `math` has no attribute `flor`");
  EXPECT_EQ(output("from math import factorial\nprint(1)\n"), "1\n");
}

TEST(Statements, ClassesThatAreNoneTellWhy) {
  EXPECT_EQ(output("class A:\n    x = 1\nclass B(A):\n    y = 2\nprint(1)\n"), "1\n");
  EXPECT_EQ(output("class A:\n    x = 1\nclass B(A):\n    y = 2\nprint(B().y)\n"),
            "E0404: host functions do not have the class `B` as it is written");
  EXPECT_EQ(output("import enum\nclass Color(enum.IntEnum):\n    RED = 3\nprint(Color.RED)\n"), "3\n");
}

TEST(Statements, AFileKnowsItsName) { EXPECT_EQ(output("print(__file__[:4], __file__[-4:])\n"), "test .pyk\n"); }

TEST(Statements, DeviceFunctionsRunOnTheHostToo) {
  EXPECT_EQ(output("@device\ndef square(x):\n    return x * x\nprint(square(3), square(arange(3)))\n"), "9 [0 1 4]\n");
}

TEST(Statements, PrintSeparatesAndEnds) {
  EXPECT_EQ(output("print(1, 'a', sep='-', end='!')\nprint()\nprint('b')\n"), "1-a!\nb\n");
}

TEST(Statements, RandomNumbersAreTheSameEverywhere) {
  EXPECT_EQ(output("print(random(3, seed=1))\n"), "[0.56656158 0.74578176 0.97100275]\n");
  EXPECT_EQ(
      output(
          "import numpy as np\nnp.random.seed(1)\na = np.random.rand(3)\nprint(array_equal(a, random(3, seed=1)))\n"),
      "True\n");
  EXPECT_EQ(output("x = random(100_000, seed=5)\nprint(x.min() >= 0, x.max() < 1, abs(x.mean() - 0.5) < 0.01)\n"),
            "True True True\n");
  EXPECT_EQ(
      output(
          "import numpy as np\nx = np.random.randn(100_000)\nprint(abs(x.mean()) < 0.02, abs(x.std() - 1) < 0.02)\n"),
      "True True\n");
  EXPECT_EQ(output("import numpy as np\nx = np.random.randint(-2, 3, size=1000)\nprint(x.min(), x.max(), x.dtype)\n"),
            "-2 2 i64\n");
}

}  // namespace
}  // namespace pykc::script
