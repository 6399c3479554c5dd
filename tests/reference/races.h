// Finds data races: two threads at one byte, one of them writing, and nothing orders the two.
//
// A thread has a clock of barriers, one of its cluster's, one of grid barriers, and a vector clock of the lanes of its
// warp (after FastTrack, Flanagan and Freund 2009). Atomics do not race with one another; that they may order other
// accesses is not seen, so what is handed over by an atomic flag counts as a race.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tests/reference/warp.h"

namespace pykc::reference {

/// What a thread knows of the others' progress. Of named barriers nobody knows anything here.
struct Clock {
  std::int64_t grids = 0;                          // grid barriers behind it
  std::int64_t barriers = 0;                       // of the block
  std::int64_t arrivals = 0, meetings = 0;         // at the cluster's barrier: how often it has come, and waited
  std::array<std::int64_t, kWarpSize> lanes = {};  // of each lane of the warp, and of its own
};

/// Lanes meet: each knows what any of them knew, and goes on.
void join_lanes(std::span<Clock* const> clocks, std::span<const std::size_t> lanes);

class RaceDetector {
 public:
  enum class Kind : std::uint8_t { Read, Write, Atomic };

  /// All numbers are linear. Memory of a cluster (shared) is new in each.
  struct Access {
    std::int64_t cluster, block, thread;
    bool is_shared;
    Kind kind;
  };

  /// The thread that an access races with, if any; the access is remembered.
  const Access* touch(std::uint64_t address, std::size_t bytes, const Access& access, const Clock& clock);

 private:
  struct Record {
    Access access;
    std::int64_t grids, barriers, arrivals, lane_time;
  };
  static bool is_ordered(const Record& before, const Access& access, const Clock& clock);
  const Record* conflict(std::vector<Record>& records, const Access& access, const Clock& clock);
  std::unordered_map<std::uint64_t, std::vector<Record>> bytes_;  // the last accesses of each
};

}  // namespace pykc::reference
