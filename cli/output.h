// What the subcommands print and write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pykc/error.h"

namespace pykc::cli {

enum ExitCode : int { kSuccess = 0, kFailure = 1, kUsage = 2, kTimeout = 124 };

enum class DiagnosticsFormat { Text, Json };

/// Text goes to stderr (coloured on a terminal), JSON to stdout.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, DiagnosticsFormat format);
/// Prints an error with its diagnostics, and returns kFailure.
int report(const Error& error, DiagnosticsFormat format = DiagnosticsFormat::Text);
/// Writes to a file, or to stdout for "-".
Result<void> write_output(const std::string& path, std::string_view bytes);
/// Whether all that was printed has arrived: a full disk shows here.
Result<void> flush_stdout();
/// Where print() of host functions writes, and where their kernels' warnings go.
void print_to_stdout(std::string_view text);
void print_warning(const Diagnostic& warning);

}  // namespace pykc::cli
