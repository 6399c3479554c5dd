// Host functions of a .pyk file: `main` and the functions marked `@test`, evaluated over the syntax tree with dynamic
// values, as Python would run them. Kernels that they launch are compiled for the arguments and run on one device.
//
//   pykc::script::RunOptions options;
//   options.device = "cpu";
//   options.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
//   pykc::Result<int> exit_code = pykc::script::run_main(program, options);
//
// What goes wrong at run time comes back as an Error whose diagnostics point into the file.
// Threads: one call uses one thread (and the device's own); calls on different threads do not meet.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace pykc::script {

struct RunOptions {
  std::string device;                              // "cpu", "cuda:0"; "" is the best one present
  std::vector<std::string> arguments;              // main's parameters, in order or as NAME=VALUE
  CompileOptions compile;                          // `target` is set from the device
  std::function<void(std::string_view)> print;     // where print() writes; null drops it
  std::function<void(const Diagnostic&)> warning;  // what kernels' compilations warn of; null drops it
  /// The time of a run, or of each test; 0: as much as it likes. What it stops is an error of ErrorCode::Timeout, or a
  /// test that failed; launches of others on the CPU device are cancelled, too.
  std::chrono::nanoseconds timeout{0};
  /// Of the order of blocks (Device::set_block_order).
  std::optional<std::uint64_t> seed = {};
  /// Called on another thread where the run goes on two seconds later, in a kernel of a GPU or a compilation: the place
  /// in the source. Nothing but the end of the program helps then.
  std::function<void(const std::string&)> overdue = {};
};

/// Whether run_main has something to run: a `main`, or statements of the file.
bool has_main(const Program& program);
/// Runs the file's statements in order, then `main` (unless they called it). Gives what main returned, 0 for None.
Result<int> run_main(const Program& program, const RunOptions& options);

struct TestResult {
  std::string name;
  enum class Outcome : std::uint8_t { Passed, Failed, Skipped } outcome = Outcome::Passed;
  std::string message;  // why it failed or was skipped, in one line
  std::vector<Diagnostic> diagnostics;
  int checks = 0;  // asserts that held here and in no test before
  double milliseconds = 0;
};

/// The names of the `@test` functions, in the order of the file.
std::vector<std::string> list_tests(const Program& program);

/// Runs the `@test` functions whose name contains `filter`. An error outside any test (the device cannot be opened, a
/// statement of the file fails) is the result's error.
Result<std::vector<TestResult>> run_tests(const Program& program, const RunOptions& options,
                                          std::string_view filter = {});

/// One function that host code can call, for `pykc builtins` and the documentation.
struct HostFunctionInfo {
  std::string name;       // "zeros" or "np.random.rand"
  std::string signature;  // "shape, dtype=f64, order='C'"
  std::string doc;
};
std::vector<HostFunctionInfo> host_functions();

}  // namespace pykc::script
