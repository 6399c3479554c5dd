// The blocks of a launch, spread over the processor's cores.
#pragma once

#include <xmmintrin.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "pykc/error.h"
#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/guarded_memory.h"
#include "runtime/cpu/thread_pool.h"
#include "runtime/cpu/warps.h"

namespace pykc::cpu {

struct BlockRun {
  abi::CpuKernel kernel = nullptr;
  const abi::CpuLaunch* launch = nullptr;
  std::int64_t blocks = 0;         // or clusters of blocks that wait for one another
  std::int64_t shared_bytes = 0;   // of one block, static and dynamic; a multiple of what its arrays are aligned to
  std::int64_t scratch_bytes = 0;  // of one block
  std::int64_t first = 0;          // the blocks before it are left out
  bool runs_warps_apart = false;   // `kernel` runs a warp
  Dim3 cluster = {};               // blocks that run together; more than one only where warps run apart

  std::int64_t blocks_together() const { return cluster.x * cluster.y * cluster.z; }
};

/// Kernels round to nearest and keep subnormals, whatever the host program has set for itself. They use SSE and its
/// kin alone: what <cfenv> does beside, for the x87 unit, would be a tenth of a small launch.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() { _mm_setcsr(kAtStart); }
  ~DefaultFloatingPoint() { _mm_setcsr(saved_); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  static constexpr unsigned kAtStart = 0x1F80;  // of a process, as the ABI has it: no exception traps
  const unsigned saved_ = _mm_getcsr();
};

/// How long the blocks of a kernel took lately; decides whether a launch is worth waking other threads.
class BlockTime {
 public:
  std::int64_t nanoseconds_for(std::int64_t blocks) const {
    return static_cast<std::int64_t>(per_block_.load(std::memory_order_relaxed) * static_cast<double>(blocks));
  }
  void measured(std::int64_t nanoseconds, std::int64_t blocks) {
    per_block_.store(static_cast<double>(nanoseconds) / static_cast<double>(blocks), std::memory_order_relaxed);
  }

 private:
  std::atomic<double> per_block_ = 1e9;  // not known yet: as if it were long
};

/// What a thread keeps from launch to launch.
struct Workspace {
  GuardedMemory memory;
  Warps warps;
};

/// Runs one launch at a time. Each thread keeps its memory for blocks from launch to launch.
class BlockPool {
 public:
  /// Runs every block from `first` on once and returns when all are done; fails only if there is no memory for a block.
  /// After a fault the blocks that have not begun are left out.
  Result<void> run(const BlockRun& run, BlockTime& time);
  /// The same on the calling thread alone. `before` is told where each block has its shared memory; `piece_at` says
  /// which blocks come next, and by which entry, when as many as it is given are done; an empty piece ends the run.
  struct Piece {
    abi::CpuKernel kernel;
    std::int64_t begin, end;
  };
  Result<void> run_in_order(const BlockRun& run, const std::function<void(const void* shared)>& before,
                            const std::function<Piece(std::int64_t done)>& piece_at);
  ThreadPool& threads() { return threads_; }

 private:
  Result<std::int64_t> run_on_caller(const BlockRun& run, BlockTime& time);
  Result<void> run_on_all(const BlockRun& run, std::int64_t first, BlockTime& time);

  ThreadPool threads_;
  std::vector<Workspace> workspaces_ = std::vector<Workspace>(static_cast<std::size_t>(threads_.size()));
};

}  // namespace pykc::cpu
