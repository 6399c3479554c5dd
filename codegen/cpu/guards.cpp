#include "codegen/cpu/guards.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::codegen {
namespace {

bool compares_indices(const ir::Instruction& i) {
  return ir::is_comparison(i.opcode) && i.operands[0]->type.is(ScalarType::I64);
}

constexpr std::uint64_t kSteepest = std::uint64_t{1} << 49;  // no row of 1,024 threads goes 2^60 far

}  // namespace

RowGuards::RowGuards(const ir::Function& function, const ir::Block& body) : function_(function) {
  ir::for_each_instruction(body, [&](const ir::Instruction* i) { slopes_[i] = ir::Slope::unknown(); });
  ir::Slopes along_row(function, ir::Certainty::Proof, [&](const ir::Instruction* value) -> std::optional<ir::Slope> {
    if (!is_in_body(value)) return ir::Slope::exactly(0);  // what stands before the loop does not change in it
    if (ir::has_builtin_effect(value, Effect::Block)) return ir::Slope::exactly(0);
    return ir::slope_of_thread_index(value, 0);
  });
  ir::for_each_instruction(body, [&](const ir::Instruction* i) {
    slopes_[i] = along_row.of(i);
    if (is_guard(*i)) comparisons_.push_back(i);
  });
}

bool RowGuards::is_guard(const ir::Instruction& i) const {
  if (!compares_indices(i)) return false;
  const ir::Slope a = slope_of(i.operands[0]), b = slope_of(i.operands[1]);
  return !(a.is_none() && b.is_none()) && std::max(a.steepness(), b.steepness()) < kSteepest;
}

bool RowGuards::is_small(const ir::Instruction& guard) const {
  return std::ranges::all_of(
      guard.operands, [&](const ir::Instruction* operand) { return ir::is_far_from_overflow(operand, function_); });
}

ir::Slope RowGuards::slope_of(const ir::Instruction* instruction) const {
  const auto known = slopes_.find(instruction);
  return known == slopes_.end() ? ir::Slope::exactly(0) : known->second;
}

}  // namespace pykc::codegen
