// The program `pykc`: one file a subcommand, each with a function that adds it to the command line.
//
// Exit codes: 0 success · 1 the source, a test or a launch failed · 2 the command line is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace pykc::cli {

enum ExitCode : int { kSuccess = 0, kFailure = 1, kUsage = 2 };

/// Each adds its subcommand to `app`; when the user chose it, `exit_code` is set by its callback.
void add_compile(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_test(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_builtins(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_cache(CLI::App& app, int& exit_code);

// ---- shared by the subcommands (common.cpp) ----

/// The compiler's options that several subcommands share, as flags.
void add_compile_flags(CLI::App& command, CompileOptions& options);

/// Adds `--warnings on|off|error` and `-W no-CODE`.
void add_warning_flags(CLI::App& command, CompileOptions& options);

enum class DiagnosticsFormat { Text, Json };
/// Adds `--device cpu|cuda:N`.
void add_device_flag(CLI::App& command, std::string& device);
/// Adds `--diagnostics text|json`.
void add_diagnostics_flag(CLI::App& command, DiagnosticsFormat& format);

/// Prints diagnostics: text to stderr (coloured on a terminal), JSON to stdout.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, DiagnosticsFormat format);
/// Prints an error with its diagnostics, and returns kFailure.
int report(const Error& error, DiagnosticsFormat format = DiagnosticsFormat::Text);
/// Writes to a file, or to stdout for "-".
Result<void> write_output(const std::string& path, std::string_view bytes);
/// A file and what it imports, read and parsed.
/// Every error and warning that can be told without running the file: what `pykc check` prints.
std::vector<Diagnostic> check_file(const std::shared_ptr<const SourceFile>& file, const CompileOptions& options);
Result<Program> load(const std::string& path, const CompileOptions& options);
/// Where print() of host functions writes, and where their kernels' warnings go.
void print_to_stdout(std::string_view text);
void print_warning(const Diagnostic& warning);
/// Files as given; a folder stands for every .pyk file below it, in the order of their names.
Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths);

}  // namespace pykc::cli
