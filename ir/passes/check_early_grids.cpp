// What a kernel does before it has waited for the kernels before it, which may still be at work.
#include <algorithm>

#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

bool touches_global_memory(const Instruction* i) {
  switch (i->opcode) {
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::AtomicRmw:
    case Opcode::AtomicCas:
    case Opcode::AtomicLoad:
    case Opcode::AtomicStore:
    case Opcode::HintedLoad:
    case Opcode::HintedStore:
    case Opcode::CopyAsync:
    case Opcode::Foreign:
      return std::ranges::any_of(i->operands, [](const Instruction* operand) {
        return operand->type.is_pointer() && operand->type.space == AddressSpace::Global;
      });
    default:
      return false;
  }
}

/// In the order of the text, with what is called in the place of its first call: a second one finds nothing else.
class Walk {
 public:
  void through(const Function& function) {
    if (seen_.insert(&function).second) through(function, function.body);
  }

  bool has_waited = false;
  const Function* in = nullptr;
  const Instruction* access = nullptr;  // the first one before the wait; `in` has it

 private:
  void through(const Function& function, const Block& block) {
    for (const Instruction* i : block.instructions) {
      if (has_waited) return;
      spend_time();
      has_waited = is_grid_dependency_wait(i);
      if (access == nullptr && touches_global_memory(i)) {
        in = &function;
        access = i;
      }
      if (i->opcode == Opcode::Call) through(*i->callee);
      for (const Block& nested : i->blocks) through(function, nested);
    }
  }

  std::unordered_set<const Function*> seen_;
};

}  // namespace

void check_early_grids(const Module& module, Diagnostics& diagnostics) {
  const auto waits = [](const auto& function) { return any_instruction(function->body, is_grid_dependency_wait); };
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
