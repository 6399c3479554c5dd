#include "jit/autotune.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "driver/kept_choice.h"
#include "jit/saved_arrays.h"
#include "jit/timing.h"

namespace pykc::jit {
namespace {

constexpr double kSecondsForEach = 0.025;
// More than a GPU's last cache holds, which takes longer to clear than the host takes to put a launch on the stream.
constexpr std::int64_t kPauseBytes = std::int64_t{64} << 20;

enum class Mode : std::uint8_t { Quiet, Report, Record, Off };

Result<Mode> mode_of_environment() {
  const char* const variable = std::getenv("PYKC_AUTOTUNE");
  const std::string_view text = variable != nullptr ? variable : "";
  if (text.empty()) return Mode::Quiet;
  if (text == "report") return Mode::Report;
  if (text == "record") return Mode::Record;
  if (text == "off") return Mode::Off;
  return invalid_argument(
      "PYKC_AUTOTUNE is `" + std::string(text) +
      "`; it may be `report`, which tells what was chosen, `record`, which measures anew and writes rows "
      "for the library's table, or `off`, which takes the first configuration");
}

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  else
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  return text;
}

/// All that a choice depends on beside the program and the types: devices that differ in nothing but their number share
/// it, and so do launches whose blocks are the same.
std::string situation_of(const Choice& choice) {
  const DeviceInfo& device = choice.device.info();
  std::string text = device.description + "\n" + device.target + "\n" + std::to_string(device.multiprocessors) + "\n";
  for (const ArraySize& array : choice.arrays) text += size_class(array.extents);
  for (std::size_t i = 0; i < choice.configurations.size(); ++i) {
    text += "\n" + choice.configurations[i].text();
    const LaunchConfig& launch = choice.launches[i];
    for (const std::int64_t number : {launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes})
      text += " " + std::to_string(number);
  }
  return text;
}

CompileOptions for_device(const Choice& choice) {
  CompileOptions options = choice.options;
  options.target = choice.device.info().target;
  options.signatures.clear();
  return options;
}

/// Launches the configurations one after the other. What one of them writes is as it was when the next begins.
class Measurement {
 public:
  Measurement(const Device& device, std::vector<Result<Trial>>& trials) : device_(device), trials_(trials) {}

  /// Seconds of a launch of each configuration, or why it was refused.
  Result<std::vector<Result<double>>> run() {
    const auto first = std::ranges::find_if(trials_, [](const Result<Trial>& trial) { return trial.has_value(); });
    std::vector<Result<double>> times;
    if (first == trials_.end()) {
      for (const Result<Trial>& trial : trials_) times.emplace_back(trial.error());
      return times;
    }
    const LaunchConfig& config = (*first)->config;
    const Stream stream = config.stream != nullptr ? *config.stream : device_.default_stream();
    const Result<SavedArrays> saved = SavedArrays::save(device_, stream, written_arrays((*first)->arguments));
    if (!saved) return no_room(saved.error());
    if (!device_.is_cpu())
      if (const Result<Buffer> pause = device_.allocate_bytes(kPauseBytes)) pause_ = *pause;
    Result<void> measured;
    for (Result<Trial>& trial : trials_) {
      Result<double> seconds = trial ? time(*trial, stream, *saved, measured) : Result<double>(trial.error());
      if (!measured) break;
      times.push_back(std::move(seconds));
    }
    if (Result<void> restored = saved->restore(stream); measured && !restored) measured = std::move(restored);
    if (Result<void> finished = stream.synchronize(); measured && !finished) measured = std::move(finished);
    if (!measured) return measured.error();
    return times;
  }

 private:
  /// Those that any configuration may write to. What is read-only stays as it is: such a launch is refused.
  std::vector<Argument> written_arrays(const std::vector<Argument>& arguments) const {
    std::vector<Argument> written;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_written = std::ranges::any_of(trials_, [i](const Result<Trial>& trial) {
        return trial && i < trial->kernel.info().parameters.size() && trial->kernel.info().parameters[i].is_written;
      });
      if (is_written && arguments[i].is_array && !arguments[i].is_read_only) written.push_back(arguments[i]);
    }
    return written;
  }

  /// `measured` is what went wrong with anything but the launch itself.
  Result<double> time(Trial& trial, const Stream& stream, const SavedArrays& saved, Result<void>& measured) const {
    trial.config.stream = &stream;
    Result<void> launched;
    const auto prepare = [&]() -> Result<void> {
      RETURN_IF_FAILED(saved.restore(stream));
      return pause_.bytes() > 0 ? pause_.fill_zero(stream) : Result<void>();
    };
    const auto launch = [&] {
      launched = trial.kernel.launch_with(trial.config, trial.arguments);
      return launched ? Result<void>() : launched.error();
    };
    const Result<Times> times = time_single_launches(stream, kSecondsForEach, prepare, launch);
    if (times) return times->median;
    if (launched || launched.error().code == ErrorCode::KernelFault) measured = times.error();
    return times.error();
  }

  static Error no_room(const Error& error) {
    if (error.code != ErrorCode::OutOfMemory) return error;
    return {error.code, "no memory to keep what the arrays hold while configurations are measured (" + error.message +
                            "); PYKC_AUTOTUNE=off takes the first configuration"};
  }

  const Device& device_;
  std::vector<Result<Trial>>& trials_;
  Buffer pause_;  // cleared before each launch, on a GPU
};

/// "sm_90" of "sm_90a": what is fast on a chip does not depend on what code for it may use.
std::string chip_of(const std::string& target) {
  return target.starts_with("sm_") && target.ends_with('a') ? target.substr(0, target.size() - 1) : target;
}

void report_choice(const Choice& choice, std::size_t best, const std::string& how) {
  std::fprintf(stderr, "pykc: %s: %s of %zu configurations, %s\n", choice.kernel.c_str(),
               choice.configurations[best].text().c_str(), choice.configurations.size(), how.c_str());
}

/// A row of a kernel of the library; of others, what a report says.
void record_choice(const Choice& choice, std::size_t best, const std::string& how) {
  if (choice.library_kernel.empty()) return report_choice(choice, best, how);
  const TunedLaunch launch(choice.library_kernel, chip_of(choice.device.info().target), choice.arrays);
  std::fprintf(stderr, "%s  // %s\n", launch.row(choice.configurations[best].text()).c_str(), how.c_str());
}

void report_refusals(const Choice& choice, const Chosen& chosen) {
  for (std::size_t i = 0; i < chosen.refused.size(); ++i)
    if (chosen.refused[i])
      std::fprintf(stderr, "pykc: %s: %s was passed over: %s\n", choice.kernel.c_str(),
                   choice.configurations[i].text().c_str(), reason_of(*chosen.refused[i]).c_str());
}

std::optional<std::size_t> find(const Choice& choice, std::string_view text) {
  const auto found = std::ranges::find(choice.configurations, text, &Configuration::text);
  if (found == choice.configurations.end()) return std::nullopt;
  return static_cast<std::size_t>(found - choice.configurations.begin());
}

/// What nobody needs to measure: what was kept on disk, else what the library's table has.
std::optional<std::size_t> find_known(const Choice& choice, const driver::KeptChoice& kept, Mode mode) {
  const auto found = [&](std::string_view text, const std::string& how) {
    const std::optional<std::size_t> known = find(choice, text);
    if (known && mode == Mode::Report) report_choice(choice, *known, how);
    return known;
  };
  if (const std::optional<std::string> text = kept.find())
    if (const std::optional<std::size_t> known = found(*text, "as measured before")) return known;
  if (choice.library_kernel.empty()) return std::nullopt;
  const TunedLaunch launch(choice.library_kernel, chip_of(choice.device.info().target), choice.arrays);
  const TunedRow* const row = launch.find_in(tuned_rows());
  if (row == nullptr) return std::nullopt;
  return found(row->configuration, "as recorded for " + std::string(row->shape) + " on " + launch.chip);
}

}  // namespace

std::string reason_of(const Error& error) {
  return error.diagnostics.empty() ? error.message : error.diagnostics.front().message;
}

std::string size_class(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t extent : extents)
    text += std::to_string(std::bit_width(static_cast<std::uint64_t>(extent))) + " ";
  return text + ";";
}

Result<Chosen> choose(const Choice& choice, const std::function<std::vector<Result<Trial>>()>& prepare) {
  ASSIGN_OR_RETURN(const Mode mode, mode_of_environment());
  if (mode == Mode::Off) return Chosen{0, {}};

  const driver::KeptChoice kept(choice.program, choice.request, for_device(choice), situation_of(choice));
  if (!choice.measures_anew && mode != Mode::Record)
    if (const std::optional<std::size_t> known = find_known(choice, kept, mode)) return Chosen{*known, {}};

  const Stream* const stream = choice.launches.front().stream;
  if (stream != nullptr && stream->is_capturing())
    return invalid_argument("the configurations of `" + choice.kernel +
                            "` cannot be measured while the stream captures a graph; launch the kernel once before");
  std::vector<Result<Trial>> trials = prepare();
  ASSIGN_OR_RETURN(const std::vector<Result<double>> times, Measurement(choice.device, trials).run());

  Chosen chosen;
  double slowest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Result<double>& seconds = times[i];
    chosen.refused.push_back(seconds ? std::nullopt : std::optional(seconds.error()));
    if (!seconds) continue;
    slowest = std::max(slowest, *seconds);
    if (!chosen.configuration || *seconds < *times[*chosen.configuration]) chosen.configuration = i;
  }
  if (mode != Mode::Quiet) report_refusals(choice, chosen);
  if (!chosen.configuration) return chosen;
  kept.store(choice.configurations[*chosen.configuration].text());
  const std::string how = time_text(*times[*chosen.configuration]) + " (slowest " + time_text(slowest) + ")";
  if (mode == Mode::Report) report_choice(choice, *chosen.configuration, how);
  if (mode == Mode::Record) record_choice(choice, *chosen.configuration, how);
  return chosen;
}

const Error* common_reason(const Chosen& chosen) {
  const std::optional<Error>& first = chosen.refused.front();
  const bool is_common = std::ranges::all_of(chosen.refused, [&](const std::optional<Error>& other) {
    return first && other && reason_of(*first) == reason_of(*other);
  });
  return is_common ? &*first : nullptr;
}

}  // namespace pykc::jit
