// What a device can do at most: how fast its memory copies, how fast it multiplies and adds. Measured, not looked up,
// so that a share of it is a share of what this machine reaches today.
#pragma once

#include "ir/instrument/count_operations.h"
#include "pykc/runtime.h"

namespace pykc::measure {

struct Roofline {
  double bytes_per_second = 0;  // read and written by a copy within the device, of arrays far beyond its caches
  double f32_per_second = 0;    // operations of a kernel of fused multiply-adds alone: two each
  double f64_per_second = 0;
};

Result<Roofline> measure_roofline(const Device& device);

/// The seconds that what was counted takes at least: for the memory, the f32 units or the f64 units, whichever is last.
double least_seconds(const Roofline& roofline, const ir::Counts& counts);

inline std::int64_t bytes_of(const ir::Counts& counts) { return counts[0] + counts[1]; }
inline std::int64_t flops_of(const ir::Counts& counts) { return counts[2] + counts[3]; }

}  // namespace pykc::measure
