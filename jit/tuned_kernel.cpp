#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "base/errors.h"
#include "base/on_all_cores.h"
#include "jit/autotune.h"
#include "jit/source_module_state.h"
#include "pykc/autotune.h"

namespace pykc {
namespace detail {
namespace {

using Key = std::span<const std::uint64_t>;
constexpr std::size_t kWordsOfArgument = 3;

struct LessKey {
  using is_transparent = void;
  bool operator()(Key a, Key b) const { return std::ranges::lexicographical_compare(a, b); }
};

std::span<const std::int64_t> extents_of(const Argument& argument) {
  return {argument.extents, argument.is_array ? static_cast<std::size_t>(argument.rank) : 0};
}

jit::ArraySize size_of(const Argument& argument) {
  const std::span<const std::int64_t> extents = extents_of(argument);
  return {argument.record ? argument.record->bytes : size_in_bytes(argument.type), {extents.begin(), extents.end()}};
}

/// What a choice is made for: the argument's type, and the number of bits of each extent, of which each takes 7. Of a
/// record its name and size: were two records taken for one, they would share a choice, which serves either.
void write_words(const Argument& argument, std::uint64_t* words) {
  words[0] = shape_of(argument);
  words[1] = argument.record ? std::hash<std::string>()(argument.record->name) + argument.record->bytes : 0;
  words[2] = 0;
  for (const std::int64_t extent : extents_of(argument))
    words[2] = words[2] << 7 | static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(extent)));
}

Error wrong_configurations(const std::string& kernel, const std::string& what) {
  return invalid_argument("the configurations of kernel `" + kernel + "` " + what);
}

Result<void> check_names(const std::string& kernel, const std::vector<Configuration>& configurations) {
  const std::vector<Constant>& names = configurations.front().constants();
  for (const Configuration& configuration : configurations) {
    const bool has_all =
        std::ranges::all_of(names, [&](const Constant& wanted) { return configuration.find(wanted.name) != nullptr; });
    if (!has_all || configuration.constants().size() != names.size())
      return wrong_configurations(
          kernel, "have different names: " + configurations.front().text() + " and " + configuration.text());
  }
  return {};
}

/// Those of a configuration that are parameters of the kernel.
Configuration parameters_of(const Configuration& configuration, const ast::FunctionDef& kernel) {
  std::vector<Constant> constants;
  for (const Constant& constant : configuration.constants())
    if (std::ranges::find(kernel.parameters, constant.name, &ast::Parameter::name) != kernel.parameters.end())
      constants.push_back(constant);
  return Configuration(std::move(constants));
}

Error none_left(const std::vector<Configuration>& configurations, const jit::Chosen& chosen,
                const std::string& kernel) {
  if (const Error* reason = jit::common_reason(chosen)) return *reason;
  std::string message = "no configuration of kernel `" + kernel + "` can be launched";
  for (std::size_t i = 0; i < configurations.size(); ++i)
    message += "\n" + configurations[i].text() + ": " + jit::reason_of(*chosen.refused[i]);
  return {chosen.refused.front()->code, message};
}

}  // namespace

struct TunedKernelState {
  const std::vector<Configuration> configurations;
  const std::vector<GenericKernel> kernels;  // one for each, which may be the same
  GenericKernelState& kernel;                // without constants
  std::shared_mutex reading{};               // choices
  std::map<std::vector<std::uint64_t>, std::size_t, LessKey> choices{};
  std::mutex choosing{};

  /// The number of the configuration; `unfit` is one that has been chosen before, and cannot be launched.
  Result<std::size_t> choose(const ShapeFunction& shape, std::span<const Argument> arguments,
                             std::optional<std::size_t> unfit = std::nullopt);
  Result<void> launch(std::size_t configuration, const ShapeFunction& shape,
                      std::span<const Argument> arguments) const {
    return kernels[configuration].launch_with(shape(configurations[configuration]), arguments);
  }

 private:
  std::optional<std::size_t> find(Key key);
  Result<std::size_t> measure(const ShapeFunction& shape, std::span<const Argument> arguments, bool anew) const;
};

std::optional<std::size_t> TunedKernelState::find(Key key) {
  const std::shared_lock lock(reading);
  const auto found = choices.find(key);
  return found == choices.end() ? std::nullopt : std::optional(found->second);
}

Result<std::size_t> TunedKernelState::choose(const ShapeFunction& shape, std::span<const Argument> arguments,
                                             std::optional<std::size_t> unfit) {
  const bool is_sound = arguments.size() <= kMostArguments && std::ranges::all_of(arguments, [](const Argument& a) {
                          return a.rank >= 0 && a.rank <= Argument::kMaxRank;
                        });
  if (!is_sound) return 0;                                 // which the launch refuses
  std::uint64_t words[kMostArguments * kWordsOfArgument];  // uninitialised beyond what is asked for
  for (std::size_t i = 0; i < arguments.size(); ++i) write_words(arguments[i], words + i * kWordsOfArgument);
  const Key key(words, arguments.size() * kWordsOfArgument);
  if (const std::optional<std::size_t> known = find(key); known && known != unfit) return *known;
  const std::lock_guard turn(choosing);
  if (const std::optional<std::size_t> known = find(key); known && known != unfit) return *known;
  const Result<std::size_t> chosen = measure(shape, arguments, unfit.has_value());
  if (!chosen) return chosen;
  const std::unique_lock lock(reading);
  choices.insert_or_assign(std::vector(key.begin(), key.end()), *chosen);
  return chosen;
}

Result<std::size_t> TunedKernelState::measure(const ShapeFunction& shape, std::span<const Argument> arguments,
                                              bool anew) const {
  std::vector<LaunchConfig> launches;
  for (const Configuration& configuration : configurations) launches.push_back(shape(configuration));
  std::vector<jit::ArraySize> arrays;
  for (const Argument& argument : arguments)
    if (argument.is_array) arrays.push_back(size_of(argument));
  const KernelRequest request = kernel.request_for(arguments);
  const jit::Choice choice{kernel.module.device,
                           kernel.module.program,
                           kernel.module.options,
                           kernel.name(),
                           request,
                           configurations,
                           launches,
                           std::move(arrays),
                           jit::library_kernel(kernel.module.program, *kernel.source.module, kernel.definition.name),
                           anew};
  const Result<jit::Chosen> chosen = jit::choose(choice, [&] {
    return on_all_cores(configurations.size(), [&](std::size_t i) -> Result<jit::Trial> {
      ASSIGN_OR_RETURN(const Kernel compiled, kernels[i].specialization_with(arguments));
      return jit::Trial{compiled, launches[i], {arguments.begin(), arguments.end()}};
    });
  });
  if (!chosen) return chosen.error();
  if (!chosen->configuration) return none_left(configurations, *chosen, kernel.name());
  return *chosen->configuration;
}

}  // namespace detail

Result<TunedKernel> TunedKernel::create(const GenericKernel& kernel, const std::vector<Configuration>& given) try {
  detail::GenericKernelState& state = *kernel.state_;
  std::vector<Configuration> configurations = given;
  if (configurations.empty()) {
    Diagnostics diagnostics;
    configurations = configurations_of(state.module.program, *state.source.module, state.definition, diagnostics);
    if (diagnostics.has_errors()) {
      std::vector<Diagnostic> list = diagnostics.take();
      return Error{ErrorCode::InvalidSource, list.front().message, list};
    }
  }
  if (configurations.empty())
    return invalid_argument("kernel `" + kernel.name() +
                            "` has no configurations to choose from: neither are any given, nor "
                            "does its source list them with `@autotune`");
  RETURN_IF_FAILED(detail::check_names(kernel.name(), configurations));
  std::vector<GenericKernel> kernels;
  std::map<std::string, std::size_t> known;  // kernels, by what is set in them
  for (const Configuration& configuration : configurations) {
    const Configuration constants = detail::parameters_of(configuration, state.definition);
    const auto [same, is_new] = known.try_emplace(constants.text(), kernels.size());
    ASSIGN_OR_RETURN(const GenericKernel bound,
                     is_new ? kernel.bind(constants) : Result<GenericKernel>(kernels[same->second]));
    kernels.push_back(bound);
  }
  return TunedKernel(std::shared_ptr<detail::TunedKernelState>(
      new detail::TunedKernelState{std::move(configurations), std::move(kernels), state}));
} catch (...) {
  return error_in_flight();
}

Result<void> TunedKernel::launch_with(const detail::ShapeFunction& shape, std::span<const Argument> arguments) const
    try {
  ASSIGN_OR_RETURN(const std::size_t chosen, state_->choose(shape, arguments));
  Result<void> launched = state_->launch(chosen, shape, arguments);
  if (launched || launched.error().code != ErrorCode::InvalidLaunch) return launched;
  // Several sizes share a choice, and this one may need more blocks of it than a grid has.
  const Result<std::size_t> another = state_->choose(shape, arguments, chosen);
  return another && *another != chosen ? state_->launch(*another, shape, arguments) : std::move(launched);
} catch (...) {
  return error_in_flight();
}

Result<Configuration> TunedKernel::chosen_with(const detail::ShapeFunction& shape,
                                               std::span<const Argument> arguments) const {
  ASSIGN_OR_RETURN(const std::size_t chosen, state_->choose(shape, arguments));
  return state_->configurations[chosen];
}

}  // namespace pykc
