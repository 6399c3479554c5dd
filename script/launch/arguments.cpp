#include "script/launch/arguments.h"

#include <algorithm>

#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/functions/format.h"
#include "script/functions/records.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"
#include "script/values/text.h"

namespace pykc::script {
namespace {

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

Layout layout_of(const Array& array) {
  return array.is_row_major() ? Layout::RowMajor : array.is_column_major() ? Layout::ColumnMajor : Layout::Strided;
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
    type.elements.reserve(tuple->sequence->items.size());
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
    parameter.array.layout = layout_of(**array);
    return type;
  }
  if (value.is<std::string>()) {
    parameter.value = text_type_of(value);
    return type;
  }
  const std::optional<OperandType> number = operand_type(value);
  if (!number) {
    Failure failure = fail(DiagnosticId::HostLaunchArgument, describe(value));
    if (value.is<ListValue>()) failure.notes.emplace_back("make an array of it: `array(x, dtype=f32)`");
    return failure;
  }
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

Outcome<Argument> array_argument(const Array& array, const ParameterInfo& parameter, const Device& device,
                                 DeviceOperations* memory, bool wraps_integers) {
  Argument argument;
  ASSIGN_OR_RETURN(void* const address, address_of(array, memory));
  argument.is_array = true;
  argument.type = array.type;
  if (const ElementType& stated = parameter.array.element; wraps_integers && parameter.is_array && !stated.is_record())
    argument.type = with_sign_of(stated.scalar, argument.type);
  const RecordRef& wanted = parameter.array.element.record;
  argument.record = have_same_layout(array.record, wanted) ? wanted : array.record;
  argument.rank = static_cast<int>(array.rank());
  argument.address = static_cast<std::byte*>(address) + array.offset * array.unit_bytes();
  std::copy(array.shape.begin(), array.shape.end(), argument.extents);
  for (std::size_t i = 0; i < array.rank(); ++i) {
    const std::int64_t stride = array.strides[i], units = array.units();
    if (stride % units != 0 && array.shape[i] > 1)
      return fail(DiagnosticId::HostLaunchArgument, "a view of a field of records")
          .note("the records are no whole number of such fields apart; pass the records, or a copy of the field");
    argument.strides[i] = stride / units;
  }
  argument.device = device.state();
  return argument;
}

}  // namespace

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
  request.arguments.reserve(arguments.size());
  for (const Value& value : arguments) {
    ASSIGN_OR_RETURN(ArgumentType type, type_of(value, program, home));
    request.arguments.push_back(std::move(type));
  }
  return request;
}

Status set_constant(const Value& value, ArgumentType& argument) {
  if (const auto* tuple = value.as<TupleValue>()) {
    for (std::size_t i = 0; i < argument.elements.size(); ++i)
      RETURN_IF_FAILED(set_constant(tuple->sequence->items[i], argument.elements[i]));
  } else if (const std::optional<OperandType> number = operand_type(value); number && !value.as<ArrayRef>()) {
    ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(value, number->type));
    argument = {};
    argument.constant = constant_number(scalar);
  }
  return Done{};
}

bool add_words(const Value& value, bool is_constant, std::vector<std::uint64_t>& words) {
  enum : std::uint64_t { kTuple, kFunction, kArray, kNumber };
  const auto add = [&](std::uint64_t kind, auto... details) {
    (words.push_back(kind), ..., words.push_back(static_cast<std::uint64_t>(details)));
  };
  if (const auto* tuple = value.as<TupleValue>()) {
    add(kTuple, tuple->sequence->items.size());
    return tuple->sequence->names.empty() && std::ranges::all_of(tuple->sequence->items, [&](const Value& item) {
             return add_words(item, is_constant, words);
           });
  }
  if (const auto* function = value.as<FunctionValue>()) {
    add(kFunction, reinterpret_cast<std::uintptr_t>(function->definition),
        reinterpret_cast<std::uintptr_t>(function->module));
    return !is_inner(*function);
  }
  if (const ArrayRef* array = value.as<ArrayRef>()) {
    add(kArray, (*array)->type, (*array)->rank(), layout_of(**array));
    return !(*array)->record;
  }
  const std::optional<OperandType> number = value.is<std::string>() ? std::nullopt : operand_type(value);
  if (!number) return false;
  add(kNumber, number->type);
  if (is_constant) add(to_scalar(value, number->type)->bits);
  return true;
}

void add_passed(const Value& value, std::vector<Value>& passed) {
  if (value.as<FunctionValue>()) return;
  const auto* tuple = value.as<TupleValue>();
  if (!tuple) return passed.push_back(value);
  for (const Value& item : tuple->sequence->items) add_passed(item, passed);
}

Outcome<Argument> argument_of(const Value& value, const ParameterInfo& parameter, const Device& device,
                              DeviceOperations* memory, bool wraps_integers, std::vector<ArrayRef>& held) {
  const bool may_be_record = operand_type(value) || has_records(value) || value.is<std::string>();
  if (parameter.value.is_record() && !parameter.is_array && may_be_record) {
    ASSIGN_OR_RETURN(const ArrayRef record, to_records(value, parameter.value.record));
    ASSIGN_OR_RETURN(const std::byte* bytes, record->read());
    held.push_back(record);
    return Argument::of(record->record, bytes);
  }
  if (const ArrayRef* array = value.as<ArrayRef>())
    return array_argument(**array, parameter, device, memory, wraps_integers);
  if (!operand_type(value)) return fail(DiagnosticId::HostLaunchArgument, describe(value));
  const ScalarType wanted = parameter.is_array ? operand_type(value)->type : parameter.value.scalar;
  const Scalar scalar = scalar_argument(value, wanted, wraps_integers);
  Argument argument;
  argument.type = scalar.type;
  scalar.store(argument.scalar);
  return argument;
}

Status will_write(const Array& array, DeviceOperations* device) {
  if (device) {
    RETURN_IF_FAILED(array.storage->launch(*device));
  } else {
    RETURN_IF_FAILED(array.storage->write());
  }
  return Done{};
}

}  // namespace pykc::script
