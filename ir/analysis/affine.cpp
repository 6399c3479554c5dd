#include "ir/analysis/affine.h"

#include <algorithm>
#include <array>

#include "ir/analysis/value_range.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

constexpr std::int64_t kFarFromOverflow = std::int64_t{1} << 60;

std::uint64_t magnitude(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? -bits : bits;
}

/// What both amounts together come to; unknown where that has more than 64 bits.
Slope sum(Slope a, Slope b) {
  Slope result;
  const bool has_overflowed = !a.is_known() || !b.is_known() ||
                              __builtin_add_overflow(a.least, b.least, &result.least) ||
                              __builtin_add_overflow(a.most, b.most, &result.most);
  return has_overflowed ? Slope::unknown() : result;
}

Slope difference(Slope a, Slope b) {
  Slope result;
  const bool has_overflowed = !a.is_known() || !b.is_known() ||
                              __builtin_sub_overflow(a.least, b.most, &result.least) ||
                              __builtin_sub_overflow(a.most, b.least, &result.most);
  return has_overflowed ? Slope::unknown() : result;
}

Slope scaled(Slope slope, ValueRange factor) {
  std::array<std::int64_t, 4> corners{};
  if (!slope.is_known() || __builtin_mul_overflow(slope.least, factor.minimum, &corners[0]) ||
      __builtin_mul_overflow(slope.least, factor.maximum, &corners[1]) ||
      __builtin_mul_overflow(slope.most, factor.minimum, &corners[2]) ||
      __builtin_mul_overflow(slope.most, factor.maximum, &corners[3]))
    return Slope::unknown();
  return {std::ranges::min(corners), std::ranges::max(corners)};
}

}  // namespace

std::uint64_t Slope::steepness() const { return std::max(magnitude(least), magnitude(most)); }

Slope Slopes::of(const Instruction* value) {
  const auto known = known_.find(value);
  if (known != known_.end()) return known->second;
  const std::optional<Slope> given = given_(value);
  const Slope slope = given ? *given : by_operands(*value);
  return known_[value] = slope;
}

Slope Slopes::by_operands(const Instruction& value) {
  const auto stands_still = [&](const Instruction* operand) { return of(operand).is_none(); };
  const bool depends_on_operands = is_pure(&value) && value.opcode != Opcode::LocalArray;
  if (depends_on_operands && std::ranges::all_of(value.operands, stands_still)) return Slope::exactly(0);
  const auto operand = [&](std::size_t n) { return of(value.operands[n]); };
  const bool is_guess = certainty_ == Certainty::Guess;
  switch (value.opcode) {
    case Opcode::Add:
    case Opcode::ElementPointer:
      return may_overflow(value) ? Slope::unknown() : sum(operand(0), operand(1));
    case Opcode::Sub:
      return may_overflow(value) ? Slope::unknown() : difference(operand(0), operand(1));
    case Opcode::Mul:
      return may_overflow(value) ? Slope::unknown() : product(value);
    case Opcode::Cast:
    case Opcode::FieldPointer:
      return is_guess ? operand(0) : Slope::unknown();
    case Opcode::Select:  // as a rule an index, and the same from the end of an array
      return is_guess && operand(1) == operand(2) ? operand(1) : Slope::unknown();
    default:
      return Slope::unknown();
  }
}

Slope Slopes::product(const Instruction& value) {
  const std::size_t factor = of(value.operands[0]).is_none() ? 0 : 1;
  if (!of(value.operands[factor]).is_none()) return Slope::unknown();
  return scaled(of(value.operands[1 - factor]), range_of(value.operands[factor], function_));
}

bool Slopes::may_overflow(const Instruction& value) const {
  if (certainty_ == Certainty::Guess || value.no_wrap) return false;
  const ValueRange range = range_of(&value, function_);
  return !value.type.is(ScalarType::I64) || range.minimum == Limits::min() || range.maximum == Limits::max();
}

std::optional<std::size_t> axis_of(const Instruction* value) {
  static constexpr std::array kIndices = {BuiltinId::ThreadIdxX, BuiltinId::ThreadIdxY, BuiltinId::ThreadIdxZ};
  const auto index = std::ranges::find(kIndices, value->builtin);
  if (value->opcode != Opcode::Builtin || index == kIndices.end()) return std::nullopt;
  return static_cast<std::size_t>(index - kIndices.begin());
}

std::optional<Slope> slope_of_thread_index(const Instruction* value, std::size_t axis) {
  const std::optional<std::size_t> own = axis_of(value);
  return own ? std::optional(Slope::exactly(*own == axis ? 1 : 0)) : std::nullopt;
}

bool is_far_from_overflow(const Instruction* value, const Function& function) {
  const ValueRange range = range_of(value, function);
  return range.minimum >= -kFarFromOverflow && range.maximum <= kFarFromOverflow;
}

}  // namespace pykc::ir
