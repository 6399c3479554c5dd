#include "measure/launch_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/float_bits.h"
#include "base/text.h"
#include "measure/elements.h"
#include "measure/sweep.h"

namespace pykc::measure {
namespace {

// ---- shapes ----

/// About `size` elements along axes of one length.
std::vector<std::int64_t> even_shape(std::int64_t size, int rank) {
  const double side = std::round(std::pow(static_cast<double>(size), 1.0 / std::max(rank, 1)));
  return std::vector<std::int64_t>(static_cast<std::size_t>(rank), std::max<std::int64_t>(1, std::llround(side)));
}

std::vector<std::int64_t> shape_of(const ParameterInfo& parameter, std::int64_t size,
                                   const ArgumentSettings& settings) {
  if (parameter.array.has_static_shape()) return parameter.array.extents;
  if (const auto found = settings.shapes.find(parameter.name); found != settings.shapes.end()) return found->second;
  return even_shape(size, parameter.array.rank());
}

/// Memory that arrays may still take: a host that promises more than it has ends programs that use it.
std::int64_t available_bytes(const Device& device) {
  if (!device.is_cpu()) return device.info().memory_bytes;
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    std::int64_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return device.info().memory_bytes;
}

Result<void> check_room(const Device& device, const KernelInfo& kernel, std::int64_t size,
                        const ArgumentSettings& settings) {
  const std::int64_t room = available_bytes(device);
  std::int64_t total = 0;
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (!parameter.is_array) continue;
    ASSIGN_OR_RETURN(const detail::DenseMemory dense,
                     detail::dense_memory(shape_of(parameter, size, settings), Layout::RowMajor,
                                          size_in_bytes(parameter.array.element)));
    if (dense.bytes > room - total)
      return Error{ErrorCode::OutOfMemory, "the arrays of this size need more memory than the " +
                                               std::to_string(room >> 20) + " MiB that " + device.info().name +
                                               " has for them"};
    total += dense.bytes;
  }
  return {};
}

// ---- values ----

constexpr std::string_view kSizeNames[] = {"n", "N", "size", "length", "count"};

bool takes_the_size(const ParameterInfo& parameter) {
  return !parameter.is_array && !parameter.value.is_record() && is_integer(parameter.value.scalar) &&
         std::ranges::find(kSizeNames, parameter.name) != std::end(kSizeNames);
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether an integer type holds the value.
bool holds(ScalarType type, std::int64_t value) {
  const int bits = size_in_bits(type) - (is_signed_integer(type) ? 1 : 0);
  if (bits >= 63) return is_signed_integer(type) || value >= 0;
  const std::int64_t end = std::int64_t{1} << bits;
  return value < end && value >= (is_signed_integer(type) ? -end : 0);
}

std::optional<std::uint64_t> scalar_bits(std::string_view text, ScalarType type) {
  if (type == ScalarType::Bool) {
    if (text == "True" || text == "true" || text == "1") return 1;
    if (text == "False" || text == "false" || text == "0") return 0;
    return std::nullopt;
  }
  if (is_float(type)) {
    const std::optional<double> value = number_of<double>(text);
    return value ? std::optional(float_to_bits(type, *value)) : std::nullopt;
  }
  if (type == ScalarType::U64)
    if (const std::optional<std::uint64_t> value = number_of<std::uint64_t>(text)) return value;
  std::optional<std::int64_t> value = number_of<std::int64_t>(text);
  if (!value)
    if (const Result<std::int64_t> count = parse_count(text)) value = *count;  // 1e6
  return value && holds(type, *value) ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

std::string names_of(const KernelInfo& kernel, const std::function<bool(const ParameterInfo&)>& fits) {
  std::vector<ParameterInfo> fitting;
  std::ranges::copy_if(kernel.parameters, std::back_inserter(fitting), fits);
  return fitting.empty() ? "none" : list_text(fitting, &ParameterInfo::name);
}

const ParameterInfo* find(const KernelInfo& kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.parameters, name, &ParameterInfo::name);
  return found == kernel.parameters.end() ? nullptr : &*found;
}

Result<void> check_shape(const KernelInfo& kernel, const std::string& name, const std::vector<std::int64_t>& shape) {
  const ParameterInfo* parameter = find(kernel, name);
  const auto invalid = [&](const std::string& what) {
    return invalid_argument("the shape of `" + name + "`: " + what);
  };
  if (parameter == nullptr || !parameter->is_array)
    return invalid("kernel `" + kernel.name + "` has no array of this name; its arrays are " +
                   names_of(kernel, [](const ParameterInfo& p) { return p.is_array; }));
  if (parameter->array.has_static_shape())
    return invalid("its type " + to_string(parameter->array) + " has a shape already");
  if (parameter->array.rank() == static_cast<int>(shape.size())) return {};
  return invalid(to_string(parameter->array) + " takes " + std::to_string(parameter->array.rank()) + " extents, not " +
                 std::to_string(shape.size()));
}

}  // namespace

std::vector<ParameterInfo> missing_values(const KernelInfo& kernel, const ArgumentSettings& settings) {
  std::vector<ParameterInfo> missing;
  for (const ParameterInfo& parameter : kernel.parameters)
    if (!parameter.is_array && !takes_the_size(parameter) && !settings.values.contains(parameter.name))
      missing.push_back(parameter);
  return missing;
}

Result<void> check_settings(const KernelInfo& kernel, const ArgumentSettings& settings) {
  for (const auto& [name, shape] : settings.shapes) RETURN_IF_FAILED(check_shape(kernel, name, shape));
  for (const auto& [name, value] : settings.values) {
    const ParameterInfo* parameter = find(kernel, name);
    if (parameter == nullptr || parameter->is_array)
      return invalid_argument("the value of `" + name + "`, " + value + ": kernel `" + kernel.name +
                              "` has no number of this name; its numbers are " +
                              names_of(kernel, [](const ParameterInfo& p) { return !p.is_array; }));
  }
  const std::vector<ParameterInfo> missing = missing_values(kernel, settings);
  if (missing.empty()) return {};
  const auto declaration = [](const ParameterInfo& p) { return p.name + ": " + to_string(p.value); };
  return invalid_argument("kernel `" + kernel.name + "` needs values that nobody can guess (" +
                          list_text(missing, declaration) + ")");
}

Result<LaunchArguments> LaunchArguments::create(const Device& device, const KernelInfo& kernel, std::int64_t size,
                                                const ArgumentSettings& settings) {
  RETURN_IF_FAILED(check_settings(kernel, settings));
  LaunchArguments arguments;
  arguments.size_ = size;
  arguments.first_shape_ = {size};
  arguments.smallest_extent_ = size;
  bool is_first = true;
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (!parameter.is_array) continue;
    const std::vector<std::int64_t> shape = shape_of(parameter, size, settings);
    if (std::exchange(is_first, false)) arguments.first_shape_ = shape;
    for (const std::int64_t extent : shape) arguments.smallest_extent_ = std::min(arguments.smallest_extent_, extent);
  }
  RETURN_IF_FAILED(check_room(device, kernel, size, settings));
  for (const ParameterInfo& parameter : kernel.parameters) {
    const Result<void> added = parameter.is_array
                                   ? arguments.add_array(device, parameter, shape_of(parameter, size, settings))
                                   : arguments.add_value(parameter, settings);
    if (!added) return added.error();
  }
  for (std::size_t i = 0; i < arguments.arrays_.size(); ++i) RETURN_IF_FAILED(arguments.fill(i));
  return arguments;
}

Result<void> LaunchArguments::add_array(const Device& device, const ParameterInfo& parameter,
                                        const std::vector<std::int64_t>& shape) {
  const Layout order = parameter.array.layout == Layout::ColumnMajor ? Layout::ColumnMajor : Layout::RowMajor;
  const ElementType& element = parameter.array.element;
  ASSIGN_OR_RETURN(const detail::DenseMemory dense, detail::dense_memory(shape, order, size_in_bytes(element)));
  const Result<Buffer> buffer = device.allocate_bytes(dense.bytes);
  if (!buffer)
    return Error{buffer.error().code,
                 "array `" + parameter.name + "` of shape " + shape_text(shape) + ": " + buffer.error().message};
  Argument argument;
  argument.is_array = true;
  argument.type = element.scalar;
  argument.record = element.record;
  argument.rank = dense.mapping.rank();
  argument.address = detail::address_of(*buffer);
  argument.device = buffer->device();
  std::ranges::copy(dense.mapping.shape(), argument.extents);
  std::ranges::copy(dense.mapping.strides(), argument.strides);
  list_.push_back(argument);
  arrays_.push_back({parameter.name, *buffer, element, dense.mapping.size()});
  return {};
}

Result<void> LaunchArguments::add_value(const ParameterInfo& parameter, const ArgumentSettings& settings) {
  const auto found = settings.values.find(parameter.name);
  const std::string text = found == settings.values.end() ? "side" : found->second;
  const std::vector<Slot> slots = slots_of(parameter.value);
  auto bytes = std::make_unique<std::byte[]>(static_cast<std::size_t>(round_up(size_in_bytes(parameter.value), 16)));
  std::size_t index = 0;
  Result<void> parsed;
  for_each_part(text, ',', [&](std::string_view part) {
    if (index == slots.size()) parsed = invalid_argument("");
    if (!parsed) return;
    const Slot& slot = slots[index++];
    const std::int64_t side = first_shape_.empty() ? 1 : first_shape_.front();
    const std::string value = part == "size"   ? std::to_string(size_)
                              : part == "side" ? std::to_string(side)
                                               : std::string(trim(part));
    const std::optional<std::uint64_t> bits = scalar_bits(value, slot.type);
    if (bits)
      std::memcpy(&bytes[static_cast<std::size_t>(slot.offset)], &*bits,
                  static_cast<std::size_t>(size_in_bytes(slot.type)));
    else
      parsed = invalid_argument("");
  });
  if (!parsed || index != slots.size())
    return invalid_argument(
        "the value of `" + parameter.name + "`: " + text + " is no " + to_string(parameter.value) +
        (slots.size() == 1 ? std::string()
                           : ": write its " + std::to_string(slots.size()) + " numbers with commas between them"));
  if (parameter.value.is_record()) {
    list_.push_back(Argument::of(parameter.value.record, bytes.get()));
    records_.push_back(std::move(bytes));
    return {};
  }
  Argument argument;
  argument.type = parameter.value.scalar;
  std::memcpy(argument.scalar, bytes.get(), sizeof argument.scalar);
  list_.push_back(argument);
  return {};
}

Result<void> LaunchArguments::refill(std::span<const std::string> names) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (std::ranges::find(names, arrays_[i].name) != names.end()) RETURN_IF_FAILED(fill(i));
  return {};
}

Result<void> LaunchArguments::fill(std::size_t index) const {
  constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;
  const ArrayMemory& array = arrays_[index];
  const std::int64_t element_bytes = size_in_bytes(array.element);
  const std::int64_t in_piece = std::max<std::int64_t>(1, kPieceBytes / element_bytes);
  std::vector<std::byte> piece;
  RandomGenerator random(index);
  for (std::int64_t first = 0; first < array.count; first += in_piece) {
    const std::int64_t bytes = std::min(in_piece, array.count - first) * element_bytes;
    piece.assign(static_cast<std::size_t>(bytes), std::byte{});
    write_random(piece, array.element, smallest_extent_, random);
    RETURN_IF_FAILED(array.buffer.copy_from_host(piece.data(), bytes, first * element_bytes));
  }
  return {};
}

Dim3 grid_over(std::span<const std::int64_t> shape, Dim3 tile, int axes, Dim3 cluster) {
  const std::int64_t tiles[] = {tile.x, tile.y, tile.z}, clusters[] = {cluster.x, cluster.y, cluster.z};
  std::int64_t covered[] = {1, 1, 1};
  const std::size_t used =
      std::min(static_cast<std::size_t>(std::max(axes, 1)), std::max<std::size_t>(shape.size(), 1));
  for (std::size_t i = 0; i < shape.size(); ++i) covered[std::min(i, used - 1)] *= shape[shape.size() - 1 - i];
  std::int64_t grid[3];
  for (std::size_t i = 0; i < 3; ++i) grid[i] = round_up((covered[i] + tiles[i] - 1) / tiles[i], clusters[i]);
  return {grid[0], grid[1], grid[2]};
}

}  // namespace pykc::measure
