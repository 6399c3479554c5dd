#include "base/budget.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <string_view>

namespace pykc {
namespace {

std::atomic<int> running = 0;  // compilations of the process

constexpr auto kBetweenMeasurements = std::chrono::milliseconds(5);

/// Bytes of memory that the process has for itself; nothing where that cannot be found out, for want of a descriptor
/// perhaps.
std::optional<std::int64_t> own_memory() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[128];
  const auto length = ::read(file, text, sizeof(text));
  ::close(file);
  if (length <= 0) return std::nullopt;
  const char* place = text;
  const char* const end = text + length;
  std::int64_t pages[3] = {};  // of addresses, in memory, of these shared with files
  for (std::int64_t& number : pages) {
    place = std::from_chars(place, end, number).ptr;
    if (place < end) ++place;
  }
  return (pages[1] - pages[2]) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

Budget::Budget(const CompileLimits& limits)
    : outer_(current_),
      limits_(limits),
      end_(limits.time < std::chrono::hours(24 * 365) ? Clock::now() + limits.time : Clock::time_point::max()),
      memory_at_start_(own_memory()),
      next_measurement_(Clock::now() + kBetweenMeasurements),
      most_running_(++running) {
  current_ = this;
}

Budget::Budget(Part part)
    : outer_(current_),
      limits_(part.whole.limits_),
      end_(part.whole.end_),
      memory_at_start_(part.whole.memory_at_start_),
      next_measurement_(Clock::now() + kBetweenMeasurements),
      is_part_(true),
      most_running_(part.whole.most_running_) {
  current_ = this;
}

Budget::~Budget() {
  current_ = outer_;
  if (!is_part_) --running;
}

std::int64_t Budget::memory_growth(Clock::time_point now) {
  if (now < next_measurement_) return growth_;
  next_measurement_ = now + kBetweenMeasurements;
  most_running_ = std::max(most_running_, running.load(std::memory_order_relaxed));
  const std::optional<std::int64_t> memory = own_memory();
  if (!memory) return growth_;
  if (!memory_at_start_) memory_at_start_ = memory;
  growth_ = (*memory - *memory_at_start_) / most_running_;
  return growth_;
}

bool Budget::is_exhausted() {
  const Clock::time_point now = Clock::now();
  return now > end_ || memory_growth(now) > limits_.memory;
}

void Budget::look() {
  until_look_ = kSteps;
  const Clock::time_point now = Clock::now();
  if (now > end_) fail(DiagnosticId::TooMuchTime, limits_.time.count());
  if (memory_growth(now) > limits_.memory) fail(DiagnosticId::TooMuchMemory, limits_.memory >> 20);
}

void Budget::too_many_operations() const { fail(DiagnosticId::TooManyOperations, limits_.operations); }

void Budget::check_output(std::int64_t bytes) const {
  if (bytes > limits_.output_bytes) fail(DiagnosticId::TooMuchOutput, limits_.output_bytes);
}

void Budget::fail(DiagnosticFor<std::int64_t> id, std::int64_t limit) const {
  Diagnostics diagnostics;
  const SourceFile nowhere("", "");
  diagnostics.report(file_ == nullptr ? nowhere : *file_, range_, id, limit);
  throw LimitReached{std::move(diagnostics.take().front())};
}

}  // namespace pykc
