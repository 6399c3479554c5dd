// Where a kernel's memory lies on the CPU: static shared arrays in the block's shared memory, per-thread storage in the
// scratch memory. All of it is known before code is emitted; only the number of threads is the launch's.
#pragma once

#include <vector>

#include "ir/module.h"

namespace pykc::codegen {

/// Local arrays above this stand in scratch memory, not on the stack.
inline constexpr std::int64_t kMaxStackArray = 16 * 1024;
/// Slots are spaced by the number of threads rounded up to this, which keeps each aligned to a cache line.
inline constexpr std::int64_t kThreadPadding = 64;

struct CpuLayout {
  explicit CpuLayout(const ir::Function& kernel);

  std::int64_t static_shared_bytes = 0;
  int shared_alignment = 16;                 // in bytes: the most that a shared array asks for
  std::vector<std::int64_t> shared_offsets;  // of each shared array; static ones
  // Scratch: per-thread parts first, each `offset * padded threads` bytes in, then what a block has once.
  std::vector<std::int64_t> slot_offsets;         // bytes per thread before the slot
  std::vector<std::int64_t> local_array_offsets;  // bytes per thread before the array; for a large array of which a
                                                  // block needs only one: bytes after all per-thread parts
  std::int64_t bytes_per_thread = 0;
  std::int64_t bytes_per_block = 0;

  /// How many bytes of scratch a launch needs, as KernelInfo says it.
  LaunchExpression scratch_bytes() const;
};

/// Whether each thread of the block has the array for itself: it outlives a turn or, where a warp may wait in a turn,
/// is too large for the warp's stack.
bool is_per_thread(const ir::Function& kernel, const ir::ArrayStorage& array);
/// Whether the array is one of those that scratch memory holds.
bool is_in_scratch(const ir::ArrayStorage& array);
std::int64_t size_of(const ir::ArrayStorage& array);

}  // namespace pykc::codegen
