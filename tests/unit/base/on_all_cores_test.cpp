#include "base/on_all_cores.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

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

/// The program's signals are for its own threads.
TEST(OnAllCores, ThreadsAreAsManyAsAskedForAndGetNoSignals) {
  setenv("PYKC_THREADS", "3", 1);
  const auto work = [](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return std::pair(std::this_thread::get_id(), sigismember(&blocked, SIGINT) == 1);
  };
  const auto found = on_all_cores(60, work);
  std::set<std::thread::id> threads;
  for (const auto& [thread, is_blocked] : found) {
    threads.insert(thread);
    EXPECT_EQ(is_blocked, thread != std::this_thread::get_id());
  }
  EXPECT_LE(threads.size(), 3U);
  setenv("PYKC_THREADS", "1", 1);
  for (const auto& [thread, is_blocked] : on_all_cores(4, work)) EXPECT_EQ(thread, std::this_thread::get_id());
  unsetenv("PYKC_THREADS");
}

}  // namespace
}  // namespace pykc
