// Arguments of a launch: each is checked against its parameter, then appended as the words that the kernel takes
// (docs/embedding.md): a scalar's value; or an array's address, extents and, for any-strides parameters, strides.
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "base/float_bits.h"
#include "base/text.h"
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
  const int bits = size_in_bits(type);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits + (is_signed_integer(type) ? 1 : 0));
  const std::uint64_t smallest = is_signed_integer(type) ? largest + 1 : 0;  // its magnitude
  if (value.magnitude > (value.negative ? smallest : largest)) return std::nullopt;
  return value.negative ? 0 - value.magnitude : value.magnitude;
}

/// The bits of the float that equals `value`, if there is one.
std::optional<std::uint64_t> as_float(Integer value, ScalarType type) {
  if (value.magnitude == 0) return 0;
  if (std::bit_width(value.magnitude) - std::countr_zero(value.magnitude) > 53) return std::nullopt;
  const auto magnitude = static_cast<double>(value.magnitude);
  const double number = value.negative ? -magnitude : magnitude;
  const std::uint64_t bits = float_to_bits(type, number);
  return float_from_bits(type, bits) == number ? std::optional(bits) : std::nullopt;
}

std::string list(const std::int64_t* values, int count) {
  return "(" + list_text(std::span(values, static_cast<std::size_t>(count))) + ")";
}

std::string type_text(const Argument& argument) {
  return argument.record ? argument.record->name : std::string(to_string(argument.type));
}

std::string describe(const Argument& argument) {
  const std::string type = type_text(argument);
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

Error wrong_argument(Place place, const std::string& what) {
  return Error{ErrorCode::InvalidLaunch,
               "kernel `" + place.kernel.name + "`, parameter `" + place.parameter.name + "`: " + what};
}

Error mismatch(Place place, const Argument& argument) {
  const std::string expected =
      place.parameter.is_array
          ? to_string(place.parameter.array)
          : (place.parameter.value.is_record() ? "a record of type " : "a scalar ") + to_string(place.parameter.value);
  return wrong_argument(place, "expected " + expected + ", given " + describe(argument));
}

/// Why an argument does not fit. The checks give no more than this, so that a launch which is fine builds no messages.
enum class Misfit : std::uint8_t {
  None,
  Type,  // also of another rank or static shape
  NotExact,
  NegativeExtent,
  TooLarge,
  Order,
  OtherDevice,
  NoMemory,
  NotAligned,
  ReadOnly,
};

Error explain(Place place, const Argument& argument, const DeviceState& device, Misfit misfit) {
  switch (misfit) {
    case Misfit::NotExact:
      return wrong_argument(place, describe(argument) + " has no exact value as " + to_string(place.parameter.value));
    case Misfit::NegativeExtent:
      return wrong_argument(place, "an extent is negative: " + describe(argument));
    case Misfit::TooLarge:
      return wrong_argument(place, "no memory holds " + describe(argument));
    case Misfit::Order:
      return wrong_argument(
          place, std::string("expected a contiguous array in ") +
                     (place.parameter.array.layout == Layout::ColumnMajor ? "column-major" : "row-major") +
                     " order, given " + describe(argument) + " and strides " + list(argument.strides, argument.rank));
    case Misfit::OtherDevice:
      return wrong_argument(
          place, "the array lies on " + argument.device->info.name + ", the kernel runs on " + device.info.name +
                     (device.is_cpu() || argument.device->is_cpu() ? "; copy it there"
                                                                   : "; copy it there, or call enable_peer_access()"));
    case Misfit::NoMemory:
      return wrong_argument(place, argument.is_array ? "the array has no memory" : "the record has no bytes");
    case Misfit::NotAligned:
      return wrong_argument(place, "the array's address is not aligned to its elements");
    case Misfit::ReadOnly:
      return wrong_argument(place, "the array is read-only, and the kernel may write to it; pass a copy");
    case Misfit::None:
    case Misfit::Type:
      break;
  }
  return mismatch(place, argument);
}

Misfit append_record(const ParameterInfo& parameter, const Argument& argument, PreparedLaunch& prepared) {
  if (argument.is_array || !have_same_layout(argument.record, parameter.value.record)) return Misfit::Type;
  if (argument.address == nullptr) return Misfit::NoMemory;
  prepared.append(argument.address, argument.record->bytes);
  return Misfit::None;
}

Misfit append_converted(ScalarType type, const Argument& argument, PreparedLaunch& prepared) {
  if (!is_integer(argument.type) || type == ScalarType::Bool) return Misfit::Type;
  const Integer value = integer_of(argument);
  const std::optional<std::uint64_t> converted = is_integer(type) ? as_integer(value, type) : as_float(value, type);
  if (!converted) return Misfit::NotExact;
  prepared.append(*converted);
  return Misfit::None;
}

Misfit append_scalar(const ParameterRule& rule, const Argument& argument, PreparedLaunch& prepared) {
  if (argument.is_array || argument.record) return Misfit::Type;
  if (argument.type != rule.type) return append_converted(rule.type, argument, prepared);
  prepared.append(std::bit_cast<std::uint64_t>(argument.scalar));  // the kernel reads the bytes that its type has
  return Misfit::None;
}

/// Sets `is_empty` where an extent is 0: neither strides nor memory matter then.
Misfit check_shape(const ParameterRule& rule, const ParameterInfo& parameter, const Argument& argument,
                   bool& is_empty) {
  for (int i = 0; i < argument.rank; ++i) {
    const std::int64_t extent = argument.extents[i];
    if (extent < 0) return Misfit::NegativeExtent;
    if (extent >= abi::kExtentLimit) return Misfit::TooLarge;
    if (rule.has_static_shape && extent != parameter.array.extents[static_cast<std::size_t>(i)]) return Misfit::Type;
    is_empty |= extent == 0;
  }
  return Misfit::None;
}

Misfit check_order(Layout layout, const Argument& argument) {
  std::int64_t dense = 1;
  for (int i = 0; i < argument.rank; ++i) {
    const int axis = layout == Layout::ColumnMajor ? i : argument.rank - 1 - i;
    if (argument.extents[axis] == 1) continue;
    if (argument.strides[axis] != dense) return Misfit::Order;
    if (__builtin_mul_overflow(dense, argument.extents[axis], &dense)) return Misfit::TooLarge;
  }
  return Misfit::None;
}

Misfit check_memory(int alignment, const Argument& argument, bool is_empty, const DeviceState& device) {
  if (argument.device != nullptr && argument.device != &device && !device.has_peer_access(*argument.device))
    return Misfit::OtherDevice;
  if (argument.address == nullptr && !is_empty) return Misfit::NoMemory;
  // Alignments are powers of two.
  const auto misaligned = static_cast<std::uintptr_t>(alignment - 1);
  return (reinterpret_cast<std::uintptr_t>(argument.address) & misaligned) == 0 ? Misfit::None : Misfit::NotAligned;
}

bool has_type(const ParameterRule& rule, const ParameterInfo& parameter, const Argument& argument) {
  if (!argument.is_array || argument.rank != rule.rank) return false;
  return rule.is_record ? have_same_layout(argument.record, parameter.array.element.record)
                        : !argument.record && argument.type == rule.type;
}

Misfit append_array(const ParameterRule& rule, const ParameterInfo& parameter, const Argument& argument,
                    const DeviceState& device, PreparedLaunch& prepared) {
  if (!has_type(rule, parameter, argument)) return Misfit::Type;
  bool is_empty = false;
  if (const Misfit misfit = check_shape(rule, parameter, argument, is_empty); misfit != Misfit::None) return misfit;
  if (rule.layout != Layout::Strided && !is_empty)
    if (const Misfit misfit = check_order(rule.layout, argument); misfit != Misfit::None) return misfit;
  if (const Misfit misfit = check_memory(rule.alignment, argument, is_empty, device); misfit != Misfit::None)
    return misfit;
  if (argument.is_read_only && parameter.is_written && !is_empty) return Misfit::ReadOnly;
  prepared.append(reinterpret_cast<std::uintptr_t>(argument.address));
  if (rule.has_static_shape) return Misfit::None;
  for (int i = 0; i < argument.rank; ++i) prepared.append(static_cast<std::uint64_t>(argument.extents[i]));
  if (rule.layout != Layout::Strided) return Misfit::None;
  for (int i = 0; i < argument.rank; ++i) prepared.append(static_cast<std::uint64_t>(argument.strides[i]));
  return Misfit::None;
}

Misfit append_argument(const ParameterRule& rule, const ParameterInfo& parameter, const Argument& argument,
                       const DeviceState& device, PreparedLaunch& prepared) {
  if (rule.is_array) return append_array(rule, parameter, argument, device, prepared);
  return rule.is_record ? append_record(parameter, argument, prepared) : append_scalar(rule, argument, prepared);
}

}  // namespace

Result<void> append_arguments(const KernelInfo& kernel, const LaunchRules& rules, std::span<const Argument> arguments,
                              const DeviceState& device, PreparedLaunch& prepared) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo& parameter = kernel.parameters[i];
    const Misfit misfit = append_argument(rules.parameters[i], parameter, arguments[i], device, prepared);
    if (misfit != Misfit::None) return explain({kernel, parameter}, arguments[i], device, misfit);
  }
  return {};
}

}  // namespace pykc::detail
