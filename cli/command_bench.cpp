// pykc bench FILE::KERNEL: how fast a kernel is, over sizes and shapes of blocks.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/errors.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/launch_flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "measure/benchmark.h"
#include "measure/report.h"
#include "measure/sweep.h"

namespace pykc::cli {
namespace {

struct BenchRequest {
  std::string what;  // FILE::KERNEL
  std::string sizes = "1e4,1e5,1e6,1e7", blocks, device;
  std::string csv, json, svg;
  double seconds = 0.1;  // for each point
  LaunchFlags launch;
  CompileOptions options;
};

std::string point_text(std::int64_t size, Dim3 block, const std::string& configuration) {
  return "size " + std::to_string(size) + ", block " + measure::extents_text(block) +
         (configuration.empty() ? "" : ", " + configuration);
}

/// Other points may be measured all the same.
bool is_of_the_point(const Error& error) {
  return error.code == ErrorCode::InvalidLaunch || error.code == ErrorCode::OutOfMemory ||
         error.code == ErrorCode::KernelFault;
}

/// All sizes and blocks of one configuration.
Result<void> measure_kernel(const BenchRequest& request, const std::vector<std::int64_t>& sizes, const Program& program,
                            const measure::ConfiguredKernel& kernel, const Device& device, ProgressBar& bar,
                            measure::Report& report) {
  ASSIGN_OR_RETURN(std::vector<Dim3> blocks, blocks_of(request.blocks, kernel.configuration));
  ASSIGN_OR_RETURN(measure::BenchmarkSettings settings, settings_of(request.launch, kernel.configuration));
  settings.seconds = request.seconds;
  bar.begin("compiling");
  const Result<measure::Benchmark> benchmark =
      create_benchmark(device, program, kernel.request, request.options, std::move(settings));
  if (!benchmark) return benchmark.error();
  report.kernel = measure::signature_of(benchmark->kernel());
  report.has_foreign_code |= benchmark->has_foreign_code();
  if (blocks.empty()) blocks = {usual_block(benchmark->kernel())};
  const std::string configuration = kernel.text();
  for (const std::int64_t size : sizes) {
    std::optional<Result<measure::LaunchArguments>> arguments;  // of this size, when its first point has begun
    for (const Dim3 block : blocks) {
      bar.begin(point_text(size, block, configuration));
      if (!arguments) arguments = benchmark->make_arguments(size);
      Result<measure::Point> point =
          *arguments ? benchmark->measure(**arguments, block) : Result<measure::Point>(arguments->error());
      if (point) {
        point->configuration = configuration;
        report.points.push_back(std::move(*point));
      } else if (is_of_the_point(point.error())) {
        report.failures.push_back({size, block, explained(point.error(), "--blocks").message, configuration});
      } else {
        return Error{point.error().code, point_text(size, block, configuration) + ": " + point.error().message};
      }
    }
  }
  return {};
}

Result<measure::Report> measure_all(const BenchRequest& request, const std::vector<std::int64_t>& sizes,
                                    const Program& program, const std::string& name) {
  const Result<std::vector<measure::ConfiguredKernel>> kernels = find_kernels(program, name, request.launch);
  if (!kernels) return kernels.error();
  ASSIGN_OR_RETURN(const std::vector<Dim3> blocks, blocks_of(request.blocks, kernels->front().configuration));
  ASSIGN_OR_RETURN(const Device device, Device::open(request.device));
  const std::size_t points = sizes.size() * std::max<std::size_t>(blocks.size(), 1);
  ProgressBar bar(static_cast<int>(kernels->size() * (points + 1) + 1));
  measure::Report report{.device = device.info()};
  for (const measure::ConfiguredKernel& kernel : *kernels)
    RETURN_IF_FAILED(measure_kernel(request, sizes, program, kernel, device, bar, report));
  if (report.points.empty()) return report;
  bar.begin("what the device can do");
  ASSIGN_OR_RETURN(report.roofline, measure::measure_roofline(device));
  return report;
}

Result<void> write(const BenchRequest& request, const measure::Report& report) {
  Result<void> written;
  const auto write_to = [&](const std::string& path, std::string (*text)(const measure::Report&)) {
    if (written && !path.empty()) written = write_output(path, text(report));
  };
  if (report.points.empty()) return {};
  write_to("-", measure::to_table);
  write_to(request.csv, measure::to_csv);
  write_to(request.json, measure::to_json);
  write_to(request.svg, measure::to_svg);
  return written;
}

int run(BenchRequest& request) {
  const KernelOfFile what = parse_kernel_of_file(request.what);
  const auto misused = [](const Error& error) {
    report(error);
    return kUsage;
  };
  const Result<std::vector<std::int64_t>> sizes = measure::parse_sizes(request.sizes);
  if (!sizes) return misused(sizes.error());
  if (const Result<measure::ArgumentSettings> parsed = argument_settings(request.launch); !parsed)
    return misused(parsed.error());
  const Result<Program> program = load(what.file, request.options);
  if (!program) return report(program.error());
  const Result<measure::Report> measured = measure_all(request, *sizes, *program, what.kernel);
  if (!measured) return report(measured.error());
  if (const Result<void> written = write(request, *measured); !written) return report(written.error());
  for (const measure::Failure& failure : measured->failures)
    std::fprintf(stderr, "pykc: %s: %s\n", point_text(failure.size, failure.block, failure.configuration).c_str(),
                 failure.message.c_str());
  return measured->failures.empty() ? kSuccess : kFailure;
}

void add_options(CLI::App& command, BenchRequest& request) {
  command.add_option("FILE::KERNEL", request.what, "The .pyk file and a kernel of it")->required();
  command.add_option("--sizes", request.sizes, "Elements of the arrays: 1e4,1e5 or 1024..65536, which doubles")
      ->capture_default_str();
  command.add_option("--blocks", request.blocks,
                     "Shapes of blocks: 64..1024, which doubles, 64,128,16x16, or TILExROWS in the names of the "
                     "kernel's configurations (default: 256, or the kernel's launch bound where that is less)");
  add_launch_flags(command, request.launch);
  command.add_option("--seconds", request.seconds, "Time to measure each point for")
      ->check(CLI::Range(1e-3, 3600.0))
      ->check(is_no_nan)
      ->capture_default_str();
  add_device_flag(command, request.device);
  command.add_option("--csv", request.csv, "Write the table as CSV");
  command.add_option("--json", request.json, "Write all that was measured as JSON");
  command.add_option("--svg", request.svg, "Write two plots: times over sizes, and the roofline");
  add_compile_flags(command, request.options);
  command.footer(
      "Arrays are filled with reproducible random numbers: floats from 0 to 1, integers that are indices into every "
      "array.\nWhat a launch reads, writes and computes is counted by a launch of the same size. docs/bench.md tells "
      "more.");
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<BenchRequest>();
  CLI::App* command = app.add_subcommand("bench", "Measure how fast a kernel is, over sizes and shapes of blocks");
  // Options are added when the command is chosen: the others start as fast as without them.
  command->preparse_callback([command, request](std::size_t) { add_options(*command, *request); });
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
