#include "runtime/cpu/cache.h"

#include <algorithm>
#include <fstream>

namespace pykc::cpu {
namespace {

constexpr std::int64_t kMost = std::int64_t{8} << 20;  // of it, for a thread

// Elements of an array that a thread touches, at most: a launch of few threads for a part of a large array is small.
constexpr std::int64_t kElementsPerThread = 8;

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
  int word = 0;
  const auto next = [&] { return *static_cast<const std::int64_t*>(launch.parameters[word++]); };
  for (const ParameterInfo& parameter : kernel.parameters) {
    ++word;  // an address, or what is no array
    if (!parameter.is_array) continue;
    const ArrayType& array = parameter.array;
    std::int64_t elements = array.has_static_shape() ? array.count() : 1;
    if (!array.has_static_shape()) {
      for (std::size_t axis = 0; axis < array.extents.size(); ++axis) elements *= next();
      if (array.layout == Layout::Strided) word += static_cast<int>(array.extents.size());
    }
    bytes += std::min(elements, kElementsPerThread * threads) * size_in_bytes(array.element);
  }
  return bytes;
}

}  // namespace pykc::cpu
