// The analysis starts from "everything is uniform" and walks the function until nothing more turns divergent.
//
// A walk carries the reason why the current place is divergent (an If, null while it is convergent), and hands back the
// exits taken under divergent control: which Loop or Scope is left or repeated. What stands after such an exit is
// divergent up to the end of the construct it goes to, where the threads meet again; a Loop that is left so is
// divergent as a whole, for its later turns are run by the threads that stayed.
#include "ir/analysis/uniformity.h"

#include <algorithm>
#include <vector>

#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// An exit that only some of the threads take.
struct Exit {
  const Instruction* target;
  bool repeats;  // Continue
  const Instruction* cause;
};
using Exits = std::vector<Exit>;

void add(Exits& exits, const Exits& more) {
  for (const Exit& exit : more) {
    const auto is_same = [&](const Exit& other) {
      return other.target == exit.target && other.repeats == exit.repeats;
    };
    if (std::ranges::none_of(exits, is_same)) exits.push_back(exit);
  }
}

void remove(Exits& exits, const Instruction* target, bool repeats) {
  std::erase_if(exits, [&](const Exit& exit) { return exit.target == target && exit.repeats == repeats; });
}

bool loads_constant(const Instruction* instruction) {
  return instruction->opcode == Opcode::Load && is_read_only(instruction->operands[0]->type.space);
}

/// Whether equal arguments give equal results wherever a block calls the function, and calling it does nothing else.
class FunctionPurity {
 public:
  bool is_pure(const Function* function) {
    const auto [known, is_new] = known_.emplace(function, false);  // false while it is looked at: recursion is not pure
    if (!is_new) return known->second;
    const bool pure = !any_instruction(function->body, [this](const Instruction* i) { return has_effect(i); });
    return known_[function] = pure;
  }

 private:
  bool has_effect(const Instruction* instruction) {
    switch (instruction->opcode) {
      case Opcode::Builtin:
        return !has_builtin_effect(instruction, Effect::Pure) && !has_builtin_effect(instruction, Effect::Block);
      case Opcode::Call:
        return !is_pure(instruction->callee);
      case Opcode::Load:
        return !loads_constant(instruction);
      case Opcode::LocalArray:
      case Opcode::SharedArray:
      case Opcode::Fault:
      case Opcode::AnyFault:
        return true;
      case Opcode::LocalStore:
      case Opcode::Assume:
        return false;
      default:
        return info(instruction->opcode).effect == OpcodeEffect::Write;
    }
  }

  std::unordered_map<const Function*, bool> known_;
};

}  // namespace

class Uniformity::Analysis {
 public:
  Analysis(const Function& function, Uniformity& result) : function_(function), result_(result) {}
  void run() {
    do {
      has_changed_ = false;
      walk(function_.body, nullptr);
    } while (has_changed_);
  }

 private:
  Exits walk(const Block& block, const Instruction* cause);
  Exits walk_control(const Instruction* instruction, const Instruction* cause);
  Exits walk_if(const Instruction* branch, const Instruction* cause);
  Exits walk_loop(const Instruction* loop, const Instruction* cause);
  Exits walk_scope(const Instruction* scope, const Instruction* cause);
  void examine(const Instruction* instruction, const Instruction* cause);
  bool gives_divergent_value(const Instruction* instruction);
  bool has_divergent_operand(const Instruction* instruction) const {
    return std::ranges::any_of(instruction->operands, [this](const Instruction* o) { return !result_.is_uniform(o); });
  }
  void mark_region(const Instruction* region, const Exits& exits) {
    if (!exits.empty()) note(result_.divergent_regions_.emplace(region, exits.front().cause).second);
  }
  void note(bool is_new) { has_changed_ |= is_new; }

  const Function& function_;
  Uniformity& result_;
  FunctionPurity purity_;
  bool has_changed_ = false;
};

Exits Uniformity::Analysis::walk(const Block& block, const Instruction* cause) {
  Exits exits;
  for (const Instruction* instruction : block.instructions) {
    examine(instruction, cause);
    const Exits leaving = walk_control(instruction, cause);
    add(exits, leaving);
    if (cause == nullptr && !leaving.empty()) cause = leaving.front().cause;
  }
  return exits;
}

void Uniformity::Analysis::examine(const Instruction* instruction, const Instruction* cause) {
  if (cause != nullptr) note(result_.divergent_control_.emplace(instruction, cause).second);
  if (gives_divergent_value(instruction)) note(result_.divergent_values_.insert(instruction).second);
  if (instruction->opcode == Opcode::LocalStore && (cause != nullptr || has_divergent_operand(instruction)))
    note(result_.divergent_locals_.insert(instruction->local).second);
}

bool Uniformity::Analysis::gives_divergent_value(const Instruction* instruction) {
  switch (instruction->opcode) {
    case Opcode::Parameter:
      return !function_.is_kernel;
    case Opcode::LocalLoad:
      return !result_.is_uniform(instruction->local);
    case Opcode::LocalArray:
    case Opcode::AtomicRmw:
    case Opcode::AtomicCas:
    case Opcode::AtomicLoad:
    case Opcode::HintedLoad:
    case Opcode::Foreign:  // for its Extracts
    case Opcode::SlotLoad:
    case Opcode::AnyFault:
      return true;
    case Opcode::SlotAny:
    case Opcode::SlotMany:
    case Opcode::WarpExchange:
      return false;
    case Opcode::Load:
      return !loads_constant(instruction) || has_divergent_operand(instruction);
    case Opcode::Call:
      return !purity_.is_pure(instruction->callee) || has_divergent_operand(instruction);
    case Opcode::Builtin:
      switch (pykc::info(instruction->builtin).effect) {
        case Effect::Pure:
        case Effect::Block:
          return has_divergent_operand(instruction);
        case Effect::Barrier:  // counts over the block
          return false;
        case Effect::Thread:
        case Effect::Warp:
        case Effect::Fence:
        case Effect::Memory:
          return true;
      }
      return true;
    default:
      return has_divergent_operand(instruction);
  }
}

Exits Uniformity::Analysis::walk_control(const Instruction* instruction, const Instruction* cause) {
  switch (instruction->opcode) {
    case Opcode::If:
      return walk_if(instruction, cause);
    case Opcode::Loop:
      return walk_loop(instruction, cause);
    case Opcode::Scope:
      return walk_scope(instruction, cause);
    case Opcode::Break:
    case Opcode::Continue:
      if (cause == nullptr) return {};
      return {{instruction->target, instruction->opcode == Opcode::Continue, cause}};
    default:
      for (const Block& block : instruction->blocks) walk(block, cause);
      return {};
  }
}

Exits Uniformity::Analysis::walk_if(const Instruction* branch, const Instruction* cause) {
  if (cause == nullptr && !result_.is_uniform(branch->operands[0])) cause = branch;
  Exits exits = walk(branch->blocks[0], cause);
  add(exits, walk(branch->blocks[1], cause));
  return exits;
}

Exits Uniformity::Analysis::walk_loop(const Instruction* loop, const Instruction* cause) {
  const auto region = result_.divergent_regions_.find(loop);
  if (cause == nullptr && region != result_.divergent_regions_.end()) cause = region->second;
  Exits exits = walk(loop->blocks[0], cause);
  remove(exits, loop, true);  // all who repeat meet at the `continuing` block
  add(exits, walk(loop->blocks[1], cause));
  mark_region(loop, exits);
  remove(exits, loop, false);
  return exits;
}

Exits Uniformity::Analysis::walk_scope(const Instruction* scope, const Instruction* cause) {
  Exits exits = walk(scope->blocks[0], cause);
  mark_region(scope, exits);
  remove(exits, scope, false);
  return exits;
}

Uniformity::Uniformity(const Function& function) { Analysis(function, *this).run(); }

const Instruction* Uniformity::cause_of_divergence(const Instruction* instruction) const {
  const auto found = divergent_control_.find(instruction);
  return found == divergent_control_.end() ? nullptr : found->second;
}

}  // namespace pykc::ir
