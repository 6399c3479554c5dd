// Functions that call themselves, directly or in a circle, get one parameter more: how many such calls are under way.
// Beyond kMaxRecursion the thread stops with a fault, at the same depth on every device, rather than running over the
// end of its stack.
//
// Callees come before callers in a module, so every circle has a call of a function that does not stand before the
// caller. What such a callee leads to, and what leads to such a caller, is in a circle, or between two of them.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Functions = std::unordered_set<const Function*>;
using Edges = std::unordered_map<const Function*, std::vector<const Function*>>;

/// `from` and all that the edges lead to.
Functions reachable(std::vector<const Function*> from, Edges& edges) {
  Functions found;
  while (!from.empty()) {
    const Function* function = from.back();
    from.pop_back();
    if (!found.insert(function).second) continue;
    const std::vector<const Function*>& next = edges[function];
    from.insert(from.end(), next.begin(), next.end());
  }
  return found;
}

class RecursionLimiter {
 public:
  RecursionLimiter(Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  void run() {
    find_recursive_functions();
    for (const std::unique_ptr<Function>& function : module_.functions)
      if (function->is_recursive) count_depth(*function);
    for (const std::unique_ptr<Function>& function : module_.functions)
      if (!function->is_recursive) start_at_zero(*function, function->body);
  }

 private:
  void find_recursive_functions() {
    Functions seen;
    Edges callees, callers;
    std::vector<const Function*> first, last;  // of circles
    for (const std::unique_ptr<Function>& function : module_.functions) {
      const Function* caller = function.get();
      for_each_instruction(caller->body, [&](const Instruction* instruction) {
        if (instruction->opcode != Opcode::Call) return;
        const Function* callee = instruction->callee;
        callees[caller].push_back(callee);
        callers[callee].push_back(caller);
        if (seen.contains(callee)) return;
        first.push_back(callee);
        last.push_back(caller);
      });
      seen.insert(caller);
    }
    if (first.empty()) return;
    const Functions below = reachable(std::move(first), callees);
    const Functions above = reachable(std::move(last), callers);
    for (const std::unique_ptr<Function>& function : module_.functions) {
      function->is_recursive = below.contains(function.get()) && above.contains(function.get());
      if (function->is_recursive) check_stack(*function, callees);
    }
  }

  void check_stack(const Function& recursive, Edges& callees) {
    std::int64_t bytes = 0;
    for (const Function* function : reachable({&recursive}, callees))
      for (const ArrayStorage& array : function->local_arrays) bytes += array.count * size_in_bytes(array.element);
    if (bytes > kMaxRecursiveArrayBytes)
      diagnostics_.report(source_of(module_, recursive), recursive.range, DiagnosticId::RecursionNeedsStack,
                          recursive.name, bytes, kMaxRecursiveArrayBytes);
  }

  void count_depth(Function& function) {
    Block body = std::move(function.body);
    function.body = {};
    function.parameters.push_back({.name = "recursion.depth", .type = Type::of(ScalarType::I32)});
    Builder b(function);
    b.set_range(function.range);
    Instruction* depth = b.parameter(static_cast<int>(function.parameters.size()) - 1);
    b.enter(b.if_(b.emit(Opcode::Ge, {depth, b.constant_int(ScalarType::I32, kMaxRecursion)}))->blocks[0]);
    const std::string message =
        "`" + function.name + "` calls itself more than " + std::to_string(kMaxRecursion) + " levels deep";
    b.fault(add_fault_site(module_, message, source_of(module_, function), function.range), {});
    b.leave();
    Instruction* next = b.emit(Opcode::Add, {depth, b.constant_int(ScalarType::I32, 1)});
    for_each_instruction(body, [&](Instruction* instruction) {
      if (instruction->opcode == Opcode::Call && instruction->callee->is_recursive)
        instruction->operands.push_back(next);
    });
    std::ranges::copy(body.instructions, std::back_inserter(function.body.instructions));
  }

  void start_at_zero(Function& function, Block& block) {
    std::vector<Instruction*> instructions;
    for (Instruction* instruction : block.instructions) {
      for (Block& nested : instruction->blocks) start_at_zero(function, nested);
      if (instruction->opcode == Opcode::Call && instruction->callee->is_recursive) {
        Instruction* zero = function.create(Opcode::Constant, Type::of(ScalarType::I32), instruction->range);
        instruction->operands.push_back(zero);
        instructions.push_back(zero);
      }
      instructions.push_back(instruction);
    }
    block.instructions = std::move(instructions);
  }

  Module& module_;
  Diagnostics& diagnostics_;
};

}  // namespace

void limit_recursion(Module& module, Diagnostics& diagnostics) { RecursionLimiter(module, diagnostics).run(); }

}  // namespace pykc::ir
