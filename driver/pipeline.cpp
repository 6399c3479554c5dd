// The road of a kernel, in order. Each step takes one value and gives one value; what is wrong goes to Diagnostics, and
// the road ends at the first step that found an error, when that step has reported everything it could see.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <utility>

#include "base/budget.h"
#include "base/errors.h"
#include "base/stack.h"
#include "codegen/codegen.h"
#include "driver/artifact_cache.h"
#include "driver/counting.h"
#include "driver/driver.h"
#include "frontend/checked/tree.h"
#include "frontend/frontend.h"
#include "frontend/syntax/token.h"
#include "ir/instrument/count_costs.h"
#include "ir/instrument/count_operations.h"
#include "ir/instrument/observe.h"
#include "ir/passes/passes.h"
#include "ir/verify/verifier.h"

namespace pykc {
namespace {

/// Measures the steps of a compilation.
class PhaseClock {
 public:
  void finish(std::string phase) {
    const auto now = std::chrono::steady_clock::now();
    times.push_back({std::move(phase), std::chrono::duration<double, std::milli>(now - start_).count()});
    start_ = now;
  }
  std::vector<PhaseTime> times;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Where reports go: without the warnings that nobody wants.
Diagnostics make_diagnostics(const CompileOptions& options) {
  Diagnostics diagnostics;
  diagnostics.set_most_kept(std::max(1, options.effective_limits().diagnostics));
  for (const std::string& code : options.silenced_warnings) diagnostics.silence("", 0, code);
  if (!options.warnings) diagnostics.silence("", 0, "");
  if (options.warnings_are_errors) diagnostics.set_warnings_are_errors();
  return diagnostics;
}

/// What a compilation is for.
enum class Purpose : std::uint8_t {
  Work,     // kernels that do what their source says
  Counts,   // kernels that also count what they do, with every index checked
  Reports,  // no kernels: all that is wrong with any configuration, whatever the target
};

/// One journey along the road, to what `emit` asks for.
struct Compilation {
  explicit Compilation(const CompileOptions& for_options, Purpose of = Purpose::Work, Emit until = Emit::Code)
      : options(for_options), purpose(of), emit(until), diagnostics(make_diagnostics(for_options)) {}

  const CompileOptions& options;
  Purpose purpose;
  Emit emit;
  Diagnostics diagnostics;
  PhaseClock clock;
};

Error source_error(Diagnostics& diagnostics) {
  std::vector<Diagnostic> list = diagnostics.take();
  const auto count = std::count_if(list.begin(), list.end(),
                                   [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  return {ErrorCode::InvalidSource, std::to_string(count) + (count == 1 ? " error" : " errors"), std::move(list)};
}

/// A door: what `work` gives, on a stack that is large enough and within the limits. What is thrown ends here.
template <typename Work>
auto enter(Compilation& compilation, Work work) -> decltype(work()) {
  using Outcome = decltype(work());
  const auto within_limits = [&]() -> Outcome {
    try {
      const codegen::MemoryMayEnd around_all;
      const Budget budget(compilation.options.effective_limits());
      return work();
    } catch (LimitReached& reached) {
      compilation.diagnostics.add(std::move(reached.diagnostic));
      return source_error(compilation.diagnostics);
    } catch (...) {
      return error_in_flight();  // on the thread that threw
    }
  };
  try {
    return with_stack(within_limits);
  } catch (...) {
    return error_in_flight();
  }
}

// --- Source → trees --------------------------------------------------------------------------------------------------

/// The file and what it imports, as trees that never change again.
Program parse(Compilation& compilation, std::shared_ptr<const SourceFile> file, const std::string& constants) {
  const driver::Imports imports = driver::imports_of(file->name(), compilation.options);
  Program program =
      load_program(std::move(file), imports.resolver, compilation.diagnostics, imports.package, constants);
  compilation.clock.finish("parse");
  return program;
}

Result<Program> parse_with_constants(Compilation& compilation, std::shared_ptr<const SourceFile> file) {
  ASSIGN_OR_RETURN(const std::string constants, driver::constants_text(compilation.options.constants));
  return parse(compilation, std::move(file), constants);
}

Result<std::vector<KernelRequest>> requests_of(const CompileOptions& options) {
  std::vector<KernelRequest> requests;
  for (const std::string& signature : options.signatures) {
    ASSIGN_OR_RETURN(KernelRequest request, parse_signature(signature));
    requests.push_back(std::move(request));
  }
  return requests;
}

// --- Trees → checked trees → IR --------------------------------------------------------------------------------------

/// A file may ask for it itself, and so may the environment, though not of a stranger's source.
Sanitize sanitize_of(const CompileOptions& options, const Program& program) {
  if (program.main->directives.sanitize) return Sanitize::all();
  const char* const asked = options.untrusted ? nullptr : std::getenv("PYKC_SANITIZE");
  if (asked == nullptr || options.sanitize.any()) return options.sanitize;
  return Sanitize::parse(asked).value_or(options.sanitize);
}

/// A file may ask for checks itself: `# pykc: checked`.
CheckOptions check_options(const Compilation& compilation, const Program& program) {
  const CompileOptions& options = compilation.options;
  return {.asserts = options.asserts,
          .bounds_checks = options.checked || sanitize_of(options, program).bounds || options.untrusted ||
                           program.main->directives.checked || compilation.purpose == Purpose::Counts,
          .warnings = options.warnings,
          .fast_math = options.fast_math,
          .contract = options.contract,
          .all_configurations = compilation.purpose == Purpose::Reports,
          .untrusted = options.untrusted};
}

/// A module that does not verify is a defect of the compiler, wherever it shows.
std::optional<Error> verify(const ir::Module& module, std::string_view after) {
  const std::vector<std::string> broken = ir::verify(module);
  if (broken.empty()) return std::nullopt;
  std::string message = "internal error: broken IR after " + std::string(after) + " (please report this)";
  for (const std::string& rule : broken) message += "\n  " + rule;
  return Error{ErrorCode::Internal, std::move(message)};
}

/// What the step makes of each function, those included that it adds.
template <typename Step>
void for_each_function(ir::Module& module, Step step) {
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    ir::Function& function = *module.functions[i];
    stand_at(ir::source_of(module, function), function.range);
    step(function);
  }
}

/// IR that is ready for the target; without a target, IR that no target has refused.
Result<std::unique_ptr<ir::Module>> to_ir(Compilation& compilation, const checked::Module& checked,
                                          const codegen::Target* target, bool for_cpu, Sanitize sanitize) {
  // Lowering answers no questions: all user errors are behind us, but for those that need control flow.
  std::unique_ptr<ir::Module> module = lower(checked);
  ir::limit_recursion(*module, compilation.diagnostics);
  ir::check_early_grids(*module, compilation.diagnostics);
  compilation.clock.finish("lower");

  // Decided before anything that depends on the target, so that CPU and GPU round alike; and before anything is
  // optimised, so that what rounds once is what the source says.
  for_each_function(*module, ir::contract_multiply_add);

  // What the source itself says for one target or another; what it says for others is dropped below.
  const std::unordered_set<const ir::Function*> once_called = ir::called_functions(*module);
  const ir::TargetLimits limits =
      target == nullptr ? ir::TargetLimits{.is_cpu = true}
                        : ir::TargetLimits{for_cpu, codegen::sm_number(*target), target->is_chip_specific()};
  if (target != nullptr) for_each_function(*module, [&](ir::Function& f) { ir::resolve_target(f, limits); });

  // From here on a value that never changes is a value, not a variable: uniformity and ranges can see through it.
  for_each_function(*module, ir::promote_locals);
  for_each_function(*module, ir::fold_constants);
  ir::drop_uncalled(*module, once_called);

  // The last steps that can find a user error: a barrier needs all threads, and some builtins a certain target.
  ir::check_uniformity(*module, compilation.diagnostics);
  if (target != nullptr) ir::check_target(*module, limits, compilation.diagnostics);
  if (!for_cpu) ir::inline_register_code(*module);
  if (!for_cpu) ir::bind_tensor_maps(*module, compilation.diagnostics);
  if (compilation.diagnostics.has_errors()) return source_error(compilation.diagnostics);
  if (compilation.purpose == Purpose::Reports) return module;
  if (for_cpu) ir::find_warps_apart(*module);

  // What is counted or watched is what the source asks for, the same on every target, also where nobody uses what is
  // read.
  const bool counts_costs = for_cpu && !compilation.options.costs_for.empty();
  if (compilation.purpose == Purpose::Counts) ir::count_operations(*module);
  if (counts_costs)
    ir::count_costs(*module, compilation.options.fast_math);
  else if (for_cpu && sanitize.is_observed())
    ir::observe(*module, sanitize, compilation.diagnostics);

  if (for_cpu) {
    for_each_function(*module, ir::meet_before_waits);
    // A kernel that waits must hold every place at which it waits, before it is cut there.
    ir::inline_calls(*module);
    for_each_function(*module, [&](ir::Function& function) {
      if (function.is_kernel) ir::split_at_barriers(function, *module);
    });
  }
  // No function is so long that LLVM's time for it would grow with the square of its length.
  ir::cut_long_functions(*module, for_cpu ? ir::kLongestOnCpu : ir::kLongestOnGpu);
  compilation.clock.finish("passes");

  // Behind this point the IR is right by contract, and nobody checks again.
  if (std::optional<Error> error = verify(*module, "the passes")) return *error;
  compilation.clock.finish("verify");
  return module;
}

// --- IR → code -------------------------------------------------------------------------------------------------------

Result<CompileOutput> to_code(Compilation& compilation, const ir::Module& module, const codegen::Target& target) {
  const CompileOptions& options = compilation.options;
  const codegen::Options for_codegen = {.optimization = options.optimization,
                                        .fast_math = options.fast_math,
                                        .line_info = options.line_info,
                                        .libraries = options.libraries};
  CompileOutput output;
  if (compilation.emit == Emit::Code) {
    ASSIGN_OR_RETURN(output.artifact, codegen::generate(module, target, for_codegen));
  } else {
    ASSIGN_OR_RETURN(output.text, codegen::generate_text(compilation.emit, module, target, for_codegen));
  }
  compilation.clock.finish("codegen");
  return output;
}

// --- The road --------------------------------------------------------------------------------------------------------

/// Where a compilation ended, with the IR of one that got so far.
struct Arrival {
  CompileOutput output = {};
  std::unique_ptr<ir::Module> module = nullptr;
};

std::future<Result<Arrival>> start_for_gpu(const Program& program, const std::vector<KernelRequest>& requests,
                                           CompileOptions options);
void add_code_for_gpu(Artifact& artifact, const Result<Arrival>& arrival, const CompileOptions& options);

/// What options can say that has no meaning.
Result<void> check_meaning(const CompileOptions& options) {
  if (options.optimization < 0 || options.optimization > 3)
    return invalid_argument("CompileOptions::optimization is " + std::to_string(options.optimization) +
                            ", and 0 to 3 are what there is");
  if (options.untrusted && !options.libraries.empty())
    return invalid_argument("no library is linked to source that is not trusted");
  if (options.costs_for.empty()) return {};
  ASSIGN_OR_RETURN(const codegen::Target gpu, codegen::Target::parse(options.costs_for));
  if (gpu.kind == codegen::Target::Kind::Nvptx) return {};
  return invalid_argument("CompileOptions::costs_for is `" + options.costs_for + "`, and takes a GPU's target");
}

/// From trees to what the compilation asks for.
Result<Arrival> travel(Compilation& compilation, const Program& program, const std::vector<KernelRequest>& requests) {
  const Emit emit = compilation.emit;
  RETURN_IF_FAILED(check_meaning(compilation.options));
  // Every name bound, every type known; of a file with syntax errors, what could be read is checked all the same, so
  // that one run reports everything.
  const checked::Module checked =
      check(program, requests, check_options(compilation, program), compilation.diagnostics);
  compilation.clock.finish("check");
  if (compilation.diagnostics.has_errors()) return source_error(compilation.diagnostics);
  if (emit == Emit::Checked) return Arrival{.output = {.text = checked::print(checked)}};

  std::optional<codegen::Target> target;
  if (compilation.purpose != Purpose::Reports) {
    ASSIGN_OR_RETURN(target, codegen::Target::parse(compilation.options.target));
  }
  const bool for_cpu =
      emit == Emit::CpuIr || (emit != Emit::Ir && target && target->kind == codegen::Target::Kind::Cpu);
  std::future<Result<Arrival>> on_gpu;
  const bool counts_costs = for_cpu && emit == Emit::Code && !compilation.options.costs_for.empty();
  if (counts_costs) on_gpu = start_for_gpu(program, requests, compilation.options);
  ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, to_ir(compilation, checked, target ? &*target : nullptr, for_cpu,
                                                             sanitize_of(compilation.options, program)));
  if (!target) return Arrival{.module = std::move(module)};
  if (emit == Emit::Ir || emit == Emit::CpuIr) return Arrival{.output = {.text = ir::print_module(*module)}};

  ASSIGN_OR_RETURN(CompileOutput output, to_code(compilation, *module, *target));
  if (counts_costs) add_code_for_gpu(output.artifact, on_gpu.get(), compilation.options);
  return Arrival{std::move(output), std::move(module)};
}

/// What kernels that count are on the GPU for which they count, beside what they are on the CPU.
std::future<Result<Arrival>> start_for_gpu(const Program& program, const std::vector<KernelRequest>& requests,
                                           CompileOptions options) {
  options.target = std::exchange(options.costs_for, "");
  options.sanitize = {};
  return std::async([&program, &requests, options = std::move(options)] {
    Compilation compilation(options);
    return enter(compilation, [&] { return travel(compilation, program, requests); });
  });
}

/// Where that is no code, they count all the same.
void add_code_for_gpu(Artifact& artifact, const Result<Arrival>& arrival, const CompileOptions& options) {
  if (!arrival || arrival->output.artifact.kernels.size() != artifact.kernels.size()) return;
  const Artifact& on_gpu = arrival->output.artifact;
  for (std::size_t i = 0; i < artifact.kernels.size(); ++i) {
    WatchedKernel& watched = artifact.kernels[i].watched;
    watched.gpu_target = on_gpu.target;
    watched.ptx = on_gpu.code;
    watched.gpu_symbol = on_gpu.kernels[i].symbol;
    watched.gpu_shared_bytes = on_gpu.kernels[i].static_shared_bytes;
  }
  if (!options.line_info) return;
  auto kernel = artifact.kernels.begin();
  for (const auto& function : arrival->module->functions)
    if (function->is_kernel) (kernel++)->watched.ir = ir::print_with_places(*arrival->module, *function);
}

/// The artifact of an earlier compilation of the same, or a new one, kept for later.
Result<Artifact> find_or_compile(Compilation& compilation, const Program& program,
                                 const std::vector<KernelRequest>& requests) {
  const CompileOptions& options = compilation.options;
  std::optional<driver::ArtifactCache> cache;
  std::string key;
  if (options.cache && !options.untrusted && !compilation.diagnostics.has_errors())
    if (Result<driver::ArtifactCache> opened = driver::ArtifactCache::open()) cache = std::move(*opened);
  if (cache) {
    ASSIGN_OR_RETURN(const codegen::Target target, codegen::Target::parse(options.target));
    CompileOptions effective = options;
    effective.sanitize = sanitize_of(options, program);
    key = cache->key(program, requests, effective, codegen::describe_machine(target));
    if (std::optional<Artifact> found = cache->find(key)) return std::move(*found);
  }
  ASSIGN_OR_RETURN(Arrival arrival, travel(compilation, program, requests));
  if (cache && compilation.diagnostics.list().empty()) cache->store(key, arrival.output.artifact);
  return std::move(arrival.output.artifact);
}

/// From the text to what was asked for, without the warnings and times.
Result<CompileOutput> compile_text(Compilation& compilation, std::shared_ptr<const SourceFile> file) {
  if (compilation.emit == Emit::Tokens) {
    const std::vector<Token> tokens = lex(*file, compilation.diagnostics);
    if (compilation.diagnostics.has_errors()) return source_error(compilation.diagnostics);
    return CompileOutput{.text = print_tokens(*file, tokens)};
  }
  ASSIGN_OR_RETURN(const Program program, parse_with_constants(compilation, std::move(file)));
  if (compilation.emit == Emit::Ast && !compilation.diagnostics.has_errors())
    return CompileOutput{.text = ast::print(*program.main)};
  ASSIGN_OR_RETURN(const std::vector<KernelRequest> requests, requests_of(compilation.options));
  ASSIGN_OR_RETURN(Arrival arrival, travel(compilation, program, requests));
  return std::move(arrival.output);
}

}  // namespace

// --- The doors -------------------------------------------------------------------------------------------------------

const CompileLimits& CompileOptions::effective_limits() const {
  static const CompileLimits generous, strict = CompileLimits::strict();
  return limits ? *limits : untrusted ? strict : generous;
}

Result<CompileOutput> compile_to(Emit emit, const Source& source, const CompileOptions& options) try {
  Compilation compilation(options, Purpose::Work, emit);
  return enter(compilation, [&]() -> Result<CompileOutput> {
    Result<CompileOutput> output = compile_text(compilation, driver::source_file(source));
    if (!output) return output;
    output->warnings = compilation.diagnostics.take();
    output->times = std::move(compilation.clock.times);
    return output;
  });
} catch (...) {
  return error_in_flight();
}

Result<CompileOutput> compile_to(Emit emit, std::string_view source, const CompileOptions& options,
                                 std::string_view file_name) try {
  return compile_to(emit, Source(std::string(source), std::string(file_name)), options);
} catch (...) {
  return error_in_flight();
}

Result<Artifact> compile(const Source& source, const CompileOptions& options) try {
  Compilation compilation(options);
  return enter(compilation, [&]() -> Result<Artifact> {
    ASSIGN_OR_RETURN(const std::vector<KernelRequest> requests, requests_of(options));
    ASSIGN_OR_RETURN(const Program program, parse_with_constants(compilation, driver::source_file(source)));
    return find_or_compile(compilation, program, requests);
  });
} catch (...) {
  return error_in_flight();
}

Result<Artifact> compile(std::string_view source, const CompileOptions& options, std::string_view file_name) try {
  return compile(Source(std::string(source), std::string(file_name)), options);
} catch (...) {
  return error_in_flight();
}

Result<Artifact> compile_file(const std::string& path, const CompileOptions& options) try {
  ASSIGN_OR_RETURN(const Source source, Source::read(path));
  return compile(source, options);
} catch (...) {
  return error_in_flight();
}

namespace driver {

Result<Program> load_source(const Source& source, const CompileOptions& options) {
  Compilation compilation(options);
  return enter(compilation, [&]() -> Result<Program> {
    Result<Program> program = parse_with_constants(compilation, source_file(source));
    if (program && compilation.diagnostics.has_errors()) return source_error(compilation.diagnostics);
    return program;
  });
}

Result<Artifact> compile_kernels(const Program& program, const std::vector<KernelRequest>& requests,
                                 const CompileOptions& options, std::vector<Diagnostic>* warnings) {
  Compilation compilation(options);
  return enter(compilation, [&] {
    Result<Artifact> artifact = find_or_compile(compilation, program, requests);
    if (artifact && warnings) *warnings = compilation.diagnostics.take();
    return artifact;
  });
}

Result<CountingKernel> compile_counting(const Program& program, const KernelRequest& request,
                                        const CompileOptions& options) {
  Compilation compilation(options, Purpose::Counts);
  return enter(compilation, [&]() -> Result<CountingKernel> {
    ASSIGN_OR_RETURN(Arrival arrival, travel(compilation, program, {request}));
    return describe_counting(*arrival.module, std::move(arrival.output.artifact));
  });
}

std::vector<Diagnostic> check_source(std::shared_ptr<const SourceFile> file, const CompileOptions& options) {
  Compilation compilation(options, Purpose::Reports);
  const Result<void> checked = enter(compilation, [&]() -> Result<void> {
    const Program program = parse(compilation, std::move(file), {});
    ASSIGN_OR_RETURN(const Arrival arrival, travel(compilation, program, {}));
    return {};
  });
  return checked ? compilation.diagnostics.take() : checked.error().diagnostics;
}

}  // namespace driver
}  // namespace pykc
