// pykc bench FILE::KERNEL: how fast a kernel is, over sizes and shapes of blocks.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/errors.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
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
  std::string sizes = "1e4,1e5,1e6,1e7", blocks, grid, tile, signature, device;
  std::vector<std::string> arguments, shapes;
  std::string csv, json, svg;
  measure::BenchmarkSettings settings;
  CompileOptions options;
};

constexpr std::int64_t kUsualThreads = 256;

/// What the request says of launches, in numbers; for one of several configurations in its terms.
struct Launches {
  std::vector<Dim3> blocks;  // empty where nothing is said
  std::optional<Dim3> grid, tile;
};

struct Assignment {
  std::string name, value;
};
Result<Assignment> parse_assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size())
    return Assignment{text.substr(0, equals), text.substr(equals + 1)};
  return invalid_argument(option + " takes NAME=VALUE, not `" + text + "`");
}

Result<void> parse_settings(BenchRequest& request) {
  for (const std::string& text : request.arguments) {
    ASSIGN_OR_RETURN(const Assignment argument, parse_assignment("--arg", text));
    request.settings.arguments.values[argument.name] = argument.value;
  }
  for (const std::string& text : request.shapes) {
    ASSIGN_OR_RETURN(const Assignment assignment, parse_assignment("--shape", text));
    ASSIGN_OR_RETURN(request.settings.arguments.shapes[assignment.name], measure::parse_shape(assignment.value));
  }
  return {};
}

Result<Launches> parse_launches(const BenchRequest& request, const std::optional<Configuration>& configuration) {
  const Configuration names = configuration.value_or(Configuration({}));
  Launches launches;
  const auto parse_extents = [&](const std::string& text, std::optional<Dim3>& to) -> Result<void> {
    if (text.empty()) return {};
    ASSIGN_OR_RETURN(to, measure::parse_extents(measure::with_values(text, names)));
    return {};
  };
  RETURN_IF_FAILED(parse_extents(request.grid, launches.grid));
  RETURN_IF_FAILED(parse_extents(request.tile, launches.tile));
  if (request.blocks.empty()) return launches;
  ASSIGN_OR_RETURN(launches.blocks, measure::parse_blocks(measure::with_values(request.blocks, names)));
  return launches;
}

std::string point_text(std::int64_t size, Dim3 block, const std::string& configuration) {
  return "size " + std::to_string(size) + ", block " + measure::extents_text(block) +
         (configuration.empty() ? "" : ", " + configuration);
}

/// Other points may be measured all the same.
bool is_of_the_point(const Error& error) {
  return error.code == ErrorCode::InvalidLaunch || error.code == ErrorCode::OutOfMemory ||
         error.code == ErrorCode::KernelFault;
}

std::string explained(const Error& error) {
  if (error.code != ErrorCode::KernelFault) return error.message;
  return error.message +
         "\n  If the kernel is not made for such a launch: --shape, --arg, --grid, --tile and --blocks change it.";
}

/// By which options the command line gives what an error of measure/ asks for.
Error with_options(Error error, ErrorCode asks, const std::string& options) {
  if (error.code == asks) error.message += options;
  return error;
}

Result<void> check_arguments(const KernelInfo& kernel, const measure::ArgumentSettings& settings) {
  Result<void> checked = measure::check_settings(kernel, settings);
  const std::vector<ParameterInfo> missing = measure::missing_values(kernel, settings);
  if (checked || missing.empty()) return checked;
  const auto option = [](const ParameterInfo& parameter) {
    return "--arg " + parameter.name + "=" + (parameter.value.is_record() ? "VALUE,VALUE…" : "VALUE");
  };
  return with_options(checked.error(), ErrorCode::InvalidArgument,
                      "; add " + list_text(missing, option, " ") + "  (`size` stands for the size of the sweep)");
}

/// All sizes and blocks of one configuration.
Result<void> measure_kernel(const BenchRequest& request, const std::vector<std::int64_t>& sizes, const Program& program,
                            const measure::ConfiguredKernel& kernel, const Device& device, ProgressBar& bar,
                            measure::Report& report) {
  ASSIGN_OR_RETURN(Launches launches, parse_launches(request, kernel.configuration));
  measure::BenchmarkSettings settings = request.settings;
  settings.grid = launches.grid;
  settings.tile = launches.tile;
  bar.begin("compiling");
  const Result<measure::Benchmark> benchmark =
      measure::Benchmark::create(device, program, kernel.request, request.options, settings);
  if (!benchmark)
    return with_options(
        benchmark.error(), ErrorCode::InvalidLaunch,
        ": --shared BYTES, or --shared-per-thread BYTES, which is multiplied by the threads of a block");
  RETURN_IF_FAILED(check_arguments(benchmark->kernel(), settings.arguments));
  report.kernel = measure::signature_of(benchmark->kernel());
  report.has_foreign_code |= benchmark->has_foreign_code();
  const std::int64_t bound = benchmark->kernel().max_threads_per_block;
  if (launches.blocks.empty()) launches.blocks = {{bound > 0 ? std::min(bound, kUsualThreads) : kUsualThreads}};
  const std::string configuration = kernel.text();
  for (const std::int64_t size : sizes) {
    std::optional<Result<measure::LaunchArguments>> arguments;  // of this size, when its first point has begun
    for (const Dim3 block : launches.blocks) {
      bar.begin(point_text(size, block, configuration));
      if (!arguments) arguments = benchmark->make_arguments(size);
      Result<measure::Point> point =
          *arguments ? benchmark->measure(**arguments, block) : Result<measure::Point>(arguments->error());
      if (point) {
        point->configuration = configuration;
        report.points.push_back(std::move(*point));
      } else if (is_of_the_point(point.error())) {
        report.failures.push_back({size, block, explained(point.error()), configuration});
      } else {
        return Error{point.error().code, point_text(size, block, configuration) + ": " + point.error().message};
      }
    }
  }
  return {};
}

Result<measure::Report> measure_all(const BenchRequest& request, const std::vector<std::int64_t>& sizes,
                                    const Program& program, const std::string& name) {
  const Result<std::vector<measure::ConfiguredKernel>> kernels = measure::find_kernel(program, name, request.signature);
  if (!kernels)
    return with_options(kernels.error(), ErrorCode::InvalidArgument,
                        "\n  FILE::KERNEL names the kernel, --sig 'KERNEL(TYPE, …)' the types of its parameters.");
  ASSIGN_OR_RETURN(const Launches first, parse_launches(request, kernels->front().configuration));
  ASSIGN_OR_RETURN(const Device device, Device::open(request.device));
  const std::size_t points = sizes.size() * std::max<std::size_t>(first.blocks.size(), 1);
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
  const std::size_t colons = request.what.rfind("::");
  const std::string file = request.what.substr(0, colons);
  const std::string kernel = colons != std::string::npos ? request.what.substr(colons + 2) : "";
  const auto misused = [](const Error& error) {
    report(error);
    return kUsage;
  };
  const Result<std::vector<std::int64_t>> sizes = measure::parse_sizes(request.sizes);
  if (!sizes) return misused(sizes.error());
  if (const Result<void> parsed = parse_settings(request); !parsed) return misused(parsed.error());
  const Result<Program> program = load(file, request.options);
  if (!program) return report(program.error());
  const Result<measure::Report> measured = measure_all(request, *sizes, *program, kernel);
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
  const auto add_list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->allow_extra_args(false);
  };
  add_list("--arg", request.arguments,
           "A number that the kernel takes: --arg a=2.5; `size` is that of the sweep, `side` the first array's first "
           "extent, which n, size, length and count take");
  add_list("--shape", request.shapes,
           "Of an array: --shape a=1024x512 (default: `size` elements, with several axes a square)");
  command.add_option("--grid", request.grid, "Blocks, as 64x64 (default: as many as cover the first array)");
  command.add_option("--tile", request.tile,
                     "Elements of the first array that a block covers, as 32x32 (default: one a thread)");
  command.add_option("--shared", request.settings.shared_bytes, "Bytes of a block for shared.array(0, …)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30));
  command.add_option("--shared-per-thread", request.settings.shared_bytes_a_thread, "The same for each of its threads")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20));
  command.add_option("--sig", request.signature,
                     "Types for a kernel without annotations: 'saxpy(f32, f32[:], f32[:])'");
  command.add_option("--seconds", request.settings.seconds, "Time to measure each point for")
      ->check(CLI::Range(1e-3, 3600.0))
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
