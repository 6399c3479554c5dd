#include "base/on_all_cores.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>

namespace pykc {
namespace {

TEST(OnAllCores, ResultsAreInOrder) {
  for (const std::size_t count : {0, 1, 2, 100}) {
    const auto squares = on_all_cores(count, [](std::size_t i) {
      std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 100));  // some overtake others
      return std::make_unique<std::size_t>(i * i);
    });
    ASSERT_EQ(squares.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(*squares[i], i * i);
  }
}

TEST(OnAllCores, WhatIsThrownWaitsForTheOthers) {
  std::atomic<int> running = 0;
  const auto fail_once = [&](std::size_t i) {
    ++running;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
    if (i == 3) throw std::runtime_error("three");
    return i;
  };
  EXPECT_THROW(on_all_cores(8, fail_once), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace pykc
