// Starts from the first value stored to each variable and widens by every store whose value, with the ranges assumed so
// far, leaves them; when a round changes nothing, each store keeps each range, so no run of the function can leave
// them. A bound that still moves after a few rounds is given up.
//
// `while i < n: …; i += step` stores a sum once a turn. The value that it starts from has passed the test, so it lies
// below n, however large i is known to become: that is what keeps the sum from moving the bound for ever.
#include "ir/analysis/local_ranges.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/analysis/value_range.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr int kPatientRounds = 4;

bool has_full_range(const Local& local) {
  return local.minimum == std::numeric_limits<std::int64_t>::min() &&
         local.maximum == std::numeric_limits<std::int64_t>::max();
}

/// A loop that goes on only where `local` is below `bound`, and stores to it once a turn at most.
struct Guard {
  const Instruction* loop;
  const Local* local;
  const Instruction* bound;
  bool is_inclusive;
};

struct Assignment {
  Local* local;
  const Instruction* value;
  std::optional<Guard> guard;  // that the variable has passed since the last store to it
};

bool is_load_of(const Instruction* instruction, const Local* local) {
  return instruction->opcode == Opcode::LocalLoad && instruction->local == local;
}

int count_stores(const Instruction* loop, const Local* local) {
  int count = 0;
  for (const Block& block : loop->blocks)
    for_each_instruction(
        block, [&](const Instruction* i) { count += i->opcode == Opcode::LocalStore && i->local == local ? 1 : 0; });
  return count;
}

bool contains(const Block& block, const Instruction* wanted) {
  return any_instruction(block, [&](const Instruction* i) { return i == wanted; });
}

/// What must hold where the condition does: the comparisons of an `and`.
void add_guards(const Instruction* condition, const Instruction* loop, std::vector<Guard>& guards) {
  const auto add = [&](const Instruction* low, const Instruction* high, bool is_inclusive) {
    const bool is_guard =
        low->opcode == Opcode::LocalLoad && contains(loop->blocks[0], low) && count_stores(loop, low->local) == 1;
    if (is_guard) guards.push_back({loop, low->local, high, is_inclusive});
  };
  const std::vector<Instruction*>& operands = condition->operands;
  switch (condition->opcode) {
    case Opcode::And:
      add_guards(operands[0], loop, guards);
      return add_guards(operands[1], loop, guards);
    case Opcode::Lt:
    case Opcode::Le:
      return add(operands[0], operands[1], condition->opcode == Opcode::Le);
    case Opcode::Gt:
    case Opcode::Ge:
      return add(operands[1], operands[0], condition->opcode == Opcode::Ge);
    default:
      return;
  }
}

/// `if not condition { …; break }` at the head of the loop, before anything is stored.
std::vector<Guard> guards_of(const Instruction* loop) {
  std::vector<Guard> guards;
  for (const Instruction* i : loop->blocks[0].instructions) {
    if (i->opcode == Opcode::LocalStore || i->opcode == Opcode::Loop || i->opcode == Opcode::Scope) break;
    if (i->opcode != Opcode::If) continue;
    const std::vector<Instruction*>& then = i->blocks[0].instructions;
    const bool leaves = !then.empty() && then.back()->opcode == Opcode::Break && then.back()->target == loop;
    if (leaves && i->operands[0]->opcode == Opcode::Not) add_guards(i->operands[0]->operands[0], loop, guards);
    break;
  }
  return guards;
}

class Inference {
 public:
  explicit Inference(Function& function) : function_(function) {
    for (const Local& local : function.locals)
      if (local.type.is(ScalarType::I64) && has_full_range(local)) open_.insert(&local);
    collect(function.body, nullptr, {});
  }

  void run() {
    std::unordered_set<const Local*> started;
    for (const Assignment& assignment : assignments_) {
      const ValueRange range = range_of(assignment);
      if (started.insert(assignment.local).second)
        assignment.local->minimum = range.minimum, assignment.local->maximum = range.maximum;
      else
        widen(*assignment.local, range, true);
    }
    for (int round = 0; visit_all(round < kPatientRounds); ++round) continue;
  }

 private:
  /// `guards` are those of `loop`, the innermost one around the block.
  void collect(const Block& block, const Instruction* loop, const std::vector<Guard>& guards) {
    for (const Instruction* instruction : block.instructions) {
      if (instruction->opcode == Opcode::LocalStore && open_.contains(instruction->local))
        assignments_.push_back({instruction->local, instruction->operands[0], guard_of(instruction, guards)});
      if (instruction->blocks.empty()) continue;
      const bool is_loop = instruction->opcode == Opcode::Loop;
      const std::vector<Guard> inner = is_loop ? guards_of(instruction) : guards;
      for (const Block& nested : instruction->blocks) collect(nested, is_loop ? instruction : loop, inner);
    }
  }

  static std::optional<Guard> guard_of(const Instruction* store, const std::vector<Guard>& guards) {
    const Instruction* sum = store->operands[0];
    if (sum->opcode != Opcode::Add) return std::nullopt;
    for (const Guard& guard : guards)
      if (guard.local == store->local && is_load_of(sum->operands[0], store->local) &&
          contains(guard.loop->blocks[0], sum->operands[0]))
        return guard;
    return std::nullopt;
  }

  ValueRange range_of(const Assignment& assignment) const {
    const ValueRange range = ir::range_of(assignment.value, function_);
    if (!assignment.guard) return range;
    const ValueRange bound = ir::range_of(assignment.guard->bound, function_);
    const ValueRange step = ir::range_of(assignment.value->operands[1], function_);
    std::int64_t last = 0, end = 0;
    if (step.minimum < 0 || __builtin_sub_overflow(bound.maximum, assignment.guard->is_inclusive ? 0 : 1, &last) ||
        __builtin_add_overflow(last, step.maximum, &end))
      return range;
    return {assignment.local->minimum, std::max(end, assignment.local->minimum)};
  }

  bool visit_all(bool is_patient) {
    bool changed = false;
    for (const Assignment& assignment : assignments_)
      changed |= widen(*assignment.local, range_of(assignment), is_patient);
    return changed;
  }

  static bool widen(Local& local, ValueRange range, bool is_patient) {
    const bool is_below = range.minimum < local.minimum;
    const bool is_above = range.maximum > local.maximum;
    const ValueRange anything;
    if (is_below) local.minimum = is_patient ? range.minimum : anything.minimum;
    if (is_above) local.maximum = is_patient ? range.maximum : anything.maximum;
    return is_below || is_above;
  }

  Function& function_;
  std::unordered_set<const Local*> open_;
  std::vector<Assignment> assignments_;  // to the open ones, in program order
};

}  // namespace

void infer_local_ranges(Function& function) { Inference(function).run(); }

}  // namespace pykc::ir
