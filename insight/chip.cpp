#include "insight/chip.h"

#include <algorithm>
#include <cctype>

#include "pykc/types.h"

namespace pykc::insight {
namespace {

constexpr std::int64_t kKilobyte = 1024, kMegabyte = 1024 * 1024;

constexpr Chip kChips[] = {
#define CHIP(name, target, multiprocessors, ghz, memory, l2, shared, shared_of_block, warps, blocks, f32, f64) \
  {name,                                                                                                       \
   target,                                                                                                     \
   multiprocessors,                                                                                            \
   ghz,                                                                                                        \
   memory,                                                                                                     \
   (l2)*kMegabyte,                                                                                             \
   (shared)*kKilobyte,                                                                                         \
   (shared_of_block)*kKilobyte,                                                                                \
   warps,                                                                                                      \
   blocks,                                                                                                     \
   f32,                                                                                                        \
   f64},
#include "insight/chips.def"
};

// Of all chips in the table.
constexpr std::int64_t kRegisters = 65536;         // of a multiprocessor
constexpr std::int64_t kRegistersAtATime = 256;    // of a warp
constexpr std::int64_t kWarpsAtATime = 4;          // of a block, one for each part of a multiprocessor
constexpr std::int64_t kSystemSharedBytes = 1024;  // of each block, from sm_80 on
constexpr std::int64_t kSharedAtATime = 128;

}  // namespace

std::span<const Chip> chips() { return kChips; }

const Chip* find_chip(std::string_view name) {
  const auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
  };
  const auto found =
      std::ranges::find_if(kChips, [&](const Chip& chip) { return std::ranges::equal(chip.name, name, same); });
  return found == std::end(kChips) ? nullptr : found;
}

Occupancy occupancy_of(const Chip& chip, const Needs& needs) {
  const std::int64_t warps = std::max<std::int64_t>((needs.threads + 31) / 32, 1);
  Occupancy occupancy{.limit = Occupancy::Limit::None};
  std::int64_t blocks = chip.blocks + 1;
  const auto limit = [&](std::int64_t most, Occupancy::Limit by) {
    if (most >= blocks) return;
    blocks = most;
    occupancy.limit = by;
  };
  limit(chip.warps / warps, Occupancy::Limit::Warps);
  limit(chip.blocks, Occupancy::Limit::Blocks);
  if (needs.registers && *needs.registers > 0) {
    const std::int64_t of_warp = round_up(*needs.registers * std::int64_t{32}, kRegistersAtATime);
    const std::int64_t that_fit = kRegisters / of_warp / kWarpsAtATime * kWarpsAtATime;
    limit(that_fit / warps, Occupancy::Limit::Registers);
  }
  if (needs.shared_bytes > 0) {
    const std::int64_t of_block =
        round_up(needs.shared_bytes, kSharedAtATime) + (chip.target == "sm_75" ? 0 : kSystemSharedBytes);
    limit(needs.shared_bytes > chip.shared_bytes_of_block ? 0 : chip.shared_bytes / of_block,
          Occupancy::Limit::SharedMemory);
  }
  occupancy.blocks = static_cast<int>(blocks);
  occupancy.warps = static_cast<int>(blocks * warps);
  occupancy.share = static_cast<double>(occupancy.warps) / chip.warps;
  if (occupancy.warps == chip.warps) occupancy.limit = Occupancy::Limit::None;
  return occupancy;
}

std::string_view name_of(Occupancy::Limit limit) {
  switch (limit) {
    case Occupancy::Limit::None:
      return "nothing";
    case Occupancy::Limit::Warps:
      return "the warps of a block";
    case Occupancy::Limit::Blocks:
      return "the number of blocks";
    case Occupancy::Limit::Registers:
      return "registers";
    case Occupancy::Limit::SharedMemory:
      return "shared memory";
  }
  return "";
}

}  // namespace pykc::insight
