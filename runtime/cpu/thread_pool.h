// The threads that a launch on the CPU device is spread over.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/threads.h"
#include "runtime/cpu/processor_shares.h"

namespace pykc::cpu {

/// How often this process was forked off one that had asked before: of the threads of its parent it has none.
std::uint32_t forks();

/// Helps one caller at a time. The threads start with the first work and end with the pool; the child of a fork starts
/// its own. Between two works they stay awake for a moment, since launches often follow one another closely, then they
/// sleep.
class ThreadPool {
 public:
  ThreadPool() = default;
  explicit ThreadPool(int most) : size_(most) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Most threads that work at a time, the caller's included.
  int size() const { return size_; }

  /// Calls `work(thread)` on the caller, as thread 0, and meanwhile on others, as 1 to size() - 1; returns when no
  /// thread is in it. A thread that comes when the caller's call has returned is too late, and nobody waits for it. So
  /// a work takes pieces of what is to be done until none are left.
  template <typename Work>
  void run(const Work& work) {
    run([](const void* shared, int thread) { (*static_cast<const Work*>(shared))(thread); }, &work);
  }

 private:
  using Work = void (*)(const void* shared, int thread);
  struct Helper {
    ThreadPool* pool;
    int number;
    int share;  // of the processors
    pthread_t thread;
  };

  void run(Work work, const void* shared);
  void start();
  void make_room(int callers_processor);
  void wake_some();
  bool enter();
  void leave();
  static void* help(void* helper);

  int size_ = thread_count();
  std::uint32_t process_ = forks();
  bool has_started_ = false;
  std::vector<Helper> helpers_;
  ProcessorShares shares_;
  int callers_share_ = 0;
  std::atomic<bool> is_ending_ = false;
  // What the caller tells the helpers, in one line of the cache.
  alignas(64) std::atomic<std::uint32_t> works_ = 0;  // so far
  Work work_ = nullptr;
  const void* shared_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> inside_ = 0;  // helpers in the work, and whether others may come
};

/// Whose turn it is. As std::mutex, but a process that is forked while it is another thread's turn does not wait for
/// that thread, which it does not have.
class Turn {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t> holder_ = 0;  // 1 more than the forks of its process; 0: nobody
};

}  // namespace pykc::cpu
