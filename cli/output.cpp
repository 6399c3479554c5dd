#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/files.h"

namespace pykc::cli {
namespace {

/// Colours only on a terminal, and not where the user asked for none (https://no-color.org).
bool use_color() { return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, DiagnosticsFormat format) {
  if (format == DiagnosticsFormat::Json) {
    std::fputs((to_json(diagnostics) + "\n").c_str(), stdout);
    return;
  }
  for (const Diagnostic& diagnostic : diagnostics) std::fputs(to_text(diagnostic, use_color()).c_str(), stderr);
}

int report(const Error& error, DiagnosticsFormat format) {
  if (format == DiagnosticsFormat::Json && !error.diagnostics.empty()) {
    print_diagnostics(error.diagnostics, format);
    return kFailure;
  }
  print_diagnostics(error.diagnostics, DiagnosticsFormat::Text);
  const bool is_told =
      std::ranges::find(error.diagnostics, error.message, &Diagnostic::message) != error.diagnostics.end();
  if (!is_told) std::fprintf(stderr, "pykc: %s\n", error.message.c_str());
  return kFailure;
}

Result<void> write_output(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    print_to_stdout(bytes);
    return flush_stdout();
  }
  if (Result<void> written = write_file(path, bytes); !written)
    return Error{ErrorCode::InputOutput, "cannot write " + path + ": " + written.error().message};
  return {};
}

Result<void> flush_stdout() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return Error{ErrorCode::InputOutput, std::string("cannot write the output: ") + std::strerror(errno)};
}

void print_to_stdout(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_warning(const Diagnostic& warning) { print_diagnostics({warning}, DiagnosticsFormat::Text); }

}  // namespace pykc::cli
