// What is left to do when values and locals have found their places.
#include "ir/split/cleanup.h"

#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

class UnusedDropper {
 public:
  UnusedDropper(Function& kernel, const LocalEffects& effects) : kernel_(kernel), effects_(effects) {}

  void run() {
    for_each_instruction(kernel_.body, [this](const Instruction* instruction) {
      for (const Instruction* operand : instruction->operands) ++uses_[operand];
      if (instruction->opcode == Opcode::LocalLoad) ++loads_[instruction->local];
      const auto access = effects_.accesses.find(instruction);
      if (access == effects_.accesses.end()) return;
      for (const Local* local : access->second.reads) ++loads_[local];
    });
    drop_end();
    drop_from(kernel_.body);
  }

 private:
  /// At the end of the kernel there is nothing to keep a block from.
  void drop_end() {
    const auto only_returns = [](const Instruction* last) {
      return last->opcode == Opcode::If && last->blocks[1].empty() && last->blocks[0].instructions.size() == 1 &&
             last->blocks[0].instructions[0]->opcode == Opcode::Return;
    };
    std::vector<Instruction*>& body = kernel_.body.instructions;
    while (!body.empty() && only_returns(body.back())) {
      --uses_[body.back()->operands[0]];
      body.pop_back();
    }
  }

  /// Backwards, so that the uses of a value are gone before the value is looked at.
  void drop_from(Block& block) {
    for (std::size_t i = block.instructions.size(); i-- > 0;) {
      Instruction* instruction = block.instructions[i];
      for (std::size_t b = instruction->blocks.size(); b-- > 0;) drop_from(instruction->blocks[b]);
      if (!is_unused(instruction)) continue;
      for (const Instruction* operand : instruction->operands) --uses_[operand];
      if (instruction->opcode == Opcode::LocalLoad) --loads_[instruction->local];
      block.instructions.erase(block.instructions.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  bool is_unused(const Instruction* instruction) {
    switch (instruction->opcode) {
      case Opcode::LocalStore:
        return loads_[instruction->local] == 0;
      case Opcode::If:
        return instruction->blocks[0].empty() && instruction->blocks[1].empty();
      case Opcode::ThreadLoop:
      case Opcode::Scope:
        return does_nothing(instruction->blocks[0]);
      case Opcode::Builtin:
        return uses_[instruction] == 0 && (has_builtin_effect(instruction, Effect::Pure) || tells_place(instruction));
      default:
        return uses_[instruction] == 0 && (info(instruction->opcode).effect == OpcodeEffect::Pure ||
                                           info(instruction->opcode).effect == OpcodeEffect::Read);
    }
  }

  /// Empty, but for what only tells the optimiser about values.
  static bool does_nothing(const Block& block) {
    return !any_instruction(block, [](const Instruction* instruction) {
      return instruction->opcode != Opcode::Assume && info(instruction->opcode).effect != OpcodeEffect::Pure;
    });
  }

  Function& kernel_;
  const LocalEffects& effects_;
  std::unordered_map<const Instruction*, int> uses_;
  std::unordered_map<const Local*, int> loads_;
};

class ArrayMarker {
 public:
  explicit ArrayMarker(Function& kernel) : kernel_(kernel), users_(kernel.local_arrays.size()) {}

  void walk(const Block& block, const Instruction* thread_loop, bool is_repeated) {
    for (const Instruction* instruction : block.instructions) {
      if (instruction->opcode == Opcode::LocalArray)
        note(static_cast<std::size_t>(instruction->index), thread_loop, is_repeated);
      const bool is_thread_loop = instruction->opcode == Opcode::ThreadLoop;
      const bool repeats = thread_loop == nullptr && instruction->opcode == Opcode::Loop;
      for (const Block& nested : instruction->blocks)
        walk(nested, is_thread_loop ? instruction : thread_loop, is_repeated || repeats);
    }
  }

 private:
  void note(std::size_t array, const Instruction* thread_loop, bool is_repeated) {
    if (users_[array] == nullptr) users_[array] = thread_loop;
    if (users_[array] != thread_loop || is_repeated) kernel_.local_arrays[array].per_thread = true;
  }

  Function& kernel_;
  std::vector<const Instruction*> users_;  // the ThreadLoop that uses each array
};

}  // namespace

void drop_unused(Function& kernel, const LocalEffects& effects) { UnusedDropper(kernel, effects).run(); }

/// The arena may still hold instructions that name a local which is gone.
void drop_unused_locals(Function& kernel) {
  std::unordered_map<const Local*, Local*> kept;
  for_each_instruction(kernel.body, [&](const Instruction* instruction) {
    if (instruction->local != nullptr) kept[instruction->local] = nullptr;
  });
  std::deque<Local> locals;
  for (Local& local : kernel.locals)
    if (const auto found = kept.find(&local); found != kept.end())
      found->second = &locals.emplace_back(std::move(local));
  for (Instruction& instruction : kernel.instructions) {
    const auto found = kept.find(instruction.local);
    instruction.local = found == kept.end() ? nullptr : found->second;
  }
  kernel.locals = std::move(locals);
}

void mark_arrays(Function& kernel) { ArrayMarker(kernel).walk(kernel.body, nullptr, false); }

}  // namespace pykc::ir::split
