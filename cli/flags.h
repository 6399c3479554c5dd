// The flags that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/output.h"
#include "pykc/compiler.h"
#include "script/script.h"

namespace pykc::cli {

/// The compiler's options, with the flags of warnings.
void add_compile_flags(CLI::App& command, CompileOptions& options);
/// `--warnings on|off|error` and `-W no-CODE`.
void add_warning_flags(CLI::App& command, CompileOptions& options);
/// `--device cpu|cuda:N`.
void add_device_flag(CLI::App& command, std::string& device);
/// Empty where it is a number; CLI::Range lets NaN through.
std::string is_no_nan(const std::string& text);
/// `--timeout SECONDS` of a run of host code; what does not stop then ends with the program.
void add_timeout_flag(CLI::App& command, script::RunOptions& options, const std::string& what);
/// `--seed N`: of the order of blocks.
void add_seed_flag(CLI::App& command, script::RunOptions& options);
/// `--diagnostics text|json`.
void add_diagnostics_flag(CLI::App& command, DiagnosticsFormat& format);

}  // namespace pykc::cli
