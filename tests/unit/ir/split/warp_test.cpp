// Kernels with operations of warps, split and unsplit.
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

void expect_same_for_all_blocks(const std::string& text, std::int64_t n) {
  for (const std::int64_t threads : {1, 31, 32, 33, 192}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
}

TEST(SplitWarp, ReductionOfAWarp) {
  const std::string text = kernel_text("  local $d: i32\n  local $v: i64\n" + kStart + R"(
  store_local $d, i32 16
  store_local $v, %x
  loop L0 {
    %d = load_local $d : i32
    %done = eq %d, i32 0
    if %done {
      break L0
    }
    %v = load_local $v : i64
    %y = builtin shfl_down_sync u32 4294967295, %v, %d, i32 32 : i64
    %sum = add %v, %y
    store_local $v, %sum
    %half = floordiv %d, i32 2
    store_local $d, %half
  }
  %all = load_local $v : i64
  store %o, %all
  return
)");
  expect_same_for_all_blocks(text, 0);
  const std::string divided = split_text(text);
  EXPECT_TRUE(contains(divided, "warp_exchange shfl_down_sync slots -1 0 -1 -1 -1 1 u32 4294967295, ")) << divided;
  EXPECT_TRUE(contains(divided, "local $d"));
  EXPECT_FALSE(contains(divided, "slot bool"));
}

TEST(SplitWarp, ExchangeOfTheLanesInABranch) {
  const std::string text = kernel_text(kStart + R"(
  %lane = builtin laneid : i64
  %low = lt %lane, i64 8
  if %low {
    %up = builtin shfl_up_sync u32 255, %x, i32 1, i32 32 : i64
    store %o, %up
  } else {
    %c = lt %x, i64 90
    %votes = builtin ballot_sync u32 4294967040, %c : u32
    %wide = cast %votes : i64
    store %o, %wide
  }
  return
)");
  expect_same_for_all_blocks(text, 0);
}

TEST(SplitWarp, LanesThatHaveReturnedGiveNothing) {
  const std::string text = kernel_text(kStart + R"(
  %out_of_range = ge %i, %n
  if %out_of_range {
    return
  }
  %c = gt %x, i64 10
  %votes = builtin ballot_sync u32 4294967295, %c : u32
  %wide = cast %votes : i64
  %last = builtin shfl_sync u32 4294967295, %x, i32 31, i32 32 : i64
  %sum = add %wide, %last
  store %o, %sum
  return
)");
  for (const std::int64_t n : {0, 20, 60}) expect_same_for_all_blocks(text, n);
}

TEST(SplitWarp, SyncwarpEndsARegion) {
  const std::string text = kernel_text("  shared_array s: i64[256] align 16\n" + kStart + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %q = element %s, %t
  store %q, %x
  builtin syncwarp u32 4294967295
  %lane = builtin laneid : i64
  %first = sub %t, %lane
  %r = element %s, %first
  %y = load %r : i64
  store %o, %y
  return
)");
  expect_same_for_all_blocks(text, 0);
  EXPECT_EQ(count_of(split_text(text), "threads {"), 2);
}

TEST(SplitWarp, VotesOfTheBlockAreScalars) {
  const std::string text = kernel_text("  local $k: i64\n" + kStart + R"(
  store_local $k, %x
  loop L0 {
    %k = load_local $k : i64
    %more = gt %k, i64 20
    %votes = builtin syncthreads_count %more : i32
    %done = eq %votes, i32 0
    if %done {
      break L0
    }
    %less = sub %k, i64 10
    store_local $k, %less
    %wide = cast %votes : i64
    store %o, %wide
  }
  return
)");
  expect_same_for_all_blocks(text, 0);
  EXPECT_FALSE(contains(split_text(text), "any_slot"));  // the loop is the block's
}

TEST(SplitWarp, ActiveLanes) {
  const std::string text = kernel_text(kStart + R"(
  %lane = builtin laneid : i64
  %low = lt %lane, i64 5
  if %low {
    %active = builtin activemask : u32
    %wide = cast %active : i64
    store %o, %wide
  }
  return
)");
  expect_same(text, {.block = {40}}, 0);
}

}  // namespace
}  // namespace pykc::ir
