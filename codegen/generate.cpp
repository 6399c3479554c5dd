// IR in, Artifact out: emit, link the math library, optimise, print or assemble.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>

#include "base/budget.h"
#include "base/errors.h"
#include "base/on_all_cores.h"
#include "base/stack.h"
#include "codegen/code_passes.h"
#include "codegen/codegen.h"
#include "codegen/cpu/function.h"
#include "codegen/cpu/join_objects.h"
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
#include "codegen/parts.h"
#include "codegen/results_in_memory.h"
#include "ir/passes/passes.h"

namespace pykc::codegen {
namespace {

/// `declare` and `emit` are the target's.
void emit_functions(ModuleState& state, decltype(declare_cpu_function) declare, decltype(emit_cpu_function) emit) {
  for (const ir::Function* function : state.part.functions) state.functions[function] = declare(state, *function);
  for (const ir::Function* function : state.part.functions) {
    llvm::Function& declared = *state.functions.at(function);
    state.begin_debug_info(*function, declared);
    emit(state, *function, declared);
  }
  state.finish_debug_info();
}

void emit_part(const ir::Module& source, const Part& part, const Target& target, const Options& options,
               const llvm::TargetMachine& machine, llvm::Module& module) {
  const LeftByExceptions<ModuleState> state(source, part, target, options, machine, module);
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

/// A function that calls itself and takes too much of the stack.
struct LargeFrame {
  std::string function;
  std::uint64_t bytes;
};

/// Keeps what LLVM says of stacks: where "warn-stack-size" is on a function (codegen/cpu/function.cpp).
class FrameListener : public llvm::DiagnosticHandler {
 public:
  explicit FrameListener(std::optional<LargeFrame>& found) : found_(found) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* const frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info);
    if (frame != nullptr) found_ = LargeFrame{frame->getFunction().getName().str(), frame->getStackSize()};
    return frame != nullptr;
  }

 private:
  std::optional<LargeFrame>& found_;
};

/// What a part is in LLVM.
struct Session {
  Session(Emit emit, const ir::Module& source, const Target& target, const Options& options)
      : module(source.name, context), machine(machine_for(target, options, least_ptx(source, target, options))) {
    context.setDiscardValueNames(emit != Emit::Llvm);
    context.setDiagnosticHandler(std::make_unique<FrameListener>(large_frame));
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
  }

  std::optional<LargeFrame> large_frame;
  llvm::LLVMContext context;
  llvm::Module module;
  const Machine machine;
  std::vector<Library> libraries_left = {};
  bool has_math = false;
  std::int64_t operations = 0;  // of LLVM's, at most
  bool is_within_limits = true;
};

/// One compilation, of the parts of a module side by side. Nothing but std::bad_alloc is thrown past LLVM's objects.
class Generation {
 public:
  Generation(Emit emit, const ir::Module& source, const Target& target, const Options& options)
      : emit_(emit),
        source_(source),
        target_(target),
        options_(options),
        parts_(emit == Emit::Code ? parts_of(source, target, options) : whole(source)),
        sessions_(parts_.size()) {}

  Result<Artifact> run() {
    for (const Result<void>& begun : for_each_part([&](std::size_t i) { return begin(i); }))
      if (!begun) return begun.error();
    check_limits();
    // Loops of math functions gain by AVX-512's whole registers, and other kernels of such a file have them, too.
    for (std::size_t i = 0; i < parts_.size(); ++i) has_math_ |= session(i).has_math;
    std::vector<std::string> codes = for_each_part([&](std::size_t i) { return end(session(i)); });
    check_limits();
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (session(i).large_frame) return needs_stack(*session(i).large_frame);
    std::vector<Library> libraries_left = std::move(session(0).libraries_left);
    sessions_.clear();
    std::string code = codes.size() == 1 ? std::move(codes.front()) : join_objects(codes);
    if (const Budget* const budget = Budget::current()) budget->check_output(static_cast<std::int64_t>(code.size()));
    return Artifact{target_.to_string(),
                    std::move(code),
                    kernel_infos(source_, target_),
                    std::move(libraries_left),
                    constant_infos(source_, target_),
                    options_.optimization == 0 ? 0 : kHighestAssemblerLevel};
  }

 private:
  Session& session(std::size_t part) { return **sessions_[part]; }

  template <typename Work>
  std::vector<std::invoke_result_t<Work, std::size_t>> for_each_part(const Work& work) {
    Budget* const whole = Budget::current();
    return on_all_cores(parts_.size(), [&](std::size_t i) {
      if (parts_.size() == 1) return work(i);
      return with_stack([&] {
        const MemoryMayEnd on_this_thread;
        std::optional<Budget> part;
        if (whole != nullptr) part.emplace(Budget::Part{*whole});
        return work(i);
      });
    });
  }

  Result<void> begin(std::size_t number) {
    sessions_[number] = std::make_unique<LeftByExceptions<Session>>(emit_, source_, target_, options_);
    Session& session = this->session(number);
    emit_part(source_, parts_[number], target_, options_, *session.machine, session.module);
    if (!may_go_on(session)) return {};
    pass_results_in_memory(session.module);
    ASSIGN_OR_RETURN(session.libraries_left, link_libraries(session.module, options_.libraries));
    session.has_math = link_math_library(session.module);
    return {};
  }

  /// The text or the bytes that `emit_` asks for; nothing where the limits allow no more.
  std::string end(Session& session) {
    llvm::Module& module = session.module;
    const bool is_for_host = target_.kind == Target::Kind::Cpu;
    if (!session.is_within_limits) return "";
    if (has_math_ && is_for_host) use_widest_vectors(module);
    optimize(module, *session.machine, target_, options_);
    if (!may_go_on(session)) return "";
    run_own_last_passes(module, target_, options_);
    if (is_for_host) make_host_constants_writable(module);

    if (emit_ == Emit::Llvm) {
      std::string text;
      llvm::raw_string_ostream(text) << module;
      return text;
    }
    if (!has_time_for_code(session)) return "";
    const bool is_text = emit_ == Emit::Assembly || !is_for_host;
    llvm::SmallVector<char> code;
    llvm::raw_svector_ostream out(code);
    const LeftByExceptions<CodePasses> passes(module, target_);
    session.machine->addPassesToEmitFile(
        *passes, out, nullptr, is_text ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile);
    passes->run(module);
    return {code.begin(), code.end()};
  }

  Error needs_stack(const LargeFrame& frame) const {
    const auto found = std::ranges::find_if(source_.functions, [&](const std::unique_ptr<ir::Function>& function) {
      return function->is_recursive && frame.function.starts_with(function->symbol + '.');
    });
    const ir::Function& function = found != source_.functions.end() ? **found : *source_.functions.front();
    const SourceFile& file = ir::source_of(source_, function);
    return Error{ErrorCode::InvalidSource,
                 file.name() + ":" + std::to_string(file.line_column(function.range.begin).line) + ": `" +
                     function.name + "` calls itself, and each call takes " + std::to_string(frame.bytes) +
                     " bytes of the stack, of which it may take " + std::to_string(ir::kMaxRecursiveFrameBytes) +
                     ": keep less in variables while it calls itself, or in an array of its caller's"};
  }

  bool may_go_on(Session& session) const {
    Budget* const budget = Budget::current();
    if (budget == nullptr) return true;
    session.operations = std::max(session.operations, static_cast<std::int64_t>(session.module.getInstructionCount()));
    return session.is_within_limits = session.operations <= budget->limits().operations && !budget->is_exhausted();
  }
  /// LLVM's way from IR to code is one step. Measured for kernels of 9,000 and more: 50 to 80 microseconds an
  /// instruction for the host, 10 for GPUs.
  bool has_time_for_code(Session& session) const {
    const Budget* const budget = Budget::current();
    const std::chrono::microseconds instruction(target_.kind == Target::Kind::Cpu ? 60 : 15);
    return session.is_within_limits =
               budget == nullptr || budget->has_time_for(session.module.getInstructionCount() * instruction);
  }
  /// Throws where the limits are exceeded, once LLVM's objects are freed, which exceptions would leave where they are.
  void check_limits() {
    Budget* const budget = Budget::current();
    if (budget == nullptr) return;
    std::int64_t operations = 0;
    bool are_within = true;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      operations += session(i).operations;
      are_within &= session(i).is_within_limits;
    }
    std::exception_ptr reached;
    try {
      budget->check_operations(operations);
      budget->look();
      if (are_within) return;
      budget->end_time();  // which a step would have exceeded
      budget->look();
    } catch (const LimitReached&) {
      reached = std::current_exception();
    }
    sessions_.clear();
    std::rethrow_exception(reached);
  }

  const Emit emit_;
  const ir::Module& source_;
  const Target& target_;
  const Options& options_;
  const std::vector<Part> parts_;
  std::vector<std::unique_ptr<LeftByExceptions<Session>>> sessions_;
  bool has_math_ = false;
};

}  // namespace

Result<std::string> generate_text(Emit emit, const ir::Module& module, const Target& target, const Options& options) {
  ASSIGN_OR_RETURN(Artifact artifact, Generation(emit, module, target, options).run());
  return std::move(artifact.code);
}

Result<Artifact> generate(const ir::Module& module, const Target& target, const Options& options) {
  return Generation(Emit::Code, module, target, options).run();
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

// libclc comes from the same release of LLVM: the build takes it from the package of that number.
std::string math_library() { return "libclc " LLVM_VERSION_STRING; }

}  // namespace pykc::codegen
