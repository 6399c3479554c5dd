#include "codegen/own_passes.h"

#include "codegen/cpu/passes/combine_vectors.h"
#include "codegen/cpu/passes/flag_halves.h"
#include "codegen/cpu/passes/keep_access_order.h"
#include "codegen/cpu/passes/limit_chains.h"
#include "codegen/cpu/passes/prefetch_streams.h"
#include "codegen/cpu/passes/rare_calls.h"
#include "codegen/cpu/passes/saturate_vectors.h"
#include "codegen/cpu/passes/sink_uniform_loads.h"
#include "codegen/cpu/passes/split_negative_counts.h"
#include "codegen/cpu/passes/stop_polls.h"
#include "codegen/cpu/passes/stream_stores.h"
#include "codegen/cpu/passes/table_reads.h"
#include "codegen/nvptx/passes/compare_high_words.h"
#include "codegen/nvptx/passes/constant_memory.h"
#include "codegen/nvptx/passes/halve_large_bfloats.h"
#include "codegen/nvptx/passes/integers_to_bfloat.h"
#include "codegen/nvptx/passes/limit_shift_counts.h"
#include "codegen/nvptx/passes/limit_sums.h"
#include "codegen/nvptx/passes/load_bools.h"
#include "codegen/nvptx/passes/native_conversions.h"
#include "codegen/nvptx/passes/ptxas/flag_bits.h"
#include "codegen/nvptx/passes/ptxas/flag_numbers.h"
#include "codegen/nvptx/passes/ptxas/keep_clamps.h"
#include "codegen/nvptx/passes/ptxas/keep_high_halves.h"
#include "codegen/nvptx/passes/ptxas/keep_local_constants.h"
#include "codegen/nvptx/passes/ptxas/keep_loops_apart.h"
#include "codegen/nvptx/passes/ptxas/keep_masks.h"
#include "codegen/nvptx/passes/ptxas/keep_negations.h"
#include "codegen/nvptx/passes/ptxas/keep_negative_zeros.h"
#include "codegen/nvptx/passes/ptxas/keep_shift_counts.h"
#include "codegen/nvptx/passes/ptxas/keep_signed_parts.h"
#include "codegen/nvptx/passes/ptxas/keep_signs.h"
#include "codegen/nvptx/passes/ptxas/keep_stored_bits.h"
#include "codegen/nvptx/passes/ptxas/low_words.h"
#include "codegen/nvptx/passes/ptxas/widen_small_integers.h"
#include "codegen/nvptx/passes/share_division_checks.h"
#include "codegen/nvptx/passes/signs_of_words.h"
#include "codegen/nvptx/passes/unroll_loads.h"
#include "codegen/passes/drop_canonical.h"
#include "codegen/passes/join_limits.h"
#include "codegen/passes/keep_unsigned_conversions.h"

namespace pykc::codegen {

void add_own_passes(llvm::FunctionPassManager& passes, PassPoint point, const Target& target, const Options& options) {
#define FUNCTION_PASS(at, level, Pass) \
  if (point == PassPoint::at && options.optimization >= (level)) passes.addPass(Pass());
#define MODULE_PASS(level, pass, ...)
  if (target.kind == Target::Kind::Cpu) {
#include "codegen/cpu/passes/passes.def"
  } else {
#include "codegen/nvptx/passes/passes.def"
  }
#undef FUNCTION_PASS
#undef MODULE_PASS
}

void run_own_last_passes(llvm::Module& module, const Target& target, const Options& options) {
#define FUNCTION_PASS(at, level, Pass)
#define MODULE_PASS(level, pass, ...) \
  if (options.optimization >= (level)) pass(module __VA_OPT__(, ) __VA_ARGS__);
  if (target.kind == Target::Kind::Cpu) {
#include "codegen/cpu/passes/passes.def"
  } else {
#include "codegen/nvptx/passes/passes.def"
  }
#undef FUNCTION_PASS
#undef MODULE_PASS
}

llvm::PreservedAnalyses with_its_branches(bool has_changed) {
  if (!has_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace pykc::codegen
