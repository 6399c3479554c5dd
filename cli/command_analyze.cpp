// pykc analyze FILE[::KERNEL]: what kernels cost a GPU, line by line, counted on the CPU device.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "base/errors.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/launch_flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "insight/report.h"
#include "insight/warnings.h"
#include "measure/sweep.h"
#include "script/script.h"

namespace pykc::cli {
namespace {

constexpr std::string_view kUsualChip = "H100";
constexpr std::string_view kUsualSize = "1e6";

struct AnalyzeRequest {
  std::string what;  // FILE[::KERNEL]
  std::vector<std::string> main_arguments;
  std::string chip = std::string(kUsualChip), size, block, json, html;
  insight::Tools tools;
  LaunchFlags launch;
  CompileOptions options;
};

Result<void> launch_kernel(const AnalyzeRequest& request, const Program& program, const std::string& name,
                           const Device& device) {
  ASSIGN_OR_RETURN(const std::vector<measure::ConfiguredKernel> kernels, find_kernels(program, name, request.launch));
  const std::string size_text = request.size.empty() ? std::string(kUsualSize) : request.size;
  ASSIGN_OR_RETURN(const std::vector<std::int64_t> sizes, measure::parse_sizes(size_text));
  for (const measure::ConfiguredKernel& kernel : kernels) {
    ASSIGN_OR_RETURN(measure::BenchmarkSettings settings, settings_of(request.launch, kernel.configuration));
    ASSIGN_OR_RETURN(std::vector<Dim3> blocks, blocks_of(request.block, kernel.configuration));
    ASSIGN_OR_RETURN(const measure::Benchmark benchmark,
                     create_benchmark(device, program, kernel.request, request.options, std::move(settings)));
    if (blocks.empty()) blocks = {usual_block(benchmark.kernel())};
    for (const std::int64_t size : sizes) {
      ASSIGN_OR_RETURN(const measure::LaunchArguments arguments, benchmark.make_arguments(size));
      for (const Dim3 block : blocks)
        if (const Result<void> launched = benchmark.launch(arguments, block); !launched)
          return explained(launched.error(), "--block");
    }
  }
  return {};
}

Result<void> run(const AnalyzeRequest& request, const KernelOfFile& what, const Device& device,
                 std::vector<Diagnostic>& warnings) {
  ASSIGN_OR_RETURN(const Program program, load(what.file, request.options));
  const bool is_described = !request.size.empty() || !request.block.empty() || !request.launch.signature.empty();
  if (is_described || !script::has_main(program)) return launch_kernel(request, program, what.kernel, device);
  script::RunOptions options;
  options.device = "cpu";
  options.arguments = request.main_arguments;
  options.compile = request.options;
  options.warning = [&](const Diagnostic& warning) { warnings.push_back(warning); };
  ASSIGN_OR_RETURN(const int code, script::run_main(program, options));
  if (code != 0) return Error{ErrorCode::InvalidSource, "main() returned " + std::to_string(code)};
  return {};
}

int terminal_columns() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 120;
}

int run(AnalyzeRequest& request) {
  const insight::Chip* chip = insight::find_chip(request.chip);
  if (chip == nullptr) {
    report(invalid_argument("there is no chip `" + request.chip +
                            "` in the tables: " + list_text(insight::chips(), &insight::Chip::name)));
    return kUsage;
  }
  const KernelOfFile what = parse_kernel_of_file(request.what);
  request.options.costs_for = chip->target;
  if (!request.html.empty()) request.options.line_info = true;
  const Result<Device> device = Device::open("cpu");
  if (!device) return report(device.error());
  std::vector<LaunchCosts> launches;
  if (request.html.empty()) request.tools.nvdisasm.clear();
  insight::Assembly assembly(request.tools);  // goes on beside the program
  const auto is_shown = [&](const LaunchCosts& costs) {
    return what.kernel.empty() || costs.kernel.name == what.kernel;
  };
  const auto keep = [&](const LaunchCosts& costs) {
    if (is_shown(costs)) assembly.start(costs.kernel.watched);
    launches.push_back(costs);
  };
  if (const Result<void> told = device->set_cost_output(keep); !told) return report(told.error());
  std::vector<Diagnostic> warnings;
  const Result<void> ran = run(request, what, *device, warnings);
  (void)device->set_cost_output(nullptr);
  for (const Diagnostic& warning : warnings)
    if (!insight::is_refuted(warning, launches)) print_warning(warning);
  if (!ran) return report(ran.error());
  std::erase_if(launches, std::not_fn(is_shown));
  if (launches.empty())
    return report(Error{ErrorCode::NotFound, "nothing launches " +
                                                 (what.kernel.empty() ? "a kernel" : "kernel `" + what.kernel + "`") +
                                                 ": --size N launches FILE::KERNEL with arrays of N random elements"});
  const std::vector<insight::Report> reports = insight::make_reports(std::move(launches), *chip, assembly);
  bool is_first = true;
  for (const insight::Report& one : reports)
    std::printf("%s%s", std::exchange(is_first, false) ? "" : "\n",
                insight::to_text(one, insight::source_text, terminal_columns()).c_str());
  if (!request.json.empty())
    if (const Result<void> written = write_output(request.json, insight::to_json(reports)); !written)
      return report(written.error());
  if (!request.html.empty())
    if (const Result<void> written = write_output(request.html, insight::to_html(reports, insight::source_text));
        !written)
      return report(written.error());
  return kSuccess;
}

void add_options(CLI::App& command, AnalyzeRequest& request) {
  command.add_option("FILE::KERNEL", request.what, "The .pyk file, and a kernel of it")->required();
  command.add_option("ARGS", request.main_arguments, "Arguments of main, in order or as NAME=VALUE");
  command.add_option("--chip", request.chip, "The GPU: " + list_text(insight::chips(), &insight::Chip::name))
      ->capture_default_str();
  command.add_option("--size", request.size,
                     "Do not run main: launch the kernel with arrays of so many random elements (1e6 without a main)");
  command.add_option("--block", request.block, "The shape of such a launch's blocks (default: 256)");
  add_launch_flags(command, request.launch);
  command.add_option("--json", request.json, "Write all that was counted as JSON");
  command.add_option("--html", request.html, "Write a page with all that, and source, IR, PTX and SASS side by side");
  command
      .add_option("--ptxas", request.tools.ptxas,
                  "NVIDIA's assembler, which tells registers and spills; \"\" does without")
      ->capture_default_str();
  command.add_option("--nvdisasm", request.tools.nvdisasm, "NVIDIA's disassembler, which shows SASS in the page")
      ->capture_default_str();
  add_compile_flags(command, request.options);
  command.positionals_at_end(false);
  command.footer(
      "main runs on the CPU device; the first launch of each kernel and shape is counted. docs/analyze.md tells "
      "more.");
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<AnalyzeRequest>();
  CLI::App* command = app.add_subcommand("analyze", "Show what kernels cost a GPU, line by line, without one");
  command->preparse_callback([command, request](std::size_t) { add_options(*command, *request); });
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
