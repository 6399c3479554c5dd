#include "tests/reference/races.h"

#include "tests/reference/kernel_text.h"

namespace pykc::reference {
namespace {

using Kind = RaceDetector::Kind;

/// One byte, touched by threads of one block whose clocks are at the start. Two blocks are a cluster.
const RaceDetector::Access* touch(RaceDetector& races, std::int64_t thread, Kind kind, const Clock& clock = {},
                                  std::int64_t block = 0, bool is_shared = false) {
  return races.touch(64, 1, {block / 2, block, thread, is_shared, kind}, clock);
}

TEST(Races, TwoThreadsOneWriting) {
  RaceDetector reads, writes, atomics, own;
  EXPECT_EQ(touch(reads, 0, Kind::Read), nullptr);
  EXPECT_EQ(touch(reads, 1, Kind::Read), nullptr);
  ASSERT_NE(touch(reads, 2, Kind::Write), nullptr);
  EXPECT_EQ(touch(writes, 3, Kind::Write), nullptr);
  const RaceDetector::Access* other = touch(writes, 1, Kind::Read);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->thread, 3);
  EXPECT_EQ(touch(atomics, 0, Kind::Atomic), nullptr);
  EXPECT_EQ(touch(atomics, 1, Kind::Atomic), nullptr);
  EXPECT_NE(touch(atomics, 1, Kind::Read), nullptr);
  EXPECT_EQ(touch(own, 0, Kind::Write), nullptr);
  EXPECT_EQ(touch(own, 0, Kind::Read), nullptr);
}

TEST(Races, BarriersOrder) {
  RaceDetector races;
  EXPECT_EQ(touch(races, 0, Kind::Write), nullptr);
  EXPECT_EQ(touch(races, 40, Kind::Read, {.barriers = 1}), nullptr);
  EXPECT_NE(touch(races, 41, Kind::Write, {.barriers = 1}), nullptr);
  RaceDetector blocks;
  EXPECT_EQ(touch(blocks, 0, Kind::Write), nullptr);
  EXPECT_NE(touch(blocks, 0, Kind::Read, {.barriers = 1}, 1), nullptr);
  EXPECT_EQ(touch(blocks, 0, Kind::Read, {.grids = 1}, 1), nullptr);
  RaceDetector shared;
  EXPECT_EQ(touch(shared, 0, Kind::Write, {}, 0, true), nullptr);
  EXPECT_EQ(touch(shared, 1, Kind::Write, {}, 2, true), nullptr);  // another cluster's memory
}

TEST(Races, ABarrierOfTheClusterOrdersItsBlocks) {
  RaceDetector races;
  EXPECT_EQ(touch(races, 0, Kind::Write, {}, 0, true), nullptr);
  EXPECT_EQ(touch(races, 5, Kind::Read, {.arrivals = 1, .meetings = 1}, 1, true), nullptr);
  EXPECT_NE(touch(races, 0, Kind::Write, {.arrivals = 2, .meetings = 1}, 0, true), nullptr);  // has not waited yet
  EXPECT_EQ(touch(races, 0, Kind::Write, {.arrivals = 2, .meetings = 2}, 0, true), nullptr);
  EXPECT_NE(touch(races, 0, Kind::Read, {.arrivals = 2, .meetings = 2}, 1, true), nullptr);
}

TEST(Races, WarpOperationsOrderTheLanesThatMeet) {
  Clock zero, one, two;
  RaceDetector races;
  EXPECT_EQ(touch(races, 0, Kind::Write, zero), nullptr);
  Clock* const pair[] = {&zero, &one};
  const std::size_t lanes[] = {0, 1};
  join_lanes(pair, lanes);
  EXPECT_EQ(touch(races, 1, Kind::Read, one), nullptr);
  EXPECT_NE(touch(races, 2, Kind::Read, two), nullptr);
  Clock* const next[] = {&one, &two};  // who met a lane that met the writer is behind it, too
  const std::size_t next_lanes[] = {1, 2};
  join_lanes(next, next_lanes);
  EXPECT_EQ(touch(races, 2, Kind::Read, two), nullptr);
  EXPECT_NE(touch(races, 0, Kind::Write, zero), nullptr);
}

constexpr const char* kNeighbour = R"(
kernel @k(%out: ptr<i32, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = element %out, %0
  %2 = cast %0 : i32
  store %1, %2
  WAIT
  %3 = xor %0, i64 1
  %4 = element %out, %3
  %5 = load %4 : i32
  return
}
)";

TEST(Races, OfAKernel) {
  for (const auto& [wait, is_race] : {std::pair{"", true}, std::pair{"builtin syncthreads", false},
                                      std::pair{"builtin syncwarp u32 4294967295", false}}) {
    std::string text = kNeighbour;
    text.replace(text.find("WAIT"), 4, wait);
    std::vector<std::int32_t> out(32);
    const Outcome outcome = run_text(text, {.grid = {}, .block = {32}, .find_races = true}, {bits_of(out.data())});
    EXPECT_EQ(outcome.error.find("a race with thread ") != std::string::npos, is_race) << wait << outcome.error;
  }
}

}  // namespace
}  // namespace pykc::reference
