// IR in, Artifact out: emit, link the math library, optimise, print or assemble.
#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>

#include "base/budget.h"
#include "codegen/codegen.h"
#include "codegen/cpu/function.h"
#include "codegen/cpu/passes/swap_frame_register.h"
#include "codegen/emit/module_state.h"
#include "codegen/kernel_info.h"
#include "codegen/left_in_llvm.h"
#include "codegen/libraries.h"
#include "codegen/machine.h"
#include "codegen/math/library.h"
#include "codegen/nvptx/function.h"
#include "codegen/nvptx/ptx_version.h"
#include "codegen/optimize.h"
#include "codegen/own_passes.h"
#include "codegen/results_in_memory.h"

namespace pykc::codegen {
namespace {

/// `declare` and `emit` are the target's.
void emit_functions(ModuleState& state, decltype(declare_cpu_function) declare, decltype(emit_cpu_function) emit) {
  for (const auto& function : state.source.functions) state.functions[function.get()] = declare(state, *function);
  for (const auto& function : state.source.functions) {
    llvm::Function& declared = *state.functions.at(function.get());
    state.begin_debug_info(*function, declared);
    emit(state, *function, declared);
  }
  state.finish_debug_info();
}

void emit_module(const ir::Module& source, const Target& target, const Options& options,
                 const llvm::TargetMachine& machine, llvm::Module& module) {
  const LeftByExceptions<ModuleState> state(source, target, options, machine, module);
  state->define_host_constants();
  if (target.kind == Target::Kind::Nvptx)
    emit_functions(*state, declare_nvptx_function, emit_nvptx_function);
  else
    emit_functions(*state, declare_cpu_function, emit_cpu_function);
}

/// Constants that the host fills are constant for the optimiser, as they are during a launch; in the object they must
/// lie where the host can write. On a GPU the address space says all of that.
void make_host_constants_writable(llvm::Module& module) {
  for (llvm::GlobalVariable& global : module.globals())
    if (global.isExternallyInitialized()) global.setConstant(false);
}

/// Loops of math functions gain by AVX-512's whole registers, of which LLVM otherwise takes halves on most processors.
void use_widest_vectors(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr("prefer-vector-width", "512");
}

/// Sums, products and addresses, the last operand of which is no constant.
bool is_reduced_in_strength(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::GetElementPtr:
      return !llvm::isa<llvm::ConstantData>(*std::prev(instruction.op_end()));
    default:
      return false;
  }
}

/// What it takes to compare all pairs of them with a common operand, each by all that the two come from.
std::size_t comparisons_in_strength(const llvm::Module& module) {
  llvm::DenseMap<const llvm::Value*, std::size_t> users, depths;
  std::size_t comparisons = 0;
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      std::size_t depth = 0;
      for (const llvm::Value* operand : instruction.operands()) depth = std::max(depth, depths.lookup(operand));
      depths[&instruction] = ++depth;
      if (!is_reduced_in_strength(instruction)) continue;
      for (const llvm::Value* operand : instruction.operands()) comparisons += depth * users[operand]++;
    }
  return comparisons;
}

constexpr unsigned kLargeModule = 4'000;           // instructions
constexpr std::size_t kMostComparisons = 400'000;  // a third of a second; the library's f64 products have 131,000

/// LLVM's steps from IR to code, without those that take longer than they are worth.
class CodePasses : public llvm::legacy::PassManager {
 public:
  CodePasses(const llvm::Module& module, const Target& target)
      : is_for_host_(target.kind == Target::Kind::Cpu),
        is_costly_(!is_for_host_ && (module.getInstructionCount() > kLargeModule ||
                                     comparisons_in_strength(module) > kMostComparisons)) {}
  void add(llvm::Pass* pass) override {
    if (is_for_host_ && pass->getPassID() == &llvm::PrologEpilogCodeInserterID) PassManager::add(new SwapFrameRegister);
    if (is_left_out(pass->getPassName()))
      delete pass;
    else
      PassManager::add(pass);
  }

 private:
  /// For the host, optimize() runs loop strength reduction where it gains. For GPUs, the time of straight line strength
  /// reduction grows with the square of what there is: 0.5 s for a module that counts as large here, and nothing can
  /// interrupt it.
  bool is_left_out(llvm::StringRef pass) const {
    if (is_for_host_) return pass == "Loop Strength Reduction" || pass == "Canonicalize Freeze Instructions in Loops";
    return is_costly_ && pass == "Straight line strength reduction";
  }

  const bool is_for_host_, is_costly_;
};

/// What one compilation makes in LLVM.
struct Session {
  explicit Session(const std::string& name) : module(name, context) {}
  llvm::LLVMContext context;
  llvm::Module module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// How far LLVM's part has got within the limits, which are for the caller to report: nothing but std::bad_alloc is
/// thrown past LLVM's objects.
struct Progress {
  Budget* const budget = Budget::current();
  std::int64_t operations = 0;  // of LLVM's, at most

  bool may_go_on(const llvm::Module& module) {
    if (budget == nullptr) return true;
    operations = std::max(operations, static_cast<std::int64_t>(module.getInstructionCount()));
    return operations <= budget->limits().operations && !budget->is_exhausted();
  }
  /// LLVM's way from IR to code is one step. Measured for kernels of 9,000 and more: 50 to 80 microseconds an
  /// instruction for the host, 10 for GPUs.
  bool has_time_for_code(const llvm::Module& module, const Target& target) {
    const std::chrono::microseconds instruction(target.kind == Target::Kind::Cpu ? 60 : 15);
    return budget == nullptr || budget->has_time_for(module.getInstructionCount() * instruction);
  }
  void report(const Artifact& artifact) const {
    if (budget == nullptr) return;
    budget->check_operations(operations);
    budget->look();
    budget->check_output(static_cast<std::int64_t>(artifact.code.size()));
  }
};

/// Every step up to the code itself; `emit` says which text, or bytes, becomes the artifact's code. An artifact without
/// code where the limits allow no more.
Result<Artifact> build(Emit emit, const ir::Module& source, const Target& target, const Options& options,
                       Progress& progress) {
  const LeftByExceptions<Session> session(source.name);
  session->context.setDiscardValueNames(emit != Emit::Llvm);
  llvm::Module& module = session->module;
  session->machine = make_machine(target, options, least_ptx(source, target, options));
  llvm::TargetMachine* const machine = session->machine.get();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());

  emit_module(source, target, options, *machine, module);
  if (!progress.may_go_on(module)) return Artifact{};
  pass_results_in_memory(module);
  Result<std::vector<Library>> left = link_libraries(module, options.libraries);
  if (!left) return left.error();
  if (link_math_library(module) && target.kind == Target::Kind::Cpu) use_widest_vectors(module);
  optimize(module, *machine, target, options);
  if (!progress.may_go_on(module)) return Artifact{};
  run_own_last_passes(module, target, options);
  if (target.kind == Target::Kind::Cpu) make_host_constants_writable(module);

  if (emit == Emit::Llvm) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return Artifact{.code = std::move(text)};
  }
  if (!progress.has_time_for_code(module, target)) return Artifact{};
  const bool is_text = emit == Emit::Assembly || target.kind == Target::Kind::Nvptx;
  llvm::SmallVector<char> code;
  llvm::raw_svector_ostream out(code);
  const LeftByExceptions<CodePasses> passes(module, target);
  machine->addPassesToEmitFile(*passes, out, nullptr,
                               is_text ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile);
  passes->run(module);
  return Artifact{
      target.to_string(), {code.begin(), code.end()},     kernel_infos(source, target),
      std::move(*left),   constant_infos(source, target), options.optimization == 0 ? 0 : kHighestAssemblerLevel};
}

Result<Artifact> build_within_limits(Emit emit, const ir::Module& source, const Target& target,
                                     const Options& options) {
  Progress progress;
  Result<Artifact> artifact = build(emit, source, target, options, progress);
  if (artifact) progress.report(*artifact);
  return artifact;
}

}  // namespace

Result<std::string> generate_text(Emit emit, const ir::Module& module, const Target& target, const Options& options) {
  Result<Artifact> artifact = build_within_limits(emit, module, target, options);
  if (!artifact) return artifact.error();
  return std::move(artifact->code);
}

Result<Artifact> generate(const ir::Module& module, const Target& target, const Options& options) {
  return build_within_limits(Emit::Code, module, target, options);
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

// libclc comes from the same release of LLVM: the build takes it from the package of that number.
std::string math_library() { return "libclc " LLVM_VERSION_STRING; }

}  // namespace pykc::codegen
