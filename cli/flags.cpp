#include "cli/flags.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/diagnostics.h"
#include "base/text.h"
#include "pykc/runtime.h"

namespace pykc::cli {
namespace {

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
  return "there is no device `" + name + "`; this machine has " + list_text(Device::list(), &DeviceInfo::name);
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

void add_timeout_flag(CLI::App& command, script::RunOptions& options, const std::string& what) {
  const auto set = [&options](double seconds) {
    options.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
    options.overdue = [seconds](const std::string& place) {
      // The other thread may hold stdout for ever.
      if (ftrylockfile(stdout) == 0) std::fflush(stdout);
      std::fprintf(stderr, "%s: error: the time is over (--timeout %g), and what runs here cannot be stopped\n",
                   place.c_str(), seconds);
      std::_Exit(kTimeout);
    };
  };
  command.add_option_function<double>("--timeout", set, "The most seconds that " + what + " may take")
      ->check(CLI::Range(1e-3, 1e9));
}

void add_diagnostics_flag(CLI::App& command, DiagnosticsFormat& format) {
  const std::map<std::string, DiagnosticsFormat> names = {{"text", DiagnosticsFormat::Text},
                                                          {"json", DiagnosticsFormat::Json}};
  command.add_option("--diagnostics", format, "How to print errors and warnings: text or json")
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case));
}

}  // namespace pykc::cli
