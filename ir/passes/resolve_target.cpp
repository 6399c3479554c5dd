#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {

namespace {

bool is_for_early_grids(const Instruction* i) {
  return is_grid_dependency_wait(i) || (i->opcode == Opcode::Builtin && i->builtin == BuiltinId::GridDependencyLaunch);
}

}  // namespace

void resolve_target(Function& function, const TargetLimits& target) {
  if (target.is_cpu || target.chip < 90) erase_instructions(function.body, is_for_early_grids);
  const int arch = target.is_cpu ? 0 : 10 * target.chip;
  for_each_instruction(function.body, [&](Instruction* instruction) {
    if (instruction->opcode != Opcode::Builtin) return;
    const bool is_specific = instruction->builtin == BuiltinId::CudaArchSpecific;
    if (!is_specific && instruction->builtin != BuiltinId::CudaArch) return;
    instruction->opcode = Opcode::Constant;
    instruction->constant = static_cast<std::uint64_t>(is_specific && !target.is_chip_specific ? 0 : arch);
  });
}

}  // namespace pykc::ir
