// A launch that is expected to be short runs on the calling thread, since waking the others would take longer than the
// work. The expectation comes from the last launch of the same kernel and may be wrong, so the caller takes the blocks
// in growing pieces, looks at the clock between them, and calls the others for the rest when it takes too long.
//
// The threads are OpenMP's. Each takes pieces of the remaining blocks until none are left, which balances blocks of
// different lengths. Every thread keeps its memory for blocks from launch to launch.
#include "runtime/cpu/block_pool.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "base/errors.h"
#include "runtime/cpu/processor.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kShort = 8000;  // nanoseconds that waking the other threads costs, roughly
constexpr int kPiecesPerThread = 16;

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// A thread's memory for the block that it runs.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace() { std::free(memory_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  bool reserve(std::int64_t bytes) {
    if (bytes <= bytes_) return true;
    std::free(memory_);
    memory_ = bytes > memory_bytes() ? nullptr : allocate(bytes);
    bytes_ = memory_ == nullptr ? 0 : bytes;
    return memory_ != nullptr;
  }
  char* at(std::int64_t offset) const { return memory_ + offset; }

 private:
  static char* allocate(std::int64_t bytes) {
    return static_cast<char*>(
        std::aligned_alloc(kBlockAlignment, static_cast<std::size_t>(round_up(bytes, kBlockAlignment))));
  }
  char* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// One thread's way to run blocks of a launch.
class Worker {
 public:
  explicit Worker(const BlockRun& run) : run_(run) {}
  /// False if there is no memory.
  bool prepare() { return workspace().reserve(round_up(run_.shared_bytes, kBlockAlignment) + run_.scratch_bytes); }
  void operator()(std::int64_t first, std::int64_t last) const {
    run_.kernel(run_.launch, workspace().at(0), workspace().at(round_up(run_.shared_bytes, kBlockAlignment)), first,
                last);
  }
  bool has_faulted() const { return std::atomic_ref(run_.launch->fault->claimed).load(std::memory_order_relaxed) != 0; }

 private:
  static Workspace& workspace() {
    thread_local Workspace workspace;
    return workspace;
  }
  const BlockRun& run_;
  const DefaultFloatingPoint floating_point_;
};

Error no_memory(const BlockRun& run) {
  return Error{ErrorCode::OutOfMemory, "the host has no room for the " +
                                           std::to_string(run.shared_bytes + run.scratch_bytes) +
                                           " bytes that a block of this launch needs"};
}

/// Runs blocks for as long as a short launch may take; returns the first block that is left.
Result<std::int64_t> run_on_caller(const BlockRun& run, BlockTime& time) {
  Worker worker(run);
  if (!worker.prepare()) return no_memory(run);
  if (run.blocks == 1 || worker_count() == 1) {
    worker(0, run.blocks);
    return run.blocks;
  }
  const Clock::time_point start = Clock::now();
  std::int64_t done = 0;
  std::int64_t elapsed = 0;
  for (std::int64_t piece = 1; done < run.blocks && elapsed < kShort && !worker.has_faulted(); piece *= 2) {
    const std::int64_t last = std::min(done + piece, run.blocks);
    worker(done, last);
    done = last;
    elapsed = nanoseconds_since(start);
  }
  time.measured(elapsed, done);
  return done;
}

/// What the threads of a parallel launch share.
struct Remaining {
  std::atomic<std::int64_t> next;
  std::int64_t end;
  std::int64_t piece;
};

/// Takes pieces until none are left, and measures the time.
void run_pieces(const BlockRun& run, Remaining& remaining, BlockTime& time) {
  Worker worker(run);
  if (!worker.prepare()) return;
  const Clock::time_point start = Clock::now();
  std::int64_t ran = 0;
  while (!worker.has_faulted()) {
    const std::int64_t first = remaining.next.fetch_add(remaining.piece, std::memory_order_relaxed);
    if (first >= remaining.end) break;
    const std::int64_t last = std::min(first + remaining.piece, remaining.end);
    worker(first, last);
    ran += last - first;
  }
  if (ran > 0) time.measured(nanoseconds_since(start), ran);
}

// ThreadSanitizer does not see how OpenMP's library starts and joins its threads, and has to be told.
#ifdef __SANITIZE_THREAD__
void happens_before(void* point) { __tsan_release(point); }
void happens_after(void* point) { __tsan_acquire(point); }
#else
void happens_before(void*) {}
void happens_after(void*) {}
#endif

__attribute__((no_sanitize("thread"))) void run_in_parallel(const BlockRun& run, Remaining& remaining,
                                                            BlockTime& time) {
  happens_before(&remaining);
#pragma omp parallel num_threads(worker_count())
  {
    happens_after(&remaining);
    run_pieces(run, remaining, time);
    happens_before(&remaining);
  }
  happens_after(&remaining);
}

/// A thread without memory leaves the work to the others; the launch fails if none could do it.
Result<void> run_on_all(const BlockRun& run, std::int64_t first, BlockTime& time) {
  const std::int64_t pieces = std::int64_t{kPiecesPerThread} * worker_count();
  Remaining remaining{first, run.blocks, std::max<std::int64_t>(1, (run.blocks - first) / pieces)};
  run_in_parallel(run, remaining, time);
  const bool is_done = remaining.next.load(std::memory_order_relaxed) >= run.blocks;
  if (!is_done && run.launch->fault->claimed == 0) return no_memory(run);
  return {};
}

}  // namespace

Result<void> run_blocks(const BlockRun& run, BlockTime& time) {
  std::int64_t first = 0;
  if (run.blocks == 1 || worker_count() == 1 || time.nanoseconds_for(run.blocks) < kShort) {
    ASSIGN_OR_RETURN(first, run_on_caller(run, time));
  }
  if (first >= run.blocks || run.launch->fault->claimed != 0) return {};
  return run_on_all(run, first, time);
}

#ifdef _OPENMP
int worker_count() { return omp_get_max_threads(); }
#else
int worker_count() { return 1; }  // fuzz targets, which launch nothing
#endif

}  // namespace pykc::cpu
