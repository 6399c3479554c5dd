#include "runtime/cpu/stop.h"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <utility>

#include "runtime/cpu/thread_pool.h"

namespace pykc::cpu {

using Clock = std::chrono::steady_clock;

void ask_to_stop(abi::FaultRecord& record) {
  std::int32_t unclaimed = 0;
  std::atomic_ref(record.claimed).compare_exchange_strong(unclaimed, abi::kStopAsked);
}

struct Deadline::Watch {
  const std::uint32_t process = forks();
  std::mutex mutex;
  std::condition_variable changed;
  abi::FaultRecord* record = nullptr;  // null: nobody has a limit
  Clock::time_point end;
  bool is_over = false;
  Clock::time_point wakes = Clock::time_point::max();
  pthread_t thread{};
  const bool has_thread = start();

  ~Watch() {
    if (!has_thread) return;
    {
      const std::lock_guard lock(mutex);
      is_over = true;
    }
    changed.notify_one();
    pthread_join(thread, nullptr);
  }

  /// The program's signals are for its own threads.
  bool start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool has_started = pthread_create(&thread, nullptr, begin, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return has_started;
  }

  static void* begin(void* watch) {
    static_cast<Watch*>(watch)->run();
    return nullptr;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!is_over) {
      if (record != nullptr && Clock::now() >= end) {
        ask_to_stop(*record);
        record = nullptr;
      }
      wakes = record == nullptr ? Clock::time_point::max() : end;
      if (record == nullptr)
        changed.wait(lock);
      else
        changed.wait_until(lock, end);
    }
  }
};

Deadline::Deadline() = default;

Deadline::~Deadline() {
  if (watch_ != nullptr && watch_->process != forks()) (void)watch_.release();
}

Result<void> Deadline::set(abi::FaultRecord& record, std::chrono::nanoseconds timeout) {
  // The thread stayed with the parent, perhaps with its mutex locked: nothing of it can be given back.
  if (watch_ != nullptr && watch_->process != forks()) (void)watch_.release();
  if (watch_ == nullptr) watch_ = std::make_unique<Watch>();
  if (!watch_->has_thread) {
    watch_.reset();
    return Error{ErrorCode::OutOfMemory, "the host has no thread left to watch the time of a launch"};
  }
  const std::lock_guard lock(watch_->mutex);
  watch_->record = &record;
  const Clock::time_point now = Clock::now();
  watch_->end = timeout < Clock::time_point::max() - now ? now + timeout : Clock::time_point::max();
  // A launch that has as much time as the one before it is waited for already.
  if (watch_->end < watch_->wakes) watch_->changed.notify_one();
  return {};
}

bool Deadline::clear() {
  if (watch_ == nullptr) return false;  // set() found no thread
  const std::lock_guard lock(watch_->mutex);
  return std::exchange(watch_->record, nullptr) == nullptr;
}

Result<void> RunningLaunch::begin(std::uint64_t cancellations_before, std::chrono::nanoseconds timeout) {
  std::atomic_ref(record_.claimed).store(0);
  record_.ready = 0;
  // cancel() counts before it asks: one that comes too early for the record is seen here.
  if (cancellations_.load() != cancellations_before) ask_to_stop(record_);
  return timeout.count() > 0 ? deadline_.set(record_, timeout) : Result<void>();
}

RunningLaunch::Stop RunningLaunch::end(std::uint64_t cancellations_before, std::chrono::nanoseconds timeout) {
  const bool is_late = timeout.count() > 0 && deadline_.clear();
  const std::int32_t claimed = std::atomic_ref(record_.claimed).load();
  if (claimed != abi::kStopAsked && claimed != abi::kStopSeen) return Stop::None;
  if (cancellations_.load() != cancellations_before) return Stop::Cancelled;
  return is_late ? Stop::Timeout : Stop::Endless;
}

void RunningLaunch::cancel() {
  cancellations_.fetch_add(1);
  ask_to_stop(record_);
}

}  // namespace pykc::cpu
