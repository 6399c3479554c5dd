// What is left of a compilation's limits. It belongs to the thread that compiles, so that every step can look at it
// wherever it is; on a thread without one there is no limit. Where nothing is left, the compilation ends by an
// exception, which the driver makes an error of: steps need not know that they can end early, only free what they hold.
//
//   const Budget budget(limits);           // the driver, around a compilation
//   stand_at(file, range);                 // where the compiler is, for the error
//   spend_time();                          // in every loop over what a source may hold many of
//   spend_operations(1, file, range);      // where something is made
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "base/source.h"
#include "pykc/limits.h"

namespace pykc {

/// A limit is exceeded: what is thrown.
struct LimitReached {
  Diagnostic diagnostic;
};

class Budget {
 public:
  explicit Budget(const CompileLimits& limits);
  /// Of a part of a compilation, made on that part's thread: what is left of the whole's, which outlives it.
  struct Part {
    const Budget& whole;
  };
  explicit Budget(Part part);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Of this thread, or null.
  static Budget* current() { return current_; }
  const CompileLimits& limits() const { return limits_; }

  /// What stands in the library that is built in is told as what uses it.
  void stand_at(const SourceFile& file, SourceRange range) {
    if (file.origin().is_built_in) return;
    file_ = &file;
    range_ = range;
  }
  /// Looks at the clock once in a while.
  void spend_time() {
    if (--until_look_ <= 0) look();
  }
  void spend_operations(std::int64_t count) {
    operations_ += count;
    if (operations_ > limits_.operations) too_many_operations();
    spend_time();
  }
  /// Throws where time or memory have run out.
  void look();
  /// The same as an answer, for those that an exception must not pass through.
  bool is_exhausted();
  /// Whether there is time for a step that takes so long and that nothing interrupts.
  bool has_time_for(std::chrono::microseconds step) const { return Clock::now() <= end_ - step; }
  /// For want of that: from now on, no time is left.
  void end_time() { end_ = {}; }
  /// Throws where there are more of LLVM's operations, or of bytes of output, than may be.
  void check_operations(std::int64_t count) const {
    if (count > limits_.operations) too_many_operations();
  }
  void check_output(std::int64_t bytes) const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kSteps = 256;  // between two looks at the clock
  [[noreturn]] void too_many_operations() const;
  [[noreturn]] void fail(DiagnosticFor<std::int64_t> id, std::int64_t limit) const;
  std::int64_t memory_growth(Clock::time_point now);

  inline static thread_local constinit Budget* current_ = nullptr;
  Budget* const outer_;
  const CompileLimits limits_;
  Clock::time_point end_;
  std::optional<std::int64_t> memory_at_start_;  // or the first that could be found out
  std::int64_t growth_ = 0;
  Clock::time_point next_measurement_;
  const bool is_part_ = false;
  int most_running_;  // compilations of the process at a time, as far as this one has seen
  int until_look_ = kSteps;
  std::int64_t operations_ = 0;
  const SourceFile* file_ = nullptr;  // where the compiler is; it outlives the budget
  SourceRange range_;
};

/// Those of the compilation on this thread, or what they are without being asked for.
inline const CompileLimits& current_limits() {
  static const CompileLimits usual;
  const Budget* const budget = Budget::current();
  return budget == nullptr ? usual : budget->limits();
}
inline void spend_time() {
  if (Budget* const budget = Budget::current()) budget->spend_time();
}
inline void spend_operations(std::int64_t count) {
  if (Budget* const budget = Budget::current()) budget->spend_operations(count);
}
inline void stand_at(const SourceFile& file, SourceRange range) {
  if (Budget* const budget = Budget::current()) budget->stand_at(file, range);
}

}  // namespace pykc
