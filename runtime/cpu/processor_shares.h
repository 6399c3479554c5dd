// Which processors the threads of a pool run on.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <optional>
#include <vector>

namespace pykc::cpu {

/// Divides the processors that this thread may run on among the threads of a pool, so that none wakes up on another's.
/// Without it Linux wakes a helper on the processor of who wakes it, if it believes that the helper's own does not run:
/// on a virtual machine, whose idle processors are halted, always. There the helper waits for the end of a time slice,
/// 3 ms or so, beside an idle processor.
///
/// A thread's share is a number from 0. Where processors are too few for a share each, no thread has one.
class ProcessorShares {
 public:
  ProcessorShares() = default;
  explicit ProcessorShares(int threads);

  std::optional<int> share_of(int processor) const;
  /// Allows the thread the processors of this share alone, and moves it there.
  void give(pthread_t thread, int share) const;

 private:
  int shares_ = 0;
  std::vector<int> processors_;  // in order; the share of each is its place modulo the shares
};

}  // namespace pykc::cpu
