#include "cli/launch_flags.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "measure/sweep.h"

namespace pykc::cli {
namespace {

constexpr std::int64_t kUsualThreads = 256;

struct Assignment {
  std::string name, value;
};
Result<Assignment> parse_assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size())
    return Assignment{text.substr(0, equals), text.substr(equals + 1)};
  return invalid_argument(option + " takes NAME=VALUE, not `" + text + "`");
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

}  // namespace

KernelOfFile parse_kernel_of_file(const std::string& text) {
  const std::size_t colons = text.rfind("::");
  return {text.substr(0, colons), colons != std::string::npos ? text.substr(colons + 2) : ""};
}

void add_launch_flags(CLI::App& command, LaunchFlags& flags) {
  const auto add_list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->allow_extra_args(false);
  };
  add_list("--arg", flags.arguments,
           "A number that the kernel takes: --arg a=2.5; `size` is that of the arrays, `side` the first array's first "
           "extent, which n, size, length and count take");
  add_list("--shape", flags.shapes,
           "Of an array: --shape a=1024x512 (default: `size` elements, with several axes a square)");
  command.add_option("--grid", flags.grid, "Blocks, as 64x64 (default: as many as cover the first array)");
  command.add_option("--tile", flags.tile,
                     "Elements of the first array that a block covers, as 32x32 (default: one a thread)");
  command.add_option("--shared", flags.shared_bytes, "Bytes of a block for shared.array(0, …)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30));
  command.add_option("--shared-per-thread", flags.shared_bytes_a_thread, "The same for each of its threads")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20));
  command.add_option("--sig", flags.signature, "Types for a kernel without annotations: 'saxpy(f32, f32[:], f32[:])'");
}

Result<measure::ArgumentSettings> argument_settings(const LaunchFlags& flags) {
  measure::ArgumentSettings settings;
  for (const std::string& text : flags.arguments) {
    ASSIGN_OR_RETURN(const Assignment argument, parse_assignment("--arg", text));
    settings.values[argument.name] = argument.value;
  }
  for (const std::string& text : flags.shapes) {
    ASSIGN_OR_RETURN(const Assignment assignment, parse_assignment("--shape", text));
    ASSIGN_OR_RETURN(settings.shapes[assignment.name], measure::parse_shape(assignment.value));
  }
  return settings;
}

Result<measure::BenchmarkSettings> settings_of(const LaunchFlags& flags,
                                               const std::optional<Configuration>& configuration) {
  const Configuration names = configuration.value_or(Configuration({}));
  measure::BenchmarkSettings settings;
  ASSIGN_OR_RETURN(settings.arguments, argument_settings(flags));
  const auto parse_extents = [&](const std::string& text, std::optional<Dim3>& to) -> Result<void> {
    if (text.empty()) return {};
    ASSIGN_OR_RETURN(to, measure::parse_extents(measure::with_values(text, names)));
    return {};
  };
  RETURN_IF_FAILED(parse_extents(flags.grid, settings.grid));
  RETURN_IF_FAILED(parse_extents(flags.tile, settings.tile));
  settings.shared_bytes = flags.shared_bytes;
  settings.shared_bytes_a_thread = flags.shared_bytes_a_thread;
  return settings;
}

Result<std::vector<Dim3>> blocks_of(const std::string& text, const std::optional<Configuration>& configuration) {
  if (text.empty()) return std::vector<Dim3>();
  return measure::parse_blocks(measure::with_values(text, configuration.value_or(Configuration({}))));
}

Dim3 usual_block(const KernelInfo& kernel) {
  const std::int64_t bound = kernel.max_threads_per_block;
  return {bound > 0 ? std::min(bound, kUsualThreads) : kUsualThreads};
}

Result<std::vector<measure::ConfiguredKernel>> find_kernels(const Program& program, const std::string& name,
                                                            const LaunchFlags& flags) {
  Result<std::vector<measure::ConfiguredKernel>> kernels = measure::find_kernel(program, name, flags.signature);
  if (kernels) return kernels;
  return with_options(kernels.error(), ErrorCode::InvalidArgument,
                      "\n  FILE::KERNEL names the kernel, --sig 'KERNEL(TYPE, …)' the types of its parameters.");
}

Result<measure::Benchmark> create_benchmark(const Device& device, const Program& program, const KernelRequest& request,
                                            const CompileOptions& options, measure::BenchmarkSettings settings) {
  const measure::ArgumentSettings arguments = settings.arguments;
  Result<measure::Benchmark> benchmark =
      measure::Benchmark::create(device, program, request, options, std::move(settings));
  if (!benchmark)
    return with_options(
        benchmark.error(), ErrorCode::InvalidLaunch,
        ": --shared BYTES, or --shared-per-thread BYTES, which is multiplied by the threads of a block");
  RETURN_IF_FAILED(check_arguments(benchmark->kernel(), arguments));
  return benchmark;
}

Error explained(Error error, const std::string& block_option) {
  return with_options(std::move(error), ErrorCode::KernelFault,
                      "\n  If the kernel is not made for such a launch: --shape, --arg, --grid, --tile and " +
                          block_option + " change it.");
}

}  // namespace pykc::cli
