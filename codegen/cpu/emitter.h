// The CPU half of code generation: a kernel becomes a function that runs a range of blocks, one after the other, on one
// thread of the host (include/pykc/kernel_abi.h).
//
// Code of the IR outside every ThreadLoop runs once a block. A ThreadLoop becomes loops over z, y and x, x innermost:
// the turns of a block's threads, which LLVM turns into vector code. It may, because the turns are independent between
// two barriers, and every load and store says so (access groups, llvm.loop.parallel_accesses); the exceptions are
// atomic operations and local arrays, whose storage is one for all turns.
//
// Where warps run apart (Function::runs_warps_apart), the function runs one warp of one block, and what is said here of
// a block's threads holds for the warp's.
//
// What a thread keeps from one ThreadLoop to the next stands in the scratch memory of the host's thread, slot by slot,
// each an array indexed by the thread's number in its block.
#pragma once

#include <array>
#include <unordered_set>

#include "codegen/cpu/layout.h"
#include "codegen/emit/emitter.h"

namespace pykc::codegen {

using Axes = std::array<Value*, 3>;

struct CpuEmitter : Emitter {
  CpuEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function);

  CpuLayout layout;
  Value* launch = nullptr;
  Value* fault_record = nullptr;
  Value* kernel_number = nullptr;  // i32
  Value* block_number = nullptr;
  Value* shared = nullptr;
  Value* scratch = nullptr;
  Value* shared_bytes = nullptr;
  Value* threads = nullptr;         // of the block
  Value* turns = nullptr;           // how many of its threads the function runs: all, or those of a warp
  Value* first_thread = nullptr;    // the first of them; null for thread 0
  Value* padded_threads = nullptr;  // rounded up: the stride between slots
  Axes block_extents{}, grid_extents{}, block_index{}, thread_index{};
  Value* thread_number = nullptr;                     // of the current turn; null outside a ThreadLoop
  llvm::BasicBlock* block_end = nullptr;              // where a return at block level goes
  llvm::BasicBlock* turn_end = nullptr;               // where a return in a turn goes
  llvm::MDNode* access_group = nullptr;               // of the current ThreadLoop
  std::unordered_set<const ir::Local*> block_locals;  // used outside of every ThreadLoop
};

}  // namespace pykc::codegen
