// The threads that pykc makes: how many, and which signals arrive there.
#pragma once

#include <csignal>

namespace pykc {

/// Threads of a work that is spread over the machine, the caller's included: as many as there are processors that this
/// process may run on, or as the environment variable PYKC_THREADS says.
int thread_count();

/// Blocks the signals of the program, which are for its own threads, on the threads that are started meanwhile. What a
/// thread does wrong itself arrives there, and a profiler sees them.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace pykc
