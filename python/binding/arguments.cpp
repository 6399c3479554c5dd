#include "python/binding/arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "base/errors.h"
#include "base/float_bits.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

template <typename T>
T read(const void* memory) {
  T value;
  std::memcpy(&value, memory, sizeof(T));
  return value;
}

template <typename T>
void write(Argument& argument, T value) {
  std::memcpy(argument.scalar, &value, sizeof(T));
}

bool is_integral(const Number& number) {
  constexpr double kLimit = 9223372036854775808.0;
  return std::trunc(number.real) == number.real && number.real >= -kLimit && number.real < kLimit;
}

/// The number as the parameter has it; nothing where it would be another one.
std::optional<Argument> converted(const Number& number, ScalarType type) {
  Argument argument;
  argument.type = type;
  if (is_float(type)) {
    if (type == ScalarType::F64) return write(argument, number.as_double()), argument;
    if (type == ScalarType::F32) return write(argument, static_cast<float>(number.as_double())), argument;
    const std::uint64_t bits = float_to_bits(type, number.as_double());
    const bool is_too_large = std::isfinite(number.as_double()) && std::isinf(float_from_bits(type, bits));
    if (is_too_large) return std::nullopt;
    return write(argument, bits), argument;
  }
  std::int64_t value = number.integer;
  if (number.kind == Number::Kind::Float) {
    if (!is_integral(number)) return std::nullopt;
    value = static_cast<std::int64_t>(number.real);
  }
  if (type == ScalarType::Bool) return write(argument, static_cast<std::uint8_t>(value != 0)), argument;
  write(argument, value);  // the low bytes, as NumPy wraps
  return argument;
}

Argument as_it_is(const Number& number) {
  switch (number.kind) {
    case Number::Kind::Boolean:
      return *converted(number, ScalarType::Bool);
    case Number::Kind::Integer:
      return *converted(number, ScalarType::I64);
    case Number::Kind::Unsigned:
      return *converted(number, ScalarType::U64);
    default:
      return *converted(number, ScalarType::F64);
  }
}

/// An int, which may be one of 64 bits without a sign.
Number integer_of(nb::handle given) {
  Number number;
  int overflow = 0;
  number.integer = PyLong_AsLongLongAndOverflow(given.ptr(), &overflow);
  if (overflow == 0) return number;
  number.kind = Number::Kind::Unsigned;
  number.integer = static_cast<std::int64_t>(PyLong_AsUnsignedLongLong(given.ptr()));
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
  return number;
}

/// What NumPy's scalars hold. Nothing for f16 and bf16, which keep their bits.
std::optional<Number> number_at(const void* memory, ScalarType type) {
  using Kind = Number::Kind;
  switch (type) {
    case ScalarType::Bool:
      return Number{Kind::Boolean, read<std::uint8_t>(memory)};
    case ScalarType::I8:
      return Number{Kind::Integer, read<std::int8_t>(memory)};
    case ScalarType::I16:
      return Number{Kind::Integer, read<std::int16_t>(memory)};
    case ScalarType::I32:
      return Number{Kind::Integer, read<std::int32_t>(memory)};
    case ScalarType::I64:
      return Number{Kind::Integer, read<std::int64_t>(memory)};
    case ScalarType::U8:
      return Number{Kind::Integer, read<std::uint8_t>(memory)};
    case ScalarType::U16:
      return Number{Kind::Integer, read<std::uint16_t>(memory)};
    case ScalarType::U32:
      return Number{Kind::Integer, read<std::uint32_t>(memory)};
    case ScalarType::U64:
      return Number{Kind::Unsigned, read<std::int64_t>(memory)};
    case ScalarType::F32:
      return Number{Kind::Float, 0, read<float>(memory)};
    case ScalarType::F64:
      return Number{Kind::Float, 0, read<double>(memory)};
    default:
      return std::nullopt;
  }
}

Number number_of(nb::handle given) {
  if (PyBool_Check(given.ptr())) return {Number::Kind::Boolean, given.is(nb::handle(Py_True)) ? 1 : 0};
  if (PyLong_Check(given.ptr())) return integer_of(given);
  return {Number::Kind::Float, 0, PyFloat_AsDouble(given.ptr())};
}

/// The parameter's type for memory of this type: records of the same layout, and integers of the other sign, whose bits
/// stay what they are.
ElementType stated_element(const ElementType& given, const ElementType& stated) {
  if (given.is_record() || stated.is_record()) return have_same_layout(given.record, stated.record) ? stated : given;
  const bool is_alike = is_integer(given.scalar) && is_integer(stated.scalar) &&
                        size_in_bits(given.scalar) == size_in_bits(stated.scalar);
  return is_alike ? stated : given;
}

/// Elements at an address, of a device or the host, for this parameter.
Argument argument_of_elements(void* first, const ElementType& element, const Mapping& mapping,
                              const ParameterInfo* parameter) {
  const bool is_stated = parameter != nullptr && parameter->is_array;
  return array_argument(first, is_stated ? stated_element(element, parameter->array.element) : element, mapping);
}

Argument argument_of_array(const DeviceArray& array, const ParameterInfo* parameter) {
  Argument argument = argument_of_elements(array.first(), array.element, array.mapping, parameter);
  argument.device = array.device.state();
  return argument;
}

nb::builtin_exception refused(nb::handle given) {
  const auto type = nb::cast<std::string>(nb::str(given.type().attr("__name__")));
  const std::string advice = type == "list" ? ": `np.array(x)` makes an array of it" : "";
  return nb::type_error(("a kernel takes numbers, arrays and records, not a `" + type + "`" + advice).c_str());
}

bool is_complex(const ElementType& type) { return type.is_record() && type.record->kind == RecordType::Kind::Complex; }

}  // namespace

ArgumentList::ArgumentList(const Device& device, const Stream* stream, const nb::tuple& arguments,
                           const std::vector<ParameterInfo>* parameters, bool counts_costs, bool wraps_integers)
    : device_(device),
      stream_(stream),
      copies_host_arrays_(!device.is_cpu() || counts_costs),
      wraps_integers_(wraps_integers) {
  list_.reserve(nb::len(arguments));
  std::size_t index = 0;
  for (const nb::handle given : arguments) {
    const bool is_stated = parameters != nullptr && index < parameters->size();
    list_.push_back(argument_of(given, is_stated ? &(*parameters)[index] : nullptr));
    ++index;
  }
  if (stream != nullptr && stream->is_capturing()) keep_in_graph(stream, held(arguments));
}

Argument ArgumentList::complex_number(double real, double imaginary, const ElementType& type) {
  std::array<std::byte, 16>& bytes = values_.emplace_back();
  if (size_in_bytes(type) == 8) {
    const float parts[2] = {static_cast<float>(real), static_cast<float>(imaginary)};
    std::memcpy(bytes.data(), parts, sizeof parts);
  } else {
    const double parts[2] = {real, imaginary};
    std::memcpy(bytes.data(), parts, sizeof parts);
  }
  return Argument::of(type.record, bytes.data());
}

std::optional<Argument> ArgumentList::as_stated(const Number& number, const ParameterInfo* parameter) {
  if (parameter == nullptr || parameter->is_array) return std::nullopt;
  if (is_complex(parameter->value)) return complex_number(number.as_double(), 0, parameter->value);
  if (parameter->value.is_record()) return std::nullopt;
  const ScalarType type = parameter->value.scalar;
  if (wraps_integers_ || !is_integer(type)) return converted(number, type);
  return number.kind == Number::Kind::Float ? converted(number, ScalarType::I64) : std::nullopt;
}

/// A scalar of NumPy's, or an array without axes.
Argument ArgumentList::scalar_in(HostBuffer buffer, const ParameterInfo* parameter) {
  const ElementType& own = buffer.element();
  if (own.is_record()) {
    const bool is_stated = parameter != nullptr && !parameter->is_array;
    Argument argument =
        Argument::of(is_stated ? stated_element(own, parameter->value).record : own.record, buffer.first());
    hosts_.push_back(std::move(buffer));
    return argument;
  }
  if (const std::optional<Number> number = number_at(buffer.first(), own.scalar))
    if (const std::optional<Argument> argument = as_stated(*number, parameter)) return *argument;
  Argument argument;
  argument.type = own.scalar;
  std::memcpy(argument.scalar, buffer.first(), static_cast<std::size_t>(size_in_bytes(own)));
  return argument;
}

Argument ArgumentList::argument_of_buffer(HostBuffer buffer, const ParameterInfo* parameter) {
  if (buffer.mapping().rank() == 0) return scalar_in(std::move(buffer), parameter);
  check_no_capture(stream_);
  if (!copies_host_arrays_) {
    Argument argument = argument_of_elements(buffer.first(), buffer.element(), buffer.mapping(), parameter);
    argument.is_read_only = buffer.is_read_only();
    hosts_.push_back(std::move(buffer));
    return argument;
  }
  // An array that is passed twice is one on the device, too: else what is written to the one would be lost.
  const auto copied = std::ranges::find_if(copies_, [&](const Copy& copy) { return copy.host.shows_same(buffer); });
  if (copied != copies_.end()) return argument_of_copy(*copied, parameter);
  DeviceArray array = allocate(device_, buffer.element(), buffer.mapping().shape(), buffer.mapping().order());
  take(without_gil([&] { return array.elements().copy_from_host(buffer.first(), buffer.mapping(), nullptr); }));
  copies_.push_back({std::move(buffer), std::move(array)});
  return argument_of_copy(copies_.back(), parameter);
}

Argument ArgumentList::argument_of_copy(const Copy& copy, const ParameterInfo* parameter) {
  Argument argument = argument_of_array(copy.array, parameter);
  argument.is_read_only = copy.host.is_read_only();
  return argument;
}

Argument ArgumentList::argument_of_tensor(const BorrowedTensor& tensor, const ParameterInfo* parameter) {
  producer_stream_ = tensor.stream;
  Argument argument = argument_of_elements(tensor.first, tensor.element, tensor.mapping, parameter);
  argument.device = device_.state();
  return argument;
}

Argument ArgumentList::argument_of(nb::handle given, const ParameterInfo* parameter) {
  const DeviceArray* array = nullptr;
  if (nb::try_cast<const DeviceArray*>(given, array, false) && array != nullptr)
    return argument_of_array(*array, parameter);
  PyObject* const object = given.ptr();
  if (PyLong_Check(object) || PyFloat_Check(object)) {
    const Number number = number_of(given);
    const std::optional<Argument> stated = as_stated(number, parameter);
    return stated ? *stated : as_it_is(number);
  }
  if (PyComplex_Check(object)) {
    const double real = PyComplex_RealAsDouble(object), imaginary = PyComplex_ImagAsDouble(object);
    const bool is_stated = parameter != nullptr && !parameter->is_array && is_complex(parameter->value);
    return complex_number(real, imaginary, is_stated ? parameter->value : ElementType(complex_type(ScalarType::F64)));
  }
  if (PyBytes_Check(object) != 0) throw refused(given);  // it shows memory, but is text
  const bool has_buffer = PyObject_CheckBuffer(object) != 0;
  if (!has_buffer)
    if (const std::optional<BorrowedTensor> tensor = borrow_tensor(device_, given))
      return argument_of_tensor(*tensor, parameter);
  // Memory that the host shares with a GPU shows itself to both, and needs no copy.
  const bool is_shared = has_buffer && !device_.is_cpu() && nb::hasattr(given, "__cuda_array_interface__");
  if (!is_shared && (has_buffer || nb::hasattr(given, "__array_interface__")))
    if (HostBuffer buffer(given); buffer) return argument_of_buffer(std::move(buffer), parameter);
  if (std::optional<DeviceArray> foreign = wrap(device_, given)) {
    wrapped_.push_back(*std::move(foreign));
    return argument_of_array(wrapped_.back(), parameter);
  }
  throw refused(given);
}

Result<void> ArgumentList::in_order_with_producer(const std::function<Result<void>()>& launch) const {
  const Stream ours = stream_ != nullptr ? *stream_ : device_.default_stream();
  Stream theirs = device_.default_stream();
  if (*producer_stream_ != nullptr) {
    ASSIGN_OR_RETURN(theirs, device_.wrap_stream(*producer_stream_));
  }
  ASSIGN_OR_RETURN(const Event before, theirs.record());
  RETURN_IF_FAILED(ours.wait(before));
  RETURN_IF_FAILED(launch());
  ASSIGN_OR_RETURN(const Event after, ours.record());
  return theirs.wait(after);
}

Result<void> ArgumentList::copy_back() const {
  if (copies_.empty()) return {};
  for (const Copy& copy : copies_) {
    if (copy.host.is_read_only()) continue;
    Result<void> done = copy.array.elements().copy_to_host(copy.host.first(), copy.host.mapping(), stream_);
    if (!done) return done;
  }
  return stream_ != nullptr ? stream_->synchronize() : Result<void>();
}

}  // namespace pykc::python
