#include "runtime/cpu/block_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <vector>

namespace pykc::cpu {
namespace {

/// What the kernels of this file share with their test, passed as the launch's only parameter.
struct Probe {
  std::vector<std::atomic<int>> runs;
  std::atomic<int> rounding_errors = 0;
  std::int64_t fault_at = -1;
  std::int64_t nanoseconds_per_block = 0;
};

void count_runs(const abi::CpuLaunch* launch, void* shared, void* scratch, std::int64_t first, std::int64_t last) {
  auto& probe = *static_cast<Probe*>(const_cast<void*>(launch->parameters[0]));
  volatile double one = 1, little = 1e-30;
  if (one + little != 1) ++probe.rounding_errors;
  for (std::int64_t block = first; block < last; ++block) {
    std::memset(shared, static_cast<int>(block), 100);
    std::memset(scratch, static_cast<int>(block), 1000);
    ++probe.runs[static_cast<std::size_t>(block)];
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(probe.nanoseconds_per_block);
    while (probe.nanoseconds_per_block > 0 && std::chrono::steady_clock::now() < until) {
    }
    if (block != probe.fault_at) continue;
    std::atomic_ref(launch->fault->claimed).store(1);
    return;
  }
}

class BlockPoolTest : public ::testing::Test {
 protected:
  Result<void> run(std::int64_t blocks, std::int64_t scratch_bytes = 1000) {
    probe_.runs = std::vector<std::atomic<int>>(static_cast<std::size_t>(blocks));
    const void* parameters[] = {&probe_};
    fault_ = {};
    const abi::CpuLaunch launch{
        .parameters = parameters, .grid = {blocks, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 100, .fault = &fault_};
    return pool_.run({count_runs, &launch, blocks, 100, scratch_bytes}, time_);
  }
  void expect_each_ran_once() const {
    for (std::size_t i = 0; i < probe_.runs.size(); ++i) EXPECT_EQ(probe_.runs[i].load(), 1) << "block " << i;
  }

  BlockPool pool_;
  Probe probe_;
  BlockTime time_;
  abi::FaultRecord fault_{};
};

TEST_F(BlockPoolTest, RunsEachBlockOnce) {
  for (std::int64_t blocks : {1, 2, 3, 7, 64, 1000, 12345}) {
    ASSERT_TRUE(run(blocks));
    expect_each_ran_once();
  }
}

TEST_F(BlockPoolTest, RunsEachBlockOnceWhenTheExpectationIsWrong) {
  if (pool_.threads().size() == 1) GTEST_SKIP() << "one core runs everything itself";
  time_.measured(1, 1000);  // as if blocks were very short
  probe_.nanoseconds_per_block = 3000;
  ASSERT_TRUE(run(50));
  expect_each_ran_once();
  EXPECT_GT(time_.nanoseconds_for(1), 1000);  // and it has learned
}

TEST_F(BlockPoolTest, LearnsThatBlocksAreShort) {
  if (pool_.threads().size() == 1) GTEST_SKIP() << "one core runs everything itself";
  EXPECT_GT(time_.nanoseconds_for(1), 1000000);
  ASSERT_TRUE(run(100000));
  EXPECT_LT(time_.nanoseconds_for(1), 1000000);
}

TEST_F(BlockPoolTest, LeavesBlocksOutAfterAFault) {
  probe_.fault_at = 0;
  probe_.nanoseconds_per_block = 20000;
  ASSERT_TRUE(run(10000));
  int runs = 0;
  for (const std::atomic<int>& count : probe_.runs) runs += count.load();
  EXPECT_LT(runs, 10000);
}

TEST_F(BlockPoolTest, FailsWithoutMemory) {
  for (std::int64_t blocks : {1, 100}) {
    const Result<void> done = run(blocks, std::int64_t{1} << 60);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::OutOfMemory);
  }
  ASSERT_TRUE(run(100));  // and recovers
  expect_each_ran_once();
}

TEST_F(BlockPoolTest, RoundsToNearestWhateverTheHostDoes) {
  std::fesetround(FE_UPWARD);
  ASSERT_TRUE(run(1));
  ASSERT_TRUE(run(1000));
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(probe_.rounding_errors, 0);
}

}  // namespace
}  // namespace pykc::cpu
