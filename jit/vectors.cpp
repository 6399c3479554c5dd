#include "jit/vectors.h"

#include <algorithm>
#include <cstdint>

namespace pykc::jit {

int vector_width(std::span<const Argument> arguments) {
  std::int64_t width = 4;
  for (const Argument& array : arguments) {
    if (!array.is_array) continue;
    if (array.record || array.type == ScalarType::Bool || array.strides[array.rank - 1] != 1) return 1;
    width = std::min<std::int64_t>(width, 16 / size_in_bytes(array.type));
  }
  for (const Argument& array : arguments) {
    if (!array.is_array) continue;
    const auto alignment = static_cast<std::uintptr_t>(width * size_in_bytes(array.type));
    if (reinterpret_cast<std::uintptr_t>(array.address) % alignment != 0) return 1;
    for (int axis = 0; axis < array.rank - 1; ++axis)
      if (array.strides[axis] % width != 0) return 1;
    if (array.extents[array.rank - 1] % width != 0) return 1;
  }
  return static_cast<int>(width);
}

void vectorize(std::span<Argument> arguments, int width) {
  for (Argument& array : arguments) {
    if (!array.is_array) continue;
    array.record = vector_type(array.type, width);
    array.extents[array.rank - 1] /= width;
    for (int axis = 0; axis < array.rank - 1; ++axis) array.strides[axis] /= width;
  }
}

}  // namespace pykc::jit
