// The middle end. LLVM's own pipelines are made for programs of many functions in C++; kernels are a few functions
// whose callees all disappear into them. So this is a list of the passes that do something here, in the order in which
// LLVM's O3 has them: it starts faster, and what is not in the list is not in the program.
//
// Compiled without exceptions, as LLVM is: see left_in_llvm.h.
//
// The target machine is there from the first pass on: passes that move code must know where a GPU's threads diverge.
#include "codegen/optimize.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/IVUsers.h>
#include <llvm/Analysis/LastRunTrackingAnalysis.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryDependenceAnalysis.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PhiValues.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SpeculativeExecution.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <unordered_map>

#include "base/budget.h"
#include "codegen/own_passes.h"
#include "codegen/passes/where_they_gain.h"

namespace pykc::codegen {
namespace {

using llvm::createFunctionToLoopPassAdaptor;
using llvm::SimplifyCFGOptions;
using llvm::SROAOptions;

// --- Analyses --------------------------------------------------------------------------------------------------------

struct Analyses {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::ModuleAnalysisManager modules;
};

template <typename... Analysis, typename Manager>
void add(Manager& manager) {
  (manager.registerPass([] { return Analysis(); }), ...);
}

/// Value numbering is the longest pass. Measured for functions of 100,000 instructions: 6 microseconds for each.
std::chrono::microseconds time_for(llvm::StringRef pass, const llvm::Any& code) {
  const auto* function = llvm::any_cast<const llvm::Function*>(&code);
  if (function == nullptr || (pass != llvm::GVNPass::name() && pass != NumberHostValues::name())) return {};
  return (*function)->getInstructionCount() * std::chrono::microseconds(6);
}

/// Whether a function, inlined, has far more operations than the source may become: some may yet be found to be of no
/// use, but not half of them.
bool is_far_too_long(llvm::StringRef pass, const llvm::Any& code, const CompileLimits& limits) {
  const auto* function = llvm::any_cast<const llvm::Function*>(&code);
  return function != nullptr && pass == llvm::InstCombinePass::name() &&
         static_cast<std::int64_t>((*function)->getInstructionCount()) > 2 * limits.operations;
}

/// Once the time of the compilation is over, what need not run does not.
void skip_passes_without_budget(llvm::PassInstrumentationCallbacks& callbacks) {
  Budget* const budget = Budget::current();
  if (budget == nullptr) return;
  callbacks.registerShouldRunOptionalPassCallback([budget](llvm::StringRef pass, llvm::Any code) {
    if (!budget->has_time_for(time_for(pass, code)) || is_far_too_long(pass, code, budget->limits()))
      budget->end_time();
    return !budget->is_exhausted();
  });
}

void register_analyses(Analyses& analyses, llvm::TargetMachine& machine) {
  analyses.functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  // No function of the C library is called, not even by way of a loop that looks like memcpy.
  analyses.functions.registerPass([triple = machine.getTargetTriple()] {
    llvm::TargetLibraryInfoImpl library(triple);
    library.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(library);
  });
  analyses.functions.registerPass([] {
    llvm::AAManager aliases;
    aliases.registerFunctionAnalysis<llvm::BasicAA>();
    aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
    return aliases;
  });
  analyses.functions.registerPass([&] { return llvm::PassInstrumentationAnalysis(&analyses.callbacks); });
  analyses.loops.registerPass([&] { return llvm::PassInstrumentationAnalysis(&analyses.callbacks); });
  analyses.modules.registerPass([&] { return llvm::PassInstrumentationAnalysis(&analyses.callbacks); });
  add<llvm::AssumptionAnalysis, llvm::BasicAA, llvm::BlockFrequencyAnalysis, llvm::BranchProbabilityAnalysis,
      llvm::CycleAnalysis, llvm::DemandedBitsAnalysis, llvm::DominatorTreeAnalysis, llvm::LastRunTrackingAnalysis,
      llvm::LazyValueAnalysis, llvm::LoopAccessAnalysis, llvm::LoopAnalysis, llvm::MemoryDependenceAnalysis,
      llvm::MemorySSAAnalysis, llvm::OptimizationRemarkEmitterAnalysis, llvm::PhiValuesAnalysis,
      llvm::PostDominatorTreeAnalysis, llvm::ScalarEvolutionAnalysis, llvm::ScopedNoAliasAA,
      llvm::ShouldRunExtraVectorPasses, llvm::UniformityInfoAnalysis>(analyses.functions);
  add<llvm::IVUsersAnalysis, llvm::ShouldRunExtraSimpleLoopUnswitch>(analyses.loops);
  add<llvm::ProfileSummaryAnalysis>(analyses.modules);
  analyses.modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(analyses.functions); });
  analyses.functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(analyses.modules); });
  analyses.functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(analyses.loops); });
  analyses.loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(analyses.functions); });
}

// --- Inlining --------------------------------------------------------------------------------------------------------

// Instructions, with all that they call. A local array that is passed on can be kept in registers only where the
// function that takes it is inlined.
constexpr std::size_t kAlwaysInlined = 600, kInlinedForArrays = 2000;

/// The instructions of a function once its own calls are inlined.
std::size_t inlined_size(const llvm::Function& function,
                         const std::unordered_map<const llvm::Function*, std::size_t>& inlined) {
  std::size_t size = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto callee = inlined.find(call == nullptr ? nullptr : call->getCalledFunction());
    size += callee == inlined.end() ? 1 : callee->second;
  }
  return size;
}

/// What a kernel calls becomes part of it, but for recursion (which LLVM leaves alone), for what is both long and
/// called from several places, and on CPUs for what is rarely called (OfferRareCalls). Callees stand before callers, so
/// that their lengths add up; else a tree of calls would double with each level.
void mark_for_inlining(llvm::Module& module, const Target& target) {
  std::unordered_map<const llvm::Function*, std::size_t> inlined;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage() || function.hasFnAttribute(llvm::Attribute::NoInline))
      continue;
    if (target.kind == Target::Kind::Cpu && function.hasFnAttribute(llvm::Attribute::Cold)) continue;
    const std::size_t size = inlined_size(function, inlined);
    const std::size_t most = function.hasFnAttribute(kTakesLocalArray) ? kInlinedForArrays : kAlwaysInlined;
    if (!function.hasOneUse() && size > most) continue;
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    inlined[&function] = size;
  }
}

// --- The passes ------------------------------------------------------------------------------------------------------

void add_combining(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  add_own_passes(passes, PassPoint::BeforeCombining, target, options);
  passes.addPass(llvm::InstCombinePass());
}

/// Straight-line code and branches: the first look at what the emitter wrote.
void add_first_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  add_own_passes(passes, PassPoint::First, target, options);
  passes.addPass(llvm::SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SpeculativeExecutionPass(true));
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::AggressiveInstCombinePass());
  add_combining(passes, target, options);
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ReassociatePass());
}

/// Loops in the form that the later passes want, invariants out of them, short ones unrolled.
void add_loop_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  llvm::LoopPassManager form;
  form.addPass(llvm::LoopInstSimplifyPass());
  form.addPass(llvm::LoopSimplifyCFGPass());
  form.addPass(llvm::LICMPass(llvm::LICMOptions()));
  form.addPass(llvm::LoopRotatePass());
  form.addPass(llvm::LICMPass(llvm::LICMOptions()));
  form.addPass(UnswitchLoops(options.optimization >= 3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(form), true));
  passes.addPass(llvm::SimplifyCFGPass());
  add_combining(passes, target, options);
  llvm::LoopPassManager counting;
  counting.addPass(SimplifyCounters());
  counting.addPass(ForKnownTurns(llvm::LoopDeletionPass()));
  counting.addPass(ForKnownTurns(llvm::LoopFullUnrollPass(options.optimization)));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(counting)));
}

/// Redundant values, loads and stores, across the whole function.
void add_redundancy_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  passes.addPass(llvm::SROAPass(SROAOptions::ModifyCFG));
  if (target.kind == Target::Kind::Cpu) {
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(NumberHostValues());
  } else {
    passes.addPass(llvm::GVNPass());
  }
  passes.addPass(PropagateRanges());
  passes.addPass(llvm::BDCEPass());
  add_combining(passes, target, options);
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::SimplifyCFGPass(SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  add_combining(passes, target, options);
}

/// The turns of a block's threads become vector code.
void add_vector_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  add_own_passes(passes, PassPoint::BeforeVectors, target, options);
  passes.addPass(llvm::LoopVectorizePass());
  add_combining(passes, target, options);
  passes.addPass(llvm::SimplifyCFGPass(
      SimplifyCFGOptions().forwardSwitchCondToPhi(true).convertSwitchRangeToICmp(true).needCanonicalLoops(false)));
  add_own_passes(passes, PassPoint::BeforeLanes, target, options);
  passes.addPass(VectorizeLanes());
  add_own_passes(passes, PassPoint::BehindVectors, target, options);
  add_combining(passes, target, options);
}

void add_last_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  add_own_passes(passes, PassPoint::BeforeUnrolling, target, options);
  passes.addPass(UnrollLoops(options.optimization));
  passes.addPass(llvm::SROAPass(SROAOptions::PreserveCFG));
  add_combining(passes, target, options);
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass(SimplifyCFGOptions().needCanonicalLoops(false)));
}

/// Neighbours in memory, such as the components of a vector, are read and written in one access.
void add_access_passes(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::LoadStoreVectorizerPass());
}

/// Enough for code that calls the device with each access: variables in registers, and nothing done twice.
void add_plain_passes(llvm::FunctionPassManager& passes, const Target& target, const Options& options) {
  passes.addPass(llvm::SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  add_combining(passes, target, options);
  passes.addPass(llvm::SimplifyCFGPass());
}

// --- Very long functions ---------------------------------------------------------------------------------------------

constexpr std::size_t kLongFunction = 20'000;  // instructions
constexpr std::ptrdiff_t kLongBlock = 2'000;   // accesses to memory

/// Whether the time of the host's back end would grow with the square of the length: its schedulers compare the
/// accesses of a block in pairs, and its instruction selection and register allocator look far.
bool is_very_long(const llvm::Function& function) {
  if (function.getInstructionCount() > kLongFunction) return true;
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return llvm::count_if(block, [](const llvm::Instruction& i) { return i.mayReadOrWriteMemory(); }) > kLongBlock;
  });
}

/// Nothing is won by optimising it well: it is run once, and calls the device with each access.
bool is_watched(const llvm::Function& function) { return function.hasFnAttribute(kIsWatched); }

/// What is very long or only watched is translated as it stands by now.
void translate_plainly(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, const Target& target, const Options& options) {
  if (options.optimization == 0) return;
  Analyses analyses;
  skip_passes_without_budget(analyses.callbacks);
  register_analyses(analyses, machine);

  mark_for_inlining(module, target);
  llvm::ModulePassManager inlining;
  inlining.addPass(llvm::AlwaysInlinerPass(false));
  inlining.addPass(llvm::GlobalDCEPass());
  inlining.run(module, analyses.modules);

  llvm::FunctionPassManager plain, first, vector, last;
  add_plain_passes(plain, target, options);
  add_first_passes(first, target, options);
  add_loop_passes(first, target, options);
  add_redundancy_passes(first, target, options);
  add_vector_passes(vector, target, options);
  add_last_passes(last, target, options);
  if (target.kind == Target::Kind::Cpu)
    last.addPass(createFunctionToLoopPassAdaptor(ReduceStrength()));
  else
    add_access_passes(last);
  const bool has_vectors = target.kind == Target::Kind::Cpu && options.optimization >= 2;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (is_watched(function)) {
      plain.run(function, analyses.functions);
      continue;
    }
    first.run(function, analyses.functions);
    if (has_vectors && !is_very_long(function)) vector.run(function, analyses.functions);
    last.run(function, analyses.functions);
  }
  if (target.kind != Target::Kind::Cpu) return;
  for (llvm::Function& function : module)
    if (is_very_long(function) || is_watched(function)) translate_plainly(function);
}

}  // namespace pykc::codegen
