// Makes kernels count what their launches do: bytes of global memory and operations on floats, each thread for itself
// and all of them into one array. So a count is exact for loops and branches that depend on data, at any size, and a
// device counts as fast as it computes.
#pragma once

#include <array>
#include <cstdint>

#include "ir/module.h"

namespace pykc::ir {

/// What is counted, as the source asks for it: caches and the optimiser may make less of it.
enum class Counter : std::uint8_t {
  BytesLoaded,    // from global memory; an atomic operation loads and stores
  BytesStored,    // to global memory
  F32Operations,  // of f32, and of f16 and bf16, which are computed in f32
  F64Operations,
};
inline constexpr int kCounters = 4;
using Counts = std::array<std::int64_t, kCounters>;

/// A kernel's blocks are spread over rows of the array, so that few threads meet in one; a row is a cache line.
inline constexpr std::int64_t kCountRows = 64, kCountsInRow = 8;

/// What an instruction adds when it runs once. A fused multiply-add is two operations; every other arithmetic operation
/// on floats, and every function of `math` that gives one, is one; negations, comparisons and casts are none.
Counts counts_of(const Instruction& instruction);

/// Gives each kernel a last parameter, an i64[kCountRows * kCountsInRow], to whose rows a launch adds: the sum of all
/// rows has what was counted, in the order of Counter. Threads that end in a fault add nothing.
void count_operations(Module& module);

}  // namespace pykc::ir
