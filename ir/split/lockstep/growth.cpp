// Values of a thread by its place: the same for all that come somewhere, or never less further along an axis.
#include "ir/split/lockstep/growth.h"

#include <algorithm>
#include <array>

#include "ir/analysis/affine.h"
#include "ir/builder.h"
#include "ir/walk.h"

namespace pykc::ir::split {

bool UniformValues::is_uniform(const Instruction* value) {
  if (uniformity_.is_convergent(value)) return uniformity_.is_uniform(value);
  const auto known = in_guards_.find(value);
  if (known != in_guards_.end()) return known->second;
  return in_guards_[value] = is_made_of_uniform(*value);
}

bool UniformValues::is_made_of_uniform(const Instruction& value) {
  if (value.opcode == Opcode::LocalLoad) return counters_.contains(value.local);
  if (value.opcode == Opcode::LocalArray || (!is_pure(&value) && !has_builtin_effect(&value, Effect::Block)))
    return false;
  return std::ranges::all_of(value.operands, [&](const Instruction* operand) { return is_uniform(operand); });
}

bool GrowingValues::grows(const Instruction* value) const {
  if (!is_far_from_overflow(value, kernel_)) return false;
  for (const std::size_t axis : {0, 1, 2}) {
    Slopes slopes(kernel_, Certainty::Proof, [&](const Instruction* i) { return slope_of(i, axis); });
    if (!slopes.of(value).never_falls()) return false;
  }
  return true;
}

/// Nothing is followed that `in` does not compute again.
std::optional<Slope> GrowingValues::slope_of(const Instruction* value, std::size_t axis) const {
  if (values_.is_uniform(value)) return Slope::exactly(0);
  if (const std::optional<Slope> slope = slope_of_thread_index(value, axis)) return slope;
  const bool is_followed = value->opcode == Opcode::Add || value->opcode == Opcode::Sub || value->opcode == Opcode::Mul;
  return is_followed ? std::nullopt : std::optional(Slope::unknown());
}

Instruction* GrowingValues::in(Thread thread, Instruction* value, Builder& builder) const {
  if (values_.is_uniform(value)) return value;
  if (value->opcode != Opcode::Builtin)
    return builder.emit(value->opcode,
                        {in(thread, value->operands[0], builder), in(thread, value->operands[1], builder)});
  if (thread == Thread::First) return builder.constant_i64(0);
  static constexpr std::array kExtents = {BuiltinId::BlockDimX, BuiltinId::BlockDimY, BuiltinId::BlockDimZ};
  Instruction* extent = builder.builtin(kExtents[*axis_of(value)], value->type, {});
  return builder.emit(Opcode::Sub, {extent, builder.constant_i64(1)});
}

}  // namespace pykc::ir::split
