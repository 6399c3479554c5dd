#include "script/launch/launcher.h"

#include <algorithm>
#include <span>

#include "base/errors.h"
#include "base/on_all_cores.h"
#include "frontend/checked/tree.h"
#include "frontend/program/function_kind.h"
#include "jit/specialize.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/functions/format.h"
#include "script/functions/records.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"
#include "script/values/scope.h"
#include "script/values/text.h"

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
  if (!items || items->empty() || items->size() > 3)
    return bad_configuration("the " + std::string(what) + " is an integer or a tuple of up to three, not " +
                             describe(value));
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

/// The functions of an argument.
void add_functions(const Value& value, std::vector<FunctionValue>& functions) {
  if (const auto* function = value.as<FunctionValue>()) functions.push_back(*function);
  if (const auto* tuple = value.as<TupleValue>())
    for (const Value& item : tuple->sequence->items) add_functions(item, functions);
}

/// Whether it is a lambda, a method, or defined in another function: kernels know the names of files alone.
bool is_inner(const FunctionValue& function) {
  const bool is_bound = function.context && (function.context->outer || !function.context->self.is<None>());
  return is_bound || function.definition->name == "lambda";
}

/// The type of an argument as a generic kernel sees it.
Outcome<ArgumentType> type_of(const Value& value, const Program& program, const Scope& home) {
  ArgumentType type;
  if (const auto* function = value.as<FunctionValue>()) {
    if (is_inner(*function))
      return fail(DiagnosticId::HostLaunchArgument, "a function that is not one of the file's")
          .note("write it with `def` at the top level of the file");
    type.constant = name_of(*function, program, home);
    return type;
  }
  if (const auto* tuple = value.as<TupleValue>()) {
    type.is_tuple = true;
    type.names = tuple->sequence->names;
    for (const Value& item : tuple->sequence->items) {
      ASSIGN_OR_RETURN(ArgumentType element, type_of(item, program, home));
      type.elements.push_back(std::move(element));
    }
    return type;
  }
  ParameterInfo& parameter = type.parameter;
  if (const ArrayRef* array = value.as<ArrayRef>()) {
    parameter.is_array = true;
    if ((*array)->record && (*array)->rank() == 0) {  // one record, by value
      parameter.is_array = false;
      parameter.value = (*array)->record;
      return type;
    }
    parameter.array.element = (*array)->element();
    parameter.array.extents.assign((*array)->rank(), ArrayType::kDynamic);
    parameter.array.layout = (*array)->is_row_major()      ? Layout::RowMajor
                             : (*array)->is_column_major() ? Layout::ColumnMajor
                                                           : Layout::Strided;
    return type;
  }
  if (value.is<std::string>()) {
    parameter.value = text_type_of(value);
    return type;
  }
  const std::optional<OperandType> number = operand_type(value);
  if (!number) return fail(DiagnosticId::HostLaunchArgument, describe(value));
  parameter.value = number->type;
  return type;
}

/// A number without its type.
ConstantArgument constant_number(const Scalar& number) {
  if (number.type == ScalarType::Bool) return number.as<bool>();
  if (is_float(number.type)) return number.as<double>();
  if (is_unsigned_integer(number.type)) return number.as<std::uint64_t>();
  return number.as<std::int64_t>();
}

/// Makes the type of an argument the constant that a `constexpr` parameter takes: a number, or a tuple of constants.
/// What is no constant stays a type, which the checker refuses.
Status set_constant(const Value& value, ArgumentType& argument) {
  if (const auto* tuple = value.as<TupleValue>()) {
    for (std::size_t i = 0; i < argument.elements.size(); ++i)
      RETURN_IF_FAILED(set_constant(tuple->sequence->items[i], argument.elements[i]));
  } else if (const std::optional<OperandType> number = operand_type(value); number && !value.as<ArrayRef>()) {
    ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(value, number->type));
    argument = {.constant = constant_number(scalar)};
  }
  return Done{};
}

/// A number for a scalar parameter: converted where nothing is lost, or where integers wrap; else handed over for the
/// runtime to refuse.
Scalar scalar_argument(const Value& value, ScalarType wanted, bool wraps_integers) {
  const Scalar own = *to_scalar(value, operand_type(value)->type);
  const bool is_fine = is_float(wanted) || !is_float(own.type);
  if (is_fine && wraps_integers && !is_float(wanted) && wanted != ScalarType::Bool)
    return Scalar::of(own.as<std::uint64_t>(), wanted);
  if (is_fine)
    if (const Outcome<Scalar> converted = to_scalar(value, wanted))
      if (is_float(wanted) || as_integer(Value(*converted)) == as_integer(value)) return *converted;
  return own;
}

/// Numba's signatures take arrays of integers of the other sign, whose bits stay what they are.
ScalarType with_sign_of(ScalarType stated, ScalarType given) {
  const bool is_alike = is_integer(stated) && is_integer(given) && size_in_bits(stated) == size_in_bits(given);
  return is_alike ? stated : given;
}

/// Where a kernel finds the array. Functions that run on the host beside a GPU, where `device` is null, take it where
/// the host has it.
Outcome<void*> address_of(const Array& array, DeviceOperations* device) {
  if (device) return array.storage->read_on(*device);
  ASSIGN_OR_RETURN(std::byte * bytes, array.storage->read());
  return static_cast<void*>(bytes);
}

/// What the launch will write is current there alone.
Status will_write(const Array& array, DeviceOperations* device) {
  if (device) {
    RETURN_IF_FAILED(array.storage->launch(*device));
  } else {
    RETURN_IF_FAILED(array.storage->write());
  }
  return Done{};
}

/// `memory` is where the array must be, null for the host; `held` keeps what the argument points to on the host.
Outcome<Argument> argument_of(const Value& value, const ParameterInfo& parameter, const Device& device,
                              DeviceOperations* memory, bool wraps_integers, std::vector<ArrayRef>& held) {
  Argument argument;
  const bool may_be_record = operand_type(value) || has_records(value) || value.is<std::string>();
  if (parameter.value.is_record() && !parameter.is_array && may_be_record) {
    ASSIGN_OR_RETURN(const ArrayRef record, to_records(value, parameter.value.record));
    ASSIGN_OR_RETURN(const std::byte* bytes, record->read());
    held.push_back(record);
    return Argument::of(record->record, bytes);
  }
  if (const ArrayRef* array = value.as<ArrayRef>()) {
    ASSIGN_OR_RETURN(void* const address, address_of(**array, memory));
    argument.is_array = true;
    argument.type = (*array)->type;
    if (const ElementType& stated = parameter.array.element;
        wraps_integers && parameter.is_array && !stated.is_record())
      argument.type = with_sign_of(stated.scalar, argument.type);
    const RecordRef& wanted = parameter.array.element.record;
    argument.record = have_same_layout((*array)->record, wanted) ? wanted : (*array)->record;
    argument.rank = static_cast<int>((*array)->rank());
    argument.address = static_cast<std::byte*>(address) + (*array)->offset * (*array)->unit_bytes();
    std::copy((*array)->shape.begin(), (*array)->shape.end(), argument.extents);
    for (std::size_t i = 0; i < (*array)->rank(); ++i) {
      const std::int64_t stride = (*array)->strides[i], units = (*array)->units();
      if (stride % units != 0 && (*array)->shape[i] > 1)
        return fail(DiagnosticId::HostLaunchArgument, "a view of a field of records")
            .note("the records are no whole number of such fields apart; pass the records, or a copy of the field");
      argument.strides[i] = stride / units;
    }
    argument.device = device.state();
    return argument;
  }
  if (!operand_type(value)) return fail(DiagnosticId::HostLaunchArgument, describe(value));
  const ScalarType wanted = parameter.is_array ? operand_type(value)->type : parameter.value.scalar;
  const Scalar scalar = scalar_argument(value, wanted, wraps_integers);
  argument.type = scalar.type;
  scalar.store(argument.scalar);
  return argument;
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

/// What is wrong with a kernel for these arguments; or with its file, whatever is launched.
Failure not_compiled(const Program& program, const std::string& name, const KernelRequest& request,
                     std::vector<Diagnostic> causes) {
  Diagnostics of_file;
  check(program, {}, {.warnings = false}, of_file);
  const std::vector<Diagnostic> others = of_file.take();
  const bool is_of_file = !causes.empty() && std::ranges::any_of(others, [&](const Diagnostic& other) {
    return other.severity == Severity::Error && to_text(other) == to_text(causes.back());
  });
  Failure failure =
      fail(DiagnosticId::HostKernelNotCompiled, name, is_of_file ? std::string() : jit::signature_text(request));
  failure.causes = std::move(causes);
  return failure;
}

}  // namespace

void add_passed(const Value& value, std::vector<Value>& passed) {
  if (value.as<FunctionValue>()) return;
  const auto* tuple = value.as<TupleValue>();
  if (!tuple) return passed.push_back(value);
  for (const Value& item : tuple->sequence->items) add_passed(item, passed);
}

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

const Scope& home_of(const Scope& main, const FunctionValue& callee, const std::vector<Value>& arguments) {
  std::vector<FunctionValue> functions;
  for (const Value& value : arguments) add_functions(value, functions);
  const bool is_of_one =
      std::ranges::all_of(functions, [&](const FunctionValue& function) { return function.module == callee.module; });
  return is_of_one ? *callee.module : main;
}

FunctionName name_of(const FunctionValue& function, const Program& program, const Scope& home) {
  const std::string& name = function.definition->name;
  if (function.module == &home) return {"", name};
  const auto is_home = [&](const Program::Imported& file) { return file.module.get() == function.module->module; };
  return {std::ranges::find_if(program.imports, is_home)->name, name};
}

Outcome<KernelRequest> request_for(std::string kernel, const std::vector<Value>& arguments, const Program& program,
                                   const Scope& home) {
  KernelRequest request;
  request.kernel = std::move(kernel);
  for (const Value& value : arguments) {
    ASSIGN_OR_RETURN(ArgumentType type, type_of(value, program, home));
    request.arguments.push_back(std::move(type));
  }
  return request;
}

const Program& Launcher::program_of(const Scope& module, const std::string& appended) {
  if (appended.empty() && module.module == program_.main.get()) return program_;
  std::unique_ptr<Program>& program = programs_[module.file().name() + appended];
  if (!program) program = std::make_unique<Program>(program_from(program_, *module.module, appended));
  return *program;
}

namespace {

std::string key_of(const Device& device, const Scope& module, const KernelRequest& request,
                   const std::string& appended) {
  return device.info().name + module.file().name() + ":" + request.module + "." + request.kernel +
         jit::request_key(request) + appended;
}

}  // namespace

std::vector<Result<Launcher::Loaded>> Launcher::load_kernels(const Device& device, const Scope& module,
                                                             const std::string& name,
                                                             std::span<const KernelRequest> requests,
                                                             const std::string& appended) {
  std::vector<std::string> keys;
  std::vector<const KernelRequest*> missing;
  std::map<std::string, std::size_t> places;  // in `missing`: several may ask for one kernel
  for (const KernelRequest& request : requests) {
    keys.push_back(key_of(device, module, request, appended));
    if (!kernels_.contains(keys.back()) && places.try_emplace(keys.back(), missing.size()).second)
      missing.push_back(&request);
  }
  struct Compiled {
    std::vector<Diagnostic> warnings;
    Result<Module> module;
  };
  const Program& program = program_of(module, appended);
  const std::vector<Compiled> compiled = on_all_cores(missing.size(), [&](std::size_t i) {
    std::vector<Diagnostic> warnings;
    Result<Module> loaded = jit::specialize(device, program, *missing[i], run_.options().compile, &warnings);
    return Compiled{std::move(warnings), std::move(loaded)};
  });

  const auto keep = [&](const std::string& key, const KernelRequest& request) -> Result<Loaded> {
    if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
    const Compiled& made = compiled[places.at(key)];
    if (!made.module) return made.module.error();
    ASSIGN_OR_RETURN(const Kernel kernel, made.module->kernel(name));
    if (run_.options().warning)
      for (const Diagnostic& warning : made.warnings)
        if (warnings_.insert(to_text(warning)).second) run_.options().warning(warning);
    const ast::Module& owner = request.module.empty() ? *module.module : *program_.find(request.module);
    const Loaded loaded{kernel, *made.module, &module, is_numba_kernel(owner, name), std::make_shared<ConstantBytes>(),
                        device};
    return kernels_.emplace(key, loaded).first->second;
  };
  std::vector<Result<Loaded>> all;
  for (std::size_t i = 0; i < requests.size(); ++i) all.push_back(keep(keys[i], requests[i]));
  return all;
}

Outcome<Launcher::Loaded> Launcher::kernel_for(const Scope& module, const std::string& name,
                                               const KernelRequest& request, const std::string& appended) {
  ASSIGN_OR_RETURN(const Device device, run_.device());
  return kernel_for(device, module, name, request, appended);
}

Outcome<checked::Type> Launcher::type_of_call(const Scope& module, const std::string& function,
                                              const KernelRequest& request, const std::string& appended) {
  const std::string key = module.file().name() + ":" + jit::request_key(request) + appended;
  if (const auto found = call_types_.find(key); found != call_types_.end()) return found->second.type;
  Diagnostics diagnostics;
  checked::Module checked = check(program_of(module, appended), {request}, {.warnings = false}, diagnostics);
  if (diagnostics.has_errors())
    return not_compiled(program_of(module, appended), function, request, diagnostics.take());
  checked::Type type;
  for (const checked::Function& candidate : checked.functions)
    if (!candidate.is_kernel && candidate.name == function) type = candidate.result;  // the last calls those before
  return call_types_.emplace(key, CallType{type, std::move(checked.types)}).first->second.type;
}

Outcome<Launcher::Loaded> Launcher::kernel_for(const Device& device, const Scope& module, const std::string& name,
                                               const KernelRequest& request, const std::string& appended) {
  if (const auto found = kernels_.find(key_of(device, module, request, appended)); found != kernels_.end())
    return found->second;
  const Result<Loaded> loaded = std::move(load_kernels(device, module, name, {&request, 1}, appended).front());
  if (loaded) return *loaded;
  if (loaded.error().code != ErrorCode::InvalidSource)
    return with_reason(DiagnosticId::HostLaunchFailed, name, loaded.error());
  return not_compiled(program_of(module, appended), name, request, loaded.error().diagnostics);
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
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Value& value = given[i];
    if (!is_constexpr(*parameters[i]))
      add_passed(value, call.passed);
    else
      RETURN_IF_FAILED(set_constant(value, call.request.arguments[i]));
  }
  return call;
}

Outcome<Value> Launcher::launch(const LaunchValue& launch, const CallArguments& arguments) {
  const FunctionValue& kernel = launch.kernel;
  ASSIGN_OR_RETURN(const std::vector<Configuration>* const configurations, configurations_of(kernel));
  ASSIGN_OR_RETURN(const Call call, bind(kernel, *configurations, arguments));
  if (configurations->empty())
    RETURN_IF_FAILED(launch_as(call.request, launch.shape(0), call, *kernel.definition));
  else
    RETURN_IF_FAILED(launch_tuned(launch, *configurations, call));
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
    ASSIGN_OR_RETURN(const Loaded loaded, kernel_for(*kernel.module, definition.name, request));
    return CompiledKernel{loaded.kernel, loaded.module};
  }
  ASSIGN_OR_RETURN(const Call call, bind(kernel, *configurations, {*arguments, {}}));
  ASSIGN_OR_RETURN(const Loaded loaded, kernel_for(call.home, definition.name, call.request));
  return CompiledKernel{loaded.kernel, loaded.module};
}

Status Launcher::launch_as(const KernelRequest& request, const LaunchShape& shape, const Call& call,
                           const ast::FunctionDef& kernel) {
  ASSIGN_OR_RETURN(const Loaded loaded, kernel_for(call.home, kernel.name, request));
  return run(loaded, shape, call.passed);
}

const ArrayRef* Launcher::host_array(const std::string& constant, const Scope& scope) const {
  const std::size_t dot = constant.rfind('.');
  const Scope* home = &scope;
  if (dot != std::string::npos) {
    const auto found = scopes_.find(program_.find(constant.substr(0, dot)));
    if (found == scopes_.end()) return nullptr;
    home = found->second.get();
  }
  const auto value = home->names.find(constant.substr(dot + 1));
  return value == home->names.end() ? nullptr : value->second.as<ArrayRef>();
}

Status Launcher::set_constants(const Loaded& loaded) {
  for (const ConstantInfo& constant : loaded.module.constants()) {
    const ArrayRef* array = host_array(constant.name, *loaded.home);
    if (!array) continue;  // its module has not run: nothing can have changed it
    ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(*array));
    ASSIGN_OR_RETURN(const std::byte* const first, dense->read());
    const std::span bytes(first, static_cast<std::size_t>(dense->size() * dense->element_bytes()));
    const Result<Buffer> memory = loaded.module.constant_bytes(constant.name);
    if (!memory) return with_reason(DiagnosticId::HostLaunchFailed, constant.name, memory.error());
    std::vector<std::byte>& present = (*loaded.constants)[constant.name];
    present.resize(static_cast<std::size_t>(memory->bytes()));  // zero at first
    if (bytes.size() != present.size())
      return with_reason(DiagnosticId::HostLaunchFailed, constant.name,
                         invalid_argument("its name is bound to another array"));
    if (std::ranges::equal(bytes, present)) continue;  // a copy would wait for the kernels before
    if (Result<void> done = memory->copy_from_host(bytes.data(), memory->bytes()); !done)
      return with_reason(DiagnosticId::HostLaunchFailed, constant.name, done.error());
    present.assign(bytes.begin(), bytes.end());
  }
  return Done{};
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
      if (const ArrayRef* array = value.as<ArrayRef>()) run_.streams.captured.push_back((*array)->storage);
  Prepared prepared{config, {}, {}};
  const std::vector<ParameterInfo>& parameters = loaded.kernel.info().parameters;
  DeviceOperations* const memory = is_on_host ? nullptr : home;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // A tuple may hold too many arguments, of which the runtime complains.
    const ParameterInfo parameter = i < parameters.size() ? parameters[i] : ParameterInfo{};
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
  // A kernel that can stop, or is watched, is waited for, so that its message stands at its launch. The CPU device has
  // run it by now; there it must not look as if the program waited.
  if (!kernel.info().faults.empty() || !kernel.info().watched.symbol.empty()) {
    const Device& device = loaded.device;
    if (Result<void> done = device.is_cpu() ? device.report_faults() : device.synchronize(); !done)
      return with_reason(DiagnosticId::HostLaunchFailed, kernel.info().name, done.error());
  }
  return Done{};
}

}  // namespace pykc::script
