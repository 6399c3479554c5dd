// Arguments of a launch: each is checked against its parameter, then appended as the words that the kernel takes
// (docs/embedding.md): a scalar's value; or an array's address, extents and, for any-strides parameters, strides.
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "pykc/kernel_abi.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace pykc::detail {
namespace {

/// An integer of any of the eight types.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

Integer integer_of(const Argument& argument) {
  std::uint64_t raw = 0;
  const int bytes = size_in_bytes(argument.type);
  std::memcpy(&raw, argument.scalar, static_cast<std::size_t>(bytes));
  if (is_unsigned_integer(argument.type)) return {false, raw};
  const int unused = 64 - 8 * bytes;
  const std::int64_t value = static_cast<std::int64_t>(raw << unused) >> unused;
  return {value < 0, value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)};
}

std::string to_text(Integer value) { return (value.negative ? "-" : "") + std::to_string(value.magnitude); }

std::optional<std::uint64_t> as_integer(Integer value, ScalarType type) {
  const int bits = 8 * size_in_bytes(type);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits + (is_signed_integer(type) ? 1 : 0));
  const std::uint64_t smallest = is_signed_integer(type) ? largest + 1 : 0;  // its magnitude
  if (value.magnitude > (value.negative ? smallest : largest)) return std::nullopt;
  return value.negative ? 0 - value.magnitude : value.magnitude;
}

struct FloatFormat {
  int bits, mantissa_bits;
};
FloatFormat format_of(ScalarType type) {
  switch (type) {
    case ScalarType::F16:
      return {16, 10};
    case ScalarType::BF16:
      return {16, 7};
    case ScalarType::F32:
      return {32, 23};
    default:
      return {64, 52};
  }
}

/// The bits of the float that equals `value`, if there is one.
std::optional<std::uint64_t> as_float(Integer value, ScalarType type) {
  if (value.magnitude == 0) return 0;
  const auto [bits, mantissa_bits] = format_of(type);
  const int bias = (1 << (bits - mantissa_bits - 2)) - 1;
  const int exponent = std::bit_width(value.magnitude) - 1;
  if (exponent > bias) return std::nullopt;
  // The leading 1 moves to bit 63 and out; the mantissa is what follows.
  const std::uint64_t fraction = exponent == 0 ? 0 : value.magnitude << (64 - exponent);
  if (fraction << mantissa_bits != 0) return std::nullopt;
  const std::uint64_t sign = value.negative ? std::uint64_t{1} << (bits - 1) : 0;
  return sign | static_cast<std::uint64_t>(exponent + bias) << mantissa_bits | fraction >> (64 - mantissa_bits);
}

std::string list(const std::int64_t* values, int count) {
  std::string text = "(";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

ElementType type_of(const Argument& argument) {
  return argument.record ? ElementType(argument.record) : ElementType(argument.type);
}

std::string describe(const Argument& argument) {
  const std::string type = to_string(type_of(argument));
  if (!argument.is_array && argument.record) return "a record of type " + type;
  if (!argument.is_array) return is_integer(argument.type) ? "the " + type + " " + to_text(integer_of(argument)) : type;
  if (argument.rank < 0 || argument.rank > Argument::kMaxRank)
    return "an array of rank " + std::to_string(argument.rank);
  return "an array of " + type + " with shape " + list(argument.extents, argument.rank);
}

struct Place {
  const KernelInfo& kernel;
  const ParameterInfo& parameter;
};

Error invalid(Place place, const std::string& what) {
  return Error{ErrorCode::InvalidLaunch,
               "kernel `" + place.kernel.name + "`, parameter `" + place.parameter.name + "`: " + what};
}

Error mismatch(Place place, const Argument& argument) {
  const std::string expected =
      place.parameter.is_array
          ? to_string(place.parameter.array)
          : (place.parameter.value.is_record() ? "a record of type " : "a scalar ") + to_string(place.parameter.value);
  return invalid(place, "expected " + expected + ", given " + describe(argument));
}

Result<void> append_record(Place place, const Argument& argument, PreparedLaunch& prepared) {
  if (argument.is_array || argument.record != place.parameter.value.record) return mismatch(place, argument);
  if (argument.address == nullptr) return invalid(place, "the record has no bytes");
  prepared.append(argument.address, argument.record->bytes);
  return {};
}

Result<void> append_scalar(Place place, const Argument& argument, PreparedLaunch& prepared) {
  const ScalarType type = place.parameter.value.scalar;
  if (argument.is_array || argument.record) return mismatch(place, argument);
  if (argument.type == type) {
    std::uint64_t value = 0;
    std::memcpy(&value, argument.scalar, static_cast<std::size_t>(size_in_bytes(type)));
    prepared.append(value);
    return {};
  }
  if (!is_integer(argument.type) || type == ScalarType::Bool) return mismatch(place, argument);
  const Integer value = integer_of(argument);
  const std::optional<std::uint64_t> converted = is_integer(type) ? as_integer(value, type) : as_float(value, type);
  if (!converted) return invalid(place, describe(argument) + " has no exact value as " + std::string(to_string(type)));
  prepared.append(*converted);
  return {};
}

bool is_empty(const Argument& argument) {
  for (int i = 0; i < argument.rank; ++i)
    if (argument.extents[i] == 0) return true;
  return false;
}

Result<void> check_shape(Place place, const Argument& argument) {
  const ArrayType& type = place.parameter.array;
  for (int i = 0; i < argument.rank; ++i) {
    const std::int64_t expected = type.extents[static_cast<std::size_t>(i)];
    if (argument.extents[i] < 0) return invalid(place, "an extent is negative: " + describe(argument));
    if (argument.extents[i] >= abi::kExtentLimit) return invalid(place, "no memory holds " + describe(argument));
    if (expected != ArrayType::kDynamic && argument.extents[i] != expected) return mismatch(place, argument);
  }
  return {};
}

Result<void> check_order(Place place, const Argument& argument) {
  const Layout layout = place.parameter.array.layout;
  if (layout == Layout::Strided || is_empty(argument)) return {};
  std::int64_t dense = 1;
  for (int i = 0; i < argument.rank; ++i) {
    const int axis = layout == Layout::ColumnMajor ? i : argument.rank - 1 - i;
    if (argument.extents[axis] == 1) continue;
    if (argument.strides[axis] != dense)
      return invalid(place, std::string("expected a contiguous array in ") +
                                (layout == Layout::ColumnMajor ? "column-major" : "row-major") + " order, given " +
                                describe(argument) + " and strides " + list(argument.strides, argument.rank));
    if (__builtin_mul_overflow(dense, argument.extents[axis], &dense))
      return invalid(place, "no memory holds " + describe(argument));
  }
  return {};
}

Result<void> check_memory(Place place, const Argument& argument, const DeviceState& device) {
  if (argument.device != nullptr && argument.device != &device)
    return invalid(place,
                   "the array lies on " + argument.device->info.name + ", the kernel runs on " + device.info.name);
  if (argument.address == nullptr && !is_empty(argument)) return invalid(place, "the array has no memory");
  const auto address = reinterpret_cast<std::uintptr_t>(argument.address);
  if (address % static_cast<std::uintptr_t>(alignment_of(place.parameter.array.element)) != 0)
    return invalid(place, "the array's address is not aligned to its elements");
  return {};
}

Result<void> append_array(Place place, const Argument& argument, const DeviceState& device, PreparedLaunch& prepared) {
  const ArrayType& type = place.parameter.array;
  if (!argument.is_array || type_of(argument) != type.element || argument.rank != type.rank())
    return mismatch(place, argument);
  if (Result<void> checked = check_shape(place, argument); !checked) return checked;
  if (Result<void> checked = check_order(place, argument); !checked) return checked;
  if (Result<void> checked = check_memory(place, argument, device); !checked) return checked;
  prepared.append(reinterpret_cast<std::uintptr_t>(argument.address));
  if (type.has_static_shape()) return {};
  for (int i = 0; i < argument.rank; ++i) prepared.append(static_cast<std::uint64_t>(argument.extents[i]));
  if (type.layout != Layout::Strided) return {};
  for (int i = 0; i < argument.rank; ++i) prepared.append(static_cast<std::uint64_t>(argument.strides[i]));
  return {};
}

}  // namespace

Result<void> append_argument(const KernelInfo& kernel, const ParameterInfo& parameter, const Argument& argument,
                             const DeviceState& device, PreparedLaunch& prepared) {
  const Place place{kernel, parameter};
  if (parameter.is_array) return append_array(place, argument, device, prepared);
  return parameter.value.is_record() ? append_record(place, argument, prepared)
                                     : append_scalar(place, argument, prepared);
}

}  // namespace pykc::detail
