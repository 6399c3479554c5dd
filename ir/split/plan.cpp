// Which instructions run once a block and which once a thread.
//
// Every If, Loop and Scope that threads meet in is control flow of the block. What such control depends on must be
// known at block level: if its condition is uniform, the values that it is computed from are scalars, computed once a
// block. Where they come from a local, all stores to that local must be done once a block as well, so the constructs
// around those stores become control flow of the block in turn, and so on until nothing is missing. Control whose
// condition is not uniform is masked instead.
//
// Beyond what is needed, everything uniform, without an effect and directly in a block-level block is a scalar, for
// that is cheaper than to compute it for each thread and saves slots.
#include "ir/split/plan.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::ir::split {

Plan::Plan(const Function& kernel, const std::unordered_set<const Function*>& faulting,
           const std::unordered_set<const Instruction*>& lockstep)
    : kernel_(kernel), faulting_(faulting), lockstep_(lockstep), uniformity_(kernel) {
  index(kernel.body, nullptr);
  for (const Instruction* instruction : order_)
    if (is_meeting_point(instruction))
      require(parent_of(instruction));
    else if (lockstep_.contains(instruction))
      require(instruction);
  settle();
  require_uniform_returns();
  settle();
  find_ends_of_threads();
  find_scalars();
  std::size_t reach = order_.size();
  add_scalar_code(kernel.body, reach);
}

void Plan::index(const Block& block, const Instruction* parent) {
  for (const Instruction* instruction : block.instructions) {
    places_[instruction] = order_.size();
    order_.push_back(instruction);
    parents_[instruction] = parent;
    if (instruction->opcode == Opcode::LocalStore) stores_[instruction->local].push_back(instruction);
    if (instruction->target != nullptr) exits_[instruction->target].push_back(instruction);
    for (const Block& nested : instruction->blocks) index(nested, instruction);
  }
}

/// Makes a construct, and all around it, control flow of the block.
void Plan::require(const Instruction* construct) {
  while (construct != nullptr && block_level_.insert(construct).second) construct = parent_of(construct);
}

/// Adds what the constructs found so far depend on, until there is no more.
void Plan::settle() {
  std::size_t before = 0;
  do {
    before = block_level_.size();
    for (const Instruction* construct : order_) {
      if (!is_block_level(construct)) continue;
      if (construct->opcode == Opcode::If)
        require_value(construct->operands[0]);
      else
        require_parents_of_exits(construct);
    }
  } while (block_level_.size() != before);
}

/// Where all threads leave a Loop or Scope together, they do so at block level.
void Plan::require_parents_of_exits(const Instruction* construct) {
  const auto exits = exits_.find(construct);
  if (exits == exits_.end()) return;
  for (const Instruction* exit : exits->second)
    if (uniformity_.is_convergent(exit)) require(parent_of(exit));
}

void Plan::require_value(const Instruction* value) {
  if (!uniformity_.is_uniform(value) || !required_values_.insert(value).second) return;
  for (const Instruction* operand : value->operands) require_value(operand);
  if (value->opcode == Opcode::LocalLoad) require_local(value->local);
}

void Plan::require_local(const Local* local) {
  if (!required_locals_.insert(local).second) return;
  for (const Instruction* store : stores_[local]) {
    require(parent_of(store));
    require_value(store->operands[0]);
  }
}

/// A return that all threads take together ends the block at once, and needs no mask: if others meet later.
void Plan::require_uniform_returns() {
  std::size_t last_meeting = 0;
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (is_meeting_point(order_[i])) last_meeting = i;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Instruction* exit = order_[i];
    if (exit->opcode != Opcode::Return || !uniformity_.is_convergent(exit)) continue;
    const Instruction* around = parent_of(exit);
    while (around != nullptr && around->opcode == Opcode::If && !is_block_level(around)) around = parent_of(around);
    const bool is_between_blocks = around == nullptr ? i < last_meeting : is_block_level(around);
    if (is_between_blocks) require(parent_of(exit));
  }
}

bool Plan::is_masked(const Instruction* construct) const {
  if (construct->opcode == Opcode::If) return !is_scalar(construct->operands[0]);
  return !uniformity_.is_convergent(construct) || uniformity_.is_divergent_region(construct);
}

bool Plan::is_direct(const Instruction* exit) const {
  const Instruction* parent = parent_of(exit);
  return (exit->opcode == Opcode::Return || exit->opcode == Opcode::Break) && uniformity_.is_convergent(exit) &&
         (parent == nullptr || is_block_level(parent));
}

/// Starts from the assumption that every local that is stored at block level only is a scalar, and takes back what does
/// not hold.
void Plan::find_scalars() {
  for (const auto& [local, stores] : stores_) {
    const auto is_at_block_level = [this](const Instruction* store) {
      return parent_of(store) == nullptr || is_block_level(parent_of(store));
    };
    if (uniformity_.is_uniform(local) && std::ranges::all_of(stores, is_at_block_level)) scalar_locals_.insert(local);
  }
  std::size_t before = 0;
  do {
    before = scalar_locals_.size();
    scalars_.clear();
    find_scalars(kernel_.body);
    std::erase_if(scalar_locals_, [this](const Local* local) { return !has_only_scalar_stores(local); });
  } while (scalar_locals_.size() != before);
}

void Plan::find_scalars(const Block& block) {
  for (const Instruction* instruction : block.instructions) {
    if (can_be_scalar(instruction)) scalars_.insert(instruction);
    if (!is_block_level(instruction)) continue;
    for (const Block& nested : instruction->blocks) find_scalars(nested);
  }
}

bool Plan::can_be_scalar(const Instruction* instruction) const {
  if (!uniformity_.is_uniform(instruction)) return false;
  if (is_barrier(instruction)) return true;
  const auto is_scalar_value = [this](const Instruction* operand) { return is_scalar(operand); };
  if (!std::ranges::all_of(instruction->operands, is_scalar_value)) return false;
  switch (instruction->opcode) {
    case Opcode::LocalLoad:
      return is_scalar(instruction->local);
    case Opcode::Builtin:
      return has_builtin_effect(instruction, Effect::Pure) || has_builtin_effect(instruction, Effect::Block);
    case Opcode::Load:  // of a constant
    case Opcode::Call:  // of a function of its arguments
    case Opcode::Assume:
      // Only where it is certain that a thread would have come here: the others do no harm.
      return uniformity_.is_convergent(instruction) && !may_end_threads();
    case Opcode::Prefetch:  // does no harm either
      return true;
    default:
      return info(instruction->opcode).effect == OpcodeEffect::Pure;
  }
}

bool Plan::has_only_scalar_stores(const Local* local) const {
  return std::ranges::all_of(stores_.at(local),
                             [this](const Instruction* store) { return is_scalar(store->operands[0]); });
}

/// Adds the stores and constructs that are scalar. `reach` becomes the place of the outermost construct that is left.
bool Plan::add_scalar_code(const Block& block, std::size_t& reach) {
  bool is_all_scalar = true;
  for (const Instruction* instruction : block.instructions) is_all_scalar &= add_scalar_code(instruction, reach);
  return is_all_scalar;
}

bool Plan::add_scalar_code(const Instruction* instruction, std::size_t& reach) {
  if (is_meeting_point(instruction)) return false;
  switch (instruction->opcode) {
    case Opcode::Break:
      reach = std::min(reach, places_.at(instruction->target));
      return is_direct(instruction);
    case Opcode::LocalStore:
      if (is_scalar(instruction->local)) scalars_.insert(instruction);
      return is_scalar(instruction);
    case Opcode::If:
    case Opcode::Scope:
    case Opcode::Loop: {
      if (!is_block_level(instruction)) return false;
      std::size_t inner_reach = order_.size();
      bool is_all_scalar = !is_masked(instruction);
      for (const Block& block : instruction->blocks) is_all_scalar &= add_scalar_code(block, inner_reach);
      // A loop that threads which have ended might have kept from running for ever must see whether any is left.
      is_all_scalar &= instruction->opcode != Opcode::Loop || !may_end_threads();
      is_all_scalar &= inner_reach >= places_.at(instruction);
      if (is_all_scalar) scalars_.insert(instruction);
      reach = std::min(reach, inner_reach);
      return is_all_scalar;
    }
    default:
      return is_scalar(instruction);
  }
}

/// A thread that returns must be kept out of the regions that come later in the text, or in a later turn of a loop. A
/// thread that faults ends its block before them.
void Plan::find_ends_of_threads() {
  bool is_region_to_come = false;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Instruction* instruction = order_[i];
    const bool is_return = instruction->opcode == Opcode::Return && !is_direct(instruction);
    const bool is_in_block_level = is_in_block_level_construct(instruction);
    needs_alive_mask_ |= is_return && (is_region_to_come || is_in_block_level);
    has_faults_ |= can_fault(instruction);
    is_region_to_come |= is_meeting_point(instruction) || is_in_block_level;
  }
}

bool Plan::is_in_block_level_construct(const Instruction* instruction) const {
  const Instruction* around = parent_of(instruction);
  while (around != nullptr && !is_block_level(around)) around = parent_of(around);
  return around != nullptr;
}

}  // namespace pykc::ir::split
