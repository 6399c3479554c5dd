// Launches of one kernel that the command line describes: `pykc bench`, `pykc analyze`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "measure/benchmark.h"

namespace pykc::cli {

/// FILE::KERNEL, or a file alone.
struct KernelOfFile {
  std::string file, kernel;
};
KernelOfFile parse_kernel_of_file(const std::string& text);

struct LaunchFlags {
  std::string grid, tile, signature;
  std::vector<std::string> arguments, shapes;
  std::int64_t shared_bytes = 0, shared_bytes_a_thread = 0;
};
/// `--arg`, `--shape`, `--grid`, `--tile`, `--shared`, `--shared-per-thread`, `--sig`.
void add_launch_flags(CLI::App& command, LaunchFlags& flags);

/// What `--arg` and `--shape` say.
Result<measure::ArgumentSettings> argument_settings(const LaunchFlags& flags);
/// All that the flags say of launches, for one of several configurations in its terms.
Result<measure::BenchmarkSettings> settings_of(const LaunchFlags& flags,
                                               const std::optional<Configuration>& configuration);
/// Shapes of blocks, in the same way; none where the text is empty.
Result<std::vector<Dim3>> blocks_of(const std::string& text, const std::optional<Configuration>& configuration);
/// Where nothing is said.
Dim3 usual_block(const KernelInfo& kernel);

// As measure/ has them; errors say by which options the command line gives what is missing.
Result<std::vector<measure::ConfiguredKernel>> find_kernels(const Program& program, const std::string& name,
                                                            const LaunchFlags& flags);
Result<measure::Benchmark> create_benchmark(const Device& device, const Program& program, const KernelRequest& request,
                                            const CompileOptions& options, measure::BenchmarkSettings settings);
/// A kernel's fault may be that of arrays which nobody made for it.
Error explained(Error error, const std::string& block_option);

}  // namespace pykc::cli
