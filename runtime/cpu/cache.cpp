#include "runtime/cpu/cache.h"

#include <algorithm>
#include <fstream>

namespace pykc::cpu {
namespace {

constexpr std::int64_t kMostForThread = std::int64_t{8} << 20;
constexpr std::int64_t kLine = 64;

// Elements of an array that a thread touches, at most: a launch of few threads for a part of a large array is small.
constexpr double kElementsPerThread = 8;

/// An array as a launch passes it.
struct PassedArray {
  const ParameterInfo& parameter;
  std::int64_t address;
  double elements;  // may be more than an integer counts, where their strides are 0
  std::int64_t last_extent;

  std::int64_t element_bytes() const { return size_in_bytes(parameter.array.element); }
  bool has_rows_along_lines() const {
    const ArrayType& type = parameter.array;
    const bool is_one_row = type.extents.size() == 1;
    return type.layout != Layout::Strided && address % kLine == 0 &&
           (is_one_row || last_extent * element_bytes() % kLine == 0);
  }
};

/// Calls `use` with each array of the launch.
template <typename Use>
void for_each_array(const KernelInfo& kernel, const detail::PreparedLaunch& launch, const Use& use) {
  int word = 0;
  const auto next = [&] { return *static_cast<const std::int64_t*>(launch.parameters[word++]); };
  for (const ParameterInfo& parameter : kernel.parameters) {
    const ArrayType& type = parameter.array;
    if (!parameter.is_array) {
      ++word;
      continue;
    }
    PassedArray array{parameter, next(), 1, 1};
    for (const std::int64_t extent : type.extents) {
      array.last_extent = type.has_static_shape() ? extent : next();
      array.elements *= static_cast<double>(array.last_extent);
    }
    if (type.layout == Layout::Strided) word += static_cast<int>(type.extents.size());
    use(array);
  }
}

}  // namespace

/// The system tells the size of the whole cache, to a virtual machine, too, which has but a part of it: so no thread
/// counts on more than kMostForThread.
std::int64_t cache_bytes(int threads) {
  static const std::int64_t told = [] {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
    std::int64_t kilobytes = 0;
    file >> kilobytes;
    return 1024 * kilobytes;
  }();
  const std::int64_t most = kMostForThread * threads;
  return told > 0 ? std::min(told, most) : most;
}

double touched_bytes(const KernelInfo& kernel, const detail::PreparedLaunch& launch) {
  const Dim3 block = launch.block;
  const double threads = static_cast<double>(launch.blocks) * static_cast<double>(block.x * block.y * block.z);
  double bytes = 0;
  for_each_array(kernel, launch, [&](const PassedArray& array) {
    bytes += std::min(array.elements, kElementsPerThread * threads) * static_cast<double>(array.element_bytes());
  });
  return bytes;
}

bool writes_along_lines(const KernelInfo& kernel, const detail::PreparedLaunch& launch) {
  bool does = true;
  for_each_array(kernel, launch, [&](const PassedArray& array) {
    does &= !array.parameter.is_written || array.has_rows_along_lines();
  });
  return does;
}

}  // namespace pykc::cpu
