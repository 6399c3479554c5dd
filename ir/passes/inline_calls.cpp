// Copies into their callers the functions that cannot be called while one thread after the other runs: those that wait
// for other threads, or that have shared memory. Functions that stop a thread, or that ask where it stands, are copied
// as well, so that what they compute can be seen to be the same for all threads, and loops of arithmetic, whose turns
// the threads may take together (split/lockstep/lockstep.cpp); but not without end: what is long and called from
// several places stays a call, or a tree of calls would double with each level.
//
// A call becomes the callee's body. Where the body returns at its end only, its instructions simply stand in place of
// the call and its results are their values. Else the body stands in a Scope, a Return stores the results into locals
// and leaves the Scope. Callees come before callers in a module, so by the time a body is copied, it is complete.
//
// What calls itself cannot be copied: such calls stay as they are, and check_uniformity has reported them.
#include "ir/passes/inline_calls.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <unordered_map>

#include "ir/passes/clone.h"
#include "ir/passes/inline_calls.h"
#include "ir/passes/passes.h"
#include "ir/split/lockstep/lockstep.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr std::size_t kAlwaysInlined = 600;  // instructions, with all that is copied into them

bool needs_its_block(const Instruction* instruction) {
  return instruction->opcode == Opcode::SharedArray || instruction->opcode == Opcode::LaunchSharedBytes ||
         is_meeting_point(instruction);
}

bool asks_for_its_thread(const Instruction* instruction) {
  return instruction->opcode == Opcode::Fault || instruction->opcode == Opcode::AnyFault ||
         instruction->opcode == Opcode::Observe || tells_place(instruction);
}

bool is_return(const Instruction* instruction) { return instruction->opcode == Opcode::Return; }

bool returns_at_end_only(const Block& body) {
  int returns = 0;
  for_each_instruction(body, [&](const Instruction* instruction) { returns += is_return(instruction) ? 1 : 0; });
  return returns == 0 || (returns == 1 && is_return(body.instructions.back()));
}

/// Whether a call of `function` can lead to `goal`.
bool leads_to(const Function* function, const Function* goal, std::unordered_set<const Function*>& seen) {
  if (function == goal) return true;
  if (!seen.insert(function).second) return false;
  return any_instruction(function->body, [&](const Instruction* instruction) {
    return instruction->opcode == Opcode::Call && leads_to(instruction->callee, goal, seen);
  });
}

/// Inlines the calls of one function.
class Inliner {
 public:
  Inliner(Function& caller, const std::unordered_set<const Function*>& callees) : caller_(caller), callees_(callees) {}
  void rewrite(Block& block);

 private:
  using Values = std::vector<Instruction*>;
  void inline_call(const Instruction* call, Block& to);
  Block copy_body(const Instruction* call);
  void adopt_declarations(const Function& callee, Block& copy);
  std::int64_t adopt(const Function& callee, Opcode table, std::int64_t index);
  Values splice(Block& copy, Block& to);
  Values nest(const Function& callee, Block& copy, Block& to);
  void replace_returns(Block& block, Instruction* scope, const std::vector<Local*>& results);
  Instruction* replacement_of(Instruction* value) const {
    const auto found = replacements_.find(value);
    return found == replacements_.end() ? value : found->second;
  }

  Function& caller_;
  const std::unordered_set<const Function*>& callees_;
  std::unordered_map<const Instruction*, Values> results_;                             // of the calls inlined
  std::unordered_map<const Instruction*, Instruction*> replacements_;                  // for their Extracts
  std::map<std::tuple<const Function*, Opcode, std::int64_t>, std::int64_t> adopted_;  // declarations, by their user
};

void Inliner::rewrite(Block& block) {
  Block to;
  for (Instruction* instruction : block.instructions) {
    for (Instruction*& operand : instruction->operands) operand = replacement_of(operand);
    for (Block& nested : instruction->blocks) rewrite(nested);
    if (instruction->opcode == Opcode::Call && callees_.contains(instruction->callee))
      inline_call(instruction, to);
    else if (instruction->opcode == Opcode::Extract && results_.contains(instruction->operands[0]))
      replacements_[instruction] = results_[instruction->operands[0]][static_cast<std::size_t>(instruction->index)];
    else
      to.instructions.push_back(instruction);
  }
  block = std::move(to);
}

void Inliner::inline_call(const Instruction* call, Block& to) {
  Block copy = copy_body(call);
  results_[call] = returns_at_end_only(copy) ? splice(copy, to) : nest(*call->callee, copy, to);
}

Block Inliner::copy_body(const Instruction* call) {
  const Function& callee = *call->callee;
  Cloner cloner(caller_);
  for (const Local& local : callee.locals)
    cloner.replace(&local, caller_.create_local_like(local, callee.name + '.' + local.name));
  for_each_instruction(callee.body, [&](const Instruction* instruction) {
    if (instruction->opcode == Opcode::Parameter)
      cloner.replace(instruction, call->operands[static_cast<std::size_t>(instruction->index)]);
  });
  Block copy;
  cloner.clone(callee.body, copy);
  adopt_declarations(callee, copy);
  if (callee.source != caller_.source)
    for_each_instruction(copy, [&](Instruction* i) {
      if (i->source == nullptr) i->source = callee.source.get();
    });
  return copy;
}

/// Arrays, print formats and the like of the callee become the caller's; all calls of one callee share them.
void Inliner::adopt_declarations(const Function& callee, Block& copy) {
  for_each_instruction(copy, [&](Instruction* instruction) {
    const Opcode table = instruction->opcode;
    if (table == Opcode::LocalArray || table == Opcode::SharedArray || table == Opcode::Print ||
        table == Opcode::Foreign || table == Opcode::TensorMap)
      instruction->index = adopt(callee, table, instruction->index);
  });
}

template <typename Declaration>
std::int64_t append_copy(const std::vector<Declaration>& from, std::int64_t index, std::vector<Declaration>& to) {
  to.push_back(from[static_cast<std::size_t>(index)]);
  return static_cast<std::int64_t>(to.size()) - 1;
}

std::int64_t Inliner::adopt(const Function& callee, Opcode table, std::int64_t index) {
  const auto [entry, is_new] = adopted_.try_emplace({&callee, table, index});
  if (!is_new) return entry->second;
  if (table == Opcode::LocalArray)
    entry->second = append_copy(callee.local_arrays, index, caller_.local_arrays);
  else if (table == Opcode::SharedArray)
    entry->second = append_copy(callee.shared_arrays, index, caller_.shared_arrays);
  else if (table == Opcode::Foreign)
    entry->second = append_copy(callee.foreign_codes, index, caller_.foreign_codes);
  else if (table == Opcode::TensorMap)
    entry->second = append_copy(callee.tensor_maps, index, caller_.tensor_maps);
  else
    entry->second = append_copy(callee.print_formats, index, caller_.print_formats);
  return entry->second;
}

Inliner::Values Inliner::splice(Block& copy, Block& to) {
  Values results;
  if (is_terminated(copy)) {  // by its one Return
    results = copy.instructions.back()->operands;
    copy.instructions.pop_back();
  }
  to.instructions.insert(to.instructions.end(), copy.instructions.begin(), copy.instructions.end());
  return results;
}

Inliner::Values Inliner::nest(const Function& callee, Block& copy, Block& to) {
  std::vector<Local*> locals;
  for (const Type type : callee.results) locals.push_back(caller_.create_local(callee.name + ".result", type));
  Instruction* scope = caller_.create(Opcode::Scope, Type::none(), callee.range);
  replace_returns(copy, scope, locals);
  scope->blocks.push_back(std::move(copy));
  to.instructions.push_back(scope);
  Values results;
  for (Local* local : locals) {
    Instruction* load = caller_.create(Opcode::LocalLoad, local->type, callee.range);
    load->local = local;
    to.instructions.push_back(load);
    results.push_back(load);
  }
  return results;
}

void Inliner::replace_returns(Block& block, Instruction* scope, const std::vector<Local*>& results) {
  for (Instruction* instruction : block.instructions)
    for (Block& nested : instruction->blocks) replace_returns(nested, scope, results);
  if (block.empty() || !is_return(block.instructions.back())) return;
  const Instruction* leave = block.instructions.back();
  block.instructions.pop_back();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Instruction* store = caller_.create(Opcode::LocalStore, Type::none(), leave->range);
    store->local = results[i];
    store->operands = {leave->operands[i]};
    block.instructions.push_back(store);
  }
  Instruction* exit = caller_.create(Opcode::Break, Type::none(), leave->range);
  exit->target = scope;
  block.instructions.push_back(exit);
}

/// The device functions with such an instruction, or that call one.
template <typename Predicate>
std::unordered_set<const Function*> closure_over_calls(const Module& module, Predicate holds) {
  std::unordered_set<const Function*> found;
  std::size_t before = 0;
  do {
    before = found.size();
    for (const std::unique_ptr<Function>& function : module.functions) {
      if (function->is_kernel || found.contains(function.get())) continue;
      const bool belongs = any_instruction(function->body, [&](const Instruction* i) {
        return holds(i) || (i->opcode == Opcode::Call && found.contains(i->callee));
      });
      if (belongs) found.insert(function.get());
    }
  } while (found.size() != before);
  return found;
}

std::unordered_map<const Function*, int> count_calls(const Module& module) {
  std::unordered_map<const Function*, int> calls;
  for (const std::unique_ptr<Function>& function : module.functions)
    for_each_instruction(function->body, [&](const Instruction* i) {
      if (i->opcode == Opcode::Call) ++calls[i->callee];
    });
  return calls;
}

/// Callees stand before callers, so that lengths add up.
std::unordered_set<const Function*> functions_to_inline(const Module& module) {
  const std::unordered_set<const Function*> must = functions_that_meet(module);
  std::unordered_map<const Function*, int> calls = count_calls(module);
  std::unordered_map<const Function*, std::size_t> lengths;  // of those that are copied
  std::unordered_set<const Function*> found;
  for (const std::unique_ptr<Function>& function : module.functions) {
    if (function->is_kernel) continue;
    std::size_t length = 0;
    bool asks = false;
    for_each_instruction(function->body, [&](const Instruction* i) {
      const bool is_copied = i->opcode == Opcode::Call && found.contains(i->callee);
      length += is_copied ? lengths.at(i->callee) : 1;
      asks |= is_copied || asks_for_its_thread(i) || (i->opcode == Opcode::Loop && split::is_arithmetic_loop(*i));
    });
    const bool is_fit =
        must.contains(function.get()) || (asks && (length <= kAlwaysInlined || calls[function.get()] == 1));
    if (!is_fit || recursive_call(*function) != nullptr) continue;
    found.insert(function.get());
    lengths[function.get()] = length;
  }
  return found;
}

}  // namespace

std::unordered_set<const Function*> functions_that_meet(const Module& module) {
  return closure_over_calls(module, needs_its_block);
}

std::unordered_set<const Function*> functions_that_fault(const Module& module) {
  return closure_over_calls(module, [](const Instruction* i) { return i->opcode == Opcode::Fault; });
}

const Instruction* recursive_call(const Function& function) {
  const Instruction* call = nullptr;
  any_instruction(function.body, [&](const Instruction* instruction) {
    std::unordered_set<const Function*> seen;
    const bool is_recursive = instruction->opcode == Opcode::Call && leads_to(instruction->callee, &function, seen);
    if (is_recursive) call = instruction;
    return is_recursive;
  });
  return call;
}

std::unordered_set<const Function*> functions_with(const Module& module, Opcode opcode) {
  return closure_over_calls(module, [&](const Instruction* i) { return i->opcode == opcode; });
}

void inline_register_code(Module& module) {
  std::unordered_set<const Function*> users;  // that change registers, themselves or by what they call
  std::unordered_set<const Function*> callees;
  const auto calls_user = [&](const Function& function) {
    return any_instruction(function.body, [&](const Instruction* i) {
      return (i->opcode == Opcode::Call && users.contains(i->callee)) ||
             (i->opcode == Opcode::Foreign && function.foreign_codes[static_cast<std::size_t>(i->index)].is_tied);
    });
  };
  for (const std::unique_ptr<Function>& function : module.functions)  // callees stand before callers
    if (calls_user(*function)) users.insert(function.get());
  for (const std::unique_ptr<Function>& function : std::views::reverse(module.functions))
    if (users.contains(function.get()) || callees.contains(function.get()))
      for_each_instruction(function->body, [&](const Instruction* i) {
        if (i->opcode == Opcode::Call) callees.insert(i->callee);
      });
  inline_calls(module, std::move(callees));
}

void inline_calls(Module& module) { inline_calls(module, functions_to_inline(module)); }

void inline_calls(Module& module, std::unordered_set<const Function*> callees) {
  std::erase_if(callees, [](const Function* function) { return recursive_call(*function) != nullptr; });
  for (const std::unique_ptr<Function>& function : module.functions)
    Inliner(*function, callees).rewrite(function->body);
  std::erase_if(module.functions, [&](const auto& function) { return callees.contains(function.get()); });
}

}  // namespace pykc::ir
