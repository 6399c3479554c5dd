#include "cli/flags.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

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

/// `--limit NAME=NUMBER`: which limit, and how many of its units one of the flag's is.
struct LimitName {
  std::string_view name;
  std::int64_t unit;
  void (*set)(CompileLimits& limits, std::int64_t value);
};
constexpr LimitName kLimits[] = {
    {"time", 1, [](CompileLimits& limits, std::int64_t value) { limits.time = std::chrono::milliseconds(value); }},
    {"memory", 1 << 20, [](CompileLimits& limits, std::int64_t value) { limits.memory = value; }},
    {"operations", 1, [](CompileLimits& limits, std::int64_t value) { limits.operations = value; }},
    {"output", 1, [](CompileLimits& limits, std::int64_t value) { limits.output_bytes = value; }},
    {"source", 1, [](CompileLimits& limits, std::int64_t value) { limits.source_bytes = value; }},
};

struct Limit {
  const LimitName* row;
  std::int64_t value;
};
std::optional<Limit> parse_limit(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size() - 1);
  const auto* const row = std::ranges::find(kLimits, text.substr(0, equals), &LimitName::name);
  const std::string_view digits = text.substr(equals + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && value > 0;
  if (row == std::end(kLimits) || !is_number || value > std::numeric_limits<std::int64_t>::max() / row->unit)
    return std::nullopt;
  return Limit{row, value * row->unit};
}

std::string is_a_limit(const std::string& text) {
  if (!text.empty() && parse_limit(text)) return "";
  return "a limit is " + list_text(kLimits, &LimitName::name) + " and a number above 0, such as time=2000; not " + text;
}

/// Empty where a device can be called so, else what is wrong, with the devices of this machine.
std::string names_a_device(const std::string& name) {
  const bool is_ordinal =
      name.starts_with("cuda:") && name.size() > 5 && name.find_first_not_of("0123456789", 5) == std::string::npos;
  if (name == "cpu" || name == "cuda" || is_ordinal) return "";
  return "there is no device `" + name + "`; this machine has " + list_text(Device::list(), &DeviceInfo::name);
}

std::string names_sanitizers(const std::string& list) {
  if (Sanitize::parse(list)) return "";
  return "it takes all, or some of bounds, races, uninitialised, divergence with commas between them; not " + list +
         " (before another argument write --sanitize=all)";
}

}  // namespace

void add_compile_flags(CLI::App& command, CompileOptions& options) {
  command.add_flag("--fast-math", options.fast_math,
                   "Faster, less exact floating point; results differ between devices");
  command.add_flag("!--no-asserts", options.asserts, "Leave out every `assert` in kernels");
  command.add_flag("!--no-contract", options.contract, "Never fuse a*b + c into one rounding");
  command.add_flag("--checked", options.checked, "Report an index out of bounds instead of leaving it undefined");
  command
      .add_option_function<std::string>(
          "--sanitize",
          [&options](const std::string& list) { options.sanitize = Sanitize::parse(list).value_or(Sanitize()); },
          "Look for races, bounds, uninitialised memory and divergence while kernels run on the CPU device, or for "
          "some: --sanitize=races,bounds")
      ->check(names_sanitizers)
      ->expected(0, 1)
      ->default_str("all");
  add_warning_flags(command, options);
  command.add_flag("--untrusted", options.untrusted,
                   "The source is a stranger's: checked, no PTX, no other files, also of host code, strict limits");
  command
      .add_option_function<std::vector<std::string>>(
          "--limit",
          [&options](const std::vector<std::string>& given) {
            CompileLimits limits = options.effective_limits();
            for (const std::string& text : given)
              if (const std::optional<Limit> limit = parse_limit(text)) limit->row->set(limits, limit->value);
            options.limits = limits;
          },
          "time=MILLISECONDS, memory=MIB, operations=N, output=BYTES or source=BYTES: what compiling may take")
      ->check(is_a_limit)
      ->allow_extra_args(false)
      ->trigger_on_parse();
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

std::string is_no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number is expected, not " + text : "";
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
      ->check(CLI::Range(1e-3, 1e9))
      ->check(is_no_nan);
}

void add_seed_flag(CLI::App& command, script::RunOptions& options) {
  command
      .add_option("--seed", options.seed,
                  "Run the blocks of watched kernels (--sanitize) in an order that this number stands for")
      ->check([](const std::string& text) { return std::string(text.starts_with('-') ? "it is not below 0" : ""); });
}

void add_diagnostics_flag(CLI::App& command, DiagnosticsFormat& format) {
  const std::map<std::string, DiagnosticsFormat> names = {{"text", DiagnosticsFormat::Text},
                                                          {"json", DiagnosticsFormat::Json}};
  command.add_option("--diagnostics", format, "How to print errors and warnings: text or json")
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case));
}

}  // namespace pykc::cli
