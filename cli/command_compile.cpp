// pykc compile FILE: a .pyk file to PTX, an object file, or any form in between.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "base/errors.h"
#include "base/on_all_cores.h"
#include "cli/command.h"
#include "cli/embed.h"
#include "cli/flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "driver/driver.h"
#include "driver/example_signature.h"
#include "insight/assembler.h"
#include "pykc/runtime.h"

namespace pykc::cli {
namespace {

/// What `--emit` takes: the names people know, for each target.
struct OutputFormat {
  Emit emit;
  const char* extension;
  bool for_cpu;  // obj and asm of a host; ptx is a GPU's
};
const std::map<std::string, OutputFormat>& formats() {
  static const std::map<std::string, OutputFormat> table = {
      {"tokens", {Emit::Tokens, ".tokens", false}},
      {"ast", {Emit::Ast, ".ast", false}},
      {"checked", {Emit::Checked, ".checked", false}},
      {"ir", {Emit::Ir, ".ir", false}},
      {"cpu-ir", {Emit::CpuIr, ".ir", true}},
      {"llvm", {Emit::Llvm, ".ll", false}},
      {"ptx", {Emit::Assembly, ".ptx", false}},
      {"asm", {Emit::Assembly, ".s", true}},
      {"obj", {Emit::Code, ".o", true}},
      {"artifact", {Emit::Code, ".pykc", false}},
      {"header", {Emit::Code, ".h", false}},
      {"c", {Emit::Code, ".c", false}},
  };
  return table;
}

struct CompileRequest {
  std::string file, output, emit, depfile, ptxas, name_space;
  std::vector<std::string> targets;
  CompileOptions options;
  bool time = false;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
};

bool is_cpu(const std::string& target) { return target.starts_with("cpu"); }

/// What a program is built with, for several targets at a time.
bool embeds(const CompileRequest& request) { return request.emit == "header" || request.emit == "c"; }

/// The format and the target belong together: an object is a host's, PTX a GPU's.
Result<OutputFormat> choose_format(CompileRequest& request) {
  if (embeds(request)) return formats().at(request.emit);
  if (request.targets.size() > 1) return invalid_argument("only --emit header and --emit c take several targets");
  if (!request.targets.empty()) request.options.target = request.targets.front();
  if (request.emit.empty()) request.emit = is_cpu(request.options.target) ? "obj" : "ptx";
  const OutputFormat format = formats().at(request.emit);
  if (request.options.target.empty() && format.for_cpu) request.options.target = "cpu";
  if (format.for_cpu && !is_cpu(request.options.target))
    return invalid_argument("--emit " + request.emit + " needs --target cpu");
  if (request.emit == "ptx" && is_cpu(request.options.target))
    return invalid_argument("--emit ptx needs a GPU target, such as --target sm_90");
  return format;
}

void print_times(const std::vector<PhaseTime>& times) {
  double total = 0;
  for (const PhaseTime& time : times) {
    std::fprintf(stderr, "%-10s %8.3f ms\n", time.phase.c_str(), time.milliseconds);
    total += time.milliseconds;
  }
  std::fprintf(stderr, "%-10s %8.3f ms\n", "total", total);
}

/// What programs carry: for a GPU and any processor, unless told otherwise.
Result<std::vector<std::string>> embedded_targets(const std::vector<std::string>& asked) {
  std::vector<std::string> targets;
  const auto add = [&](const std::string& target) {
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(target);
  };
  for (const std::string& target : asked.empty() ? std::vector<std::string>{"sm_80", "cpu"} : asked) {
    if (target != "native") {
      add(target == "cpu" ? "cpu:x86-64-v2" : target);
      continue;
    }
    for (const DeviceInfo& device : Device::list())
      if (!device.target.starts_with("cpu")) add(device.target);
  }
  if (!targets.empty()) return targets;
  return Error{ErrorCode::NotFound, "this machine has no GPU to compile for: name a target beside `native`"};
}

/// The output's name, a colon, and every file that was read, as `make` reads it.
Result<void> write_depfile(const CompileRequest& request) {
  ASSIGN_OR_RETURN(const Program program, load(request.file, request.options));
  std::string text;
  const auto add = [&](const std::string& file, const char* end) {
    for (const char c : file) {
      if (c == ' ' || c == '#') text += '\\';
      text += c == '$' ? "$$" : std::string(1, c);
    }
    text += end;
  };
  add(request.output, ":");
  const auto add_source = [&](const ast::Module& module) {
    if (module.file->origin().is_built_in) return;
    text += " \\\n  ";
    add(module.file->name(), "");
  };
  add_source(*program.main);
  for (const Program::Imported& import : program.imports) add_source(*import.module);
  return write_output(request.depfile, text + "\n");
}

/// What is embedded for one target.
struct ForTarget {
  std::vector<Artifact> artifacts;  // PTX, and its cubin where ptxas is given
  std::vector<Diagnostic> warnings;
};

Result<ForTarget> compile_for(const std::string& target, const CompileRequest& request, std::string_view source) {
  CompileOptions options = request.options;
  options.target = target;
  ASSIGN_OR_RETURN(CompileOutput output, compile_to(Emit::Code, source, options, request.file));
  if (output.artifact.kernels.empty())
    return invalid_argument(request.file +
                            " has no kernel whose parameters are all annotated; --sig gives one its types");
  make_names_unique(output.artifact);
  ForTarget made{{std::move(output.artifact)}, std::move(output.warnings)};
  if (request.emit == "header" || request.ptxas.empty() || is_cpu(target)) return made;
  ASSIGN_OR_RETURN(Artifact cubin, insight::assemble(made.artifacts.front(), request.ptxas));
  made.artifacts.push_back(std::move(cubin));
  return made;
}

/// The artifacts of all targets, which are compiled at a time. Of errors the first is told, of warnings the first
/// target's.
Result<std::vector<Artifact>> compile_all(const CompileRequest& request, std::string_view source) {
  ASSIGN_OR_RETURN(std::vector<std::string> targets, embedded_targets(request.targets));
  if (request.emit == "header") targets.resize(1);  // which says nothing of a target
  std::vector<Result<ForTarget>> all =
      on_all_cores(targets.size(), [&](std::size_t i) { return compile_for(targets[i], request, source); });
  std::vector<Artifact> artifacts;
  for (Result<ForTarget>& one : all) {
    ASSIGN_OR_RETURN(ForTarget made, std::move(one));
    if (artifacts.empty() && request.emit == "c") print_diagnostics(made.warnings, request.diagnostics);
    std::ranges::move(made.artifacts, std::back_inserter(artifacts));
  }
  return artifacts;
}

/// The same for a header and its C file, which are made by two commands and perhaps for other targets.
Result<std::string> identity_of(const CompileRequest& request) {
  ASSIGN_OR_RETURN(const Program program, load(request.file, request.options));
  std::string all(program.main->file->text());
  for (const Program::Imported& import : program.imports)
    if (!import.module->file->origin().is_built_in) all += import.module->file->text();
  for (const std::string& signature : request.options.signatures) all += signature;
  return driver::digest(all);
}

Result<std::string> embed(const CompileRequest& request, std::string_view source) {
  const std::string name_space = embedded_namespace(request.name_space.empty() ? request.file : request.name_space);
  if (!request.name_space.empty() && name_space != request.name_space)
    return invalid_argument("--namespace takes a C++ identifier, not `" + request.name_space + "`");
  ASSIGN_OR_RETURN(const std::vector<Artifact> artifacts, compile_all(request, source));
  ASSIGN_OR_RETURN(std::string identity, identity_of(request));
  const EmbeddedName name{name_space, std::move(identity)};
  if (request.emit == "header") return embedded_header(artifacts.front(), name);
  return embedded_source(artifacts, name);
}

/// Grid and block of a launch follow from a kernel's configuration, so it is told which one the kernel is compiled for.
void tell_configurations(const CompileRequest& request) {
  if (!request.options.signatures.empty() || request.emit == "tokens" || request.emit == "ast") return;
  const Result<Program> program = load(request.file, request.options);
  if (!program) return;
  Diagnostics unheard;
  for (const ast::FunctionDef* kernel : kernels_of(*program->main)) {
    if (is_typed_kernel(*kernel)) continue;
    const std::vector<Configuration> choices = configurations_of(*program, *program->main, *kernel, unheard);
    if (choices.empty() || !is_typed_with(choices.front(), *kernel)) continue;
    std::fprintf(stderr,
                 "pykc: %s is compiled for %s, the first of its %zu configurations; --sig '%s' names the values, which "
                 "can be others\n",
                 kernel->name.c_str(), choices.front().text().c_str(), choices.size(),
                 driver::example_signature(*program, *kernel).c_str());
  }
}

/// A kernel without types is compiled for nobody. Where no other is left, that is an error.
Result<void> tell_untyped(const CompileRequest& request) {
  if (!request.options.signatures.empty() || request.emit == "tokens" || request.emit == "ast") return {};
  const Result<Program> program = load(request.file, request.options);
  if (!program) return {};  // told already
  Diagnostics unheard;
  std::vector<const ast::FunctionDef*> untyped;
  const std::vector<const ast::FunctionDef*> kernels = kernels_of(*program->main);
  for (const ast::FunctionDef* kernel : kernels) {
    if (is_typed_kernel(*kernel) || has_signatures(*kernel)) continue;
    const std::vector<Configuration> choices = configurations_of(*program, *program->main, *kernel, unheard);
    if (choices.empty() || !is_typed_with(choices.front(), *kernel)) untyped.push_back(kernel);
  }
  const auto example = [&](const ast::FunctionDef& kernel) {
    return "--sig '" + driver::example_signature(*program, kernel) + "' gives it types";
  };
  if (!untyped.empty() && untyped.size() == kernels.size())
    return invalid_argument("`" + untyped.front()->name + "` has parameters without types, and " + request.file +
                            " has no kernel with types: there is nothing to compile; " + example(*untyped.front()));
  for (const ast::FunctionDef* kernel : untyped)
    std::fprintf(stderr, "pykc: %s has parameters without types and is left out; %s\n", kernel->name.c_str(),
                 example(*kernel).c_str());
  return {};
}

/// Every other format: one target, one file.
Result<std::string> compile_one(const CompileRequest& request, const OutputFormat& format, std::string_view source) {
  ASSIGN_OR_RETURN(CompileOutput output, compile_to(format.emit, source, request.options, request.file));
  if (!output.warnings.empty() || request.diagnostics == DiagnosticsFormat::Json)
    print_diagnostics(output.warnings, request.diagnostics);
  if (request.time) print_times(output.times);
  if (request.emit == "obj") return std::move(output.artifact.code);
  if (request.emit == "artifact") return output.artifact.serialize();
  return std::move(output.text);
}

int run(CompileRequest& request) {
  const Result<OutputFormat> format = choose_format(request);
  if (!format) {
    report(format.error());
    return kUsage;
  }
  const Result<std::shared_ptr<const SourceFile>> file = driver::read_source(request.file);
  if (!file) return report(file.error());
  if (request.output.empty())
    request.output = std::filesystem::path(request.file).replace_extension(format->extension).string();
  const std::string_view source = (*file)->text();
  const Result<std::string> bytes = embeds(request) ? embed(request, source) : compile_one(request, *format, source);
  if (!bytes) return report(bytes.error(), request.diagnostics);
  if (const Result<void> typed = tell_untyped(request); !typed) return report(typed.error());
  tell_configurations(request);
  if (const Result<void> written = write_output(request.output, *bytes); !written) return report(written.error());
  if (!request.depfile.empty())
    if (const Result<void> written = write_depfile(request); !written) return report(written.error());
  return kSuccess;
}

}  // namespace

void add_compile(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<CompileRequest>();
  CLI::App* command = app.add_subcommand("compile", "Compile a .pyk file (to FILE.ptx, unless told otherwise)");
  command->add_option("FILE", request->file, "The .pyk file")->required();
  command->add_option("-o,--output", request->output, "Where to write; - is the standard output");
  std::vector<std::string> names;
  for (const auto& [name, format] : formats()) names.push_back(name);
  command->add_option("--emit", request->emit, "What to write")->check(CLI::IsMember(names));
  command
      ->add_option("--target", request->targets,
                   "sm_75 to sm_121, or cpu (default sm_80); for header and c a list: sm_80,sm_90,cpu,native")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& target) { return std::string(target.empty() ? "a target is missing" : ""); });
  command->add_option("--ptxas", request->ptxas, "For --emit c: add cubins, made by this assembler of NVIDIA's");
  command->add_option("--namespace", request->name_space, "For --emit header and c: instead of the file's name");
  command->add_option("--depfile", request->depfile, "Write what was read as a rule for make");
  command->add_option("--sig", request->options.signatures,
                      "Types for a kernel without annotations: --sig 'saxpy(f32, f32[:], f32[:])'");
  command->add_flag("--line-info", request->options.line_info, "Name source lines in the PTX, for profilers");
  command->add_flag("--time", request->time, "Print how long each phase took");
  add_compile_flags(*command, request->options);
  add_diagnostics_flag(*command, request->diagnostics);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
