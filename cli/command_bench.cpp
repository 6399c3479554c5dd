// pykc bench FILE::KERNEL: how fast a kernel is, over sizes and shapes of blocks.
#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "cli/progress.h"
#include "measure/benchmark.h"
#include "measure/report.h"
#include "measure/sweep.h"

namespace pykc::cli {
namespace {

struct Request {
  std::string what;  // FILE::KERNEL
  std::string sizes = "1e4,1e5,1e6,1e7", blocks = "256", grid, tile, signature, device;
  std::vector<std::string> arguments, shapes;
  std::string csv, json, svg;
  measure::BenchmarkSettings settings;
  CompileOptions options;
};

/// The request with its texts understood.
struct Sweep {
  std::string file, kernel;
  std::vector<std::int64_t> sizes;
  std::vector<Dim3> blocks;
};

struct Assignment {
  std::string name, value;
};
Result<Assignment> parse_assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size())
    return Assignment{text.substr(0, equals), text.substr(equals + 1)};
  return Error{ErrorCode::InvalidArgument, option + " takes NAME=VALUE, not `" + text + "`"};
}

Result<void> parse_settings(Request& request) {
  for (const std::string& text : request.arguments) {
    const Result<Assignment> argument = parse_assignment("--arg", text);
    if (!argument) return argument.error();
    request.settings.arguments.values[argument->name] = argument->value;
  }
  for (const std::string& text : request.shapes) {
    const Result<Assignment> assignment = parse_assignment("--shape", text);
    if (!assignment) return assignment.error();
    const Result<std::vector<std::int64_t>> shape = measure::parse_shape(assignment->value);
    if (!shape) return shape.error();
    request.settings.arguments.shapes[assignment->name] = *shape;
  }
  const auto parse_extents = [](const std::string& text, std::optional<Dim3>& to) -> Result<void> {
    if (text.empty()) return {};
    const Result<Dim3> extents = measure::parse_extents(text);
    if (!extents) return extents.error();
    to = *extents;
    return {};
  };
  if (Result<void> grid = parse_extents(request.grid, request.settings.grid); !grid) return grid;
  return parse_extents(request.tile, request.settings.tile);
}

Result<Sweep> parse_sweep(Request& request) {
  Sweep sweep;
  const std::size_t colons = request.what.rfind("::");
  sweep.file = request.what.substr(0, colons);
  if (colons != std::string::npos) sweep.kernel = request.what.substr(colons + 2);
  Result<std::vector<std::int64_t>> sizes = measure::parse_sizes(request.sizes);
  if (!sizes) return sizes.error();
  Result<std::vector<Dim3>> blocks = measure::parse_blocks(request.blocks);
  if (!blocks) return blocks.error();
  if (Result<void> parsed = parse_settings(request); !parsed) return parsed.error();
  sweep.sizes = std::move(*sizes);
  sweep.blocks = std::move(*blocks);
  return sweep;
}

std::string point_text(std::int64_t size, Dim3 block) {
  return "size " + std::to_string(size) + ", block " + measure::extents_text(block);
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

Result<measure::Report> measure_all(const Request& request, const Sweep& sweep, const Program& program) {
  const Result<KernelRequest> kernel = measure::find_kernel(program, sweep.kernel, request.signature);
  if (!kernel) return kernel.error();
  const Result<Device> device = Device::open(request.device);
  if (!device) return device.error();
  ProgressBar bar(static_cast<int>(sweep.sizes.size() * sweep.blocks.size()) + 2);
  bar.begin("compiling");
  const Result<measure::Benchmark> benchmark =
      measure::Benchmark::create(*device, program, *kernel, request.options, request.settings);
  if (!benchmark) return benchmark.error();
  measure::Report report{.kernel = measure::signature_of(benchmark->kernel()),
                         .device = device->info(),
                         .has_foreign_code = benchmark->has_foreign_code()};
  for (const std::int64_t size : sweep.sizes) {
    std::optional<Result<measure::Arguments>> arguments;  // of this size, when its first point has begun
    for (const Dim3 block : sweep.blocks) {
      bar.begin(point_text(size, block));
      if (!arguments) arguments = benchmark->make_arguments(size);
      const Result<measure::Point> point =
          *arguments ? benchmark->measure(**arguments, block) : Result<measure::Point>(arguments->error());
      if (point)
        report.points.push_back(*point);
      else if (is_of_the_point(point.error()))
        report.failures.push_back({size, block, explained(point.error())});
      else
        return Error{point.error().code, point_text(size, block) + ": " + point.error().message};
    }
  }
  if (report.points.empty()) return report;
  bar.begin("what the device can do");
  const Result<measure::Roofline> roofline = measure::measure_roofline(*device);
  if (!roofline) return roofline.error();
  report.roofline = *roofline;
  return report;
}

Result<void> write(const Request& request, const measure::Report& report) {
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

int run(Request& request) {
  const Result<Sweep> sweep = parse_sweep(request);
  if (!sweep) {
    report(sweep.error());
    return kUsage;
  }
  const Result<Program> program = load(sweep->file, request.options);
  if (!program) return report(program.error());
  const Result<measure::Report> measured = measure_all(request, *sweep, *program);
  if (!measured) return report(measured.error());
  if (const Result<void> written = write(request, *measured); !written) return report(written.error());
  for (const measure::Failure& failure : measured->failures)
    std::fprintf(stderr, "pykc: %s: %s\n", point_text(failure.size, failure.block).c_str(), failure.message.c_str());
  return measured->failures.empty() ? kSuccess : kFailure;
}

void add_options(CLI::App& command, Request& request) {
  command.add_option("FILE::KERNEL", request.what, "The .pyk file and a kernel of it")->required();
  command.add_option("--sizes", request.sizes, "Elements of the arrays: 1e4,1e5 or 1024..65536, which doubles")
      ->capture_default_str();
  command.add_option("--blocks", request.blocks, "Shapes of blocks: 64..1024, which doubles, or 64,128,16x16")
      ->capture_default_str();
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
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("bench", "Measure how fast a kernel is, over sizes and shapes of blocks");
  // Options are added when the command is chosen: the others start as fast as without them.
  command->preparse_callback([command, request](std::size_t) { add_options(*command, *request); });
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
