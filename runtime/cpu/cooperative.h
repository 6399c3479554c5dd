// Launches whose blocks wait for one another (KernelInfo::is_cooperative).
#pragma once

#include "runtime/cpu/block_pool.h"

namespace pykc::cpu {

/// Blocks of one launch that the device runs at a time: each has a stack and memory of its own.
inline constexpr std::int64_t kMostCooperativeBlocks = 16384;

/// Runs all blocks at a time and returns when all are done; fails only if there is no memory for them.
Result<void> run_cooperative(const BlockRun& run, ThreadPool& threads);

/// Called by a block of a cooperative launch.
void wait_for_grid();

}  // namespace pykc::cpu
