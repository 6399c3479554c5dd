// How long a launch takes on a chip, from what it costs (pykc/costs.h), and what it waits for.
//
// Each resource by itself needs a time; the launch takes about as long as the one that needs most, and the others do
// not quite hide behind it. It is a first guess: docs/analyze.md has how far off it is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "insight/chip.h"
#include "pykc/costs.h"

namespace pykc::insight {

enum class Resource : std::uint8_t { Memory, L2, LoadStore, Issue, Arithmetic, Atomics, Latency, Starting };
inline constexpr int kResources = 8;
std::string_view name_of(Resource resource);

struct Prediction {
  std::array<double, kResources> seconds = {};  // that each resource needs by itself
  double total = 0;                             // seconds, from the launch to the end
  Resource limit{};
  // Bytes that move, of the whole launch.
  double memory_bytes = 0, l2_bytes = 0;
  double seconds_of(Resource resource) const { return seconds[static_cast<std::size_t>(resource)]; }
};
Prediction predict(const LaunchCosts& costs, const Chip& chip, const Occupancy& occupancy);

}  // namespace pykc::insight
