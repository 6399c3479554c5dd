// A launch that is expected to be short runs on the calling thread, since waking the others would take longer than the
// work. The expectation comes from the last launch of the same kernel and may be wrong, so the caller takes the blocks
// in growing pieces, looks at the clock between them, and calls the others for the rest when it takes too long.
//
// Each thread takes pieces of the remaining blocks until none are left, which balances blocks of different lengths.
#include "runtime/cpu/block_pool.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/errors.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kShort = 8000;  // nanoseconds that waking the other threads costs, roughly
constexpr int kPiecesPerThread = 16;

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Whether a thread has faulted, or somebody has stopped the launch.
bool is_over(const BlockRun& run) {
  return std::atomic_ref(run.launch->fault->claimed).load(std::memory_order_relaxed) != 0;
}

/// One thread's way to run blocks of a launch.
class Worker {
 public:
  Worker(const BlockRun& run, Workspace& workspace) : run_(run), workspace_(workspace) {}
  /// False if there is no memory.
  bool prepare() {
    return workspace_.memory.reserve(scratch_bytes_ + shared_bytes_) &&
           (!run_.runs_warps_apart || workspace_.warps.prepare(*run_.launch, run_.cluster));
  }
  /// The shared memory ends at the guard, the scratch memory where that begins. If each ended at a page of its own,
  /// their addresses would have the last 12 bits in common, and a processor that has just written one waits to read the
  /// other.
  void operator()(std::int64_t first, std::int64_t last) const { (*this)(run_.kernel, first, last); }
  void operator()(abi::CpuKernel kernel, std::int64_t first, std::int64_t last) const {
    char* const shared = shared_memory();
    if (run_.runs_warps_apart)
      run_warps(kernel, shared, first, last);
    else
      kernel(run_.launch, shared, shared - scratch_bytes_, first, last);
    if (run_.launch->streams != 0) _mm_sfence();
  }
  char* shared_memory() const { return workspace_.memory.ending(scratch_bytes_ + shared_bytes_) + scratch_bytes_; }

 private:
  void run_warps(abi::CpuKernel kernel, char* shared, std::int64_t first, std::int64_t last) const {
    const ClusterMemory memory{shared, shared - scratch_bytes_, shared_bytes_ / run_.blocks_together(),
                               scratch_bytes_ / run_.blocks_together()};
    for (std::int64_t block = first; block < last && !is_over(run_); ++block)
      workspace_.warps.run(kernel, *run_.launch, memory, block);
  }

  const BlockRun& run_;
  Workspace& workspace_;
  const std::int64_t shared_bytes_ = round_up(run_.shared_bytes, kBlockAlignment) * run_.blocks_together();
  const std::int64_t scratch_bytes_ = round_up(run_.scratch_bytes, kBlockAlignment) * run_.blocks_together();
  const DefaultFloatingPoint floating_point_;
};

Error no_memory(const BlockRun& run) {
  return Error{ErrorCode::OutOfMemory,
               "the host has no room for the " +
                   std::to_string((run.shared_bytes + run.scratch_bytes) * run.blocks_together()) +
                   " bytes that a block of this launch needs"};
}

/// What the threads of a parallel launch share.
struct Remaining {
  std::atomic<std::int64_t> next;
  std::int64_t end;
  std::int64_t piece;
};

/// Takes pieces until none are left; returns how many blocks these had.
std::int64_t run_pieces(const BlockRun& run, Workspace& workspace, Remaining& remaining) {
  Worker worker(run, workspace);
  std::int64_t ran = 0;
  if (!worker.prepare()) return ran;
  while (!is_over(run)) {
    const std::int64_t first = remaining.next.fetch_add(remaining.piece, std::memory_order_relaxed);
    if (first >= remaining.end) break;
    const std::int64_t last = std::min(first + remaining.piece, remaining.end);
    worker(first, last);
    ran += last - first;
  }
  return ran;
}

}  // namespace

Result<void> BlockPool::run(const BlockRun& run, BlockTime& time) {
  std::int64_t first = run.first;
  const std::int64_t count = run.blocks - run.first;
  if (count == 1 || threads_.size() == 1 || time.nanoseconds_for(count) < kShort) {
    ASSIGN_OR_RETURN(first, run_on_caller(run, time));
  }
  if (first >= run.blocks || is_over(run)) return {};
  return run_on_all(run, first, time);
}

Result<void> BlockPool::run_in_order(const BlockRun& run, const std::function<void(const void* shared)>& before,
                                     const std::function<Piece(std::int64_t done)>& piece_at) {
  Worker worker(run, workspaces_.front());
  if (!worker.prepare()) return no_memory(run);
  before(worker.shared_memory());
  for (std::int64_t done = 0; done < run.blocks && !is_over(run);) {
    const Piece piece = piece_at(done);
    if (piece.begin == piece.end) break;
    worker(piece.kernel, piece.begin, piece.end);
    done += piece.end - piece.begin;
  }
  return {};
}

/// Runs blocks for as long as a short launch may take; returns the first block that is left.
Result<std::int64_t> BlockPool::run_on_caller(const BlockRun& run, BlockTime& time) {
  Worker worker(run, workspaces_.front());
  if (!worker.prepare()) return no_memory(run);
  if (run.blocks - run.first == 1 || threads_.size() == 1) {
    worker(run.first, run.blocks);
    return run.blocks;
  }
  const Clock::time_point start = Clock::now();
  std::int64_t done = run.first;
  std::int64_t elapsed = 0;
  for (std::int64_t piece = 1; done < run.blocks && elapsed < kShort && !is_over(run); piece *= 2) {
    const std::int64_t last = std::min(done + piece, run.blocks);
    worker(done, last);
    done = last;
    elapsed = nanoseconds_since(start);
  }
  time.measured(elapsed, done - run.first);
  return done;
}

/// A thread without memory leaves the work to the others; the launch fails if those that came could not do it. The time
/// is the caller's: a helper's first blocks take longer, since their data are in the caller's cache.
Result<void> BlockPool::run_on_all(const BlockRun& run, std::int64_t first, BlockTime& time) {
  const std::int64_t pieces = std::int64_t{kPiecesPerThread} * threads_.size();
  Remaining remaining{first, run.blocks, std::max<std::int64_t>(1, (run.blocks - first) / pieces)};
  threads_.run([&](int thread) {
    const Clock::time_point start = Clock::now();
    const std::int64_t ran = run_pieces(run, workspaces_[static_cast<std::size_t>(thread)], remaining);
    if (thread == 0 && ran > 0) time.measured(nanoseconds_since(start), ran);
  });
  const bool is_done = remaining.next.load(std::memory_order_relaxed) >= run.blocks;
  if (!is_done && !is_over(run)) return no_memory(run);
  return {};
}

}  // namespace pykc::cpu
