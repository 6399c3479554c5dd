// What goes wrong at run time: the code, the place under the caret, the note or the fix.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

struct ErrorCase {
  std::string_view source;  // what is wrong stands between « and »
  std::string_view code, message;
};

void expect_error(const ErrorCase& expected) {
  std::string source(expected.source);
  const std::size_t begin = source.find("«");
  source.erase(begin, 2);
  const std::size_t end = source.find("»");
  source.erase(end, 2);
  const HostRun run = run_host(source);
  ASSERT_EQ(run.code, -1) << source << "\nprinted: " << run.output;
  EXPECT_EQ(run.error().code, expected.code) << source;
  EXPECT_EQ(run.error().message, expected.message) << source;
  const std::size_t line_begin = source.rfind('\n', begin) + 1;
  EXPECT_EQ(run.error().place.column, static_cast<int>(begin - line_begin) + 1) << source;
  EXPECT_EQ(run.error().place.end_column, static_cast<int>(end - line_begin) + 1) << source;
}

TEST(Errors, NamesAndAttributes) {
  expect_error({"print(«lenght»)\n", "E0401", "`lenght` is not defined"});
  expect_error(
      {"x = zeros(3)\nprint(x.«length»)\n", "E0403", "an array of f64 with shape (3,) has no attribute `length`"});
  expect_error({"import numpy as np\nnp.«zeroes»(3)\n", "E0403", "`np` has no attribute `zeroes`"});
  expect_error({"i = «threadIdx».x\n", "E0447", "`threadIdx` means something in kernels only"});
  expect_error({"i = «unroll»(3)\n", "E0447", "`unroll` means something in kernels only"});
  EXPECT_EQ(run_host("print(zeroes(3))\n").error().fix, "zeros");
  EXPECT_EQ(run_host("import numpy as np\nnp.zeross(3)\n").error().fix, "zeros");
  EXPECT_EQ(run_host("count = 1\nprint(cuont)\n").error().fix, "count");
}

TEST(Errors, Arithmetic) {
  expect_error({"n = «2 ** 64»\n", "E0413", "the result does not fit a 64-bit integer"});
  expect_error({"n = «9223372036854775807 + 1»\n", "E0413", "the result does not fit a 64-bit integer"});
  expect_error({"n = «-(-9223372036854775807 - 1)»\n", "E0413", "the result does not fit a 64-bit integer"});
  expect_error({"n = 1 + «1 // 0»\n", "E0414", "division by zero"});
  expect_error({"n = «1.0 % 0»\n", "E0414", "division by zero"});
  expect_error({"n = «0.0 ** -1»\n", "E0414", "division by zero"});
  expect_error({"n = «(-1.0) ** 0.5»\n", "E0415", "`**` is not defined there"});
  expect_error({"import math\nx = «math.sqrt(-1.0)»\n", "E0415", "`sqrt` is not defined there"});
  expect_error({"n = «1 << -1»\n", "E0418", "a shift by a negative count"});
  expect_error({"n = «1 << 63»\n", "E0413", "the result does not fit a 64-bit integer"});
  expect_error({"x = «arange(3) ** -1»\n", "E0419", "an integer array to a negative power has no integer result"});
  expect_error({"x = «'a' + 1»\n", "E0411", "`+` does not work on a string and an int"});
  expect_error({"x = «zeros(3) & 1»\n", "E0411", "`&` does not work on an array of f64 with shape (3,) and an int"});
  expect_error({"x = «-'a'»\n", "E0412", "`-` does not work on a string"});
  expect_error({"x = «array([True]) - array([True])»\n", "E0411",
                "`-` does not work on an array of bool with shape (1,) and an array of bool with shape (1,)"});
  expect_error({"x = «full(2, 300, u8)»\n", "E0416", "300 does not fit u8"});
  expect_error({"x = «arange(2, dtype=u8) + 300»\n", "E0416", "300 does not fit u8"});
  expect_error({"n = «int('1x')»\n", "E0410", "`x` of `int` must be the text of a number, not '1x'"});
  expect_error({"n = «int(1e30)»\n", "E0416", "1e+30 does not fit an int"});
}

TEST(Errors, ShapesAndIndices) {
  expect_error({"x = «zeros((3, 4)) + zeros(3)»\n", "E0420", "the shapes (3, 4) and (3,) do not fit"});
  expect_error({"x = zeros(8)\nprint(«x[8]»)\n", "E0421", "the index 8 is out of range for 8 elements"});
  expect_error({"x = zeros(8)\n«x[-9]» = 1\n", "E0421", "the index -9 is out of range for 8 elements"});
  expect_error({"x = zeros(8)\nprint(«x[0, 1]»)\n", "E0422", "2 indices for an array of rank 1"});
  expect_error({"x = «zeros(-1)»\n", "E0423", "there is no array with the shape (-1,)"});
  expect_error(
      {"x = «zeros((10 ** 10, 10 ** 10))»\n", "E0423", "there is no array with the shape (10000000000, 10000000000)"});
  expect_error({"x = «zeros((1, 1, 1, 1, 1, 1, 1, 1, 1))»\n", "E0423",
                "there is no array with the shape (1, 1, 1, 1, 1, 1, 1, 1, 1)"});
  expect_error({"x = «arange(10).reshape(3, -1)»\n", "E0424", "an array of 10 elements cannot have the shape (3, -1)"});
  expect_error({"x = «zeros(3).sum(axis=1)»\n", "E0425", "there is no axis 1 in an array of rank 1"});
  expect_error({"x = «zeros(0).max()»\n", "E0426", "`max` of no elements has no value"});
  expect_error({"«a, b = 1, 2, 3»\n", "E0427", "3 values for 2 names"});
  expect_error({"x = zeros(8)\nprint(«x[0.5]»)\n", "E0428", "a float is not an index"});
  expect_error({"x = zeros(8)\nprint(«x[::0]»)\n", "E0428", "a slice with step 0 is not an index"});
  expect_error({"n = 8\nprint(«n[0]»)\n", "E0429", "an int has no elements"});
  expect_error({"t = (1, 2)\n«t[0]» = 3\n", "E0430", "the elements of a tuple cannot be assigned"});
  expect_error({"for i in «8»:\n    pass\n", "E0431", "an int has no items to go through"});
  expect_error({"a = «array([[1, 2], [3]])»\n", "E0432", "the rows of this array have different lengths"});
  expect_error({"a = arange(3)\n«a[:]» = arange(2)\n", "E0420", "the shapes (2,) and (3,) do not fit"});
  expect_error({"if «zeros(2)»:\n    pass\n", "E0417", "an array of 2 elements is neither true nor false"});
}

TEST(Errors, Calls) {
  expect_error({"«full(3)»\n", "E0406", "`full` needs the argument `fill_value`"});
  expect_error({"«len(1, 2)»\n", "E0407", "len takes at most 1 arguments, not 2"});
  expect_error({"«zeros(3, type=f32)»\n", "E0408", "`zeros` has no parameter `type`"});
  expect_error({"«zeros(3, shape=3)»\n", "E0409", "`zeros` gets the argument `shape` twice"});
  expect_error(
      {"«zeros('3')»\n", "E0410", "`shape` of `zeros` must be an integer or a tuple of integers, not a string"});
  expect_error({"def f(a):\n    pass\n«f()»\n", "E0406", "`f` needs the argument `a`"});
  expect_error({"def f(a):\n    pass\n«f(1, 2)»\n", "E0407", "`f` takes at most 1 arguments, not 2"});
  expect_error({"n = 8\n«n(1)»\n", "E0405", "an int cannot be called"});
}

TEST(Errors, EndlessRecursionIsFound) {
  const HostRun run = run_host("def f(n):\n    return f(n + 1)\nf(0)\n");
  EXPECT_EQ(run.error().code, "E0435");
  EXPECT_FALSE(run.error().labels.empty());
}

TEST(Errors, SequencesHaveABound) {
  expect_error({"x = «list(range(10 ** 12))»\n", "E0448", "1000000000000 items are too many for a list"});
  expect_error({"x = «[0] * 10 ** 12»\n", "E0448", "1000000000000 items are too many for a list"});
  EXPECT_EQ(run_host("print(len([] * 10 ** 12), len([1] * -5))\n").output, "0 0\n");
  EXPECT_EQ(run_host("for i in range(-2 ** 63, 2 ** 63 - 1):\n    break\nprint(i)\n").error().code, "E0413");
  EXPECT_EQ(run_host("for i in range(-9223372036854775808, 9223372036854775807):\n    break\nprint(i)\n").output,
            "-9223372036854775808\n");
}

TEST(Errors, DeepNestsAreTakenApart) {
  EXPECT_EQ(run_host("x = []\nfor i in range(100_000):\n    x = [x]\nprint(len(x))\n").output, "1\n");
  EXPECT_EQ(run_host("x = []\nfor i in range(1000):\n    x = [x]\nprint(x)\n").output.size(), 106u);
  EXPECT_EQ(run_host("x = []\ny = []\nfor i in range(1000):\n    x, y = [x], [y]\nprint(x == y)\n").error().code,
            "E0435");
}

TEST(Errors, NoListHoldsItself) {
  expect_error({"x = [1]\n«x.append((2, x))»\n", "E0449", "a list cannot hold itself"});
  expect_error({"x = [1]\n«x[0]» = [x]\n", "E0449", "a list cannot hold itself"});
  expect_error({"x = [1]\n«x += [x]»\n", "E0449", "a list cannot hold itself"});
  EXPECT_EQ(run_host("x = [1]\ny = [x, x]\ny.append(x)\nx.append(2)\nprint(y)\n").output, "[[1, 2], [1, 2], [1, 2]]\n");
}

TEST(Errors, TheCallsThatLedThereAreTold) {
  const HostRun run = run_host("def f(n):\n    return 1 // n\ndef g(n):\n    return f(n)\ng(0)\n");
  EXPECT_EQ(run.error().place.line, 2);
  ASSERT_EQ(run.error().labels.size(), 2u);
  EXPECT_EQ(run.error().labels[0].place.line, 4);
  EXPECT_EQ(run.error().labels[1].place.line, 5);
}

TEST(Errors, WhatHostFunctionsDoNotHave) {
  expect_error({"def f():\n    «with 3 as x»:\n        pass\nf()\n", "E0404",
                "host functions do not have `with` for an int"});
  expect_error({"class A:\n    «def __len__(self)»:\n        return 1\n", "E0404",
                "host functions do not have the method `__len__`"});
  expect_error({"«raise ValueError('no')»\n", "E0437", "raised: ValueError: no"});
}

TEST(Errors, Formats) {
  expect_error({"print(f\"{«1.5»:d}\")\n", "E0436", "the format `d`: a float is formatted by e, f, g, n or %"});
  expect_error(
      {"print(f\"{«1»:99999999999}\")\n", "E0436", "the format `99999999999`: a width or precision is at most 10000"});
  expect_error({"print(«'%d %d' % 1»)\n", "E0436", "the format `%d %d`: there are fewer values than conversions"});
}

TEST(Errors, Files) {
  expect_error({"a = «load('no-such-file.npy')»\n", "E0450", "the file no-such-file.npy: No such file or directory"});
}

}  // namespace
}  // namespace pykc::script
