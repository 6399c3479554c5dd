#include "measure/benchmark.h"

#include <algorithm>
#include <utility>

#include "base/diagnostics.h"
#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"
#include "driver/example_signature.h"
#include "jit/specialize.h"

namespace pykc::measure {
namespace {

Error no_such_kernel(const std::string& name, const std::vector<std::string>& names) {
  const std::string_view meant = nearest(name, {names.begin(), names.end()});
  return {ErrorCode::NotFound, "there is no kernel `" + name + "`" +
                                   (meant.empty() ? "." : "; did you mean `" + std::string(meant) + "`?") +
                                   " The kernels of the file: " + list_text(names)};
}

Error has_no_types(const Program& program, const ast::FunctionDef& kernel) {
  const std::string names = list_text(kernel.parameters, &ast::Parameter::name);
  const std::string example = driver::example_signature(program, kernel);
  const bool has_types = example.find("TYPE") != std::string::npos;
  return invalid_argument("kernel `" + kernel.name + "` is generic; say for which types of " + names +
                          " to compile it: `" + example + "`" +
                          (has_types ? ", where a TYPE is f32, i64, f32[:], f32[:, :] or the like" : ""));
}

/// The threads of a block. Extents beyond any launch count as 2,048, so that the product cannot overflow.
std::int64_t threads_of(Dim3 block) {
  constexpr std::int64_t kMost = 2048;
  return std::min(block.x, kMost) * std::min(block.y, kMost) * std::min(block.z, kMost);
}

}  // namespace

Result<std::vector<ConfiguredKernel>> find_kernel(const Program& program, const std::string& name,
                                                  const std::string& signature) {
  const std::vector<const ast::FunctionDef*> kernels = kernels_of(*program.main);
  if (kernels.empty()) return Error{ErrorCode::NotFound, "the file has no kernel: a function with @kernel"};
  KernelRequest request;
  if (!signature.empty()) {
    ASSIGN_OR_RETURN(KernelRequest parsed, parse_signature(signature));
    if (!name.empty() && parsed.kernel != name)
      return invalid_argument("the signature is of kernel `" + parsed.kernel + "`, but `" + name +
                              "` is what to measure");
    request = std::move(parsed);
  } else if (name.empty() && kernels.size() > 1) {
    return invalid_argument("the file has several kernels; name one: " + list_text(kernel_names(*program.main)));
  } else {
    request = {.kernel = name.empty() ? kernels.front()->name : name, .arguments = {}, .use_annotations = true};
  }
  const auto found = std::ranges::find(kernels, request.kernel, &ast::FunctionDef::name);
  if (found == kernels.end()) return no_such_kernel(request.kernel, kernel_names(*program.main));
  const ast::FunctionDef& kernel = **found;
  Diagnostics diagnostics;
  const std::vector<Configuration> configurations = configurations_of(program, *program.main, kernel, diagnostics);
  if (diagnostics.has_errors()) return Error{ErrorCode::InvalidSource, "1 error", diagnostics.take()};
  if (configurations.empty() && request.use_annotations && !is_typed_kernel(kernel))
    return has_no_types(program, kernel);

  std::vector<ConfiguredKernel> configured;
  for (const Configuration& configuration : configurations) {
    if (request.use_annotations && !is_typed_kernel(kernel) && !is_typed_with(configuration, kernel))
      return has_no_types(program, kernel);
    if (request.use_annotations || leaves_out(request, kernel, configuration))
      configured.push_back({with_constants(request, kernel, configuration), configuration});
  }
  if (configured.empty()) configured.push_back({std::move(request)});
  return configured;
}

Result<Benchmark> Benchmark::create(const Device& device, const Program& program, const KernelRequest& request,
                                    const CompileOptions& options, BenchmarkSettings settings) {
  ASSIGN_OR_RETURN(const Module specialized, jit::specialize(device, program, request, options));
  ASSIGN_OR_RETURN(const Kernel kernel, specialized.kernel(request.kernel));

  if (kernel.info().uses_launch_shared_bytes && settings.shared_bytes == 0 && settings.shared_bytes_a_thread == 0)
    return Error{ErrorCode::InvalidLaunch,
                 "kernel `" + request.kernel + "` has a shared.array(0, …), whose bytes the launch says; say how many"};

  CompileOptions for_device = options;
  for_device.target = device.info().target;
  for_device.costs_for.clear();
  ASSIGN_OR_RETURN(const driver::CountingKernel counting, driver::compile_counting(program, request, for_device));
  ASSIGN_OR_RETURN(const Module module, device.load(counting.artifact));
  ASSIGN_OR_RETURN(const Kernel counting_kernel, module.kernel(request.kernel));

  Benchmark benchmark(device, kernel, counting_kernel);
  benchmark.settings_ = std::move(settings);
  benchmark.grid_axes_ = counting.axes;
  for (const ParameterInfo& parameter : benchmark.kernel().parameters)
    if (parameter.is_written) benchmark.written_.push_back(parameter.name);
  benchmark.has_foreign_code_ = counting.has_foreign_code;
  return benchmark;
}

Result<ir::Counts> Benchmark::count(const LaunchConfig& config, const LaunchArguments& arguments) const {
  // Each launch has changed what it writes.
  RETURN_IF_FAILED(arguments.refill(written_));
  ASSIGN_OR_RETURN(const Array<std::int64_t> rows, device_.zeros<std::int64_t>({ir::kCountRows * ir::kCountsInRow}));
  std::vector<Argument> with_rows(arguments.list().begin(), arguments.list().end());
  with_rows.push_back(Argument::of(rows));
  RETURN_IF_FAILED(counting_.launch_with(config, with_rows));
  RETURN_IF_FAILED(device_.synchronize());
  std::vector<std::int64_t> values(static_cast<std::size_t>(rows.size()));
  RETURN_IF_FAILED(rows.copy_to(values));
  ir::Counts counts = {};
  for (std::size_t row = 0; row < values.size(); row += ir::kCountsInRow)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += values[row + i];
  RETURN_IF_FAILED(arguments.refill(written_));
  return counts;
}

Result<LaunchArguments> Benchmark::make_arguments(std::int64_t size) const {
  return LaunchArguments::create(device_, kernel(), size, settings_.arguments);
}

LaunchConfig Benchmark::config_for(const LaunchArguments& arguments, Dim3 block) const {
  const Dim3 tile = settings_.tile.value_or(block);
  const Dim3 grid = settings_.grid.value_or(grid_over(arguments.first_shape(), tile, grid_axes_, kernel().cluster));
  const std::int64_t shared_bytes = settings_.shared_bytes + settings_.shared_bytes_a_thread * threads_of(block);
  return {.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = nullptr};
}

Result<void> Benchmark::launch(const LaunchArguments& arguments, Dim3 block) const {
  const LaunchConfig config = config_for(arguments, block);
  RETURN_IF_FAILED(count(config, arguments));
  RETURN_IF_FAILED(kernel_.launch_with(config, arguments.list()));
  return device_.synchronize();
}

Result<Point> Benchmark::measure(const LaunchArguments& arguments, Dim3 block) const {
  const LaunchConfig config = config_for(arguments, block);
  ASSIGN_OR_RETURN(const ir::Counts counts, count(config, arguments));
  ASSIGN_OR_RETURN(const jit::Times times, jit::time_launches(device_, settings_.seconds, [&] {
                     return kernel_.launch_with(config, arguments.list());
                   }));
  return Point{arguments.size(), block, config.grid, counts, times};
}

}  // namespace pykc::measure
