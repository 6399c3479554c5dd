// The road of a kernel, in order. Each step takes one value and gives one value; what is wrong goes to Diagnostics, and
// the road ends at the first step that found an error, when that step has reported everything it could see.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "codegen/codegen.h"
#include "driver/artifact_cache.h"
#include "driver/counting.h"
#include "driver/driver.h"
#include "frontend/frontend.h"
#include "ir/passes/count_operations.h"
#include "ir/passes/passes.h"
#include "ir/verify/verifier.h"

namespace pykc {
namespace {

/// Measures the phases of one compilation.
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

Error source_error(Diagnostics& diagnostics) {
  std::vector<Diagnostic> list = diagnostics.take();
  const auto count = std::count_if(list.begin(), list.end(),
                                   [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  return {ErrorCode::InvalidSource, std::to_string(count) + (count == 1 ? " error" : " errors"), std::move(list)};
}

/// Where reports go: without the warnings that nobody wants.
Diagnostics make_diagnostics(const CompileOptions& options) {
  Diagnostics diagnostics;
  for (const std::string& code : options.silenced_warnings) diagnostics.silence("", 0, code);
  if (!options.warnings) diagnostics.silence("", 0, "");
  if (options.warnings_are_errors) diagnostics.set_warnings_are_errors();
  return diagnostics;
}

/// A module that does not verify is a defect of the compiler, wherever it shows.
std::optional<Error> verify(const ir::Module& module, std::string_view after) {
  const std::vector<std::string> broken = ir::verify(module);
  if (broken.empty()) return std::nullopt;
  std::string message = "internal error: broken IR after " + std::string(after) + " (please report this)";
  for (const std::string& rule : broken) message += "\n  " + rule;
  return Error{ErrorCode::Internal, std::move(message)};
}

/// What kernels do beside their work.
enum class Instrument : std::uint8_t { Nothing, Counts };

/// Checked source → IR that is ready for the target; without a target, IR that no target has refused.
Result<std::unique_ptr<ir::Module>> to_ir(const checked::Module& checked, const codegen::Target* target, bool for_cpu,
                                          Diagnostics& diagnostics, PhaseClock& clock,
                                          Instrument instrument = Instrument::Nothing) {
  // Lowering answers no questions: all user errors are behind us, but for those that need control flow.
  std::unique_ptr<ir::Module> module = lower(checked);
  ir::limit_recursion(*module, diagnostics);
  clock.finish("lower");

  // Decided before anything that depends on the target, so that CPU and GPU round alike; and before anything is
  // optimised, so that what rounds once is what the source says.
  for (const auto& function : module->functions) ir::contract_multiply_add(*function);

  // From here on a value that never changes is a value, not a variable: uniformity and ranges can see through it.
  for (const auto& function : module->functions) ir::promote_locals(*function);
  for (const auto& function : module->functions) ir::fold_constants(*function);

  // The last steps that can find a user error: a barrier needs all threads, and some builtins a certain target.
  ir::check_uniformity(*module, diagnostics);
  if (target != nullptr) ir::check_target(*module, {for_cpu, codegen::sm_number(*target)}, diagnostics);
  if (diagnostics.has_errors()) return source_error(diagnostics);

  // What is counted is what the source asks for, the same on every target.
  if (instrument == Instrument::Counts) ir::count_operations(*module);

  if (for_cpu) {
    // A kernel that waits must hold every place at which it waits, before it is cut there.
    ir::inline_calls(*module);
    for (std::size_t i = 0; i < module->functions.size(); ++i)
      if (module->functions[i]->is_kernel) ir::split_at_barriers(*module->functions[i], *module);
  }
  // No function is so long that LLVM's time for it would grow with the square of its length.
  ir::cut_long_functions(*module, for_cpu ? ir::kLongestOnCpu : ir::kLongestOnGpu);
  clock.finish("passes");

  // Behind this point the IR is right by contract, and nobody checks again.
  if (std::optional<Error> error = verify(*module, "the passes")) return *error;
  clock.finish("verify");
  return module;
}

codegen::Options codegen_options(const CompileOptions& options) {
  return {.optimization = options.optimization,
          .fast_math = options.fast_math,
          .line_info = options.line_info,
          .libraries = options.libraries};
}

/// A file may ask for checks itself: `# pykc: checked`.
CheckOptions check_options(const Program& program, const CompileOptions& options) {
  return {.asserts = options.asserts,
          .checked = options.checked || program.main->directives.checked,
          .warnings = options.warnings,
          .fast_math = options.fast_math,
          .contract = options.contract};
}

Result<std::vector<KernelRequest>> requests_of(const CompileOptions& options) {
  std::vector<KernelRequest> requests;
  for (const std::string& signature : options.signatures) {
    Result<KernelRequest> request = parse_signature(signature);
    if (!request) return request.error();
    requests.push_back(std::move(*request));
  }
  return requests;
}

/// The file and what it imports, as trees that never change again.
Result<Program> parse_program(std::shared_ptr<const SourceFile> file, const CompileOptions& options,
                              Diagnostics& diagnostics) {
  const Result<std::string> constants = driver::constants_text(options.constants);
  if (!constants) return constants.error();
  const ImportResolver resolver = driver::import_resolver(file->name(), options);
  const std::string package = driver::package_of_file(file->name(), options);
  return load_program(std::move(file), resolver, diagnostics, package, *constants);
}

/// IR → what was asked for.
Result<CompileOutput> to_output(Emit emit, const checked::Module& checked, const CompileOptions& options,
                                Diagnostics& diagnostics, PhaseClock& clock) {
  Result<codegen::Target> target = codegen::Target::parse(options.target);
  if (!target) return target.error();
  const bool for_cpu = emit == Emit::CpuIr || (emit != Emit::Ir && target->kind == codegen::Target::Kind::Cpu);
  Result<std::unique_ptr<ir::Module>> module = to_ir(checked, &*target, for_cpu, diagnostics, clock);
  if (!module) return module.error();

  CompileOutput output;
  if (emit == Emit::Ir || emit == Emit::CpuIr) {
    output.text = ir::print_module(**module);
  } else if (emit == Emit::Code) {
    Result<Artifact> artifact = codegen::generate(**module, *target, codegen_options(options));
    if (!artifact) return artifact.error();
    output.artifact = std::move(*artifact);
  } else {
    Result<std::string> text = codegen::generate_text(emit, **module, *target, codegen_options(options));
    if (!text) return text.error();
    output.text = std::move(*text);
  }
  clock.finish("codegen");
  return output;
}

/// The artifact of an earlier compilation of the same, or a new one, kept for later.
Result<Artifact> find_or_compile(const Program& program, const std::vector<KernelRequest>& requests,
                                 const CompileOptions& options, Diagnostics& diagnostics) {
  std::optional<driver::ArtifactCache> cache;
  std::string key;
  if (options.cache && !diagnostics.has_errors()) cache = driver::ArtifactCache::open();
  if (cache) {
    const Result<codegen::Target> target = codegen::Target::parse(options.target);
    if (!target) return target.error();
    key = cache->key(program, requests, options, codegen::describe_machine(*target));
    if (std::optional<Artifact> found = cache->find(key)) return std::move(*found);
  }
  PhaseClock clock;
  const checked::Module checked = check(program, requests, check_options(program, options), diagnostics);
  if (diagnostics.has_errors()) return source_error(diagnostics);
  Result<CompileOutput> output = to_output(Emit::Code, checked, options, diagnostics, clock);
  if (!output) return output.error();
  if (cache && diagnostics.list().empty()) cache->store(key, output->artifact);
  return std::move(output->artifact);
}

}  // namespace

Result<CompileOutput> compile_to(Emit emit, std::string_view source, const CompileOptions& options,
                                 std::string_view file_name) {
  PhaseClock clock;
  Diagnostics diagnostics = make_diagnostics(options);
  const auto file = std::make_shared<const SourceFile>(std::string(file_name), std::string(source));
  const auto finish = [&](CompileOutput output) -> Result<CompileOutput> {
    output.warnings = diagnostics.take();
    output.times = std::move(clock.times);
    return output;
  };

  if (emit == Emit::Tokens) {
    const std::vector<Token> tokens = lex(*file, diagnostics);
    if (diagnostics.has_errors()) return source_error(diagnostics);
    return finish({.text = print_tokens(*file, tokens)});
  }

  const Result<Program> program = parse_program(file, options, diagnostics);
  if (!program) return program.error();
  clock.finish("parse");
  if (emit == Emit::Ast && !diagnostics.has_errors()) return finish({.text = ast::print(*program->main)});

  // Every name bound, every type known; of a file with syntax errors, what could be read is checked all the same, so
  // that one run reports everything.
  const Result<std::vector<KernelRequest>> requests = requests_of(options);
  if (!requests) return requests.error();
  const checked::Module checked = check(*program, *requests, check_options(*program, options), diagnostics);
  clock.finish("check");
  if (diagnostics.has_errors()) return source_error(diagnostics);
  if (emit == Emit::Checked) return finish({.text = checked::print(checked)});

  Result<CompileOutput> output = to_output(emit, checked, options, diagnostics, clock);
  if (!output) return output;
  return finish(std::move(*output));
}

Result<Artifact> compile(const Source& source, const CompileOptions& options) {
  Diagnostics diagnostics = make_diagnostics(options);
  const Result<std::vector<KernelRequest>> requests = requests_of(options);
  if (!requests) return requests.error();
  const Result<Program> program = parse_program(driver::source_file(source), options, diagnostics);
  if (!program) return program.error();
  return find_or_compile(*program, *requests, options, diagnostics);
}

Result<Artifact> compile(std::string_view source, const CompileOptions& options, std::string_view file_name) {
  return compile(Source(std::string(source), std::string(file_name)), options);
}

Result<Artifact> compile_file(const std::string& path, const CompileOptions& options) {
  const Result<Source> source = Source::read(path);
  if (!source) return source.error();
  return compile(*source, options);
}

namespace driver {

Result<Program> load_source(const Source& source, const CompileOptions& options) {
  Diagnostics diagnostics = make_diagnostics(options);
  Result<Program> program = parse_program(source_file(source), options, diagnostics);
  if (program && diagnostics.has_errors()) return source_error(diagnostics);
  return program;
}

Result<Artifact> compile_kernels(const Program& program, const std::vector<KernelRequest>& requests,
                                 const CompileOptions& options, std::vector<Diagnostic>* warnings) {
  Diagnostics diagnostics = make_diagnostics(options);
  Result<Artifact> artifact = find_or_compile(program, requests, options, diagnostics);
  if (artifact && warnings) *warnings = diagnostics.take();
  return artifact;
}

Result<CountingKernel> compile_counting(const Program& program, const KernelRequest& request,
                                        const CompileOptions& options) {
  const Result<codegen::Target> target = codegen::Target::parse(options.target);
  if (!target) return target.error();
  Diagnostics diagnostics = make_diagnostics(options);
  CheckOptions for_counting = check_options(program, options);
  for_counting.checked = true;
  const checked::Module checked = check(program, {request}, for_counting, diagnostics);
  if (diagnostics.has_errors()) return source_error(diagnostics);
  PhaseClock clock;
  const bool for_cpu = target->kind == codegen::Target::Kind::Cpu;
  const Result<std::unique_ptr<ir::Module>> module =
      to_ir(checked, &*target, for_cpu, diagnostics, clock, Instrument::Counts);
  if (!module) return module.error();
  Result<Artifact> artifact = codegen::generate(**module, *target, codegen_options(options));
  if (!artifact) return artifact.error();
  return describe_counting(**module, std::move(*artifact));
}

std::vector<Diagnostic> check_source(std::shared_ptr<const SourceFile> file, const CompileOptions& options) {
  Diagnostics diagnostics = make_diagnostics(options);
  const std::string name = file->name();
  const Program program =
      load_program(std::move(file), import_resolver(name, options), diagnostics, package_of_file(name, options));
  CheckOptions for_all = check_options(program, options);
  for_all.all_configurations = true;
  const checked::Module checked = check(program, {}, for_all, diagnostics);
  if (diagnostics.has_errors()) return diagnostics.take();
  PhaseClock clock;
  if (Result<std::unique_ptr<ir::Module>> module = to_ir(checked, nullptr, false, diagnostics, clock); !module)
    return std::move(module.error().diagnostics);
  return diagnostics.take();
}

}  // namespace driver
}  // namespace pykc
