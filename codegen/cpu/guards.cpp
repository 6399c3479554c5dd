#include "codegen/cpu/guards.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/analysis/value_range.h"
#include "ir/walk.h"

namespace pykc::codegen {
namespace {

bool is_comparison(const ir::Instruction& i) {
  return i.opcode >= ir::Opcode::Eq && i.opcode <= ir::Opcode::Ge && i.operands[0]->type.is(ScalarType::I64);
}

constexpr double kSteepest = 0x1p50;  // then 1,024 threads do not come from the end of the numbers to 0
constexpr double kNearOverflow = 0x1p61;

double largest(const ir::ValueRange& range) {
  return std::max(std::abs(static_cast<double>(range.minimum)), std::abs(static_cast<double>(range.maximum)));
}

bool is_pure(const ir::Instruction& i) {
  if (i.opcode != ir::Opcode::Builtin) return ir::info(i.opcode).effect == ir::OpcodeEffect::Pure;
  const Effect effect = info(i.builtin).effect;
  return effect == Effect::Pure || effect == Effect::Block || i.builtin == BuiltinId::ThreadIdxY ||
         i.builtin == BuiltinId::ThreadIdxZ;
}

}  // namespace

RowGuards::RowGuards(const ir::Function& function, const ir::Block& body) : function_(function) {
  ir::for_each_instruction(body, [&](const ir::Instruction* i) {
    growth_[i] = work_out(*i);
    if (is_guard(*i)) comparisons_.push_back(i);
  });
}

bool RowGuards::is_guard(const ir::Instruction& i) const {
  if (!is_comparison(i)) return false;
  const Growth a = growth_of(i.operands[0]), b = growth_of(i.operands[1]);
  return a != Growth::Unknown && b != Growth::Unknown && (a == Growth::Linear || b == Growth::Linear) &&
         steepness(i.operands[0]) + steepness(i.operands[1]) < kSteepest;
}

/// A bound of how much a value changes from one thread to the next.
double RowGuards::steepness(const ir::Instruction* i) const {
  if (is_constant(i)) return 0;
  if (i->opcode == ir::Opcode::Builtin) return 1;  // threadIdx.x
  const double a = steepness(i->operands[0]), b = steepness(i->operands[1]);
  if (i->opcode != ir::Opcode::Mul) return a + b;
  return (a + b) * largest(ir::range_of(i->operands[is_constant(i->operands[0]) ? 0 : 1], function_));
}

bool RowGuards::is_small(const ir::Instruction& guard) const {
  return std::ranges::all_of(guard.operands, [&](const ir::Instruction* operand) {
    return largest(ir::range_of(operand, function_)) < kNearOverflow;
  });
}

RowGuards::Growth RowGuards::growth_of(const ir::Instruction* instruction) const {
  const auto known = growth_.find(instruction);
  return known == growth_.end() ? Growth::Constant
                                : known->second;  // what stands before the loop does not change in it
}

RowGuards::Growth RowGuards::work_out(const ir::Instruction& i) const {
  if (i.opcode == ir::Opcode::Builtin && i.builtin == BuiltinId::ThreadIdxX) return Growth::Linear;
  if (!is_pure(i)) return Growth::Unknown;
  const auto is_constant = [&](const ir::Instruction* operand) { return growth_of(operand) == Growth::Constant; };
  if (std::ranges::all_of(i.operands, is_constant)) return Growth::Constant;
  const auto is_unknown = [&](const ir::Instruction* operand) { return growth_of(operand) == Growth::Unknown; };
  const bool is_linear = i.opcode == ir::Opcode::Add || i.opcode == ir::Opcode::Sub ||
                         (i.opcode == ir::Opcode::Mul && std::ranges::any_of(i.operands, is_constant));
  if (!is_linear || std::ranges::any_of(i.operands, is_unknown) || !never_overflows(i)) return Growth::Unknown;
  return Growth::Linear;
}

bool RowGuards::never_overflows(const ir::Instruction& i) const {
  if (i.no_wrap) return true;
  const ir::ValueRange range = ir::range_of(&i, function_);
  using Limits = std::numeric_limits<std::int64_t>;
  return i.type.is(ScalarType::I64) && range.minimum != Limits::min() && range.maximum != Limits::max();
}

}  // namespace pykc::codegen
