// One access of a warp to memory, and what it takes of the hardware. The rules are those of compute capability 5 and
// later (CUDA C++ Programming Guide, "Compute Capabilities"): sectors of 32 bytes, 32 banks of 4 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime/cpu/observer.h"

namespace pykc::cpu {

struct Request {
  std::uint32_t lanes = 0;  // a bit for each that takes part; at least one
  std::array<std::uintptr_t, kLanes> addresses;
};

/// Sectors in the order of their addresses.
struct Sectors {
  std::array<std::uintptr_t, std::size_t{2} * kLanes> numbers;  // an access of up to 16 bytes lies in one or two
  int count = 0;
};
Sectors sectors_of(const Request& request, int bytes);
/// Lines of 128 bytes that hold the sectors.
int lines_of(const Sectors& sectors);

/// Bytes that lanes want, each once.
std::int64_t distinct_bytes(const Request& request, int bytes);

struct Wavefronts {
  int count = 0;
  int ideal = 0;  // for as many lanes at neighbouring elements
};
Wavefronts wavefronts_of(const Request& request, int bytes);

/// Bytes from each lane's element to that of the next; nothing where that differs, or no two lanes are neighbours.
std::optional<std::int64_t> lane_distance(const Request& request);

/// Lanes at the address where most of them are.
int most_at_one_address(const Request& request);

}  // namespace pykc::cpu
