#include "runtime/cpu/sanitizer/known_launches.h"

#include <algorithm>
#include <cstring>

namespace pykc::cpu {
namespace {

constexpr std::size_t kMostSettled = 4096;
constexpr std::uintptr_t kLargestAlignment = 16;  // that an access asks for

bool is_filled(const std::vector<bool>& fills, std::size_t array) { return array < fills.size() && fills[array]; }

/// The same launch, with what is not written yet: what may be read of an array once may be read of it again, since
/// nothing that is written is taken back; but it says nothing of other arrays, unless the launch fills them.
LaunchKind with_unwritten(LaunchKind kind, const Objects& arrays, const std::vector<bool>& fills) {
  for (std::size_t i = 0; i < arrays.list().size(); ++i) {
    const Object& array = arrays.list()[i];
    if (array.unwritten == nullptr || is_filled(fills, i)) continue;
    for (const std::uint64_t word :
         {std::uint64_t{i}, array.unwritten->number(), std::uint64_t{array.begin - array.unwritten->begin()}})
      kind.push_back(word);
  }
  return kind;
}

template <typename IsWritten>
void write_where(const Objects& arrays, IsWritten is_written) {
  for (std::size_t i = 0; i < arrays.list().size(); ++i) {
    const Object& array = arrays.list()[i];
    if (array.unwritten != nullptr && array.is_written && is_written(i))
      array.unwritten->write(array.begin, array.bytes());
  }
}

}  // namespace

LaunchKind kind_of(const KernelInfo& kernel, const Objects& arrays, const abi::CpuLaunch& launch) {
  if (arrays.overlap()) return {};
  LaunchKind kind = {static_cast<std::uint64_t>(launch.shared_bytes)};
  for (const auto& shape : {launch.grid, launch.block})
    for (int axis = 0; axis < 3; ++axis) kind.push_back(static_cast<std::uint64_t>(shape[axis]));
  int word = 0;
  std::size_t array = 0;
  const auto add = [&](std::int64_t bytes) {
    const auto* const from = static_cast<const char*>(launch.parameters[word++]);
    for (std::int64_t i = 0; i < bytes; i += 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from + i, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - i)));
      kind.push_back(bits);
    }
  };
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (!parameter.is_array) {
      const bool is_number = !parameter.value.is_record() && is_float(parameter.value.scalar);
      is_number ? void(++word) : add(size_in_bytes(parameter.value));
      continue;
    }
    kind.push_back(arrays.list()[array++].begin % kLargestAlignment);
    ++word;
    const int axes = parameter.array.has_static_shape() ? 0 : parameter.array.rank();
    for (int i = 0; i < axes * (parameter.array.layout == Layout::Strided ? 2 : 1); ++i) add(8);
  }
  return kind;
}

bool KnownLaunches::contain(const LaunchKind& kind, const Objects& arrays) const {
  const auto known = fills_.find(kind);
  return known != fills_.end() && settled_.contains(with_unwritten(kind, arrays, known->second));
}

void KnownLaunches::add(const LaunchKind& kind, const Objects& arrays, const std::vector<bool>& filled) {
  if (settled_.size() >= kMostSettled) settled_.clear(), fills_.clear();
  std::vector<bool>& all = fills_[kind];
  all.resize(filled.size());
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (filled[i]) all[i] = true;
  settled_.insert(with_unwritten(kind, arrays, all));
}

void KnownLaunches::write(const LaunchKind& kind, const Objects& arrays) const {
  const auto known = fills_.find(kind);
  if (known == fills_.end()) return;
  write_where(arrays, [&](std::size_t i) { return is_filled(known->second, i); });
}

void write_all(const Objects& arrays) {
  write_where(arrays, [](std::size_t) { return true; });
}

}  // namespace pykc::cpu
