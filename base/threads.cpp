#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace pykc {

int thread_count() {
  constexpr int kMostThreads = 4096;
  if (const char* const said = std::getenv("PYKC_THREADS")) {
    int threads = 0;
    std::from_chars(said, said + std::strlen(said), threads);
    if (threads > 0) return std::min(threads, kMostThreads);
  }
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}
BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace pykc
