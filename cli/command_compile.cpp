// pykc compile FILE: a .pyk file to PTX, an object file, or any form in between.
#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "driver/driver.h"

namespace pykc::cli {
namespace {

/// What `--emit` takes: the names people know, for each target.
struct Format {
  Emit emit;
  const char* extension;
  bool for_cpu;  // obj and asm of a host; ptx is a GPU's
};
const std::map<std::string, Format>& formats() {
  static const std::map<std::string, Format> table = {
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
  };
  return table;
}

struct Request {
  std::string file, output, emit;
  CompileOptions options;
  bool time = false;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
};

bool is_cpu(const std::string& target) { return target.starts_with("cpu"); }

/// The format and the target belong together: an object is a host's, PTX a GPU's.
Result<Format> choose_format(Request& request) {
  if (request.emit.empty()) request.emit = is_cpu(request.options.target) ? "obj" : "ptx";
  const Format format = formats().at(request.emit);
  if (request.options.target.empty() && format.for_cpu) request.options.target = "cpu";
  if (format.for_cpu && !is_cpu(request.options.target))
    return Error{ErrorCode::InvalidArgument, "--emit " + request.emit + " needs --target cpu"};
  if (request.emit == "ptx" && is_cpu(request.options.target))
    return Error{ErrorCode::InvalidArgument, "--emit ptx needs a GPU target, such as --target sm_90"};
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

int run(Request& request) {
  const Result<Format> format = choose_format(request);
  if (!format) {
    report(format.error());
    return kUsage;
  }
  const Result<std::shared_ptr<const SourceFile>> file = driver::read_source(request.file);
  if (!file) return report(file.error());
  Result<CompileOutput> output = compile_to(format->emit, (*file)->text(), request.options, request.file);
  if (!output) return report(output.error(), request.diagnostics);
  if (!output->warnings.empty() || request.diagnostics == DiagnosticsFormat::Json)
    print_diagnostics(output->warnings, request.diagnostics);

  std::string bytes = std::move(output->text);
  if (request.emit == "obj") bytes = std::move(output->artifact.code);
  if (request.emit == "artifact") bytes = output->artifact.serialize();
  if (request.output.empty())
    request.output = std::filesystem::path(request.file).replace_extension(format->extension).string();
  if (const Result<void> written = write_output(request.output, bytes); !written) return report(written.error());
  if (request.time) print_times(output->times);
  return kSuccess;
}

}  // namespace

void add_compile(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("compile", "Compile a .pyk file (to FILE.ptx, unless told otherwise)");
  command->add_option("FILE", request->file, "The .pyk file")->required();
  command->add_option("-o,--output", request->output, "Where to write; - is the standard output");
  std::vector<std::string> names;
  for (const auto& [name, format] : formats()) names.push_back(name);
  command->add_option("--emit", request->emit, "What to write")->check(CLI::IsMember(names));
  command->add_option("--target", request->options.target, "sm_75 to sm_121, or cpu (default sm_80)");
  command->add_option("--sig", request->options.signatures,
                      "Types for a kernel without annotations: --sig 'saxpy(f32, f32[:], f32[:])'");
  command->add_flag("--line-info", request->options.line_info, "Name source lines in the PTX, for profilers");
  command->add_flag("--time", request->time, "Print how long each phase took");
  add_compile_flags(*command, request->options);
  add_diagnostics_flag(*command, request->diagnostics);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
