#include "tests/reference/warp.h"

#include <cstdlib>

#include "ir/evaluate/evaluate.h"

namespace pykc::reference {
namespace {

std::uint32_t active_mask(const Lanes& lanes) {
  std::uint32_t mask = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) mask |= static_cast<std::uint32_t>(lanes[lane].is_active) << lane;
  return mask;
}

/// The lanes that name the same mask as `lane` and are in it.
std::uint32_t group_of(const Lanes& lanes, int lane) {
  std::uint32_t group = 0;
  for (int other = 0; other < kWarpSize; ++other) {
    const bool is_partner = lanes[other].is_active && lanes[other].arguments[0] == lanes[lane].arguments[0];
    group |= static_cast<std::uint32_t>(is_partner) << other;
  }
  return group & static_cast<std::uint32_t>(lanes[lane].arguments[0]);
}

std::uint32_t votes_of(const Lanes& lanes, std::uint32_t group) {
  std::uint32_t votes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    votes |= static_cast<std::uint32_t>(lanes[lane].arguments[1] != 0) << lane;
  }
  return votes & group;
}

/// The lane that `lane` reads from, as PTX defines shfl.sync.
int source_of(BuiltinId builtin, int lane, int operand, int width) {
  const int segment = (kWarpSize - width) & 31;  // the bits of a lane number that name its segment
  const int first = lane & segment;
  const int last = first | (~segment & 31);
  switch (builtin) {
    case BuiltinId::ShflUpSync:
      return lane - operand >= first ? lane - operand : lane;
    case BuiltinId::ShflDownSync:
      return lane + operand <= last ? lane + operand : lane;
    case BuiltinId::ShflXorSync:
      return (lane ^ operand) <= last ? lane ^ operand : lane;
    default:
      return first | (operand & ~segment);
  }
}

std::uint64_t shuffle(BuiltinId builtin, const Lanes& lanes, int lane) {
  const Lane& own = lanes[lane];
  const int operand = static_cast<int>(own.arguments[2] & 31);
  const int width = static_cast<int>(own.arguments[3] & 63);
  const int source = source_of(builtin, lane, operand, width);
  return (group_of(lanes, lane) >> source & 1) != 0 ? lanes[source].arguments[1] : own.arguments[1];
}

/// The lanes of the group whose values have the same bits as that of `lane`.
std::uint32_t matching(const Lanes& lanes, std::uint32_t group, int lane) {
  std::uint32_t mask = 0;
  for (int other = 0; other < kWarpSize; ++other) {
    const bool is_equal = lanes[other].arguments[1] == lanes[lane].arguments[1];
    mask |= static_cast<std::uint32_t>(is_equal) << other;
  }
  return mask & group;
}

std::uint64_t combine(BuiltinId builtin, ir::Scalar a, ir::Scalar b) {
  switch (builtin) {
    case BuiltinId::ReduxSyncAdd:
      return *ir::evaluate(ir::Opcode::Add, a.type, {{a, b}});
    case BuiltinId::ReduxSyncMin:
      return *ir::evaluate(BuiltinId::Min, {{a, b}});
    case BuiltinId::ReduxSyncMax:
      return *ir::evaluate(BuiltinId::Max, {{a, b}});
    case BuiltinId::ReduxSyncAnd:
      return a.bits & b.bits;
    case BuiltinId::ReduxSyncOr:
      return a.bits | b.bits;
    default:
      return a.bits ^ b.bits;
  }
}

/// Over the values of the group, from the lowest lane up.
std::uint64_t reduce(BuiltinId builtin, const Lanes& lanes, std::uint32_t group, ScalarType type) {
  std::uint64_t result = 0;
  bool has_result = false;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    const std::uint64_t value = lanes[lane].arguments[1];
    result = has_result ? combine(builtin, {type, result}, {type, value}) : value;
    has_result = true;
  }
  return result;
}

std::uint64_t result_of(BuiltinId builtin, const Lanes& lanes, int lane, ScalarType type) {
  const std::uint32_t group = group_of(lanes, lane);
  const std::uint32_t votes = votes_of(lanes, group);
  switch (builtin) {
    case BuiltinId::Activemask:
      return active_mask(lanes);
    case BuiltinId::AllSync:
      return votes == group;
    case BuiltinId::AnySync:
      return votes != 0;
    case BuiltinId::EqSync:
      return votes == group || votes == 0;
    case BuiltinId::BallotSync:
      return votes;
    case BuiltinId::MatchAnySync:
      return matching(lanes, group, lane);
    case BuiltinId::MatchAllSync:
      return matching(lanes, group, lane) == group ? group : 0;
    case BuiltinId::ReduxSyncAdd:
    case BuiltinId::ReduxSyncMin:
    case BuiltinId::ReduxSyncMax:
    case BuiltinId::ReduxSyncAnd:
    case BuiltinId::ReduxSyncOr:
    case BuiltinId::ReduxSyncXor:
      return reduce(builtin, lanes, group, type);
    case BuiltinId::Syncwarp:
      return 0;
    case BuiltinId::ShflSync:
    case BuiltinId::ShflUpSync:
    case BuiltinId::ShflDownSync:
    case BuiltinId::ShflXorSync:
      return shuffle(builtin, lanes, lane);
    default:
      std::abort();  // a row of the builtin table that the interpreter does not know
  }
}

}  // namespace

std::uint64_t barrier_result(BuiltinId builtin, std::int64_t threads, std::int64_t votes) {
  if (builtin == BuiltinId::SyncthreadsAnd) return votes == threads;
  if (builtin == BuiltinId::SyncthreadsOr) return votes != 0;
  return static_cast<std::uint64_t>(votes);
}

std::array<std::uint64_t, kWarpSize> exchange(BuiltinId builtin, const Lanes& lanes, ScalarType type) {
  std::array<std::uint64_t, kWarpSize> results = {};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane].is_active) results[lane] = result_of(builtin, lanes, lane, type);
  }
  return results;
}

}  // namespace pykc::reference
