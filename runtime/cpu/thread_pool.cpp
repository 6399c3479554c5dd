// A work is open from its begin to the return of the caller's own call. Helpers come while it is open, and the caller
// waits for those that came. Thus a launch never waits for a thread that has not woken up, because other programs have
// the processors, and a short launch ends before a helper comes at all. Each helper that comes wakes two others: with
// many processors all are awake soon, and a caller with little to do wakes few.
//
// Who waits looks for a moment, then sleeps. A longer moment would take from other programs, and from helpers that have
// lost their processor, the time that they need. docs/history.md has the figures.
//
// After a fork the child has the pool's memory and none of its threads. A counter that is raised in each child tells;
// a process's number would not, since a child in a namespace of its own may have that of its parent.
#include "runtime/cpu/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "runtime/cpu/alternate_stack.h"

namespace pykc::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kAwake = std::chrono::microseconds(50);  // about what it takes to wake a thread
constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kLooks = 16;  // between two looks at the clock
  const Clock::time_point until = Clock::now() + kAwake;
  do {
    for (int look = 0; look < kLooks; ++look) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause();
    }
  } while (Clock::now() < until);
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

std::uint32_t forks() {
  static std::atomic<std::uint32_t> count = 0;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++count; });
  return count.load(std::memory_order_relaxed);
}

ThreadPool::~ThreadPool() {
  if (process_ != forks()) return;
  is_ending_ = true;
  works_.fetch_add(1, std::memory_order_release);
  works_.notify_all();
  for (const Helper& helper : helpers_) pthread_join(helper.thread, nullptr);
}

/// Starts as many as the system gives.
void ThreadPool::start() {
  has_started_ = true;
  process_ = forks();
  size_ = std::min(size_, thread_count());  // fewer, perhaps, after a fork
  inside_.store(0, std::memory_order_relaxed);
  helpers_.assign(static_cast<std::size_t>(size_ - 1), Helper{this, 0, 0, {}});
  shares_ = ProcessorShares(size_);
  callers_share_ = 0;
  const BlockedSignals blocked;
  for (int number = 1; number < size_; ++number) {
    Helper& helper = helpers_[static_cast<std::size_t>(number - 1)];
    helper.number = number;
    helper.share = number;
    if (pthread_create(&helper.thread, nullptr, help, &helper) != 0)
      return helpers_.resize(static_cast<std::size_t>(number - 1));
    shares_.give(helper.thread, helper.share);
  }
}

/// A caller that has come to a helper's processors gives it those it has left.
void ThreadPool::make_room(int callers_processor) {
  const std::optional<int> share = shares_.share_of(callers_processor);
  if (!share || *share == callers_share_) return;
  for (Helper& helper : helpers_)
    if (helper.share == *share) shares_.give(helper.thread, helper.share = callers_share_);
  callers_share_ = *share;
}

void ThreadPool::wake_some() {
  works_.notify_one();
  works_.notify_one();
}

void ThreadPool::run(Work work, const void* shared) {
  if (!has_started_ || process_ != forks()) start();
  work_ = work;
  shared_ = shared;
  make_room(sched_getcpu());
  inside_.store(kOpen, std::memory_order_release);
  works_.fetch_add(1);
  wake_some();
  work(shared, 0);
  std::uint32_t inside = inside_.fetch_sub(kOpen, std::memory_order_acquire) - kOpen;
  for (; inside != 0; inside = inside_.load(std::memory_order_acquire)) wait_for_change(inside_, inside);
}

bool ThreadPool::enter() {
  std::uint32_t inside = inside_.load(std::memory_order_relaxed);
  while ((inside & kOpen) != 0)
    if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire)) return true;
  return false;
}

void ThreadPool::leave() {
  if (inside_.fetch_sub(1, std::memory_order_release) == 1) inside_.notify_one();
}

void* ThreadPool::help(void* argument) {
  const Helper& helper = *static_cast<const Helper*>(argument);
  ThreadPool& pool = *helper.pool;
  AlternateStackMemory memory;  // at the other end of the stack than where that ends
  const AlternateStack alternate_stack(memory);
  for (std::uint32_t seen = 0;;) {
    wait_for_change(pool.works_, seen);
    seen = pool.works_.load(std::memory_order_acquire);
    if (pool.is_ending_) return nullptr;
    if (!pool.enter()) continue;
    pool.wake_some();
    pool.work_(pool.shared_, helper.number);
    pool.leave();
  }
}

void Turn::lock() {
  const std::uint32_t mine = forks() + 1;
  for (;;) {
    std::uint32_t holder = 0;
    if (holder_.compare_exchange_strong(holder, mine, std::memory_order_acquire)) return;
    if (holder == mine)
      holder_.wait(holder, std::memory_order_relaxed);
    else if (holder_.compare_exchange_strong(holder, mine, std::memory_order_acquire))
      return;  // the holder stayed in the parent
  }
}

void Turn::unlock() {
  holder_.store(0, std::memory_order_release);
  holder_.notify_one();
}

}  // namespace pykc::cpu
