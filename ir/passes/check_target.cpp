// What a target does not have. Everything else of the language runs everywhere; this is the list of what does not.
#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

std::string name_of(const TargetLimits& target) {
  return target.is_cpu ? "cpu" : "sm_" + std::to_string(target.chip) + (target.is_chip_specific ? "a" : "");
}

/// Instructions that one generation has, and neither those before nor those behind: PTX manual, "Target ISA Notes".
struct InstructionFamily {
  std::string_view name;  // as its instructions begin
  int first = 0;          // chip
  int last = 0;
  std::string_view wanted;
};
constexpr InstructionFamily kFamilies[] = {{"wgmma.", 90, 90, "sm_90a"}, {"tcgen05.", 100, 110, "sm_100a"}};

/// Of what PTX in the source takes the target has nothing; null where nothing is known to lack.
const InstructionFamily* missing_family(std::string_view ptx, const TargetLimits& target) {
  for (const InstructionFamily& family : kFamilies) {
    const bool has_it = target.is_chip_specific && family.first <= target.chip && target.chip <= family.last;
    if (!has_it && ptx.find(family.name) != std::string_view::npos) return &family;
  }
  return nullptr;
}

/// What a GPU builtin takes that the target lacks; empty where it lacks nothing.
std::string missing_of(const pykc::Builtin& row, const TargetLimits& target) {
  if (target.is_cpu) return row.cpu.kind == Lowering::Kind::Missing ? std::string(row.cpu.name) : std::string();
  return row.nvptx.chip > target.chip ? "sm_" + std::to_string(row.nvptx.chip) + " or later" : std::string();
}

}  // namespace

void check_target(const Module& module, const TargetLimits& target, Diagnostics& diagnostics) {
  for (const std::unique_ptr<Function>& function : module.functions) {
    const auto report = [&](SourceRange range, std::string_view what, std::string_view missing) {
      diagnostics.report(source_of(module, *function), range, DiagnosticId::NotOnTarget, what, missing,
                         name_of(target));
    };
    if (function->cluster != Dim3{} && !target.is_cpu && target.chip < 90)
      report(function->range, "cluster=", "sm_90 or later");
    for_each_instruction(function->body, [&](const Instruction* instruction) {
      const bool is_older = !target.is_cpu && target.chip < 90;
      if (instruction->opcode == Opcode::ClusterPointer && is_older)
        report(instruction->range, "map_shared_rank", "sm_90 or later");
      if (instruction->opcode == Opcode::TensorMap && is_older)
        report(instruction->range, "tensor_map", "sm_90 or later");
      if (instruction->opcode == Opcode::Foreign) {
        const ForeignCode& code = function->foreign_codes[static_cast<std::size_t>(instruction->index)];
        if (code.is_function) return;
        if (target.is_cpu)
          report(instruction->range, "ptx", "a GPU");
        else if (const InstructionFamily* family = missing_family(code.text, target))
          report(instruction->range, family->name, family->wanted);
      }
      if (instruction->opcode != Opcode::Builtin) return;
      const pykc::Builtin& row = info(instruction->builtin);
      const std::string missing = missing_of(row, target);
      if (!missing.empty()) report(instruction->range, row.name, missing);
    });
  }
}

}  // namespace pykc::ir
