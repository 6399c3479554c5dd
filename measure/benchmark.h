// How fast a kernel is, for one size and one shape of block at a time.
//
//   Result<measure::Benchmark> benchmark = measure::Benchmark::create(device, program, request, options, settings);
//   Result<measure::LaunchArguments> arguments = benchmark->make_arguments(1'000'000);
//   Result<measure::Point> point = benchmark->measure(*arguments, {256});
//
// What a launch does is counted by a launch of the same size: of the kernel as ir/instrument/count_operations makes it,
// with its indices checked, so that a shape that the kernel is not made for is a fault and not a crash. Then the kernel
// itself is timed. Every point starts with the same random numbers; its launches see what those before them have left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "ir/instrument/count_operations.h"
#include "jit/timing.h"
#include "measure/launch_arguments.h"
#include "pykc/compiler.h"
#include "pykc/configuration.h"

namespace pykc::measure {

struct BenchmarkSettings {
  ArgumentSettings arguments = {};
  std::optional<Dim3> grid = std::nullopt;  // instead of one that covers the first array
  std::optional<Dim3> tile = std::nullopt;  // what a block covers of it, if not an element a thread
  // For shared.array(0, …): of a block, and besides for each of its threads.
  std::int64_t shared_bytes = 0, shared_bytes_a_thread = 0;
  double seconds = 0.1;  // for each point
};

struct Point {
  std::int64_t size = 0;
  Dim3 block, grid;
  ir::Counts counts = {};
  jit::Times times;
  std::string configuration = {};  // of several
};

class Benchmark {
 public:
  /// Compiles the kernel; `options.target` does not matter. Fails with InvalidLaunch where the kernel needs bytes of
  /// shared memory that no setting gives.
  static Result<Benchmark> create(const Device& device, const Program& program, const KernelRequest& request,
                                  const CompileOptions& options, BenchmarkSettings settings);

  const KernelInfo& kernel() const { return kernel_.info(); }
  /// PTX or functions of libraries, of which nothing is counted.
  bool has_foreign_code() const { return has_foreign_code_; }

  /// For all points of one size.
  Result<LaunchArguments> make_arguments(std::int64_t size) const;
  /// Launches the kernel with its indices checked, then as it is, and waits.
  Result<void> launch(const LaunchArguments& arguments, Dim3 block) const;
  /// An error with the code InvalidLaunch, KernelFault or OutOfMemory is of this point alone.
  Result<Point> measure(const LaunchArguments& arguments, Dim3 block) const;

 private:
  Benchmark(Device device, Kernel kernel, Kernel counting) : device_(device), kernel_(kernel), counting_(counting) {}
  LaunchConfig config_for(const LaunchArguments& arguments, Dim3 block) const;
  Result<ir::Counts> count(const LaunchConfig& config, const LaunchArguments& arguments) const;

  Device device_;
  Kernel kernel_, counting_;
  BenchmarkSettings settings_;
  int grid_axes_ = 1;
  std::vector<std::string> written_;  // arrays that a launch may change
  bool has_foreign_code_ = false;
};

/// A kernel to measure, for one of its configurations where it has some.
struct ConfiguredKernel {
  KernelRequest request;
  std::optional<Configuration> configuration = std::nullopt;
  /// "TILE=32, ROWS=8"; empty where there is nothing to choose.
  std::string text() const { return configuration ? configuration->text() : std::string(); }
};
/// What there is to measure of a kernel of the program, by its name, by a signature ("saxpy(f32, f32[:], f32[:])") or
/// by both; with neither, of the only kernel that there is. Several where `@autotune` lists configurations, and a
/// signature does not say which. An error names the kernels.
Result<std::vector<ConfiguredKernel>> find_kernel(const Program& program, const std::string& name,
                                                  const std::string& signature);

}  // namespace pykc::measure
