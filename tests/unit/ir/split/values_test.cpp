// What crosses from region to region, and how.
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

TEST(SplitValues, LoadedValueGoesThroughASlot) {
  const std::string text = kernel_text(kStart + R"(
  %y = mul %x, %x
  builtin syncthreads
  store %o, %y
  return
)");
  expect_same(text, kLaunch, 0);
  const std::string divided = split_text(text);
  EXPECT_EQ(count_of(divided, "  slot i64"), 1);
  EXPECT_EQ(count_of(divided, "store_slot 0"), 1);
  EXPECT_EQ(count_of(divided, "load_slot 0"), 1);
  EXPECT_FALSE(contains(divided, "local $"));
}

TEST(SplitValues, LocalThatIsSetTwiceIsTwoValues) {
  const std::string text = kernel_text("  local $i: i64\n" + kStart + R"(
  store_local $i, %i
  %a = load_local $i : i64
  store %o, %a
  builtin syncthreads
  %j = sub %w, %t
  store_local $i, %j
  %c = load_local $i : i64
  %small = lt %c, %n
  if %small {
    store %o, %c
  }
  return
)");
  expect_same(text, kLaunch, 9);
  EXPECT_FALSE(contains(split_text(text), "local $"));  // so that its comparison is a guard of the row
}

TEST(SplitValues, LocalOfTwoLoopsIsTwoLocals) {
  // In the first loop, which only some threads run, $i differs; in the second it is the block's.
  const std::string text = kernel_text("  local $i: i64\n" + kStart + R"(
  %is_first = eq %t, i64 0
  if %is_first {
    store_local $i, i64 0
    loop L0 {
      %i0 = load_local $i : i64
      %done0 = eq %i0, i64 4
      if %done0 {
        break L0
      }
      store %o, %i0
      %i1 = add %i0, i64 1
      store_local $i, %i1
    }
  }
  store_local $i, i64 0
  loop L1 {
    %i2 = load_local $i : i64
    %done1 = eq %i2, %n
    if %done1 {
      break L1
    }
    builtin syncthreads
    store %o, %i2
    %i3 = add %i2, i64 1
    store_local $i, %i3
  }
  store %o, %t
  return
)");
  expect_same(text, kLaunch, 5);
  EXPECT_FALSE(contains(split_text(text), "slot"));
}

TEST(SplitValues, LocalThatLivesInOneRegionStaysALocal) {
  const std::string text = kernel_text("  local $v: i64\n" + kStart + R"(
  builtin syncthreads
  store_local $v, %t
  %odd = and %t, i64 1
  %is_odd = eq %odd, i64 1
  if %is_odd {
    store_local $v, i64 7
  }
  %v = load_local $v : i64
  store %o, %v
  builtin syncthreads
  return
)");
  expect_same(text, kLaunch, 0);
  EXPECT_FALSE(contains(split_text(text), "slot"));
}

TEST(SplitValues, LocalThatIsCarriedAroundALoopHasASlot) {
  const std::string text = kernel_text("  local $k: i64\n  local $v: i64\n" + kStart + R"(
  store_local $k, i64 0
  store_local $v, %x
  loop L0 {
    %k = load_local $k : i64
    %done = eq %k, i64 3
    if %done {
      break L0
    }
    builtin syncthreads
    %v = load_local $v : i64
    %v1 = mul %v, %t
    store_local $v, %v1
    %k1 = add %k, i64 1
    store_local $k, %k1
  }
  %r = load_local $v : i64
  store %o, %r
  return
)");
  expect_same(text, kLaunch, 0);
  EXPECT_EQ(count_of(split_text(text), "  slot"), 1);
}

TEST(SplitValues, ScalarThatARegionNeedsIsComputedOnceABlock) {
  const std::string text = kernel_text("  local $u: i64\n" + kStart + R"(
  store_local $u, %n
  %u = load_local $u : i64
  %big = gt %u, i64 3
  if %big {
    store_local $u, i64 3
  }
  builtin syncthreads
  %is_low = lt %t, i64 5
  if %is_low {
    %u1 = load_local $u : i64
    store %o, %u1
  }
  return
)");
  for (const std::int64_t n : {2, 9}) expect_same(text, kLaunch, n);
}

/// A loop in which no threads meet sets a local that a later branch around a barrier depends on.
TEST(SplitValues, WhatBlockLevelControlDependsOnIsComputedAtBlockLevel) {
  const std::string text = kernel_text("  local $k: i64\n  local $sum: i64\n  local $v: i64\n" + kStart + R"(
  store_local $k, i64 0
  store_local $sum, i64 0
  store_local $v, %x
  loop L0 {
    %k = load_local $k : i64
    %done = ge %k, %n
    if %done {
      break L0
    }
    %even = and %k, i64 1
    %is_even = eq %even, i64 0
    if %is_even {
      continue L0
    }
    %sum = load_local $sum : i64
    %sum1 = add %sum, %k
    store_local $sum, %sum1
    %v = load_local $v : i64
    %v1 = mul %v, i64 3
    store_local $v, %v1
  } continuing {
    %k1 = load_local $k : i64
    %k2 = add %k1, i64 1
    store_local $k, %k2
  }
  %all = load_local $sum : i64
  %big = gt %all, i64 5
  if %big {
    builtin syncthreads
    store %o, %all
  }
  builtin syncthreads
  %old = load %o : i64
  %v2 = load_local $v : i64
  %new = add %old, %v2
  store %o, %new
  return
)");
  for (const std::int64_t n : {0, 3, 8}) expect_same(text, kLaunch, n);
  EXPECT_FALSE(contains(split_text(text), "any_slot"));
}

TEST(SplitValues, LocalArrayThatOutlivesARegionIsOneAThread) {
  const std::string text =
      kernel_text("  local_array a: i64[2] align 16\n  local_array b: i64[2] align 16\n" + kStart + R"(
  %a = local_array 0 : ptr<i64, local>
  store %a, %x
  %c = local_array 1 : ptr<i64, local>
  store %c, %t
  %y = load %c : i64
  store %o, %y
  builtin syncthreads
  %z = load %a : i64
  store %o, %z
  return
)");
  const auto module = read(text);
  split(*module);
  EXPECT_TRUE(module->find("k")->local_arrays[0].per_thread);
  EXPECT_FALSE(module->find("k")->local_arrays[1].per_thread);
  expect_same(text, kLaunch, 0);
}

}  // namespace
}  // namespace pykc::ir
