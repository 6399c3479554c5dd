// The passes of the IR, in the order in which the driver runs them. Each takes a sound module and leaves a sound one.
#pragma once

#include <unordered_set>

#include "base/diagnostics.h"
#include "ir/module.h"

namespace pykc::ir {

/// How many calls of functions that call themselves may be under way in a thread, and the bytes of local arrays that
/// each of them may hold.
inline constexpr int kMaxRecursion = 256;
inline constexpr std::int64_t kMaxRecursiveArrayBytes = 1024;
/// Bytes of the stack that each may take on the CPU device, arrays and all: 512 KiB are enough for them.
inline constexpr std::int64_t kMaxRecursiveFrameBytes = 2000;

/// What the passes know of the target.
struct TargetLimits {
  bool is_cpu = false;
  int chip = 0;                   // GPUs: 90 of sm_90
  bool is_chip_specific = false;  // sm_90a
};

/// Makes deeper recursion a fault, and reports functions that would need too much stack for it.
void limit_recursion(Module& module, Diagnostics& diagnostics);

/// a * b + c becomes fma where the function's options allow it: here, once, the same for every target, so that the
/// CPU and the GPU round alike. A product with several uses is never contracted; of two products in a sum, the left is.
void contract_multiply_add(Function& function);

/// Replaces a Local that is stored once, before every load, by the value stored. What follows reasons about values.
void promote_locals(Function& function);

/// Evaluates instructions whose operands are constants, and drops pure instructions that nobody uses and branches
/// that cannot be taken.
void fold_constants(Function& function);

/// Puts what is known of the target in place of `cuda_arch` and its kin; before constants are folded, so that code for
/// other targets is dropped. So is what says when grids begin, where the target has each begin in its turn.
void resolve_target(Function& function, const TargetLimits& target);

/// The functions that others call.
std::unordered_set<const Function*> called_functions(const Module& module);

/// Drops calls of functions that do nothing, and functions of `once_called` that nobody calls any more, since the calls
/// stood where nothing runs.
void drop_uncalled(Module& module, const std::unordered_set<const Function*>& once_called);

/// GPU: copies into kernels with PTX that changes registers in their place all that they call. Hardware may still be at
/// work with such registers, as it is for `wgmma`, when a call would have to move them.
void inline_register_code(Module& module);

/// GPU: every tensor map becomes one more parameter of its kernel, which the runtime makes of an array of the launch.
/// Reports those of arrays that are no parameters.
void bind_tensor_maps(Module& module, Diagnostics& diagnostics);

/// Reports what a kernel reads or writes before `grid_dependency_wait`: a warning. Before resolve_target, which drops
/// the call.
void check_early_grids(const Module& module, Diagnostics& diagnostics);

/// Reports a barrier that only some threads of a block can reach for certain: a warning of the uniformity analysis.
void check_uniformity(const Module& module, Diagnostics& diagnostics);

/// Reports builtins and options that the target does not have.
void check_target(const Module& module, const TargetLimits& target, Diagnostics& diagnostics);

/// CPU: sets Function::runs_warps_apart of functions in which warps wait for one another beyond `syncthreads`, or whose
/// callees do.
void find_warps_apart(Module& module);

/// CPU: lets the lanes of a warp meet before loops that call `wait_turn`.
void meet_before_waits(Function& function);

/// CPU: copies the bodies of callees that wait (barrier, warp exchange), can fault, ask for the place of their thread
/// or have shared memory into their callers, so that what splits a kernel stands in the kernel; then drops those
/// callees.
void inline_calls(Module& module);

/// CPU: turns a kernel, which describes one thread, into a function that runs a whole block: ThreadLoops for the parts
/// without a barrier, scalar code between them, slots for what lives across. See split_at_barriers.cpp.
/// Fills Function::slots and KernelInfo::scratch_bytes is left to code generation, which knows slot sizes.
void split_at_barriers(Function& kernel, Module& module);

/// How long a function may be, in instructions; loops and branches count as many. For a GPU little is done to loops.
constexpr std::size_t kLongestOnCpu = 16'384, kLongestOnGpu = 80'000;
constexpr int kDeepest = 12;  // loops within each other
/// Cuts longer and deeper functions into parts, so that the time to compile grows with the length of the code. The last
/// pass.
void cut_long_functions(Module& module, std::size_t longest, int deepest = kDeepest);

}  // namespace pykc::ir
