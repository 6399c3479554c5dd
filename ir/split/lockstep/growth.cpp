// Values of a thread by its place: the same for all that come somewhere, or a sum in which the thread's indices count
// positively.
#include <algorithm>

#include "ir/analysis/value_range.h"
#include "ir/builder.h"
#include "ir/split/split.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

constexpr std::int64_t kNoOverflow = std::int64_t{1} << 60;

/// The axis of a thread's index.
std::optional<std::size_t> axis_of(const Instruction* value) {
  static constexpr std::array kIndices = {BuiltinId::ThreadIdxX, BuiltinId::ThreadIdxY, BuiltinId::ThreadIdxZ};
  const auto index = std::ranges::find(kIndices, value->builtin);
  if (value->opcode != Opcode::Builtin || index == kIndices.end()) return std::nullopt;
  return static_cast<std::size_t>(index - kIndices.begin());
}

}  // namespace

bool UniformValues::is_uniform(const Instruction* value) {
  if (uniformity_.is_convergent(value)) return uniformity_.is_uniform(value);
  const auto known = in_guards_.find(value);
  if (known != in_guards_.end()) return known->second;
  return in_guards_[value] = is_made_of_uniform(*value);
}

bool UniformValues::is_made_of_uniform(const Instruction& value) {
  if (value.opcode == Opcode::LocalLoad) return counters_.contains(value.local);
  const bool is_pure = value.opcode == Opcode::Builtin
                           ? has_builtin_effect(&value, Effect::Pure) || has_builtin_effect(&value, Effect::Block)
                           : info(value.opcode).effect == OpcodeEffect::Pure && value.opcode != Opcode::LocalArray;
  return is_pure &&
         std::ranges::all_of(value.operands, [&](const Instruction* operand) { return is_uniform(operand); });
}

bool GrowingValues::grows(const Instruction* value) const {
  if (values_.is_uniform(value)) return true;
  if (value->opcode == Opcode::Builtin) return axis_of(value).has_value();
  if (value->opcode == Opcode::Add)
    return std::ranges::all_of(value->operands, [&](const Instruction* operand) { return grows(operand); });
  if (value->opcode == Opcode::Sub) return grows(value->operands[0]) && values_.is_uniform(value->operands[1]);
  if (value->opcode != Opcode::Mul) return false;
  const std::size_t factor = values_.is_uniform(value->operands[0]) ? 0 : 1;
  return values_.is_uniform(value->operands[factor]) && range_of(value->operands[factor], kernel_).is_non_negative() &&
         grows(value->operands[1 - factor]);
}

bool GrowingValues::is_small(const Instruction* value) const {
  const ValueRange range = range_of(value, kernel_);
  return range.minimum >= -kNoOverflow && range.maximum <= kNoOverflow;
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
