#include "runtime/cpu/cache.h"

#include <algorithm>
#include <fstream>

namespace pykc::cpu {
namespace {

constexpr std::int64_t kMost = std::int64_t{8} << 20;  // of it, for a thread

// Elements of an array that a thread touches, at most: a launch of few threads for a part of a large array is small.
constexpr std::int64_t kElementsPerThread = 8;

constexpr std::int64_t kLine = 64;

/// Calls `use` with each array's parameter, its address, its number of elements and its last extent.
template <typename Use>
void for_each_array(const KernelInfo& kernel, const detail::PreparedLaunch& launch, const Use& use) {
  int word = 0;
  const auto next = [&] { return *static_cast<const std::int64_t*>(launch.parameters[word++]); };
  for (const ParameterInfo& parameter : kernel.parameters) {
    const ArrayType& array = parameter.array;
    if (!parameter.is_array) {
      ++word;
      continue;
    }
    const std::int64_t address = next();
    std::int64_t elements = 1, last = 1;
    for (const std::int64_t extent : array.extents) {
      last = array.has_static_shape() ? extent : next();
      elements *= last;
    }
    if (array.layout == Layout::Strided) word += static_cast<int>(array.extents.size());
    use(parameter, address, elements, last);
  }
}

}  // namespace

/// As large as the system says that it is, or as any: a virtual machine is told of all, of which others have most.
std::int64_t cache_bytes(int threads) {
  static const std::int64_t told = [] {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
    std::int64_t kilobytes = 0;
    file >> kilobytes;
    return 1024 * kilobytes;
  }();
  const std::int64_t most = kMost * threads;
  return told > 0 ? std::min(told, most) : most;
}

std::int64_t touched_bytes(const KernelInfo& kernel, const detail::PreparedLaunch& launch) {
  const std::int64_t threads = launch.blocks * launch.block.x * launch.block.y * launch.block.z;
  std::int64_t bytes = 0;
  for_each_array(kernel, launch, [&](const ParameterInfo& parameter, std::int64_t, std::int64_t elements, auto) {
    bytes += std::min(elements, kElementsPerThread * threads) * size_in_bytes(parameter.array.element);
  });
  return bytes;
}

bool writes_along_lines(const KernelInfo& kernel, const detail::PreparedLaunch& launch) {
  bool does = true;
  for_each_array(kernel, launch, [&](const ParameterInfo& parameter, std::int64_t address, auto, std::int64_t last) {
    const ArrayType& array = parameter.array;
    const bool is_row = array.extents.size() == 1;
    const bool begins_on_lines = address % kLine == 0 && (is_row || last * size_in_bytes(array.element) % kLine == 0);
    if (parameter.is_written && (array.layout == Layout::Strided || !begins_on_lines)) does = false;
  });
  return does;
}

}  // namespace pykc::cpu
