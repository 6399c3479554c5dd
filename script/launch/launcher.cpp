#include "script/launch/launcher.h"

#include <algorithm>

#include "base/errors.h"
#include "frontend/program/function_kind.h"
#include "script/arithmetic/promote.h"
#include "script/functions/format.h"
#include "script/launch/arguments.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

constexpr std::size_t kLongestReason = 100;  // longer texts become a note

std::string_view summary_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidLaunch:
    case ErrorCode::InvalidArgument:
      return "it does not fit the kernel";
    case ErrorCode::OutOfMemory:
      return "the device has no memory left";
    default:
      return "the device refused it";
  }
}

Failure bad_configuration(std::string_view reason) { return fail(DiagnosticId::HostLaunchConfiguration, reason); }

/// One extent, or up to three.
Outcome<Dim3> dimensions(const Value& value, std::string_view what) {
  if (const std::optional<std::int64_t> x = as_integer(value)) return Dim3{*x, 1, 1};
  const std::vector<Value>* items = items_of(value);
  if (!items || items->empty() || items->size() > 3) {
    Failure failure = bad_configuration("the " + std::string(what) + " is an integer or a tuple of up to three, not " +
                                        describe(value));
    if (value.is<double>()) failure.notes.emplace_back("`cdiv(n, 256)` is `n / 256`, rounded up");
    return failure;
  }
  std::int64_t extents[3] = {1, 1, 1};
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::optional<std::int64_t> extent = as_integer((*items)[i]);
    if (!extent)
      return bad_configuration("an extent of the " + std::string(what) + " is " + describe((*items)[i]))
          .note("`//` divides to an integer, `cdiv(a, b)` rounds up");
    extents[i] = *extent;
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

/// The arguments of a launch, and the defaults of the parameters behind them.
std::vector<Value> with_defaults(const FunctionValue& kernel, const std::vector<const ast::Parameter*>& parameters,
                                 std::vector<Value> arguments) {
  while (kernel.context && arguments.size() < parameters.size()) {
    const auto value = kernel.context->defaults.find(parameters[arguments.size()]->name);
    if (value == kernel.context->defaults.end()) break;
    arguments.push_back(value->second);
  }
  return arguments;
}

/// The launch's configuration, worked out where `forall` leaves it to the device.
Outcome<LaunchConfig> configuration(const Kernel& kernel, const LaunchShape& shape, const Stream* stream) {
  LaunchConfig config{.grid = shape.grid, .block = shape.block, .shared_bytes = shape.shared_bytes, .stream = stream};
  if (!shape.tasks) return config;
  if (config.block.x == 0) {
    const Result<LaunchConfig> chosen = kernel.configuration_for(*shape.tasks, shape.shared_bytes);
    if (!chosen) return with_reason(DiagnosticId::HostLaunchFailed, kernel.info().name, chosen.error());
    config.grid = chosen->grid, config.block = chosen->block;
    return config;
  }
  config.grid.x = (*shape.tasks + config.block.x - 1) / config.block.x;
  return config;
}

/// Where an array has elements of another type than the parameter: how to make them alike.
void advise_of_elements(const std::vector<Value>& arguments, const std::vector<ParameterInfo>& parameters,
                        Failure& failure) {
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
    const ArrayRef* array = arguments[i].as<ArrayRef>();
    const ElementType& wanted = parameters[i].array.element;
    if (!array || !parameters[i].is_array || wanted.is_record() || (*array)->element() == wanted) continue;
    const std::string type(to_string(wanted));
    failure.notes.push_back("make the array with `dtype=" + type + "`, or pass a copy: `.astype(" + type + ")`");
    return;
  }
}

}  // namespace

Failure with_reason(DiagnosticFor<std::string, std::string> id, std::string_view name, const Error& error) {
  const bool is_short = error.message.size() <= kLongestReason;
  // What a kernel says of itself begins with what matters: the message shows as much of it as it has room for.
  const bool is_shown = is_short || error.code == ErrorCode::KernelFault;
  Failure failure = fail(id, name, is_shown ? std::string_view(error.message) : summary_of(error.code));
  if (!is_short) failure.notes.push_back(error.message);
  failure.causes = error.diagnostics;
  failure.code = error.code;
  return failure;
}

Status set_launch_part(std::size_t index, const Value& value, LaunchShape& shape) {
  if (index < 2) {
    ASSIGN_OR_RETURN((index == 0 ? shape.grid : shape.block), dimensions(value, index == 0 ? "grid" : "block"));
    return Done{};
  }
  if (index == 2) {
    const auto* stream = value.as<StreamValue>();
    if (!stream && as_integer(value) != 0 && !value.is<None>())
      return bad_configuration("the third part is a stream or 0, not " + describe(value));
    if (stream) shape.stream = stream->stream;
    return Done{};
  }
  const std::optional<std::int64_t> bytes = as_integer(value);
  if (!bytes) return bad_configuration("the bytes of shared memory are " + describe(value));
  shape.shared_bytes = *bytes;
  return Done{};
}

Outcome<Launcher::Call> Launcher::bind(const FunctionValue& kernel, const std::vector<Configuration>& configurations,
                                       const CallArguments& arguments) const {
  const ast::FunctionDef& definition = *kernel.definition;
  if (!arguments.named.empty())
    return fail(DiagnosticId::HostLaunchArgument, "`" + arguments.named[0].first + "=`")
        .note("a kernel's arguments are given by position");
  std::vector<const ast::Parameter*> parameters;
  std::string chosen;
  for (const ast::Parameter& parameter : definition.parameters) {
    const bool is_chosen = !configurations.empty() && configurations.front().find(parameter.name);
    if (!is_chosen) parameters.push_back(&parameter);
    if (is_chosen) chosen += (chosen.empty() ? "`" : ", `") + parameter.name + "`";
  }
  const std::vector<Value> given = with_defaults(kernel, parameters, arguments.positional);
  if (given.size() != parameters.size()) {
    Failure failure =
        fail(DiagnosticId::HostKernelArgumentCount, definition.name, parameters.size(), arguments.positional.size());
    if (!chosen.empty()) failure.notes.push_back("the launch leaves out " + chosen + ", which `@autotune` chooses");
    return failure;
  }
  const Scope& home = home_of(*scopes_.at(program_.main.get()), kernel, given);
  Call call{
      .request = {.kernel = definition.name, .arguments = {}, .use_annotations = true}, .passed = {}, .home = home};
  if (!is_typed_kernel(definition)) {
    ASSIGN_OR_RETURN(call.request, request_for(definition.name, given, program_, home));
  }
  call.request.module = name_of(kernel, program_, home).module;
  call.passed.reserve(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Value& value = given[i];
    if (!is_constexpr(*parameters[i]))
      add_passed(value, call.passed);
    else
      RETURN_IF_FAILED(set_constant(value, call.request.arguments[i]));
  }
  return call;
}

Launcher::LaunchWords Launcher::words_of(const FunctionValue& kernel, const CallArguments& arguments) {
  const std::vector<ast::Parameter>& parameters = kernel.definition->parameters;
  if (!arguments.named.empty() || arguments.positional.size() != parameters.size()) return {};
  LaunchWords words = {reinterpret_cast<std::uintptr_t>(kernel.definition)};
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!add_words(arguments.positional[i], is_constexpr(parameters[i]), words)) return {};
  return words;
}

Outcome<Value> Launcher::launch(const LaunchValue& launch, const CallArguments& arguments) {
  const FunctionValue& kernel = launch.kernel;
  ASSIGN_OR_RETURN(const std::vector<Configuration>* const configurations, configurations_of(kernel));
  const LaunchWords words = configurations->empty() ? words_of(kernel, arguments) : LaunchWords();
  if (const auto known = known_.find(words); known != known_.end()) {
    std::vector<Value> passed;
    for (std::size_t i = 0; i < arguments.positional.size(); ++i)
      if (!is_constexpr(kernel.definition->parameters[i])) add_passed(arguments.positional[i], passed);
    RETURN_IF_FAILED(run(*known->second, launch.shape(0), passed));
    return Value();
  }
  ASSIGN_OR_RETURN(const Call call, bind(kernel, *configurations, arguments));
  if (!configurations->empty()) {
    RETURN_IF_FAILED(launch_tuned(launch, *configurations, call));
    return Value();
  }
  ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(call.home, kernel.definition->name, call.request));
  if (!words.empty()) known_.emplace(words, loaded);
  RETURN_IF_FAILED(run(*loaded, launch.shape(0), call.passed));
  return Value();
}

Outcome<CompiledKernel> Launcher::compile(const FunctionValue& kernel, const std::vector<Value>* arguments) {
  const ast::FunctionDef& definition = *kernel.definition;
  ASSIGN_OR_RETURN(const std::vector<Configuration>* const configurations, configurations_of(kernel));
  const bool is_typed = is_typed_kernel(definition);
  if (!configurations->empty() || (!arguments && !is_typed))
    return fail(DiagnosticId::HostWrongType, definition.name, "compiled for types of arguments",
                is_typed ? "a kernel with `@autotune`" : "a kernel for any types")
        .note("`k.specialize(x, y)` gives the kernel for the types of these arguments; `@autotune` chooses by itself");
  if (!arguments) {
    const KernelRequest request{.kernel = definition.name, .arguments = {}, .use_annotations = true};
    ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(*kernel.module, definition.name, request));
    return CompiledKernel{loaded->kernel, loaded->module};
  }
  ASSIGN_OR_RETURN(const Call call, bind(kernel, *configurations, {*arguments, {}}));
  ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(call.home, definition.name, call.request));
  return CompiledKernel{loaded->kernel, loaded->module};
}

Status Launcher::launch_as(const KernelRequest& request, const LaunchShape& shape, const Call& call,
                           const ast::FunctionDef& kernel) {
  ASSIGN_OR_RETURN(const Loaded* const loaded, kernel_for(call.home, kernel.name, request));
  return run(*loaded, shape, call.passed);
}

Outcome<Launcher::Prepared> Launcher::prepare_launch(const Loaded& loaded, const LaunchShape& shape,
                                                     const std::vector<Value>& arguments) {
  RETURN_IF_FAILED(set_constants(loaded));
  const Device& device = loaded.device;
  ASSIGN_OR_RETURN(DeviceOperations* const home, run_.operations());
  const bool is_on_host = device.is_cpu() && !home->device().is_cpu();
  const Stream* const current = is_on_host ? nullptr : run_.streams.current.get();
  const Stream* const stream = shape.stream ? shape.stream.get() : current;
  ASSIGN_OR_RETURN(const LaunchConfig config, configuration(loaded.kernel, shape, stream));
  if (stream != nullptr && stream->is_capturing())
    for (const Value& value : arguments)
      if (const ArrayRef* array = value.as<ArrayRef>()) home->keep_captured((*array)->storage);
  Prepared prepared{config, {}, {}};
  const std::vector<ParameterInfo>& parameters = loaded.kernel.info().parameters;
  DeviceOperations* const memory = is_on_host ? nullptr : home;
  const ParameterInfo none;
  prepared.arguments.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // A tuple may hold too many arguments, of which the runtime complains.
    const ParameterInfo& parameter = i < parameters.size() ? parameters[i] : none;
    ASSIGN_OR_RETURN(const Argument argument,
                     argument_of(arguments[i], parameter, device, memory, loaded.wraps_integers, prepared.held));
    prepared.arguments.push_back(argument);
  }
  // Behind all that is read for the launch, such as a record by value out of an array that the kernel writes to.
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i)
    if (const ArrayRef* array = arguments[i].as<ArrayRef>(); array && parameters[i].is_written)
      RETURN_IF_FAILED(will_write(**array, memory));
  return prepared;
}

Status Launcher::run(const Loaded& loaded, const LaunchShape& shape, const std::vector<Value>& arguments) {
  const Kernel& kernel = loaded.kernel;
  ASSIGN_OR_RETURN(const Prepared prepared, prepare_launch(loaded, shape, arguments));
  if (Result<void> done = kernel.launch_with(prepared.config, prepared.arguments); !done) {
    Failure failure = with_reason(DiagnosticId::HostLaunchFailed, kernel.info().name, done.error());
    advise_of_elements(arguments, kernel.info().parameters, failure);
    return failure;
  }
  // A kernel that can stop, or is watched, is waited for, so that its message stands at its launch, unless it is captured
  // and runs later. The CPU device has run it by now; there it must not look as if the program waited.
  const Stream* const stream = prepared.config.stream;
  const bool is_captured = stream != nullptr && stream->is_capturing();
  if (!is_captured && (!kernel.info().faults.empty() || !kernel.info().watched.symbol.empty())) {
    const Device& device = loaded.device;
    if (Result<void> done = device.is_cpu() ? device.report_faults() : device.synchronize(); !done)
      return with_reason(DiagnosticId::HostLaunchFailed, kernel.info().name, done.error());
  }
  return Done{};
}

}  // namespace pykc::script
