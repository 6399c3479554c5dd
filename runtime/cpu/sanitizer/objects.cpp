#include "runtime/cpu/sanitizer/objects.h"

#include <algorithm>
#include <functional>

namespace pykc::cpu {
namespace {

using Extents = std::vector<std::int64_t>;

/// "[3, 5]": the indices of element number `number`.
std::string subscript(std::int64_t number, const Extents& extents, Layout layout) {
  Extents indices(extents.size());
  for (std::size_t n = 0; n < extents.size(); ++n) {
    const std::size_t axis = layout == Layout::ColumnMajor ? n : extents.size() - 1 - n;
    indices[axis] = number % std::max<std::int64_t>(extents[axis], 1);
    number /= std::max<std::int64_t>(extents[axis], 1);
  }
  std::string text;
  for (const std::int64_t index : indices) text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "[" + text + "]";
}

/// The same for any strides, in elements; the largest first.
std::string subscript(std::int64_t number, const Extents& extents, const Extents& strides) {
  Extents indices(extents.size());
  std::vector<std::size_t> axes(extents.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = axis;
  std::ranges::sort(axes, std::greater<>(), [&](std::size_t axis) { return strides[axis]; });
  for (const std::size_t axis : axes) {
    if (strides[axis] <= 0 || extents[axis] <= 1) continue;
    indices[axis] = number / strides[axis];
    number %= strides[axis];
  }
  std::string text;
  for (const std::int64_t index : indices) text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "[" + text + "]";
}

/// How many elements lie from the first to the last.
std::int64_t span_of(const Extents& extents, const Extents& strides) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 0) return 0;
    last += (extents[axis] - 1) * std::max<std::int64_t>(strides[axis], 0);
  }
  return last + 1;
}

std::int64_t product(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

}  // namespace

std::string Object::element(std::uintptr_t address) const {
  const auto offset = static_cast<std::int64_t>(address - begin);
  if (name.empty()) return "byte " + std::to_string(offset) + " of dynamic shared memory";
  const std::int64_t number = offset / size_in_bytes(type.element);
  return name + (strides.empty() ? subscript(number, extents, type.layout) : subscript(number, extents, strides));
}

Objects::Objects(const KernelInfo& kernel, const abi::CpuLaunch& launch) {
  int word = 0;
  const auto next = [&] { return *static_cast<const std::uint64_t*>(launch.parameters[word++]); };
  for (const ParameterInfo& parameter : kernel.parameters) {
    const std::uint64_t value = next();
    if (!parameter.is_array) continue;
    Object object{.begin = value, .name = parameter.name, .type = parameter.array, .extents = parameter.array.extents};
    object.is_written = parameter.is_written;
    if (!object.type.has_static_shape()) {
      for (std::int64_t& extent : object.extents) extent = static_cast<std::int64_t>(next());
      if (object.type.layout == Layout::Strided)
        for (std::size_t axis = 0; axis < object.extents.size(); ++axis)
          object.strides.push_back(static_cast<std::int64_t>(next()));
    }
    const std::int64_t count =
        object.strides.empty() ? product(object.extents) : span_of(object.extents, object.strides);
    object.end = object.begin + static_cast<std::uintptr_t>(count * size_in_bytes(object.type.element));
    for (const Object& other : objects_)
      overlap_ |= other.begin < object.end && object.begin < other.end && (other.is_written || object.is_written);
    objects_.push_back(std::move(object));
  }
  parameters_ = objects_.size();
}

void Objects::set_shared_memory(const KernelInfo& kernel, const void* memory, std::int64_t bytes) {
  objects_.resize(parameters_);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t dynamic = begin;
  for (const SharedArrayInfo& array : kernel.watched.shared_arrays) {
    Object object{.is_shared = true, .name = array.name, .type = array.type, .extents = array.type.extents};
    object.begin = begin + static_cast<std::uintptr_t>(array.offset);
    object.end = object.begin + static_cast<std::uintptr_t>(array.type.count() * size_in_bytes(array.type.element));
    dynamic = std::max(dynamic, object.end);
    objects_.push_back(std::move(object));
  }
  if (dynamic < begin + static_cast<std::uintptr_t>(bytes))
    objects_.push_back({.begin = dynamic, .end = begin + static_cast<std::uintptr_t>(bytes), .is_shared = true});
}

Object* Objects::find(std::uintptr_t address) {
  const auto holds = [&](const Object& object) { return address >= object.begin && address < object.end; };
  const auto found = std::ranges::find_if(objects_, holds);
  return found == objects_.end() ? nullptr : &*found;
}

}  // namespace pykc::cpu
