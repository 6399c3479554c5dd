// What the stress tests share: a round of work, on 16 threads at once, again and again. PYKC_STRESS_SECONDS says for
// how long, 1 where it is not set.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pykc/error.h"

namespace pykc::testing {

inline constexpr int kStressThreads = 16;

/// One thread's round: the how manieth it is; returns what went wrong, or nothing.
using Round = std::function<std::string(int thread, int round)>;

inline void run_on_all_threads(const Round& round) {
  const char* seconds = std::getenv("PYKC_STRESS_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 1 : std::atoi(seconds));
  std::vector<std::string> problems(kStressThreads);
  std::atomic<int> rounds = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kStressThreads; ++i)
    threads.emplace_back([&, i] {
      std::string& problem = problems[static_cast<std::size_t>(i)];
      int own = 0;
      do {
        problem = round(i, own++);
        ++rounds;
      } while (problem.empty() && std::chrono::steady_clock::now() < end);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
  EXPECT_GE(rounds, kStressThreads);
  ::testing::Test::RecordProperty("rounds", rounds);
}

inline std::string message_of(const Result<void>& result) { return result ? "" : result.error().message; }

}  // namespace pykc::testing
