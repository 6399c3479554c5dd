// What a GPU has of everything (chips.def), and how many blocks of a kernel one of its multiprocessors holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pykc::insight {

struct Chip {
  std::string_view name, target;
  int multiprocessors;
  double gigahertz;
  double gigabytes_per_second;
  std::int64_t l2_bytes;
  // Of a multiprocessor, but for the shared memory of a block.
  std::int64_t shared_bytes, shared_bytes_of_block;
  int warps, blocks;
  int f32_lanes, f64_lanes;

  /// Operations at most; a fused multiply-add is two.
  double f32_per_second() const { return 2e9 * gigahertz * multiprocessors * f32_lanes; }
  double f64_per_second() const { return 2e9 * gigahertz * multiprocessors * f64_lanes; }
};

std::span<const Chip> chips();
/// By its name, whatever its case; null where there is none.
const Chip* find_chip(std::string_view name);

/// What a thread or a block of a kernel takes.
struct Needs {
  std::int64_t threads = 0;                     // of a block
  std::int64_t shared_bytes = 0;                // of a block
  std::optional<int> registers = std::nullopt;  // of a thread, where that is known
};

/// How many warps of a multiprocessor's can be there at a time, and what stands in the way of more.
struct Occupancy {
  enum class Limit : std::uint8_t { None, Warps, Blocks, Registers, SharedMemory };
  int blocks = 0;  // on a multiprocessor; 0 where a block does not fit
  int warps = 0;
  double share = 0;
  Limit limit{};
};
Occupancy occupancy_of(const Chip& chip, const Needs& needs);
std::string_view name_of(Occupancy::Limit limit);

}  // namespace pykc::insight
