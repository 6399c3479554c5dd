// Values that cross from one region to another.
//
// What is cheap to compute from the thread's place and from scalars is computed again in each region that uses it: that
// costs less than a load, and the vectoriser sees how addresses depend on the thread. Any other value goes through a
// local, its home: stored where it is computed, loaded at the start of each region that uses it.
#include "ir/split/values.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/passes/clone.h"
#include "ir/split/regions.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

constexpr int kHighestCost = 12;
constexpr int kTooMuch = 1000;

/// What an operation costs when it is done again, beside its operands.
int cost_of(const Instruction* instruction) {
  switch (instruction->opcode) {
    case Opcode::LocalArray:
    case Opcode::Bitcast:
      return 0;
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Neg:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Eq:
    case Opcode::Ne:
    case Opcode::Lt:
    case Opcode::Le:
    case Opcode::Gt:
    case Opcode::Ge:
    case Opcode::Select:
    case Opcode::Cast:
    case Opcode::ElementPointer:
    case Opcode::FieldPointer:
      return 1;
    case Opcode::FloorDiv:
    case Opcode::Mod:
      return 4;
    case Opcode::Builtin:
      return has_builtin_effect(instruction, Effect::Thread) ? 1 : kTooMuch;
    default:
      return kTooMuch;
  }
}

class ValueLocalizer {
 public:
  ValueLocalizer(Function& kernel, Regions& regions) : kernel_(kernel), regions_(regions) {}

  void run() {
    index(kernel_.body, nullptr);
    for (Instruction* loop : thread_loops_) localize(loop);
    insert(kernel_.body);
  }

 private:
  /// Notes for each instruction in a ThreadLoop which one it is in.
  void index(const Block& block, Instruction* thread_loop) {
    for (Instruction* instruction : block.instructions) {
      if (thread_loop != nullptr) region_[instruction] = thread_loop;
      const bool is_thread_loop = instruction->opcode == Opcode::ThreadLoop;
      if (is_thread_loop) thread_loops_.push_back(instruction);
      for (const Block& nested : instruction->blocks) index(nested, is_thread_loop ? instruction : thread_loop);
    }
  }

  void localize(Instruction* thread_loop) {
    here_ = thread_loop;
    local_values_.clear();
    Block start;
    for_each_instruction(thread_loop->blocks[0], [&](Instruction* instruction) {
      for (Instruction*& operand : instruction->operands) operand = localize(operand, start);
    });
    starts_[&regions_.body_of(thread_loop)] = std::move(start);
  }

  /// What stands for a value in the current region; new instructions go to the region's start.
  Instruction* localize(Instruction* value, Block& start) {
    const auto region = region_.find(value);
    if (region == region_.end() ? !regions_.homes.contains(value) : region->second == here_) return value;
    const auto known = local_values_.find(value);
    if (known != local_values_.end()) return known->second;
    return local_values_[value] = cost(value) <= kHighestCost ? compute_again(value, start) : load_home(value, start);
  }

  int cost(const Instruction* value) {
    if (regions_.homes.contains(value)) return kTooMuch;
    if (!region_.contains(value)) return 0;  // a scalar
    const auto known = costs_.find(value);
    if (known != costs_.end()) return known->second;
    int sum = cost_of(value);
    for (const Instruction* operand : value->operands) sum = std::min(kTooMuch, sum + cost(operand));
    return costs_[value] = sum;
  }

  Instruction* compute_again(Instruction* value, Block& start) {
    Cloner cloner(kernel_);
    for (Instruction* operand : value->operands) cloner.replace(operand, localize(operand, start));
    return put(cloner.clone(value), start);
  }

  Instruction* load_home(Instruction* value, Block& start) {
    Local*& home = regions_.homes[value];
    if (home == nullptr) {
      home = kernel_.create_local("value", value->type);
      stores_[value] = create(Opcode::LocalStore, Type::none(), home, value->range);
      stores_[value]->operands = {value};
    }
    return put(create(Opcode::LocalLoad, home->type, home, value->range), start);
  }

  Instruction* put(Instruction* instruction, Block& start) {
    region_[instruction] = here_;
    start.instructions.push_back(instruction);
    return instruction;
  }

  Instruction* create(Opcode opcode, Type type, Local* local, SourceRange range) {
    Instruction* instruction = kernel_.create(opcode, type, range);
    instruction->local = local;
    return instruction;
  }

  /// Puts the new instructions where they belong.
  void insert(Block& block) {
    const auto start = starts_.find(&block);
    std::vector<Instruction*> to;
    if (start != starts_.end()) to = std::move(start->second.instructions);
    for (Instruction* instruction : block.instructions) {
      to.push_back(instruction);
      const auto store = stores_.find(instruction);
      if (store != stores_.end()) to.push_back(store->second);
      for (Block& nested : instruction->blocks) insert(nested);
    }
    block.instructions = std::move(to);
  }

  Function& kernel_;
  Regions& regions_;
  const Instruction* here_ = nullptr;
  std::vector<Instruction*> thread_loops_;
  std::unordered_map<const Instruction*, const Instruction*> region_;
  std::unordered_map<const Instruction*, Instruction*> local_values_;  // in the current region
  std::unordered_map<const Instruction*, int> costs_;
  std::unordered_map<const Block*, Block> starts_;
  std::unordered_map<const Instruction*, Instruction*> stores_;  // behind these values
};

}  // namespace

void localize_values(Function& kernel, Regions& regions) { ValueLocalizer(kernel, regions).run(); }

}  // namespace pykc::ir::split
