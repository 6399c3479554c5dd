// The user errors and warnings that only the IR shows: they need control flow and what functions do together.
//
// A barrier in a function is judged where the function is called. So the check works on a copy of the module with all
// such functions inlined, brought into the form that split_at_barriers works on: there, a branch around the rest of a
// kernel is an early return, which barriers allow.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/analysis/uniformity.h"
#include "ir/passes/clone.h"
#include "ir/passes/inline_calls.h"
#include "ir/passes/passes.h"
#include "ir/passes/separate_locals.h"
#include "ir/split/prepare.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr std::int64_t kMostWaits = 4096;

class UniformityCheck {
 public:
  UniformityCheck(const Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  void check_recursion() {
    const std::unordered_set<const Function*> functions = functions_that_meet(module_);
    for (const std::unique_ptr<Function>& function : module_.functions) {
      if (!functions.contains(function.get())) continue;
      const Instruction* call = recursive_call(*function);
      if (call != nullptr)
        diagnostics_.report(source_of(module_, *function, call), call->range, DiagnosticId::RecursionNeedsBlock,
                            function->name);
    }
  }

  /// Whether the code of functions that wait, copied to every place where they are called, stays within reason. Callees
  /// come before callers; recursion has been reported.
  bool check_copies() {
    std::unordered_map<const Function*, std::int64_t> waits;  // with those of callees, once for each call
    bool fits = true;
    for (const std::unique_ptr<Function>& function : module_.functions) {
      std::int64_t& count = waits[function.get()];
      for_each_instruction(function->body, [&](const Instruction* instruction) {
        if (is_meeting_point(instruction)) ++count;
        if (instruction->opcode == Opcode::Call) count = std::min(count + waits[instruction->callee], kMostWaits + 1);
      });
      if (count <= kMostWaits || !function->is_kernel) continue;
      fits = false;
      diagnostics_.report(source_of(module_, *function), function->range, DiagnosticId::TooManyWaits, function->name,
                          kMostWaits);
    }
    return fits;
  }

  void check_barriers(Function& kernel) {
    split::make_tails_returns(kernel);
    split::separate_locals(kernel);
    const Uniformity uniformity(kernel);
    for_each_instruction(kernel.body, [&](const Instruction* instruction) {
      const Instruction* cause = uniformity.cause_of_divergence(instruction);
      if (is_barrier(instruction) && cause != nullptr) report_barrier(kernel, instruction, cause);
    });
  }

 private:
  /// Once a place, however many callers there are.
  void report_barrier(const Function& kernel, const Instruction* barrier, const Instruction* cause) {
    const SourceFile& source = source_of(module_, kernel, barrier);
    if (!reported_.insert({&source, barrier->range.begin}).second) return;
    const SourceRange condition = cause->operands[0]->range;
    diagnostics_.report(source, barrier->range, DiagnosticId::DivergentBarrier, pykc::info(barrier->builtin).name)
        .label(source_of(module_, kernel, condition == SourceRange{} ? cause : cause->operands[0]),
               condition == SourceRange{} ? cause->range : condition, "threads may part here");
  }

  const Module& module_;
  Diagnostics& diagnostics_;
  std::set<std::pair<const SourceFile*, std::uint32_t>> reported_;
};

}  // namespace

void check_uniformity(const Module& module, Diagnostics& diagnostics) {
  UniformityCheck check(module, diagnostics);
  check.check_recursion();
  const auto has_barrier = [](const auto& function) { return any_instruction(function->body, is_barrier); };
  if (!check.check_copies() || std::ranges::none_of(module.functions, has_barrier)) return;
  Module copy = clone(module);
  inline_calls(copy);
  for (const std::unique_ptr<Function>& function : copy.functions)
    if (function->is_kernel && has_barrier(function)) check.check_barriers(*function);
}

}  // namespace pykc::ir
