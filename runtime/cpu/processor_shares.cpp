#include "runtime/cpu/processor_shares.h"

#include <algorithm>

namespace pykc::cpu {

ProcessorShares::ProcessorShares(int threads) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < threads) return;
  shares_ = threads;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(static_cast<std::size_t>(processor), &allowed)) processors_.push_back(processor);
}

std::optional<int> ProcessorShares::share_of(int processor) const {
  const auto found = std::lower_bound(processors_.begin(), processors_.end(), processor);
  if (found == processors_.end() || *found != processor) return std::nullopt;
  return static_cast<int>(found - processors_.begin()) % shares_;
}

void ProcessorShares::give(pthread_t thread, int share) const {
  if (shares_ == 0) return;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (std::size_t place = static_cast<std::size_t>(share); place < processors_.size();
       place += static_cast<std::size_t>(shares_))
    CPU_SET(static_cast<std::size_t>(processors_[place]), &processors);
  pthread_setaffinity_np(thread, sizeof processors, &processors);  // may fail where the process has lost them since
}

}  // namespace pykc::cpu
