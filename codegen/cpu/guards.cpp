#include "codegen/cpu/guards.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::codegen {
namespace {

bool compares_indices(const ir::Instruction& i) {
  return ir::is_comparison(i.opcode) && i.operands[0]->type.is(ScalarType::I64);
}

/// The outcome for which an `if` loads a value, where it loads none for the other and does nothing else.
std::optional<bool> loads_where(const ir::Instruction& i) {
  using enum ir::Opcode;
  const auto may_stand = [](const ir::Instruction* inner) {
    return ir::is_pure(inner) || inner->opcode == Load || inner->opcode == LocalStore;
  };
  const auto is_plain = [&](const ir::Block& block) { return std::ranges::all_of(block.instructions, may_stand); };
  const auto has_load = [](const ir::Block& block) {
    return ir::any_instruction(block, [](const ir::Instruction* inner) { return inner->opcode == Load; });
  };
  if (i.opcode != If || !std::ranges::all_of(i.blocks, is_plain)) return std::nullopt;
  const bool where_true = has_load(i.blocks[0]), where_false = has_load(i.blocks[1]);
  return where_true == where_false ? std::nullopt : std::optional(where_true);
}

constexpr std::size_t kMostCopied = 100;                     // instructions; LLVM copies no longer loops either
constexpr int kDeepest = 4;                                  // operations between a condition and its comparisons
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
  needed_outcome_ = find_needed_outcome(body);
  choices_ = find_choices(body);
}

bool RowGuards::is_guard(const ir::Instruction& i) const {
  if (!compares_indices(i)) return false;
  const ir::Slope a = slope_of(i.operands[0]), b = slope_of(i.operands[1]);
  return !(a.is_none() && b.is_none()) && std::max(a.steepness(), b.steepness()) < kSteepest;
}

bool RowGuards::is_decided(const ir::Instruction* condition, int depth) const {
  if (is_constant(condition) || std::ranges::find(comparisons_, condition) != comparisons_.end()) return true;
  using enum ir::Opcode;
  const ir::Opcode opcode = condition->opcode;
  return depth < kDeepest && (opcode == And || opcode == Or || opcode == Xor || opcode == Not) &&
         std::ranges::all_of(condition->operands,
                             [&](const ir::Instruction* part) { return is_decided(part, depth + 1); });
}

/// How the only comparison comes out where `condition` does or does not hold, if that says it.
std::optional<bool> RowGuards::outcome_where(const ir::Instruction* condition, bool holds, int depth) const {
  using enum ir::Opcode;
  if (condition == comparisons_.front()) return holds;
  if (depth == kDeepest) return std::nullopt;
  if (condition->opcode == Not) return outcome_where(condition->operands[0], !holds, depth + 1);
  if (condition->opcode != (holds ? And : Or)) return std::nullopt;
  for (const ir::Instruction* part : condition->operands)
    if (const auto outcome = outcome_where(part, holds, depth + 1)) return outcome;
  return std::nullopt;
}

std::optional<bool> RowGuards::find_needed_outcome(const ir::Block& body) const {
  using enum ir::Opcode;
  if (comparisons_.size() != 1 || comparisons_[0]->opcode == Eq || comparisons_[0]->opcode == Ne) return std::nullopt;
  std::optional<bool> needed;
  for (const ir::Instruction* i : body.instructions) {
    if (ir::is_pure(i) || ir::tells_place(i) || i->opcode == Return) continue;
    if (i->opcode != If || !i->blocks[1].empty()) return std::nullopt;
    const ir::Block& then = i->blocks[0];
    const bool is_early_return = then.instructions.size() == 1 && then.instructions[0]->opcode == Return;
    const std::optional<bool> outcome = outcome_where(i->operands[0], !is_early_return);
    if (!outcome || outcome == !needed.value_or(*outcome)) return std::nullopt;
    needed = outcome;
    if (is_early_return) break;
  }
  return needed;
}

std::vector<RowGuards::Choice> RowGuards::find_choices(const ir::Block& body) const {
  std::vector<Choice> found;
  if (slopes_.size() > kMostCopied) return found;
  for (const ir::Instruction* i : body.instructions) {
    const std::optional<bool> loads = loads_where(*i);
    if (!loads || !is_decided(i->operands[0])) continue;
    const auto known = std::ranges::find(found, i->operands[0], &Choice::condition);
    if (known == found.end())
      found.push_back({i->operands[0], *loads});
    else if (known->loads_where != *loads)
      return {};  // no part of the row does all that there is to do
  }
  return found;
}

bool RowGuards::goes_by_one(const ir::Instruction& guard) const {
  const ir::Slope a = slope_of(guard.operands[0]), b = slope_of(guard.operands[1]);
  return a.is_none() ? b == ir::Slope::exactly(1) : b.is_none() && a == ir::Slope::exactly(1);
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
