#include "runtime/cpu/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace pykc::cpu {
namespace {

/// Takes numbers below 1,000 on all threads until none are left; their sum.
int sum_by(ThreadPool& pool) {
  std::atomic<int> next = 0, sum = 0;
  pool.run([&](int) {
    for (int number = next++; number < 1000; number = next++) sum += number;
  });
  return sum;
}
constexpr int kSum = 999 * 1000 / 2;

/// Waits for the condition, ten seconds at most.
template <typename Condition>
bool becomes(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

int threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

/// Whether the check holds in a child process, which has ten seconds.
template <typename Check>
bool holds_in_child(const Check& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = -1;
  if (!becomes([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ADD_FAILURE() << "the child hangs";
  }
  return status == 0;
}

class ThreadPoolTest : public ::testing::Test {
 protected:
  ThreadPoolTest() { setenv("PYKC_THREADS", "4", 1); }
  ~ThreadPoolTest() override { unsetenv("PYKC_THREADS"); }
};

TEST_F(ThreadPoolTest, TakesAsManyThreadsAsItIsTold) {
  EXPECT_EQ(ThreadPool().size(), 4);
  setenv("PYKC_THREADS", "none", 1);
  EXPECT_GE(ThreadPool().size(), 1);
}

TEST_F(ThreadPoolTest, AllThreadsHelpWithALongWork) {
  ThreadPool pool;
  for (int round = 0; round < 3; ++round) {
    std::atomic<unsigned> seen = 0;
    EXPECT_TRUE(becomes([&] {
      pool.run([&](int thread) {
        seen |= 1U << thread;
        becomes([&] { return seen == 15; });
      });
      return seen == 15;
    }));
  }
}

TEST_F(ThreadPoolTest, DoesEveryWorkOnceHoweverSlowlyTheyFollow) {
  ThreadPool pool;
  for (int round = 0; round < 20000; ++round) ASSERT_EQ(sum_by(pool), kSum);
  for (int round = 0; round < 200; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(20 * (round % 10)));
    ASSERT_EQ(sum_by(pool), kSum);
  }
}

TEST_F(ThreadPoolTest, DoesNotWaitForThreadsThatHaveNotCome) {
  ThreadPool pool;
  sum_by(pool);  // starts the threads
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  int runs = 0;
  pool.run([&](int thread) {
    if (thread == 0) ++runs;
  });
  EXPECT_EQ(runs, 1);
}

/// The processors that this thread may run on, and what it gets back in the end.
struct Affinity {
  Affinity() { pthread_getaffinity_np(pthread_self(), sizeof before, &before); }
  ~Affinity() { pthread_setaffinity_np(pthread_self(), sizeof before, &before); }
  std::vector<int> processors() const {
    std::vector<int> found;
    for (int number = 0; number < CPU_SETSIZE; ++number)
      if (CPU_ISSET(number, &before)) found.push_back(number);
    return found;
  }
  cpu_set_t before;
};

void move_to(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ASSERT_EQ(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
}

// Where it wakes up on the caller's processor, a helper comes at the end of the caller's time slice.
TEST_F(ThreadPoolTest, HelpersHaveProcessorsOfTheirOwn) {
  const Affinity affinity;
  const std::vector<int> processors = affinity.processors();
  if (processors.size() == 1) GTEST_SKIP() << "one processor";
  ThreadPool pool(static_cast<int>(processors.size()));
  sum_by(pool);
  for (int round = 0; round < 20; ++round) {
    move_to(processors[static_cast<std::size_t>(round) % processors.size()]);
    std::mutex mutex;
    std::set<int> seen;
    bool are_apart = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(becomes([&] {
      pool.run([&](int) {
        {
          const std::lock_guard lock(mutex);
          are_apart = seen.insert(sched_getcpu()).second && are_apart;
        }
        becomes([&] {
          const std::lock_guard lock(mutex);
          return seen.size() == processors.size();
        });
      });
      return seen.size() == processors.size();
    })) << "of "
        << processors.size() << " processors " << seen.size() << " were seen";
    EXPECT_TRUE(are_apart);
  }
}

TEST_F(ThreadPoolTest, MoreThreadsThanProcessorsRunAnywhere) {
  const Affinity affinity;
  ThreadPool pool(static_cast<int>(affinity.processors().size()) + 1);
  EXPECT_EQ(sum_by(pool), kSum);
  EXPECT_TRUE(becomes([&] {
    std::atomic<bool> is_alike = false;
    pool.run([&](int thread) {
      if (thread == 0) return void(becomes([&] { return is_alike.load(); }));
      const Affinity own;
      is_alike = CPU_EQUAL(&own.before, &affinity.before);
    });
    return is_alike.load();
  }));
}

TEST_F(ThreadPoolTest, EndsItsThreads) {
  const int before = threads_of_this_process();
  for (int round = 0; round < 20; ++round) {
    // A thread that was joined may be listed for a moment.
    EXPECT_TRUE(becomes([&] { return threads_of_this_process() == before; }));
    ThreadPool pool;
    EXPECT_EQ(threads_of_this_process(), before);
    ASSERT_EQ(sum_by(pool), kSum);
    EXPECT_EQ(threads_of_this_process(), before + 3);
  }
  EXPECT_TRUE(becomes([&] { return threads_of_this_process() == before; }));
}

TEST_F(ThreadPoolTest, LeavesSignalsToTheProgram) {
  ThreadPool pool;
  std::atomic<unsigned> seen = 0;
  std::atomic<int> blocked = 0;
  pool.run([&](int thread) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    if (sigismember(&mask, SIGINT) && sigismember(&mask, SIGCHLD) && !sigismember(&mask, SIGSEGV)) ++blocked;
    seen |= 1U << thread;
    becomes([&] { return seen == 15; });
  });
  EXPECT_EQ(blocked, 3);  // not on the caller
}

#ifndef __SANITIZE_THREAD__  // which ends a child that starts threads
TEST_F(ThreadPoolTest, WorksInTheChildOfAFork) {
  ThreadPool pool;
  ASSERT_EQ(sum_by(pool), kSum);
  EXPECT_TRUE(holds_in_child([&] {
    for (int round = 0; round < 100; ++round)
      if (sum_by(pool) != kSum) return false;
    return threads_of_this_process() == 4 && holds_in_child([&] { return sum_by(pool) == kSum; });
  }));
  EXPECT_EQ(sum_by(pool), kSum);
}

TEST_F(ThreadPoolTest, EndsInTheChildOfAFork) {
  auto pool = std::make_unique<ThreadPool>();
  sum_by(*pool);
  EXPECT_TRUE(holds_in_child([&] {
    pool.reset();
    return true;
  }));
}

TEST(TurnTest, OfAThreadThatAForkLeftBehind) {
  Turn turn;
  turn.lock();
  EXPECT_TRUE(holds_in_child([&] {
    const std::lock_guard mine(turn);
    return true;
  }));
  turn.unlock();
}
#endif

TEST(TurnTest, OneAfterTheOther) {
  Turn turn;
  int count = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 5000; ++round) {
        const std::lock_guard mine(turn);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4 * 5000);
}

}  // namespace
}  // namespace pykc::cpu
