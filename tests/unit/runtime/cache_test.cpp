// What launches touch, by which it is decided whether they write past the cache.
#include "runtime/cpu/cache.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc::cpu {
namespace {

using testing::array;
using testing::kAny;
using testing::kernel;
using testing::scalar;

TEST(Cache, ALaunchTouchesItsArraysOrWhatItsThreadsCan) {
  const KernelInfo info = kernel("k", {array("z", ScalarType::F32, {kAny, kAny}), scalar("a", ScalarType::F32),
                                       array("x", ScalarType::F64, {kAny}, Layout::Strided),
                                       array("table", ScalarType::I32, {10, 10}), scalar("n", ScalarType::I64)});
  detail::PreparedLaunch launch;
  for (const std::uint64_t word : {0x1000, 100, 200, 0, 0x2000, 50, 8, 0x3000, 7}) launch.append(word);
  launch.block = {32, 4, 1};
  launch.blocks = 1'000;
  EXPECT_EQ(touched_bytes(info, launch), 4 * 100 * 200 + 8 * 50 + 4 * 100);
  launch.block = {1, 1, 1};
  launch.blocks = 2;
  EXPECT_EQ(touched_bytes(info, launch), 16 * (4 + 8 + 4));
}

TEST(Cache, WhatNoIntegerCountsIsMuch) {
  const KernelInfo info = kernel("k", {array("x", ScalarType::F64, {kAny, kAny}, Layout::Strided)});
  detail::PreparedLaunch launch;
  for (const std::uint64_t word :
       {std::uint64_t{0x1000}, std::uint64_t{1} << 40, std::uint64_t{1} << 40, std::uint64_t{0}, std::uint64_t{0}})
    launch.append(word);
  launch.block = {1024, 1, 1};
  launch.blocks = std::int64_t{1} << 62;
  EXPECT_EQ(touched_bytes(info, launch), 64 * 0x1p72);
}

TEST(Cache, RowsThatBeginWithinALineAreWrittenThroughIt) {
  KernelInfo info = kernel("k", {array("z", ScalarType::F32, {kAny, kAny}), array("x", ScalarType::F32, {kAny})});
  const auto writes_along = [&](std::uint64_t address, std::uint64_t columns) {
    detail::PreparedLaunch launch;
    for (const std::uint64_t word : {address, std::uint64_t{100}, columns, std::uint64_t{4}, std::uint64_t{7}})
      launch.append(word);
    return writes_along_lines(info, launch);
  };
  EXPECT_TRUE(writes_along(0x1000, 33));  // only read
  info.parameters[0].is_written = true;
  EXPECT_TRUE(writes_along(0x1000, 32));
  EXPECT_FALSE(writes_along(0x1000, 33));
  EXPECT_FALSE(writes_along(0x1004, 32));
  info.parameters[1].is_written = true;
  EXPECT_FALSE(writes_along(0x1000, 32));
}

TEST(Cache, EachThreadHasAPartOfIt) {
  EXPECT_GT(cache_bytes(1), 0);
  EXPECT_LE(cache_bytes(1), cache_bytes(4));
}

}  // namespace
}  // namespace pykc::cpu
