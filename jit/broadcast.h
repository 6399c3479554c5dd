// Arrays of different shapes and strides made into one loop over few axes, before a kernel is chosen for them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::jit {

using Shape = std::vector<std::int64_t>;

Shape shape_of(const Argument& array);
std::int64_t size_of(std::span<const std::int64_t> shape);

/// Fails where an argument that was built by hand has a type that is none.
Result<void> check_types(std::span<const Argument> arguments);
/// NumPy's rule: axes are matched from the last, and an extent of 1 is repeated. Numbers have no say.
Result<Shape> broadcast_shape(std::span<const Argument> arguments);

/// The array as if it had this shape, which it broadcasts to: a repeated axis has the stride 0.
Argument broadcast(const Argument& array, std::span<const std::int64_t> shape);

/// The arrays, all of one shape, with their axes in another order.
void transpose(std::span<Argument> arrays, std::span<const int> axes);

/// Makes the axes from `first` on few: sorted so that the first array's longest stride comes first, those of extent 1
/// left out, and two joined wherever every array steps over both as over one. Returns how many are left.
int collapse(std::span<Argument> arrays, int first, int last);

/// Arrays without axes get one, of extent 1.
void add_first_axis(std::span<Argument> arrays);

}  // namespace pykc::jit
