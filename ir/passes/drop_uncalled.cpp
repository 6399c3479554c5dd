#include <algorithm>

#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {

std::unordered_set<const Function*> called_functions(const Module& module) {
  std::unordered_set<const Function*> called;
  for (const std::unique_ptr<Function>& function : module.functions)
    for_each_instruction(function->body, [&](const Instruction* i) {
      if (i->opcode == Opcode::Call) called.insert(i->callee);
    });
  return called;
}

namespace {

bool calls_what_does_nothing(const Instruction* i) {
  if (i->opcode != Opcode::Call || !i->callee->results.empty()) return false;
  const std::vector<Instruction*>& body = i->callee->body.instructions;
  return body.size() == 1 && body.front()->opcode == Opcode::Return;
}

}  // namespace

void drop_uncalled(Module& module, const std::unordered_set<const Function*>& once_called) {
  for (const std::unique_ptr<Function>& function : module.functions)
    erase_instructions(function->body, calls_what_does_nothing);
  bool has_changed = true;
  while (has_changed) {
    const std::unordered_set<const Function*> called = called_functions(module);
    has_changed = std::erase_if(module.functions, [&](const auto& function) {
                    return once_called.contains(function.get()) && !called.contains(function.get());
                  }) > 0;
  }
}

}  // namespace pykc::ir
