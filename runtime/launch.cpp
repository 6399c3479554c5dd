#include "runtime/launch.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/errors.h"
#include "base/text.h"
#include "runtime/device.h"

namespace pykc::detail {
namespace {

constexpr std::int64_t kMaxThreads = 1024;
constexpr Dim3 kMaxBlock{1024, 1024, 64};
constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
constexpr std::int64_t kMostClusterBlocks = 16;  // of any GPU
constexpr int kMostAlignment = 1024;             // of a shared array, in bytes

std::string to_text(Dim3 size) {
  return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z) + ")";
}

const ElementType& element_of(const ParameterInfo& parameter) {
  return parameter.is_array ? parameter.array.element : parameter.value;
}

/// Words that a parameter takes at most, as in docs/embedding.md; a record may need one more to be aligned.
std::int64_t words_of(const ParameterInfo& parameter) {
  if (!parameter.is_array && parameter.value.is_record()) return 1 + (parameter.value.record->bytes + 7) / 8;
  if (!parameter.is_array || parameter.array.has_static_shape()) return 1;
  return 1 + parameter.array.rank() * (parameter.array.layout == Layout::Strided ? 2 : 1);
}

bool has_sound_extents(const ArrayType& type) {
  if (type.rank() > Argument::kMaxRank) return false;
  for (std::int64_t extent : type.extents)
    if (type.has_static_shape() ? extent < 0 : extent != ArrayType::kDynamic) return false;
  return true;
}

bool has_sound_layout(const ElementType& type) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;
  if (!type.is_record()) return true;
  const RecordType& record = *type.record;
  const bool is_power_of_two = record.alignment > 0 && (record.alignment & (record.alignment - 1)) == 0;
  return is_power_of_two && record.alignment <= 16 && record.bytes > 0 && record.bytes <= kMostBytes &&
         record.bytes % record.alignment == 0;
}

Result<void> check_grid(const KernelInfo& kernel, Dim3 grid) {
  if (grid.x < 0 || grid.y < 0 || grid.z < 0)
    return invalid_launch(kernel, "the grid " + to_text(grid) + " has a negative extent");
  if (grid.x > kMaxGrid.x || grid.y > kMaxGrid.y || grid.z > kMaxGrid.z)
    return invalid_launch(kernel, "the grid " + to_text(grid) + " is larger than " + to_text(kMaxGrid));
  const Dim3 cluster = kernel.cluster;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return invalid_launch(kernel,
                          "the grid " + to_text(grid) + " is no multiple of its clusters of " + to_text(cluster));
  return {};
}

Result<void> check_block(const KernelInfo& kernel, const LaunchRules& rules, Dim3 block) {
  if (block.x < 1 || block.y < 1 || block.z < 1)
    return invalid_launch(kernel, "every extent of a block is at least 1; this block is " + to_text(block));
  if (block.x > kMaxBlock.x || block.y > kMaxBlock.y || block.z > kMaxBlock.z)
    return invalid_launch(kernel, "the block " + to_text(block) + " is larger than " + to_text(kMaxBlock));
  const std::int64_t threads = block.x * block.y * block.z;
  const auto too_many = [&](const std::string& rule) {
    return invalid_launch(kernel, rule + "; this block " + to_text(block) + " has " + std::to_string(threads));
  };
  if (threads > kMaxThreads) return too_many("a block has at most 1024 threads");
  if (kernel.max_threads_per_block > 0 && threads > kernel.max_threads_per_block)
    return too_many("its launch bound allows " + std::to_string(kernel.max_threads_per_block) + " threads in a block");
  if (threads > rules.max_threads_per_block)
    return too_many("its use of registers leaves room for " + std::to_string(rules.max_threads_per_block) +
                    " threads in a block on this device");
  return {};
}

/// Sets the dynamic bytes: what the kernel's sized arrays need, then what the launch asks for.
Result<void> add_shared_bytes(const KernelInfo& kernel, const LaunchRules& rules, std::int64_t launch_bytes,
                              PreparedLaunch& prepared) {
  if (launch_bytes < 0)
    return invalid_launch(kernel, "shared_bytes of the launch is negative (" + std::to_string(launch_bytes) + ")");
  const std::optional<std::int64_t> evaluated = kernel.dynamic_shared_bytes.evaluate(prepared.grid, prepared.block);
  const auto wrong_size = [&](const char* what) {
    return invalid_launch(kernel, std::string(what) + " for the block " + to_text(prepared.block) + " and the grid " +
                                      to_text(prepared.grid));
  };
  if (!evaluated) return wrong_size("the shared arrays have more bytes than 64 bits can count");
  const std::int64_t sized = *evaluated;
  if (sized < 0) return wrong_size("a shared array has a negative size");
  const std::int64_t room = rules.max_shared_bytes - kernel.static_shared_bytes;
  if (sized > room || launch_bytes > room - sized)
    return invalid_launch(
        kernel,
        "a block of it needs " +
            std::to_string(static_cast<std::uint64_t>(kernel.static_shared_bytes) + static_cast<std::uint64_t>(sized)) +
            " bytes of shared memory for its arrays" +
            (launch_bytes > 0 ? " and " + std::to_string(launch_bytes) + " that the launch asks for" : std::string()) +
            "; this device gives a block at most " + std::to_string(rules.max_shared_bytes));
  prepared.dynamic_shared_bytes = sized + launch_bytes;
  return {};
}

std::string parameter_names(const KernelInfo& kernel) { return list_text(kernel.parameters, &ParameterInfo::name); }

}  // namespace

ParameterRule::ParameterRule(const ParameterInfo& parameter)
    : is_array(parameter.is_array),
      is_record(element_of(parameter).is_record()),
      has_static_shape(parameter.array.has_static_shape()),
      type(element_of(parameter).scalar),
      layout(parameter.array.layout),
      alignment(static_cast<std::uint8_t>(alignment_of(element_of(parameter)))),
      rank(parameter.array.rank()) {}

LaunchRules::LaunchRules(const KernelInfo& kernel, int max_threads, std::int64_t max_shared)
    : max_threads_per_block(max_threads),
      max_shared_bytes(max_shared),
      parameters(kernel.parameters.begin(), kernel.parameters.end()) {}

PreparedLaunch::PreparedLaunch(const PreparedLaunch& other)
    : grid(other.grid),
      block(other.block),
      dynamic_shared_bytes(other.dynamic_shared_bytes),
      blocks(other.blocks),
      timeout(other.timeout),
      count(other.count),
      words(other.words) {
  std::copy(other.values, other.values + words, values);
  for (int i = 0; i < count; ++i)
    parameters[i] = values + (static_cast<const std::uint64_t*>(other.parameters[i]) - other.values);
}

namespace {

constexpr std::int64_t kTensorMapWords = 18;  // 128 bytes, on a boundary of 16

bool is_sound(const TensorMapInfo& map, const KernelInfo& kernel) {
  if (map.parameter < 0 || static_cast<std::size_t>(map.parameter) >= kernel.parameters.size()) return false;
  const ParameterInfo& parameter = kernel.parameters[static_cast<std::size_t>(map.parameter)];
  const int rank = parameter.array.rank();
  return parameter.is_array && !parameter.array.element.is_record() && rank >= 1 && rank <= 5 &&
         map.box.size() == static_cast<std::size_t>(rank);
}

}  // namespace

Result<void> check_description(const KernelInfo& kernel) {
  std::int64_t words = 0;
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (!has_sound_layout(element_of(parameter)))
      return Error{ErrorCode::InputOutput, "the artifact is damaged: kernel `" + kernel.name + "`, parameter `" +
                                               parameter.name + "` has a layout that no record has"};
    if (parameter.is_array && !has_sound_extents(parameter.array))
      return Error{ErrorCode::InputOutput, "the artifact is damaged: kernel `" + kernel.name + "`, parameter `" +
                                               parameter.name + "` has a shape that no array has"};
    words += words_of(parameter);
    if (words > kMaxParameterWords)
      return Error{ErrorCode::Unsupported, "kernel `" + kernel.name + "` has more parameters than a launch can take (" +
                                               std::to_string(kMaxParameterWords) +
                                               " addresses, extents, strides and scalars)"};
  }
  for (const TensorMapInfo& map : kernel.tensor_maps) {
    words += kTensorMapWords;
    if (!is_sound(map, kernel) || words > kMaxParameterWords)
      return Error{ErrorCode::InputOutput,
                   "the artifact is damaged: kernel `" + kernel.name + "` has a tensor map that fits no array of it"};
  }
  const auto is_extent = [](std::int64_t blocks) { return blocks >= 1 && blocks <= kMostClusterBlocks; };
  const Dim3 cluster = kernel.cluster;
  if (!is_extent(cluster.x) || !is_extent(cluster.y) || !is_extent(cluster.z) ||
      !is_extent(cluster.x * cluster.y * cluster.z))
    return Error{ErrorCode::InputOutput, "the artifact is damaged: kernel `" + kernel.name + "` has clusters of " +
                                             to_text(cluster) + " blocks"};
  for (const auto& [bytes, of] : {std::pair{kernel.static_shared_bytes, "shared arrays"},
                                  std::pair{kernel.recursion_bytes, "a stack for recursion"}})
    if (bytes < 0)
      return Error{ErrorCode::InputOutput, "the artifact is damaged: kernel `" + kernel.name + "` has " + of + " of " +
                                               std::to_string(bytes) + " bytes"};
  if (const int alignment = kernel.shared_alignment;
      alignment < 1 || alignment > kMostAlignment || (alignment & (alignment - 1)) != 0)
    return Error{ErrorCode::InputOutput, "the artifact is damaged: kernel `" + kernel.name +
                                             "` has shared arrays aligned to " + std::to_string(alignment) + " bytes"};
  return {};
}

Result<void> prepare_configuration(const KernelInfo& kernel, const LaunchRules& rules, const LaunchConfig& config,
                                   PreparedLaunch& prepared) {
  RETURN_IF_FAILED(check_grid(kernel, config.grid));
  RETURN_IF_FAILED(check_block(kernel, rules, config.block));
  prepared.grid = config.grid;
  prepared.block = config.block;
  prepared.blocks = config.grid.x * config.grid.y * config.grid.z;
  prepared.timeout = config.timeout;
  if (config.timeout.count() < 0) return invalid_launch(kernel, "a launch cannot have less than no time");
  return add_shared_bytes(kernel, rules, config.shared_bytes, prepared);
}

Result<void> prepare_launch(const KernelInfo& kernel, const LaunchRules& rules, const DeviceState& device,
                            const LaunchConfig& config, std::span<const Argument> arguments, PreparedLaunch& prepared) {
  RETURN_IF_FAILED(prepare_configuration(kernel, rules, config, prepared));
  if (arguments.size() != kernel.parameters.size())
    return invalid_launch(kernel, "takes " + std::to_string(kernel.parameters.size()) + " arguments (" +
                                      parameter_names(kernel) + "), " + std::to_string(arguments.size()) + " given");
  return append_arguments(kernel, rules, arguments, device, prepared);
}

Error timeout_error(const KernelInfo& kernel, std::chrono::nanoseconds timeout, const std::string& then) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", std::chrono::duration<double>(timeout).count());
  return {ErrorCode::Timeout,
          "kernel `" + kernel.name + "` has taken longer than its limit of " + seconds + " s, and " + then};
}

Error too_many_cooperative_blocks(const KernelInfo& kernel, std::int64_t blocks, std::int64_t most) {
  return invalid_launch(
      kernel, std::to_string(blocks) + " blocks wait for one another at `grid_sync`, and the device runs at most " +
                  std::to_string(most) + " of them at a time; let each thread do the work of several");
}

}  // namespace pykc::detail
