// A local that is stored once, by a store that every load comes after, is only a name for the value stored.
//
// In structured code "comes after" can be read off the text: the store stands in a block, and each load stands later
// in that block or in a block nested in a later instruction of it. Nothing can jump in between, and in a loop every
// turn that reaches the load has passed the store first. A load in another block (the other branch, the `continuing`
// part of a loop, the code behind an `if`) may run without the store, so such a local stays as it is.
//
// The first walk finds the locals to promote, the second replaces loads by values. A local that nobody reads loses its
// stores as well.
#include <unordered_map>
#include <vector>

#include "ir/passes/passes.h"

namespace pykc::ir {
namespace {

struct Usage {
  int stores = 0;
  int loads = 0;
  bool is_set = false;           // the walk stands where the store has run
  bool is_loaded_unset = false;  // a load was met elsewhere
  Instruction* value = nullptr;  // what the one store stores

  bool is_unread() const { return loads == 0; }
  bool is_promotable() const { return stores == 1 && !is_loaded_unset; }
};

class Promotion {
 public:
  void examine(const Block& block) {
    std::vector<Usage*> set_here;
    for (const Instruction* instruction : block.instructions) {
      if (instruction->opcode == Opcode::LocalStore) {
        set_here.push_back(&note_store(instruction->local));
      } else if (instruction->opcode == Opcode::LocalLoad) {
        note_load(instruction->local);
      }
      for (const Block& nested : instruction->blocks) examine(nested);
    }
    for (Usage* usage : set_here) usage->is_set = false;
  }

  void rewrite(Block& block) {
    std::vector<Instruction*> kept;
    kept.reserve(block.instructions.size());
    for (Instruction* instruction : block.instructions) {
      for (Instruction*& operand : instruction->operands) operand = replacement_of(operand);
      for (Block& nested : instruction->blocks) rewrite(nested);
      if (!is_replaced(instruction)) kept.push_back(instruction);
    }
    block.instructions = std::move(kept);
  }

 private:
  Usage& note_store(const Local* local) {
    Usage& usage = usages_[local];
    ++usage.stores;
    usage.is_set = true;
    return usage;
  }

  void note_load(const Local* local) {
    Usage& usage = usages_[local];
    ++usage.loads;
    if (!usage.is_set) usage.is_loaded_unset = true;
  }

  /// Remembers what a promoted store stores and what a promoted load stands for.
  bool is_replaced(Instruction* instruction) {
    if (instruction->opcode == Opcode::LocalStore) {
      Usage& usage = usages_[instruction->local];
      usage.value = instruction->operands[0];
      return usage.is_unread() || usage.is_promotable();
    }
    if (instruction->opcode == Opcode::LocalLoad) {
      const Usage& usage = usages_[instruction->local];
      if (usage.is_promotable()) replacements_[instruction] = usage.value;
      return usage.is_promotable();
    }
    return false;
  }

  Instruction* replacement_of(Instruction* value) const {
    const auto found = replacements_.find(value);
    return found == replacements_.end() ? value : found->second;
  }

  std::unordered_map<const Local*, Usage> usages_;  // addresses of elements are stable
  std::unordered_map<const Instruction*, Instruction*> replacements_;
};

}  // namespace

void promote_locals(Function& function) {
  Promotion promotion;
  promotion.examine(function.body);
  promotion.rewrite(function.body);
}

}  // namespace pykc::ir
