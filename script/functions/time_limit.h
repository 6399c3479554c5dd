// The time that a run of host code is given. A thread watches it: when the time is over, host code stops at the next
// expression, and the kernels of the CPU device are cancelled. What neither stops, a kernel of a GPU or a compilation,
// is reported to the caller, who can end the program.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/source.h"
#include "script/values/outcome.h"

namespace pykc::script {

class TimeLimit {
 public:
  /// No limit where `time` is 0. `overdue` is called on another thread, with the place in the source, where a run goes
  /// on though its time was over two seconds ago; it may be null.
  TimeLimit(std::chrono::nanoseconds time, std::function<void(const std::string&)> overdue)
      : time_(time), overdue_(std::move(overdue)) {}
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() { stop(); }

  void start();
  void stop();
  /// Of the run that was started last.
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  /// Notes that the run has come here.
  void note_place(const SourceFile& file, SourceRange range) {
    file_.store(&file, std::memory_order_relaxed);
    offset_.store(range.begin, std::memory_order_relaxed);
  }
  Failure failure() const;

 private:
  void watch();

  const std::chrono::nanoseconds time_;
  const std::function<void(const std::string&)> overdue_;
  std::atomic<bool> is_over_ = false;
  std::atomic<const SourceFile*> file_ = nullptr;
  std::atomic<std::uint32_t> offset_ = 0;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = true;
  std::thread thread_;
};

}  // namespace pykc::script
