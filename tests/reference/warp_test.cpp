#include "tests/reference/warp.h"

#include <gtest/gtest.h>

namespace pykc::reference {
namespace {

constexpr std::uint64_t kFull = 0xffffffff;

/// All lanes active, each with its number as value.
Lanes numbered(std::uint64_t operand, std::uint64_t width = 32) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) lanes[lane] = {true, {kFull, lane, operand, width}};
  return lanes;
}

TEST(Warp, ShuffleByIndex) {
  const auto whole = exchange(BuiltinId::ShflSync, numbered(5));
  EXPECT_EQ(whole[0], 5u);
  EXPECT_EQ(whole[31], 5u);
  const auto groups = exchange(BuiltinId::ShflSync, numbered(10, 8));  // 10 mod 8 = 2 in each group
  EXPECT_EQ(groups[0], 2u);
  EXPECT_EQ(groups[17], 18u);
  EXPECT_EQ(exchange(BuiltinId::ShflSync, numbered(33))[7], 1u);
}

TEST(Warp, ShuffleUpAndDown) {
  const auto up = exchange(BuiltinId::ShflUpSync, numbered(3, 16));
  EXPECT_EQ(up[2], 2u);
  EXPECT_EQ(up[3], 0u);
  EXPECT_EQ(up[17], 17u);
  EXPECT_EQ(up[31], 28u);
  const auto down = exchange(BuiltinId::ShflDownSync, numbered(3, 16));
  EXPECT_EQ(down[0], 3u);
  EXPECT_EQ(down[12], 15u);
  EXPECT_EQ(down[13], 13u);
  EXPECT_EQ(down[29], 29u);
}

TEST(Warp, ShuffleXor) {
  const auto pairs = exchange(BuiltinId::ShflXorSync, numbered(1));
  EXPECT_EQ(pairs[0], 1u);
  EXPECT_EQ(pairs[31], 30u);
  // Within groups of 8, a lane reads from its own group or one below.
  const auto groups = exchange(BuiltinId::ShflXorSync, numbered(8, 8));
  EXPECT_EQ(groups[0], 0u);
  EXPECT_EQ(groups[8], 0u);
}

TEST(Warp, Votes) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] = {true, {0xff, lane < 4 ? 1u : 0u}};
  EXPECT_EQ(exchange(BuiltinId::BallotSync, lanes)[7], 0xfu);
  EXPECT_EQ(exchange(BuiltinId::AllSync, lanes)[0], 0u);
  EXPECT_EQ(exchange(BuiltinId::AnySync, lanes)[7], 1u);
  EXPECT_EQ(exchange(BuiltinId::EqSync, lanes)[0], 0u);
  EXPECT_EQ(exchange(BuiltinId::Activemask, lanes)[0], 0xffu);
}

TEST(Warp, MatchesByBits) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] = {true, {0xff, lane % 3}};
  EXPECT_EQ(exchange(BuiltinId::MatchAnySync, lanes)[4], 0b10010010u);
  EXPECT_EQ(exchange(BuiltinId::MatchAllSync, lanes)[4], 0u);
  for (Lane& lane : lanes) lane.arguments[1] = 5;
  EXPECT_EQ(exchange(BuiltinId::MatchAllSync, lanes)[4], 0xffu);
}

TEST(Warp, ReductionsDependOnTheType) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < 3; ++lane) lanes[lane] = {true, {0x7, lane == 1 ? 0xffu : lane}};
  EXPECT_EQ(exchange(BuiltinId::ReduxSyncMax, lanes, ScalarType::U8)[0], 0xffu);
  EXPECT_EQ(exchange(BuiltinId::ReduxSyncMax, lanes, ScalarType::I8)[0], 2u);
  EXPECT_EQ(exchange(BuiltinId::ReduxSyncAdd, lanes, ScalarType::I8)[2], 1u);
  EXPECT_EQ(exchange(BuiltinId::ReduxSyncXor, lanes, ScalarType::U8)[1], 0xfdu);
}

TEST(Warp, MasksMakeGroups) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] = {true, {lane < 4 ? 0x0fu : 0xf0u, lane < 4 ? 1u : 0u}};
  EXPECT_EQ(exchange(BuiltinId::AllSync, lanes)[0], 1u);
  EXPECT_EQ(exchange(BuiltinId::AnySync, lanes)[4], 0u);
  EXPECT_EQ(exchange(BuiltinId::EqSync, lanes)[4], 1u);
}

}  // namespace
}  // namespace pykc::reference
