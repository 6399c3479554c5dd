// Launches of kernels with `@autotune`: which of the configurations is fastest (jit/autotune.h), and where that is
// known.
#include <algorithm>

#include "base/diagnostics.h"
#include "jit/autotune.h"
#include "jit/specialize.h"
#include "script/launch/launcher.h"
#include "script/values/array.h"

namespace pykc::script {
namespace {

std::vector<jit::ArraySize> arrays_of(const std::vector<Value>& passed) {
  std::vector<jit::ArraySize> arrays;
  for (const Value& value : passed)
    if (const ArrayRef* array = value.as<ArrayRef>())
      arrays.push_back({size_in_bytes((*array)->element()), (*array)->shape});
  return arrays;
}

std::string sizes_of(const std::vector<Value>& passed) {
  std::string sizes;
  for (const Value& value : passed)
    if (const ArrayRef* array = value.as<ArrayRef>()) sizes += jit::size_class((*array)->shape);
  return sizes;
}

/// Why none of the configurations can be launched.
Failure none_left(const std::string& kernel, const std::vector<Configuration>& configurations,
                  const jit::Chosen& chosen) {
  if (const Error* reason = jit::common_reason(chosen)) {
    if (reason->code != ErrorCode::InvalidSource) return with_reason(DiagnosticId::HostLaunchFailed, kernel, *reason);
    Failure failure = fail(DiagnosticId::HostKernelNotCompiled, kernel, "any of its configurations");
    failure.causes = reason->diagnostics;
    return failure;
  }
  Failure failure = fail(DiagnosticId::HostNoConfiguration, kernel);
  for (std::size_t i = 0; i < configurations.size(); ++i)
    failure.notes.push_back(configurations[i].text() + ": " + jit::reason_of(*chosen.refused[i]));
  return failure;
}

}  // namespace

Status check_use(const LaunchValue& launch, const std::vector<Configuration>& configurations) {
  if (configurations.empty()) return Done{};
  const ast::FunctionDef& kernel = *launch.kernel.definition;
  for (const Constant& constant : configurations.front().constants()) {
    const bool is_parameter =
        std::ranges::find(kernel.parameters, constant.name, &ast::Parameter::name) != kernel.parameters.end();
    if (is_parameter || launch.used.contains(constant.name)) continue;
    return fail(DiagnosticId::HostLaunchConfiguration,
                "`" + constant.name + "` of the configurations of `" + kernel.name + "` is not used")
        .note("it is no parameter of the kernel; a function in the brackets can read it: `" + kernel.name +
              "[blocks, lambda c: c." + constant.name + "](…)`");
  }
  return Done{};
}

Outcome<const std::vector<Configuration>*> Launcher::configurations_of(const FunctionValue& kernel) {
  const ast::FunctionDef& definition = *kernel.definition;
  const auto [entry, is_new] = configurations_.try_emplace(&definition);
  if (is_new && is_autotuned(definition)) {
    Diagnostics diagnostics;
    entry->second = pykc::configurations_of(program_, *kernel.module->module, definition, diagnostics);
    if (diagnostics.has_errors() || entry->second.empty()) {
      configurations_.erase(entry);
      Failure failure = fail(DiagnosticId::HostKernelNotCompiled, definition.name, "its configurations");
      failure.causes = diagnostics.take();
      return failure;
    }
  }
  return &entry->second;
}

Status Launcher::launch_tuned(const LaunchValue& launch, const std::vector<Configuration>& configurations,
                              const Call& call) {
  const ast::FunctionDef& kernel = *launch.kernel.definition;
  const auto launch_one = [&](std::size_t i) {
    return launch_as(with_constants(call.request, kernel, configurations[i]), launch.shape(i), call, kernel);
  };
  ASSIGN_OR_RETURN(const std::size_t chosen, choose(launch, configurations, call));
  Status launched = launch_one(chosen);
  if (launched || launched.failure().code != ErrorCode::InvalidLaunch) return launched;
  // Several sizes share a choice; this one may need more blocks than a grid has.
  const Outcome<std::size_t> another = choose(launch, configurations, call, chosen);
  return another && *another != chosen ? launch_one(*another) : launched;
}

Outcome<std::size_t> Launcher::choose(const LaunchValue& launch, const std::vector<Configuration>& configurations,
                                      const Call& call, std::optional<std::size_t> unfit) {
  const std::string sizes = sizes_of(call.passed);
  // Launches at different places of the source may give a configuration different blocks.
  const std::string key = call.home.file().name() + ":" + call.request.module + "." + call.request.kernel +
                          jit::request_key(call.request) + sizes +
                          std::to_string(reinterpret_cast<std::uintptr_t>(launch.brackets));
  if (const auto known = choices_.find(key); known != choices_.end() && known->second != unfit) return known->second;
  if (launch.brackets == nullptr) RETURN_IF_FAILED(check_use(launch, configurations));
  ASSIGN_OR_RETURN(const std::size_t chosen, measure(launch, configurations, call, unfit.has_value()));
  choices_.insert_or_assign(key, chosen);
  return chosen;
}

Outcome<std::size_t> Launcher::measure(const LaunchValue& launch, const std::vector<Configuration>& configurations,
                                       const Call& call, bool anew) {
  const ast::FunctionDef& definition = *launch.kernel.definition;
  ASSIGN_OR_RETURN(const Device device, run_.device());
  std::vector<LaunchConfig> launches;
  for (std::size_t i = 0; i < configurations.size(); ++i)
    launches.push_back({.block = launch.shape(i).block,
                        .shared_bytes = launch.shape(i).shared_bytes,
                        .stream = launch.shape(i).stream.get()});
  const jit::Choice choice{device,
                           program_of(call.home),
                           run_.options().compile,
                           definition.name,
                           call.request,
                           configurations,
                           launches,
                           arrays_of(call.passed),
                           jit::library_kernel(program_, *launch.kernel.module->module, definition.name),
                           anew};
  std::vector<ArrayRef> held;
  std::optional<Failure> failed;  // one that is no matter of the configuration
  const auto prepare = [&](std::size_t i, const Result<Loaded>& loaded) -> Result<jit::Trial> {
    if (!loaded) return loaded.error();
    Outcome<Prepared> prepared = prepare_launch(*loaded, launch.shape(i), call.passed);
    if (!prepared) {
      failed = std::move(prepared.failure());
      return Error{ErrorCode::InvalidLaunch, "its arguments cannot be passed"};
    }
    held.insert(held.end(), prepared->held.begin(), prepared->held.end());
    return jit::Trial{loaded->kernel, prepared->config, std::move(prepared->arguments)};
  };
  const Result<jit::Chosen> chosen = jit::choose(choice, [&] {
    std::vector<KernelRequest> requests;
    for (const Configuration& configuration : configurations)
      requests.push_back(with_constants(call.request, definition, configuration));
    const std::vector<Result<Loaded>> loaded = load_kernels(device, call.home, definition.name, requests);
    std::vector<Result<jit::Trial>> trials;
    for (std::size_t i = 0; i < loaded.size(); ++i) trials.push_back(prepare(i, loaded[i]));
    return trials;
  });
  if (failed) return *std::move(failed);
  if (!chosen) return with_reason(DiagnosticId::HostLaunchFailed, definition.name, chosen.error());
  if (!chosen->configuration) return none_left(definition.name, configurations, *chosen);
  return *chosen->configuration;
}

}  // namespace pykc::script
