#include "tests/differential/execute.h"

#include <cmath>
#include <cstring>

#include "base/float_bits.h"
#include "driver/driver.h"
#include "frontend/checked/tree.h"
#include "frontend/frontend.h"
#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "tests/reference/interpreter.h"

namespace pykc::differential {
namespace {

/// A scalar argument's bytes in the type of its parameter.
std::uint64_t scalar_bits(const CaseArgument& argument, ScalarType type) {
  if (is_float(type)) return float_to_bits(type, argument.number);
  const auto bits = static_cast<std::uint64_t>(argument.integer);
  const int width = size_in_bits(type);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

/// An argument that has no memory of its own has no bytes here.
Execution start(const Case& launch) {
  Execution execution;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& argument = launch.arguments[i];
    const bool has_memory = argument.is_array && !argument.same_as;
    execution.arrays.push_back(has_memory ? initial_bytes(argument, i) : std::vector<unsigned char>());
  }
  return execution;
}

/// The IR parameters that an argument becomes.
void add_parameters(const CaseArgument& argument, const ParameterInfo& parameter, unsigned char* address,
                    std::vector<std::uint64_t>& parameters) {
  if (!argument.is_array) {
    parameters.push_back(scalar_bits(argument, parameter.value.scalar));
    return;
  }
  parameters.push_back(reference::bits_of(address));
  if (parameter.array.has_static_shape()) return;
  for (const std::int64_t extent : argument.shape) parameters.push_back(static_cast<std::uint64_t>(extent));
  if (parameter.array.layout != Layout::Strided) return;
  for (const std::int64_t stride : argument.strides()) parameters.push_back(static_cast<std::uint64_t>(stride));
}

Argument array_argument(const CaseArgument& from, const Buffer& buffer) {
  Argument argument;
  argument.is_array = true;
  argument.type = from.element.scalar;
  argument.record = from.element.record;
  argument.rank = static_cast<int>(from.shape.size());
  argument.address = static_cast<unsigned char*>(buffer.address()) + from.from * size_in_bytes(from.element);
  argument.device = buffer.device();
  const std::vector<std::int64_t> strides = from.strides();
  for (std::size_t k = 0; k < from.shape.size(); ++k) {
    argument.extents[k] = from.shape[k];
    argument.strides[k] = strides[k];
  }
  return argument;
}

Argument scalar_argument(const CaseArgument& from, ScalarType type) {
  Argument argument;
  argument.type = type;
  const std::uint64_t bits = scalar_bits(from, type);
  std::memcpy(argument.scalar, &bits, sizeof bits);
  return argument;
}

/// Launches and waits; the buffers come back in `execution`.
Result<void> launch_on(const Device& device, const Kernel& kernel, const Case& launch, Execution& execution) {
  std::vector<Buffer> buffers(launch.arguments.size());
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& from = launch.arguments[i];
    if (!from.is_array) {
      arguments.push_back(scalar_argument(from, kernel.info().parameters[i].value.scalar));
      continue;
    }
    if (from.same_as) {
      arguments.push_back(array_argument(from, buffers[*from.same_as]));
      continue;
    }
    const auto bytes = static_cast<std::int64_t>(execution.arrays[i].size());
    Result<Buffer> buffer = device.allocate_bytes(bytes);
    if (!buffer) return buffer.error();
    buffers[i] = std::move(*buffer);
    if (Result<void> copied = buffers[i].copy_from_host(execution.arrays[i].data(), bytes); !copied) return copied;
    arguments.push_back(array_argument(from, buffers[i]));
  }
  const LaunchConfig config{
      .grid = launch.grid, .block = launch.block, .shared_bytes = launch.shared_bytes, .stream = nullptr};
  if (Result<void> launched = kernel.launch_with(config, arguments); !launched) return launched;
  if (Result<void> waited = device.synchronize(); !waited) return waited;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::vector<unsigned char>& bytes = execution.arrays[i];
    if (bytes.empty()) continue;
    Result<void> copied = buffers[i].copy_to_host(bytes.data(), static_cast<std::int64_t>(bytes.size()));
    if (!copied) return copied;
  }
  return {};
}

std::uint64_t bits_at(const std::vector<unsigned char>& bytes, std::size_t at, ScalarType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[at], static_cast<std::size_t>(size_in_bytes(type)));
  return bits;
}

bool is_same(std::uint64_t a, std::uint64_t b, ScalarType type) {
  return a == b || (is_float(type) && std::isnan(float_from_bits(type, a)) && std::isnan(float_from_bits(type, b)));
}

std::string hex(std::uint64_t bits, std::size_t size) {
  std::string text = "0x";
  for (std::size_t i = 2 * size; i-- > 0;) text += "0123456789abcdef"[bits >> 4 * i & 15];
  return text;
}

/// Padding is nobody's.
std::string array_difference(const std::vector<unsigned char>& expected, const std::vector<unsigned char>& given,
                             const ElementType& type, const std::string& what) {
  const std::vector<ScalarField> fields = scalar_fields(type);
  const auto stride = static_cast<std::size_t>(size_in_bytes(type));
  std::string first;
  std::size_t count = 0;
  for (std::size_t element = 0; element < expected.size() / stride; ++element) {
    for (const ScalarField& field : fields) {
      const std::size_t at = element * stride + static_cast<std::size_t>(field.offset);
      const std::uint64_t a = bits_at(expected, at, field.type), b = bits_at(given, at, field.type);
      if (is_same(a, b, field.type)) continue;
      const auto size = static_cast<std::size_t>(size_in_bytes(field.type));
      if (count++ == 0) first = std::to_string(element) + ": " + hex(a, size) + " and " + hex(b, size);
    }
  }
  return count == 0 ? "" : what + " at " + std::to_string(count) + " elements, the first is " + first + "\n";
}

}  // namespace

std::unique_ptr<ir::Module> compile_to_ir(const std::string& source, const CompileOptions& options,
                                          std::string& error) {
  Diagnostics diagnostics;
  const auto file = std::make_shared<const SourceFile>("case.pyk", source);
  const Program program = load_program(file, driver::imports_of("case.pyk", options).resolver, diagnostics);
  const checked::Module checked =
      check(program, {}, {.bounds_checks = options.checked, .contract = options.contract}, diagnostics);
  if (diagnostics.has_errors()) {
    error = explain({ErrorCode::InvalidSource, "", diagnostics.take()});
    return nullptr;
  }
  const std::unique_ptr<ir::Module> lowered = lower(checked);
  for (const auto& function : lowered->functions) ir::contract_multiply_add(*function);
  std::vector<std::string> errors;
  std::unique_ptr<ir::Module> module = ir::parse_module(ir::print_module(*lowered), errors);
  if (!module) error = "the printed IR does not parse: " + errors.front();
  return module;
}

Execution run_interpreter(const ir::Module& module, const Case& launch, const Interpretation& how) {
  Execution execution = start(launch);
  const ir::Function* kernel = nullptr;
  for (const auto& function : module.functions)
    if (function->is_kernel && function->name == launch.kernel) kernel = function.get();
  if (!kernel) {
    execution.error = "there is no kernel " + launch.kernel;
    return execution;
  }
  std::vector<std::uint64_t> parameters;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& argument = launch.arguments[i];
    unsigned char* start = execution.arrays[argument.same_as.value_or(i)].data();
    if (argument.is_array) start += argument.from * size_in_bytes(argument.element);
    add_parameters(argument, kernel->kernel.parameters[i], start, parameters);
  }
  const reference::Outcome outcome = reference::run(module, *kernel,
                                                    {.grid = launch.grid,
                                                     .block = launch.block,
                                                     .launch_shared_bytes = launch.shared_bytes,
                                                     .step_limit = how.step_limit,
                                                     .last_thread_first = how.last_thread_first,
                                                     .poison = how.poison,
                                                     .find_races = how.find_races},
                                                    parameters);
  if (!outcome.is_clean()) execution.error = "the interpreter: " + (outcome.fault ? "a fault" : outcome.error);
  return execution;
}

Execution run_device(const Device& device, const Artifact& artifact, const Case& launch) {
  Execution execution = start(launch);
  const Result<Module> module = device.load(artifact);
  if (!module) {
    execution.error = module.error().message;
    return execution;
  }
  const Result<Kernel> kernel = module->kernel(launch.kernel);
  const Result<void> launched = kernel ? launch_on(device, *kernel, launch, execution) : Result<void>(kernel.error());
  if (!launched) execution.error = explain(launched.error());
  return execution;
}

std::string difference(const Execution& expected, const Execution& given, const Case& launch, const std::string& what) {
  if (!expected.error.empty() || !given.error.empty()) return expected.error + given.error;
  std::string text;
  for (std::size_t i = 0; i < expected.arrays.size(); ++i)
    text += array_difference(expected.arrays[i], given.arrays[i], launch.arguments[i].element,
                             launch.kernel + ": " + what + " differ in argument " + std::to_string(i));
  return text;
}

std::string explain(const Error& error) {
  std::string text = error.message;
  for (const Diagnostic& diagnostic : error.diagnostics) text += "\n" + to_text(diagnostic);
  return text;
}

}  // namespace pykc::differential
