#pragma once

#include "runtime/launch.h"

namespace pykc::cpu {

/// What so many threads may count on of the last cache.
std::int64_t cache_bytes(int threads);

/// The most that a launch can touch, as far as the sizes of its arrays and the number of its threads tell.
std::int64_t touched_bytes(const KernelInfo& kernel, const detail::PreparedLaunch& launch);

/// Whether the rows of all arrays that it writes begin where a line of the cache does.
bool writes_along_lines(const KernelInfo& kernel, const detail::PreparedLaunch& launch);

}  // namespace pykc::cpu
