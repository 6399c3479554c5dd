// What a kernel does before it has waited for the kernels before it, which may still be at work.
#include <algorithm>

#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

bool is_wait(const Instruction* i) {
  return i->opcode == Opcode::Builtin && i->builtin == BuiltinId::GridDependencyWait;
}

bool touches_global_memory(const Instruction* i) {
  const bool has_address = i->opcode == Opcode::CopyAsync || (info(i->opcode).effect != OpcodeEffect::Pure &&
                                                              i->opcode != Opcode::Call && !i->operands.empty());
  return has_address && std::ranges::any_of(i->operands, [](const Instruction* operand) {
           return operand->type.is_pointer() && operand->type.space == AddressSpace::Global;
         });
}

/// In the order of the text, with what is called in the place of the call.
class Walk {
 public:
  void through(const Function& function) {
    if (std::ranges::find(callers_, &function) != callers_.end()) return;
    callers_.push_back(&function);
    through(function, function.body);
    callers_.pop_back();
  }

  bool has_waited = false;
  const Function* in = nullptr;
  const Instruction* access = nullptr;  // the first one before the wait; `in` has it

 private:
  void through(const Function& function, const Block& block) {
    for (const Instruction* i : block.instructions) {
      if (has_waited) return;
      has_waited = is_wait(i);
      if (access == nullptr && touches_global_memory(i)) {
        in = &function;
        access = i;
      }
      if (i->opcode == Opcode::Call) through(*i->callee);
      for (const Block& nested : i->blocks) through(function, nested);
    }
  }

  std::vector<const Function*> callers_;
};

}  // namespace

void check_early_grids(const Module& module, Diagnostics& diagnostics) {
  const auto waits = [](const auto& function) { return any_instruction(function->body, is_wait); };
  if (std::ranges::none_of(module.functions, waits)) return;
  for (const std::unique_ptr<Function>& function : module.functions) {
    if (!function->is_kernel) continue;
    Walk walk;
    walk.through(*function);
    if (walk.has_waited && walk.access != nullptr)
      diagnostics.report(source_of(module, *walk.in, walk.access), walk.access->range, DiagnosticId::EarlyAccess,
                         function->name);
  }
}

}  // namespace pykc::ir
