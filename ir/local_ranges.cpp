// Starts from the first value stored to each variable and widens by every store whose value, with the ranges assumed so
// far, leaves them; when a round changes nothing, each store keeps each range, so no run of the function can leave
// them. A bound that still moves after a few rounds is given up.
#include "ir/local_ranges.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <vector>

#include "ir/value_range.h"

namespace pykc::ir {
namespace {

constexpr int kPatientRounds = 4;

bool has_full_range(const Local& local) {
  return local.minimum == std::numeric_limits<std::int64_t>::min() &&
         local.maximum == std::numeric_limits<std::int64_t>::max();
}

struct Assignment {
  Local* local;
  const Instruction* value;
};

class Inference {
 public:
  explicit Inference(Function& function) : function_(function) {
    for (const Local& local : function.locals)
      if (local.type.is(ScalarType::I64) && has_full_range(local)) open_.insert(&local);
    collect(function.body);
  }

  void run() {
    std::unordered_set<const Local*> started;
    for (const Assignment& assignment : assignments_) {
      const ValueRange range = range_of(assignment.value, function_);
      if (started.insert(assignment.local).second)
        assignment.local->minimum = range.minimum, assignment.local->maximum = range.maximum;
      else
        widen(*assignment.local, range, true);
    }
    for (int round = 0; visit_all(round < kPatientRounds); ++round) continue;
  }

 private:
  void collect(const Block& block) {
    for (const Instruction* instruction : block.instructions) {
      if (instruction->opcode == Opcode::LocalStore && open_.contains(instruction->local))
        assignments_.push_back({instruction->local, instruction->operands[0]});
      for (const Block& inner : instruction->blocks) collect(inner);
    }
  }

  bool visit_all(bool is_patient) {
    bool changed = false;
    for (const Assignment& assignment : assignments_)
      changed |= widen(*assignment.local, range_of(assignment.value, function_), is_patient);
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
