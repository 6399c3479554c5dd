#include "runtime/cpu/sanitizer/alike_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace pykc::cpu {
namespace {

/// As kernels add.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// A kernel whose only comparison is `blockIdx.x * 4 + t < other`, and its like, for four threads.
class Ways {
 public:
  enum Compared { Less, LessOrEqual, Equal, Nothing };
  explicit Ways(Compared by, std::int64_t other, std::int64_t blocks, std::int64_t first = 0) {
    ObservedSite step{.kind = ObservedSite::Kind::Step};
    ObservedSite guard{.kind = ObservedSite::Kind::Guard, .steps = {0, -1, -1}};
    guard.splits_equal_from_less = by == Less || by == Equal;
    guard.splits_equal_from_more = by == LessOrEqual || by == Equal;
    kernel_.watched.sites = {step, guard};
    kernel_.watched.has_alike_blocks = true;
    const abi::CpuLaunch launch{.grid = {blocks, 1, 1}, .block = {4, 1, 1}};
    alike_.begin(kernel_, launch, blocks);
    while (const std::optional<std::int64_t> block = alike_.next()) {
      watched_.push_back(*block);
      alike_.step(0, 4);
      for (std::int64_t t = 0; t < 4; ++t) alike_.guard(1, wrapped_sum(first, *block * 4 + t), other);
    }
  }
  const std::vector<std::int64_t>& watched() const { return watched_; }
  const AlikeBlocks& alike() const { return alike_; }

 private:
  KernelInfo kernel_;
  AlikeBlocks alike_;
  std::vector<std::int64_t> watched_;
};

using Numbers = std::vector<std::int64_t>;

TEST(AlikeBlocks, AreWatchedWhereAComparisonComesOutOtherwise) {
  EXPECT_EQ(Ways(Ways::Less, 1000, 8).watched(), Numbers({0}));
  EXPECT_EQ(Ways(Ways::Less, 32, 8).watched(), Numbers({0}));
  EXPECT_EQ(Ways(Ways::Less, 31, 8).watched(), Numbers({0, 7}));
  EXPECT_EQ(Ways(Ways::Less, 16, 8).watched(), Numbers({0, 4}));
  EXPECT_EQ(Ways(Ways::Less, 17, 8).watched(), Numbers({0, 4, 5}));
  EXPECT_EQ(Ways(Ways::LessOrEqual, 15, 8).watched(), Numbers({0, 4}));
  EXPECT_EQ(Ways(Ways::LessOrEqual, 16, 8).watched(), Numbers({0, 4, 5}));
  EXPECT_EQ(Ways(Ways::Equal, 14, 8).watched(), Numbers({0, 3, 4}));
  EXPECT_EQ(Ways(Ways::Equal, -1, 8).watched(), Numbers({0}));
  EXPECT_EQ(Ways(Ways::Nothing, 14, 8).watched(), Numbers({0}));
}

TEST(AlikeBlocks, AreWatchedWhereANumberWraps) {
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Ways(Ways::Nothing, 0, 4, last - 15).watched(), Numbers({0}));
  EXPECT_GT(Ways(Ways::Nothing, 0, 4, last - 11).watched().size(), 1U);
}

TEST(AlikeBlocks, LeaveTheOthersInRuns) {
  using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const Ways ways(Ways::Less, 17, 8);
  EXPECT_EQ(ways.alike().others(), Runs({{1, 4}, {6, 8}}));
  EXPECT_TRUE(ways.alike().was_watched(5));
  EXPECT_FALSE(ways.alike().was_watched(6));
}

TEST(AlikeBlocks, AreAllWatchedWhereAStepIsNotTold) {
  KernelInfo kernel;
  kernel.watched.sites = {{.kind = ObservedSite::Kind::Step},
                          {.kind = ObservedSite::Kind::Guard, .steps = {0, -1, -1}}};
  kernel.watched.has_alike_blocks = true;
  AlikeBlocks alike;
  alike.begin(kernel, abi::CpuLaunch{.grid = {4, 1, 1}, .block = {1, 1, 1}}, 4);
  ASSERT_EQ(alike.next(), 0);
  alike.guard(1, 0, 5);
  EXPECT_EQ(alike.next(), std::nullopt);
  EXPECT_FALSE(alike.is_looking());
}

/// What each block writes: `bytes` from `pitch` times its index on.
bool are_apart(std::int64_t pitch, std::uint8_t bytes, bool is_atomic, std::int64_t size) {
  KernelInfo kernel;
  kernel.watched.sites = {{.kind = ObservedSite::Kind::Step},
                          {.kind = ObservedSite::Kind::Store, .bytes = bytes, .steps = {0, -1, -1}}};
  kernel.watched.has_alike_blocks = true;
  AlikeBlocks alike;
  alike.begin(kernel, abi::CpuLaunch{.grid = {4, 1, 1}, .block = {1, 1, 1}}, 4);
  EXPECT_EQ(alike.next(), 0);
  alike.step(0, pitch);
  alike.access(1, 0, {.offset = 0, .writes = true, .is_atomic = is_atomic});
  EXPECT_EQ(alike.next(), std::nullopt);
  Object array{.begin = 4096, .end = 4096 + static_cast<std::uintptr_t>(size)};
  return alike.is_looking() && alike.are_apart({array});
}

TEST(AlikeBlocks, AreApartWhereNoneTouchesWhatAnotherWrites) {
  EXPECT_TRUE(are_apart(4, 4, false, 16));
  EXPECT_TRUE(are_apart(12, 4, false, 64));
  EXPECT_FALSE(are_apart(0, 4, false, 16));
  EXPECT_TRUE(are_apart(0, 4, true, 16));
  EXPECT_FALSE(are_apart(4, 8, false, 64)) << "misaligned";
  EXPECT_FALSE(are_apart(4, 4, false, 12)) << "out of bounds";
  EXPECT_FALSE(are_apart(-4, 4, false, 64)) << "out of bounds";
}

}  // namespace
}  // namespace pykc::cpu
