#include "ir/analysis/local_ranges.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace pykc::ir {
namespace {

/// The line that declares $v after the inference, in a kernel with that body.
std::string range_of_v(const std::string& body) {
  std::vector<std::string> errors;
  const auto module =
      parse_module("kernel @k(%n: i64, %c: bool) {\nlocal $v: i64\nlocal $w: i64\n" + body + "}\n", errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  infer_local_ranges(*module->functions.front());
  const std::string text = print_function(*module->functions.front());
  const std::size_t begin = text.find("$v");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(LocalRanges, IsTheUnionOfWhatIsStored) {
  EXPECT_EQ(range_of_v("store_local $v, i64 3\nif %c {\nstore_local $v, i64 -4\n}\n"), "$v: i64 from -4 to 3");
  EXPECT_EQ(range_of_v("store_local $v, %n\nstore_local $v, i64 1\n"), "$v: i64");
}

TEST(LocalRanges, AHalvedCountStaysInItsRange) {
  EXPECT_EQ(range_of_v("%0 = builtin blockDim.x : i64\n"
                       "store_local $v, %0\n"
                       "loop L0 {\n"
                       " %1 = load_local $v : i64\n"
                       " %2 = add %1, i64 1\n"
                       " %3 = floordiv %2, i64 2\n"
                       " store_local $v, %3\n"
                       "}\n"),
            "$v: i64 from 1 to 1024");
}

TEST(LocalRanges, AGrowingBoundIsGivenUp) {
  EXPECT_EQ(range_of_v("store_local $v, i64 0\n"
                       "loop L0 {\n"
                       " %0 = load_local $v : i64\n"
                       " %1 = add no_wrap %0, i64 1\n"
                       " store_local $v, %1\n"
                       "}\n"),
            "$v: i64 from 0 to 9223372036854775807");
  EXPECT_EQ(range_of_v("store_local $v, i64 0\n"
                       "loop L0 {\n"
                       " %0 = load_local $v : i64\n"
                       " %1 = add %0, i64 1\n"  // may wrap
                       " store_local $v, %1\n"
                       "}\n"),
            "$v: i64");
}

TEST(LocalRanges, RangesPassFromVariableToVariable) {
  EXPECT_EQ(range_of_v("store_local $v, i64 0\n"
                       "store_local $w, i64 100\n"
                       "loop L0 {\n"
                       " %0 = load_local $w : i64\n"
                       " %1 = load_local $v : i64\n"
                       " store_local $v, %0\n"
                       " store_local $w, %1\n"
                       "}\n"),
            "$v: i64 from 0 to 100");
}

/// `while v < blockDim.x: v += step`, with more in the turn.
std::string range_of_counter(const std::string& step, const std::string& more = "") {
  return range_of_v(
      "store_local $v, i64 0\n"
      "loop L0 {\n"
      " %0 = load_local $v : i64\n"
      " %1 = builtin blockDim.x : i64\n"
      " %2 = lt %0, %1\n"
      " %3 = not %2\n"
      " if %3 {\n"
      "  break L0\n"
      " }\n" +
      more +
      " %4 = builtin threadIdx.x : i64\n"
      " %5 = load_local $v : i64\n"
      " %6 = add %5, " +
      step +
      "\n"
      " store_local $v, %6\n"
      "}\n");
}

TEST(LocalRanges, AGuardedSumStaysNearItsGuard) {
  EXPECT_EQ(range_of_counter("i64 32"), "$v: i64 from 0 to 1055");
  EXPECT_EQ(range_of_counter("%4"), "$v: i64 from 0 to 2046");
}

TEST(LocalRanges, AGuardSaysNothingOfASumThatShrinksOrOfAnotherStore) {
  EXPECT_EQ(range_of_counter("%n"), "$v: i64");
  EXPECT_EQ(range_of_counter("i64 32", " store_local $v, %n\n"), "$v: i64");
}

TEST(LocalRanges, WhatIsGivenStays) {
  std::vector<std::string> errors;
  const auto module = parse_module("kernel @k(%n: i64) {\nlocal $v: i64 from 0 to 7\nstore_local $v, %n\n}\n", errors);
  infer_local_ranges(*module->functions.front());
  EXPECT_EQ(module->functions.front()->locals.front().maximum, 7);
}

}  // namespace
}  // namespace pykc::ir
