#include "script/values/device_operations.h"

#include <algorithm>

namespace pykc::script {
namespace {

constexpr std::string_view kPreamble = "import numpy as np\n";
constexpr const char* kNames[] = {"x", "y", "z"};

/// All elements as a kernel finds them.
Argument argument_at(void* address, const Array& array, const Device& device) {
  Argument argument;
  argument.is_array = true;
  argument.type = array.type;
  argument.rank = static_cast<int>(array.rank());
  argument.address = static_cast<std::byte*>(address) + array.offset * array.unit_bytes();
  std::ranges::copy(array.shape, argument.extents);
  std::ranges::copy(array.strides, argument.strides);
  argument.device = device.state();
  return argument;
}

}  // namespace

/// The CPU device's arrays are on the host as well. A few elements are not worth a compilation.
DeviceOperations::DeviceOperations(Device device, StreamState& streams)
    : device_(std::move(device)), streams_(streams), least_(device_.is_cpu() ? INT64_MAX : 64) {}

/// A number that the host has, also one that is repeated, is passed by value.
Outcome<Argument> DeviceOperations::input(const ArrayRef& array) {
  const bool is_number = array->storage->bytes() == array->element_bytes();
  if (is_number && !array->storage->only_on() && !array->storage->captured_on()) {
    ASSIGN_OR_RETURN(const Scalar scalar, first_element(*array));
    Argument argument;
    argument.type = scalar.type;
    scalar.store(argument.scalar);
    return argument;
  }
  ASSIGN_OR_RETURN(void* const address, array->storage->read_on(*this));
  return argument_at(address, *array, device_);
}

Outcome<std::vector<Argument>> DeviceOperations::arguments(const Array& result, const std::vector<ArrayRef>& inputs) {
  std::vector<Argument> arguments(1);
  for (const ArrayRef& array : inputs) {
    ASSIGN_OR_RETURN(arguments.emplace_back(), input(array));
  }
  ASSIGN_OR_RETURN(void* const address, result.storage->launch(*this));
  arguments.front() = argument_at(address, result, device_);
  if (captures() != nullptr) {
    keep_captured(result.storage);
    for (const ArrayRef& array : inputs) keep_captured(array->storage);
  }
  return arguments;
}

Status DeviceOperations::map(const Array& result, std::string_view expression, const std::vector<ScalarType>& types,
                             const std::vector<ArrayRef>& inputs) {
  std::string names;
  for (std::size_t i = 0; i < types.size(); ++i)
    names += std::string(i > 0 ? ", " : "") + kNames[i] + ": " + std::string(to_string(types[i]));
  const std::string text = "result = " + std::string(expression), key = names + "; " + text;
  auto found = elementwise_.find(key);
  if (found == elementwise_.end()) {
    ASSIGN_OR_RETURN(Elementwise made,
                     outcome_of(Elementwise::create(device_, {names, "result", text}, {}, std::string(kPreamble))));
    found = elementwise_.emplace(key, std::move(made)).first;
  }
  ASSIGN_OR_RETURN(const std::vector<Argument> passed, arguments(result, inputs));
  RETURN_IF_FAILED(outcome_of(found->second.launch_with(streams_.current.get(), passed)));
  return Done{};
}

Status DeviceOperations::reduce(const Array& result, const ReductionSource& source, const std::vector<int>& axes,
                                const std::vector<ArrayRef>& inputs) {
  const std::string key = source.inputs + "; " + source.map + "; " + source.reduce + "; " + source.post + "; " +
                          source.identity + "; " + std::string(to_string(*source.accumulator));
  auto found = reductions_.find(key);
  if (found == reductions_.end()) {
    ASSIGN_OR_RETURN(pykc::Reduction made, outcome_of(pykc::Reduction::create(device_, source)));
    found = reductions_.emplace(key, std::move(made)).first;
  }
  ASSIGN_OR_RETURN(const std::vector<Argument> passed, arguments(result, inputs));
  RETURN_IF_FAILED(outcome_of(found->second.launch_with(streams_.current.get(), {.axes = axes}, passed)));
  return Done{};
}

DeviceOperations* device_for(std::initializer_list<const Array*> operands, std::int64_t elements, bool is_exact) {
  for (const Array* const operand : operands) {
    if (DeviceOperations* const captured = operand->storage->captured_on()) return captured;
    DeviceOperations* const home = operand->storage->home();
    if (!is_exact && home) return home;
    DeviceOperations* const device = home ? home : operand->storage->only_on();
    if (is_exact && device && device->pays(elements)) return device;
  }
  return nullptr;
}

void share_home(const Array& result, std::initializer_list<const Array*> operands) {
  for (const Array* const operand : operands)
    if (DeviceOperations* const home = operand->storage->home()) return result.storage->set_home(home);
}

void share_home(const Value& result, const std::vector<Value>& operands) {
  const ArrayRef* array = result.as<ArrayRef>();
  if (!array || (*array)->storage->home() || shares_memory(**array, operands)) return;
  for (const Value& operand : operands) {
    if (const ArrayRef* given = operand.as<ArrayRef>()) share_home(**array, {given->get()});
    if (const std::vector<Value>* items = items_of(operand)) share_home(result, *items);
  }
}

bool shares_memory(const Array& array, const std::vector<Value>& values) {
  return std::ranges::any_of(values, [&](const Value& value) {
    const ArrayRef* other = value.as<ArrayRef>();
    return other && (*other)->storage == array.storage;
  });
}

}  // namespace pykc::script
