// Where warps of a block wait for one another one by one, or blocks of a cluster for one another, the CPU runs each
// warp on a stack of its own (runtime/cpu/warps.h).
#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {

void find_warps_apart(Module& module) {
  for (const std::unique_ptr<Function>& function : module.functions)
    for_each_instruction_reached(*function, [&](const Instruction* instruction) {
      function->runs_warps_apart |=
          is_named_barrier(instruction) || is_wait_turn(instruction) || is_of_cluster(instruction);
    });
}

}  // namespace pykc::ir
