// What a compilation may take. Whatever goes beyond is an error of the source, with a code (E031x) and the place where
// it happened; the process is as it was before.
//
//   pykc::CompileOptions options;
//   options.limits.emplace().time = std::chrono::seconds(10);
#pragma once

#include <chrono>
#include <cstdint>

namespace [[gnu::visibility("default")]] pykc {

struct CompileLimits {
  /// From the first step to the last. Looked at in every step, and by LLVM between its passes: a compilation ends a
  /// fraction of a second later at most, where `operations` bounds what a pass has before it.
  std::chrono::milliseconds time = std::chrono::hours(1);
  /// By how much the memory of the process may grow meanwhile, in bytes. What other threads take counts too; where
  /// several compile at a time, each has as much. Looked at as the time is, so a single large step may go beyond it.
  std::int64_t memory = std::int64_t{16} << 30;
  std::int64_t source_bytes = std::int64_t{64} << 20;  // of a file; no more can be asked for
  int specializations = 4096;                          // combinations of types that functions are called with
  int unrolled_turns = 1024;                           // of a loop
  int unrolled_statements = 8192;                      // that one statement becomes by unrolled loops around it
  /// Of the program behind the checker, counted over all steps that make any; and of LLVM's, at any one time.
  std::int64_t operations = 50'000'000;
  std::int64_t output_bytes = std::int64_t{1} << 30;
  int diagnostics = 1000;  // errors that are told, and as many warnings; one at least

  /// For source that anybody may send to a server: compilations end within 2 s on an ordinary machine.
  static CompileLimits strict() {
    CompileLimits limits;
    limits.time = std::chrono::milliseconds(1500);
    limits.memory = std::int64_t{400} << 20;
    limits.source_bytes = std::int64_t{1} << 20;
    limits.specializations = 256;
    limits.unrolled_turns = 256;
    limits.unrolled_statements = 1024;
    limits.operations = 50'000;
    limits.output_bytes = std::int64_t{16} << 20;
    limits.diagnostics = 100;
    return limits;
  }
};

}  // namespace pykc
