#include "runtime/cpu/sanitizer/objects.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "runtime/cpu/sanitizer/array_watch.h"

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

/// The same for any strides, in elements; the largest first. Where one is negative, the last index lies lowest.
std::string subscript(std::int64_t number, const Extents& extents, const Extents& strides) {
  Extents indices(extents.size());
  std::vector<std::size_t> axes(extents.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = axis;
  std::ranges::sort(axes, std::greater<>(), [&](std::size_t axis) { return std::abs(strides[axis]); });
  for (const std::size_t axis : axes) {
    if (strides[axis] == 0 || extents[axis] <= 1) continue;
    indices[axis] = number / std::abs(strides[axis]);
    number %= std::abs(strides[axis]);
    if (strides[axis] < 0) indices[axis] = extents[axis] - 1 - indices[axis];
  }
  std::string text;
  for (const std::int64_t index : indices) text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "[" + text + "]";
}

/// Elements before the first one, and from it to the highest.
struct Span {
  std::int64_t before = 0, after = 0;
};
Span span_of(const Extents& extents, const Extents& strides) {
  Span span{0, 1};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 0) return {};
    (strides[axis] < 0 ? span.before : span.after) += (extents[axis] - 1) * std::abs(strides[axis]);
  }
  return span;
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
    const Span span =
        object.strides.empty() ? Span{0, product(object.extents)} : span_of(object.extents, object.strides);
    const std::int64_t size = size_in_bytes(object.type.element);
    object.end = object.begin + static_cast<std::uintptr_t>(span.after * size);
    object.begin -= static_cast<std::uintptr_t>(span.before * size);
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

void Objects::look_up(ArrayWatch& watch) {
  for (Object& object : objects_) {
    object.is_freed = watch.freed.holds(object.begin);
    object.unwritten = watch.unwritten.find(reinterpret_cast<const void*>(object.begin));
    object.was_written = object.unwritten == nullptr || object.unwritten->has(object.begin, object.bytes());
    object.was_unwritten = object.unwritten != nullptr && !object.unwritten->has_any(object.begin, object.bytes());
  }
}

bool Objects::has_freed() const { return std::ranges::any_of(objects_, &Object::is_freed); }

std::vector<bool> Objects::filled() const {
  std::vector<bool> list;
  for (std::size_t i = 0; i < parameters_; ++i) {
    const Object& array = objects_[i];
    list.push_back(array.was_unwritten && !array.is_read && array.first_written == array.end - array.begin);
  }
  return list;
}

Object* Objects::find(std::uintptr_t address) {
  const auto holds = [&](const Object& object) { return address >= object.begin && address < object.end; };
  const auto found = std::ranges::find_if(objects_, holds);
  return found == objects_.end() ? nullptr : &*found;
}

void write_wholly(const KernelInfo& kernel, const abi::CpuLaunch& launch, UnwrittenArrays& unwritten) {
  int word = 0;
  for (const ParameterInfo& parameter : kernel.parameters) {
    const void* const parameter_word = launch.parameters[word++];
    if (!parameter.is_array) continue;
    const ArrayType& type = parameter.array;
    if (!type.has_static_shape()) word += type.rank() * (type.layout == Layout::Strided ? 2 : 1);
    if (!parameter.is_written) continue;
    unwritten.write_all(*static_cast<void* const*>(parameter_word));
  }
}

}  // namespace pykc::cpu
