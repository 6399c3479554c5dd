#include "tests/reference/races.h"

#include <algorithm>

namespace pykc::reference {
namespace {

constexpr std::size_t kRecords = 8;  // of readers, of which any may race with the next writer

std::size_t lane_of(std::int64_t thread) { return static_cast<std::size_t>(thread % kWarpSize); }

}  // namespace

void join_lanes(std::span<Clock* const> clocks, std::span<const std::size_t> lanes) {
  std::array<std::int64_t, kWarpSize> together = {};
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    ++clocks[i]->lanes[lanes[i]];
    std::ranges::transform(together, clocks[i]->lanes, together.begin(), [](auto a, auto b) { return std::max(a, b); });
  }
  for (Clock* clock : clocks) clock->lanes = together;
}

bool RaceDetector::is_ordered(const Record& before, const Access& access, const Clock& clock) {
  const Access& other = before.access;
  if (before.grids < clock.grids) return true;
  if (other.cluster != access.cluster) return access.is_shared;
  if (before.arrivals < clock.meetings) return true;
  if (other.block != access.block) return false;
  if (other.thread == access.thread || before.barriers < clock.barriers) return true;
  return other.thread / kWarpSize == access.thread / kWarpSize && before.lane_time < clock.lanes[lane_of(other.thread)];
}

const RaceDetector::Record* RaceDetector::conflict(std::vector<Record>& records, const Access& access,
                                                   const Clock& clock) {
  const auto races = [&](const Record& before) {
    if (is_ordered(before, access, clock)) return false;
    return before.access.kind != access.kind || access.kind == Kind::Write;
  };
  const auto found = std::ranges::find_if(records, races);
  return found == records.end() ? nullptr : &*found;
}

const RaceDetector::Access* RaceDetector::touch(std::uint64_t address, std::size_t bytes, const Access& access,
                                                const Clock& clock) {
  const Record record{access, clock.grids, clock.barriers, clock.arrivals, clock.lanes[lane_of(access.thread)]};
  for (std::uint64_t byte = address; byte < address + bytes; ++byte) {
    std::vector<Record>& records = bytes_[byte];
    if (const Record* found = conflict(records, access, clock)) return &found->access;
    // Nothing races with what was before, so a write alone stands for all of it.
    if (access.kind == Kind::Write) records.clear();
    std::erase_if(records, [&](const Record& before) {
      return before.access.thread == access.thread && before.access.block == access.block &&
             before.access.kind == access.kind;
    });
    if (records.size() == kRecords) records.erase(records.begin() + 1);
    records.push_back(record);
  }
  return nullptr;
}

}  // namespace pykc::reference
