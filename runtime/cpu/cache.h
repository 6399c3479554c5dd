#pragma once

#include "runtime/launch.h"

namespace pykc::cpu {

/// How many bytes of the last-level cache so many threads may count on.
std::int64_t cache_bytes(int threads);

/// The most that a launch can touch, as far as the sizes of its arrays and the number of its threads tell; as a double,
/// for an array whose elements share memory may have more than an integer counts.
double touched_bytes(const KernelInfo& kernel, const detail::PreparedLaunch& launch);

/// Whether all rows of the arrays that it may write begin where a line of the cache does.
bool writes_along_lines(const KernelInfo& kernel, const detail::PreparedLaunch& launch);

}  // namespace pykc::cpu
