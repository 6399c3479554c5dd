// How a kernel, which describes one thread, becomes a function that runs a whole block on one core.
//
// The idea. Between two points where threads meet (barriers, operations of a warp) they do not see one another, so
// they may run one after the other: such a stretch of code becomes a region, a loop over the threads of the block
// (ThreadLoop), which LLVM can vectorise. Where all threads meet is simply where one region ends and the next begins.
//
//   s[t] = x[i]                         threads { s[t] = x[i] }
//   d = blockDim.x // 2                 d = blockDim.x // 2
//   while d > 0:                        while d > 0:
//       syncthreads()            →          threads { if t < d: s[t] += s[t + d] }
//       if t < d:                           d //= 2
//           s[t] += s[t + d]
//       d //= 2
//
// Control flow around a meeting point stays what it is, outside of the regions, as long as all threads provably decide
// alike; what it depends on (`d`) is computed once a block. Where they may decide differently, a bool per thread, a
// mask, says who is in the branch or still in the loop, and regions run for these threads alone. A thread that returns
// is taken out of the mask `alive`, and nobody waits for it. A barrier under a mask is checked: all who live must be
// there, else the kernel faults.
//
// What is known in one region and needed in another is computed again if that is cheap, kept as a scalar if it is the
// same for all threads, and else kept in a slot, an array over the threads of the block.
//
// This is done on structured code, construct by construct, before LLVM sees it: no case can turn up that the steps
// below do not cover. (On a control flow graph, barriers in loops with several exits need tail duplication, and
// optimisers move barriers to where regions can no longer be formed.)
//
// The steps, and the files that take them:
//   separate    uses of a variable that have nothing to do with each other         passes/separate_locals.cpp
//   lockstep    loops that are faster a turn of all threads at a time              lockstep/
//   prepare     leave no more constructs and exits than needed                     prepare.cpp
//   plan        once a block or once a thread?                                     plan.cpp
//   regions     ThreadLoops, masks, block-level control                            regions.cpp
//   values      what crosses is computed again or goes through a local             values.cpp
//   slots       locals that cross live in slots, the others in their region        slots.cpp
//   clean up    what has no use; which local arrays each thread needs for its own  cleanup.cpp
//
// A kernel in which nobody meets is one region, but for the loops that lockstep finds.
//
// Where the warps of a block wait for one another one by one (Function::runs_warps_apart), a region is a loop over the
// threads of one warp, and what is said above of the block holds for that warp: each runs the function for itself, and
// the barriers, which are WarpExchanges there, say where it must wait for others.
#include "ir/instrument/drop_observes.h"
#include "ir/passes/inline_calls.h"
#include "ir/passes/passes.h"
#include "ir/passes/separate_locals.h"
#include "ir/split/cleanup.h"
#include "ir/split/lockstep/lockstep.h"
#include "ir/split/plan.h"
#include "ir/split/prepare.h"
#include "ir/split/regions.h"
#include "ir/split/slots.h"
#include "ir/split/values.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

void make_one_region(Function& kernel) {
  Instruction* loop = kernel.create(Opcode::ThreadLoop, Type::none(), kernel.range);
  loop->blocks.push_back(std::move(kernel.body));
  kernel.body.instructions = {loop};
}

/// Loops that become control flow of the block end their turns in one way only. Finding them may find more of them.
split::Plan make_plan(Function& kernel, const std::unordered_set<const Function*>& faulting,
                      const std::unordered_set<const Instruction*>& lockstep) {
  while (true) {
    split::Plan plan(kernel, faulting, lockstep);
    bool has_changed = false;
    for_each_instruction(kernel.body, [&](Instruction* instruction) {
      if (instruction->opcode == Opcode::Loop && plan.is_block_level(instruction))
        has_changed |= split::flatten_loop(kernel, *instruction);
    });
    if (!has_changed) return plan;
  }
}

}  // namespace

void split_at_barriers(Function& kernel, Module& module) {
  split::separate_locals(kernel);
  promote_locals(kernel);  // of a variable that was used twice, each half may be stored once,
  fold_constants(kernel);  // and be a constant, which nobody has to keep
  drop_needless_observes(module, kernel);
  // What is observed is observed a thread at a time: nothing is won by turns of all threads; and little by those of a
  // warp.
  std::unordered_set<const Instruction*> lockstep;
  if (!kernel.is_watched && !kernel.runs_warps_apart) lockstep = split::find_lockstep_loops(kernel);
  if (lockstep.empty() && !has_meeting_point(kernel.body)) return make_one_region(kernel);
  split::gather_extracts(kernel);
  split::make_tails_returns(kernel);
  const std::unordered_set<const Function*> faulting = functions_that_fault(module);
  split::Regions regions = split::build_regions(kernel, module, make_plan(kernel, faulting, lockstep));
  split::localize_values(kernel, regions);
  split::drop_unused(kernel, regions.effects);
  split::assign_slots(kernel, regions);
  split::drop_unused(kernel, regions.effects);
  split::drop_unused_locals(kernel);
  split::mark_arrays(kernel);
}

}  // namespace pykc::ir
