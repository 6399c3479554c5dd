#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/command.h"
#include "driver/driver.h"
#include "pykc/runtime.h"
#include "script/check_host.h"

namespace pykc::cli {
namespace {

/// Colours only on a terminal, and not where the user asked for none (https://no-color.org).
bool use_color() { return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

/// "no-W0505"; empty where that is right, else what is wrong.
std::string silences_a_warning(const std::string& text) {
  const bool is_known = std::ranges::any_of(all_diagnostics(), [&](const DiagnosticInfo& row) {
    return row.severity == Severity::Warning && text == "no-" + std::string(row.code);
  });
  return is_known ? "" : "it takes no-CODE with the code of a warning, such as no-W0505; not " + text;
}

/// Empty where a device can be called so, else what is wrong, with the devices of this machine.
std::string names_a_device(const std::string& name) {
  const bool is_ordinal =
      name.starts_with("cuda:") && name.size() > 5 && name.find_first_not_of("0123456789", 5) == std::string::npos;
  if (name == "cpu" || name == "cuda" || is_ordinal) return "";
  std::string present;
  for (const DeviceInfo& device : Device::list()) present += (present.empty() ? "" : ", ") + device.name;
  return "there is no device `" + name + "`; this machine has " + present;
}

}  // namespace

void add_compile_flags(CLI::App& command, CompileOptions& options) {
  command.add_flag("--fast-math", options.fast_math,
                   "Faster, less exact floating point; results differ between devices");
  command.add_flag("!--no-asserts", options.asserts, "Leave out every `assert` in kernels");
  command.add_flag("!--no-contract", options.contract, "Never fuse a*b + c into one rounding");
  command.add_flag("--checked", options.checked, "Report an index out of bounds instead of leaving it undefined");
  add_warning_flags(command, options);
  command
      .add_option_function<int>(
          "-O", [&options](const int& level) { options.optimization = level; },
          "Optimisation level, 0 to 3 (default 3)")
      ->check(CLI::Range(0, 3));
}

void add_warning_flags(CLI::App& command, CompileOptions& options) {
  command.add_flag("!--no-warnings", options.warnings, "Report errors only");
  command
      .add_option_function<std::string>(
          "--warnings",
          [&options](const std::string& mode) {
            options.warnings = mode != "off";
            options.warnings_are_errors = mode == "error";
          },
          "on, off, or error: treat every warning as an error (default on)")
      ->check(CLI::IsMember({"on", "off", "error"}));
  command
      .add_option_function<std::vector<std::string>>(
          "-W",
          [&options](const std::vector<std::string>& codes) {
            for (const std::string& code : codes) options.silenced_warnings.push_back(code.substr(3));
          },
          "-W no-W0505 silences the warning of that code")
      ->check(silences_a_warning)
      ->allow_extra_args(false);
}

void add_device_flag(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "cpu or cuda:0 (default: the first GPU, else the CPU)")->check(names_a_device);
}

void add_diagnostics_flag(CLI::App& command, DiagnosticsFormat& format) {
  const std::map<std::string, DiagnosticsFormat> names = {{"text", DiagnosticsFormat::Text},
                                                          {"json", DiagnosticsFormat::Json}};
  command.add_option("--diagnostics", format, "How to print errors and warnings: text or json")
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case));
}

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
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (!file) return Error{ErrorCode::InputOutput, "cannot write " + path + ": " + std::strerror(errno)};
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = (path == "-" ? std::fflush(file) : std::fclose(file)) == 0;
  if (!written || !closed) return Error{ErrorCode::InputOutput, "cannot write " + path + ": " + std::strerror(errno)};
  return {};
}

Result<Program> load(const std::string& path, const CompileOptions& options) {
  Result<std::shared_ptr<const SourceFile>> file = driver::read_source(path);
  if (!file) return file.error();
  Diagnostics diagnostics;
  Program program =
      load_program(*file, driver::import_resolver(path, options), diagnostics, driver::package_of_file(path, options));
  if (!diagnostics.has_errors()) return program;
  return Error{ErrorCode::InvalidSource, path + " has errors", diagnostics.take()};
}

std::vector<Diagnostic> check_file(const std::shared_ptr<const SourceFile>& file, const CompileOptions& options) {
  std::vector<Diagnostic> found = driver::check_source(file, options);
  Diagnostics told;  // by the line above
  const Program program = load_program(file, driver::import_resolver(file->name(), options), told,
                                       driver::package_of_file(file->name(), options));
  if (told.has_errors()) return found;
  std::ranges::move(script::check_host(program), std::back_inserter(found));
  return found;
}

void print_to_stdout(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_warning(const Diagnostic& warning) { print_diagnostics({warning}, DiagnosticsFormat::Text); }

Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t first = files.size();
    for (std::filesystem::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".pyk") files.push_back(entry->path().string());
    if (error) return Error{ErrorCode::InputOutput, "cannot read the folder " + path + ": " + error.message()};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

}  // namespace pykc::cli
