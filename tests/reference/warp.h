// Warp operations as functions on 32 lanes at once.
#pragma once

#include <array>
#include <cstdint>

#include "pykc/types.h"
#include "stdlib/builtins.h"

namespace pykc::reference {

inline constexpr int kWarpSize = 32;

struct Lane {
  bool is_active = false;
  std::array<std::uint64_t, 4> arguments = {};  // the operands of the builtin; the mask, where it has one, first
};
using Lanes = std::array<Lane, kWarpSize>;

/// What syncthreads_count, _and or _or give to all, from the threads that take part and their predicates.
std::uint64_t barrier_result(BuiltinId builtin, std::int64_t threads, std::int64_t votes);

/// What each active lane gets. Lanes with different masks are groups of their own. A shuffle reads its lane numbers as
/// the hardware does: the low five bits. From a lane that takes no part, which CUDA leaves undefined, comes the own
/// value. `type` is that of the result: a reduction depends on it.
std::array<std::uint64_t, kWarpSize> exchange(BuiltinId builtin, const Lanes& lanes, ScalarType type = ScalarType::U32);

}  // namespace pykc::reference
