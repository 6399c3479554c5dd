#include "script/functions/time_limit.h"

#include <cstdio>

#include "pykc/runtime.h"

namespace pykc::script {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = 2s;

}  // namespace

void TimeLimit::start() {
  stop();
  is_over_ = false;
  if (time_.count() == 0) return;
  is_stopped_ = false;
  thread_ = std::thread([this] { watch(); });
}

void TimeLimit::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void TimeLimit::watch() {
  std::unique_lock lock(mutex_);
  const auto has_stopped = [this] { return is_stopped_; };
  if (stopped_.wait_for(lock, time_, has_stopped)) return;
  is_over_ = true;
  const Clock::time_point end = Clock::now() + kPatience;
  // Again and again: a launch may have been on its way.
  do {
    if (const Result<Device> device = Device::open("cpu")) (void)device->cancel();
    if (stopped_.wait_for(lock, 10ms, has_stopped)) return;
  } while (Clock::now() < end);
  const SourceFile* file = file_;
  if (file != nullptr && overdue_) overdue_(file->name() + ":" + std::to_string(file->line_column(offset_).line));
  stopped_.wait(lock, has_stopped);
}

Failure TimeLimit::failure() const {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", std::chrono::duration<double>(time_).count());
  return fail(DiagnosticId::HostTimeIsOver, std::string_view(seconds));
}

}  // namespace pykc::script
