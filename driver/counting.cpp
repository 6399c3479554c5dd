#include "driver/counting.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::driver {
namespace {

template <typename Predicate>
bool any_instruction_of(const ir::Module& module, Predicate holds) {
  return std::ranges::any_of(module.functions,
                             [&](const auto& function) { return ir::any_instruction(function->body, holds); });
}

int grid_axes(const ir::Module& module) {
  const auto asks_for = [&](BuiltinId id) {
    return any_instruction_of(module, [id](const ir::Instruction* instruction) {
      return instruction->opcode == ir::Opcode::Builtin && instruction->builtin == id;
    });
  };
  return asks_for(BuiltinId::BlockIdxZ) ? 3 : asks_for(BuiltinId::BlockIdxY) ? 2 : 1;
}

bool has_foreign_code(const ir::Module& module) {
  return any_instruction_of(
      module, [](const ir::Instruction* instruction) { return instruction->opcode == ir::Opcode::Foreign; });
}

}  // namespace

CountingKernel describe_counting(const ir::Module& module, Artifact artifact) {
  return {std::move(artifact), grid_axes(module), has_foreign_code(module)};
}

}  // namespace pykc::driver
