#include "insight/prediction.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pykc::insight {
namespace {

// What a share of the figures of chips.def kernels reach, and times that no data sheet has: fitted by hand to the
// launches of bench/analyze/kernels.pyk on an H100.
constexpr double kMemoryShare = 0.86;
constexpr double kL2BytesPerClock = 24, kL2WritesPerClock = 0.25;  // of a multiprocessor: bytes read, sectors written
constexpr double kScatteredReadBytes = 83, kScatteredWriteBytes = 198;  // of memory, for a sector that is met by chance
constexpr double kInstructionsPerClock = 4, kWarpClocks = 20;           // of a multiprocessor; to start a warp
constexpr double kStartInstructions = 12;
constexpr double kLinearInLoops = 0.15;  // that are left of addresses and counters there
constexpr double kLoadClocks = 600, kLoadClocksInLoops = 80, kBarrierClocks = 30, kDependentClocks = 4;
constexpr double kSharedAtomicClocks = 2, kGlobalAtomicClocks = 1;  // of 32 lanes
constexpr double kSameSectorClocks = 14.5;                          // of an atomic operation behind another
constexpr double kLaunchSeconds = 2.2e-6;
/// Resources overlap: the exponent of the norm that puts them together. 1 would be one after the other.
constexpr double kOverlap = 5;

struct Totals {
  double instructions = 0;                        // of warps
  double f32 = 0, f64 = 0;                        // of threads; an instruction that does two is as long as one
  double load_store = 0;                          // passes of the load and store units
  double shared_atomics = 0, global_atomics = 0;  // lanes
  double waiting = 0;                             // clocks that warps wait, each for itself
};

double warps_of(const LaunchCosts& costs) {
  const std::int64_t threads = costs.block.x * costs.block.y * costs.block.z;
  return static_cast<double>(costs.blocks_counted * ((threads + 31) / 32));
}

/// Instructions of the machine, roughly, for one thread that runs the code.
double instructions_of(const CodeCosts& code) {
  const Operations& operations = code.operations;
  const double removed = code.loops > 0 ? (1 - kLinearInLoops) * static_cast<double>(operations.linear) : 0;
  return static_cast<double>(operations.instructions + operations.math) - removed;
}

Totals totals_of(const LaunchCosts& costs) {
  Totals totals{.instructions = kStartInstructions * warps_of(costs)};
  std::map<std::int64_t, double> loads;  // clocks for those of a piece of code, which are on their way together
  for (const CodeCosts& code : costs.code) {
    const auto warps = static_cast<double>(code.warps), lanes = static_cast<double>(code.lanes);
    totals.instructions += static_cast<double>(code.issued) * instructions_of(code);
    totals.f32 += lanes * static_cast<double>(code.operations.f32);
    totals.f64 += lanes * static_cast<double>(code.operations.f64 + 2 * code.operations.math_f64);
    totals.waiting += warps * kBarrierClocks * static_cast<double>(code.operations.barriers);
    if (code.operations.global_loads > 0)
      loads[code.piece] = warps * (code.loops > 0 ? kLoadClocksInLoops : kLoadClocks);
  }
  for (const auto& [piece, clocks] : loads) totals.waiting += clocks;
  totals.waiting += totals.instructions * kDependentClocks;
  for (const AccessCosts& access : costs.accesses) {
    if (access.is_atomic())
      (access.is_shared ? totals.shared_atomics : totals.global_atomics) += static_cast<double>(access.lanes);
    const std::int64_t without_lanes = access.issued - access.requests;
    totals.load_store += static_cast<double>((access.is_shared ? access.wavefronts : access.lines) + without_lanes);
  }
  return totals;
}

bool is_beyond(double bytes, const Chip& chip) { return bytes > 0.6 * static_cast<double>(chip.l2_bytes); }

/// Different sectors that the whole grid reads, from those of the blocks that were counted. Where blocks shared some,
/// there are as many in all as give that share by chance: n reads of T sectors meet T (1 - exp(-n / T)) of them.
double sectors_of_grid(const LaunchCosts& costs, const ArrayCosts& array) {
  const auto met = static_cast<double>(array.grid_sectors), reads = static_cast<double>(array.block_sectors);
  if (met >= reads * 0.99 || met == 0) return met * costs.scale();
  double low = met, high = met * 1e6;
  for (int i = 0; i < 100; ++i) {
    const double total = std::sqrt(low * high);
    (total * -std::expm1(-reads / total) < met ? low : high) = total;
  }
  return low * -std::expm1(-reads * costs.scale() / low);
}

/// Bytes of an array that move where a launch touches it: memory gives two sectors at a time.
double touched_bytes(const LaunchCosts& costs, const ArrayCosts& array) {
  if (array.grid_sectors == 0) return 0;
  const double pairs_of_sector = static_cast<double>(array.grid_pairs) / static_cast<double>(array.grid_sectors);
  return std::min(static_cast<double>(array.bytes), sectors_of_grid(costs, array) * pairs_of_sector * 2 * kSectorBytes);
}

/// Sectors of an array beyond the L2 cache that requests meet by chance.
double scattered_sectors(const LaunchCosts& costs, const ArrayCosts& array, bool is_written) {
  double sectors = 0;
  for (const AccessCosts& access : costs.accesses) {
    const bool writes = access.kind == ObservedSite::Kind::Store;
    const bool is_scattered = !access.lane_distance && access.sectors >= 8 * access.requests;
    if (access.array == array.name && !access.is_shared && is_scattered && writes == is_written)
      sectors += static_cast<double>(access.sectors);
  }
  return sectors;
}

/// Bytes between the L2 cache and memory. Arrays that fit the cache are taken to be there.
double memory_bytes(const LaunchCosts& costs, const Chip& chip) {
  const double scale = costs.scale();
  double all = 0, moved = 0;
  for (const ArrayCosts& array : costs.arrays) {
    const double touched = touched_bytes(costs, array);
    all += touched;
    const double reads = is_beyond(touched, chip) ? scattered_sectors(costs, array, false) : 0;
    const double writes = is_beyond(touched, chip) ? scattered_sectors(costs, array, true) : 0;
    moved += (reads * kScatteredReadBytes + writes * kScatteredWriteBytes) * scale;
    // What is written in part is read before.
    const std::int64_t filled = array.bytes_read == 0 ? array.partial_sectors : 0;
    for (const std::int64_t sectors : {array.stored_sectors, filled})
      if (writes == 0) moved += std::min(touched, static_cast<double>(sectors * kSectorBytes) * scale);
    if (reads == 0 && array.bytes_read > 0) moved += touched;
  }
  return is_beyond(all, chip) ? moved : 0;
}

/// Atomic operations that meet in a sector wait for one another.
double contended_clocks(const LaunchCosts& costs) {
  double longest = 0;
  for (const ArrayCosts& array : costs.arrays) {
    double lanes = 0;
    for (const AccessCosts& access : costs.accesses)
      if (access.is_atomic() && !access.is_shared && access.array == array.name)
        lanes += static_cast<double>(access.lanes);
    if (array.grid_sectors > 0)
      longest = std::max(longest, lanes * costs.scale() / static_cast<double>(array.grid_sectors));
  }
  return longest * kSameSectorClocks;
}

}  // namespace

std::string_view name_of(Resource resource) {
  constexpr std::string_view kNames[kResources] = {"memory",     "the L2 cache", "loads and stores", "issue",
                                                   "arithmetic", "atomics",      "latency",          "starting warps"};
  return kNames[static_cast<std::size_t>(resource)];
}

Prediction predict(const LaunchCosts& costs, const Chip& chip, const Occupancy& occupancy) {
  Prediction prediction;
  const Totals totals = totals_of(costs);
  const double scale = costs.scale(), clock = chip.gigahertz * 1e9;
  const auto blocks = static_cast<double>(costs.blocks());
  const double used = std::min<double>(chip.multiprocessors, blocks), warps = warps_of(costs);
  const double at_a_time = std::max(1, occupancy.blocks) * static_cast<double>(chip.multiprocessors);
  const double waves = std::max(1.0, std::ceil(blocks / at_a_time));
  // The multiprocessor with most blocks ends last.
  const double share_of_busiest = std::ceil(blocks / used) / blocks;
  const auto on_multiprocessor = [&](double clocks) { return clocks * scale * share_of_busiest / clock; };
  const auto set = [&](Resource resource, double seconds) {
    prediction.seconds[static_cast<std::size_t>(resource)] = seconds;
  };
  double written = 0;
  for (const ArrayCosts& array : costs.arrays) {
    // What a block reads again it finds in its L1 cache; what it writes goes through.
    prediction.l2_bytes += static_cast<double>((array.block_sectors + array.sectors_written) * kSectorBytes) * scale;
    written += static_cast<double>(array.sectors_written);
  }
  prediction.memory_bytes = memory_bytes(costs, chip);
  set(Resource::Memory, prediction.memory_bytes / (chip.gigabytes_per_second * 1e9 * kMemoryShare));
  set(Resource::L2,
      std::max(prediction.l2_bytes / kL2BytesPerClock, written * scale / kL2WritesPerClock) / used / clock);
  set(Resource::LoadStore, on_multiprocessor(totals.load_store));
  set(Resource::Issue, on_multiprocessor(totals.instructions / kInstructionsPerClock));
  set(Resource::Arithmetic, on_multiprocessor(totals.f32 / 2 / chip.f32_lanes + totals.f64 / 2 / chip.f64_lanes));
  set(Resource::Atomics,
      std::max(on_multiprocessor(
                   (totals.shared_atomics * kSharedAtomicClocks + totals.global_atomics * kGlobalAtomicClocks) / 32),
               contended_clocks(costs) / clock));
  set(Resource::Latency, warps == 0 ? 0 : totals.waiting / warps * waves / clock);
  set(Resource::Starting, on_multiprocessor(warps * kWarpClocks));
  double sum = 0;
  for (const double seconds : prediction.seconds) sum += std::pow(seconds, kOverlap);
  prediction.total = std::pow(sum, 1 / kOverlap) + kLaunchSeconds;
  prediction.limit = static_cast<Resource>(std::ranges::max_element(prediction.seconds) - prediction.seconds.begin());
  return prediction;
}

}  // namespace pykc::insight
