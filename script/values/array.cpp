#include "script/values/array.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "script/values/device_operations.h"
#include "script/values/rows.h"
#include "script/values/text.h"

namespace pykc::script {

std::int64_t Array::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

namespace {

/// Whether the strides are those of a dense array; an axis of extent 1 may have any.
bool is_dense(const Array& array, Order order) {
  if (array.size() == 0) return true;
  const Shape dense = dense_strides(array.shape, order, array.units());
  for (std::size_t i = 0; i < array.rank(); ++i)
    if (array.shape[i] != 1 && array.strides[i] != dense[i]) return false;
  return true;
}

}  // namespace

bool Array::is_row_major() const { return is_dense(*this, Order::RowMajor); }
bool Array::is_column_major() const { return is_dense(*this, Order::ColumnMajor); }
bool Array::is_whole() const { return is_row_major() && offset == 0 && size() * element_bytes() == storage->bytes(); }

Outcome<std::byte*> Array::read() const {
  ASSIGN_OR_RETURN(std::byte* const bytes, storage->read());
  return bytes + offset * unit_bytes();
}
Outcome<std::byte*> Array::write() const {
  ASSIGN_OR_RETURN(std::byte* const bytes, storage->write());
  std::byte* const first = bytes + offset * unit_bytes();
  if (storage->tells_of_writes())
    for_each_row<1>(shape, {WalkOperand(first, *this)}, [&](auto address, std::int64_t count, auto strides) {
      const bool is_dense = strides[0] == element_bytes();
      for (std::int64_t i = 0; i < (is_dense ? 1 : count); ++i)
        storage->note_written(address[0] + i * strides[0] - bytes, element_bytes() * (is_dense ? count : 1));
    });
  return first;
}

Outcome<std::int64_t> checked_size(const Shape& shape, const ElementType& type) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;
  if (shape.size() > kMaxRank)
    return fail(DiagnosticId::HostBadShape, shape_text(shape)).note("arrays have at most 8 axes");
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return fail(DiagnosticId::HostBadShape, shape_text(shape)).note("an extent is negative");
    // The other extents count although one is 0, so that strides and views stay in range.
    if (extent > 0 && size > kMostBytes / extent)
      return fail(DiagnosticId::HostBadShape, shape_text(shape)).note("that is more memory than any device has");
    if (extent > 0) size *= extent;
  }
  if (size > kMostBytes / size_in_bytes(type))
    return fail(DiagnosticId::HostBadShape, shape_text(shape)).note("that is more memory than any device has");
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? size : 0;
}

Shape dense_strides(const Shape& shape, Order order, std::int64_t step) {
  Shape strides(shape.size());
  std::int64_t stride = step;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == Order::ColumnMajor ? i : shape.size() - 1 - i;
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

Outcome<ArrayRef> make_array(const ElementType& type, Shape shape, Order order, std::optional<Scalar> fill) {
  ASSIGN_OR_RETURN(const std::int64_t size, checked_size(shape, type));
  Array array;
  array.type = type.scalar;
  array.record = type.record;
  array.strides = dense_strides(shape, order, array.units());
  array.shape = std::move(shape);
  array.storage = std::make_shared<Storage>(size * size_in_bytes(type), fill);
  return std::make_shared<const Array>(std::move(array));
}

ArrayRef with_shape(const Array& array, Shape shape, Shape strides, std::int64_t offset) {
  Array view;
  view.type = array.type;
  view.record = array.record;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  view.offset = offset;
  view.storage = array.storage;
  return std::make_shared<const Array>(std::move(view));
}

namespace {

Failure no_conversion(const Array& from, const ElementType& to) {
  return fail(DiagnosticId::HostWrongType, "elements", "of type " + to_string(to),
              "of type " + to_string(from.element()));
}

/// Copies elements of the same shape on the host, converting them.
Status copy_elements(const Array& target, const Array& source) {
  if (target.record != source.record) return no_conversion(source, target.element());
  ASSIGN_OR_RETURN(std::byte* const from, source.read());
  ASSIGN_OR_RETURN(std::byte* const to, target.write());
  const std::array<WalkOperand, 2> operands = {WalkOperand(to, target), WalkOperand(from, source)};
  if (target.record) {
    const auto bytes = static_cast<std::size_t>(target.element_bytes());
    for_each_row<2>(target.shape, operands, [&](auto address, std::int64_t count, auto strides) {
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(address[0] + i * strides[0], address[1] + i * strides[1], bytes);
    });
    return Done{};
  }
  with_type(target.type, [&]<typename To>(std::type_identity<To>) {
    with_type(source.type, [&]<typename From>(std::type_identity<From>) {
      for_each_row<2>(target.shape, operands, [](auto address, std::int64_t count, auto strides) {
        if (std::is_same_v<To, From> && strides[0] == sizeof(To) && strides[1] == sizeof(To)) {
          std::memcpy(address[0], address[1], static_cast<std::size_t>(count) * sizeof(To));
          return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
          const From element = *reinterpret_cast<const From*>(address[1] + i * strides[1]);
          *reinterpret_cast<To*>(address[0] + i * strides[0]) = convert_element<To>(element);
        }
      });
    });
  });
  return Done{};
}

/// The largest word that all elements of records are made of, and begin at multiples of.
ScalarType word_of(const Array& array) {
  for (const ScalarType word : {ScalarType::U64, ScalarType::U32, ScalarType::U16}) {
    const std::int64_t bytes = size_in_bytes(word);
    const bool is_even = std::ranges::all_of(array.strides, [&](std::int64_t step) { return step % bytes == 0; });
    if (is_even && array.element_bytes() % bytes == 0 && array.offset % bytes == 0) return word;
  }
  return ScalarType::U8;
}

/// The words of records, along a further axis.
ArrayRef words_of(const Array& array, ScalarType word) {
  const std::int64_t bytes = size_in_bytes(word);
  Shape shape = array.shape, strides = array.strides;
  for (std::int64_t& step : strides) step /= bytes;
  shape.push_back(array.element_bytes() / bytes);
  strides.push_back(1);
  Array view = *with_shape(array, std::move(shape), std::move(strides), array.offset / bytes);
  view.type = word;
  view.record = {};
  return std::make_shared<const Array>(std::move(view));
}

Status copy_records(const Array& target, const Array& source, DeviceOperations& device) {
  if (target.record != source.record) return no_conversion(source, target.element());
  const ScalarType word = std::min(word_of(target), word_of(source),
                                   [](ScalarType a, ScalarType b) { return size_in_bytes(a) < size_in_bytes(b); });
  return device.map(*words_of(target, word), "x", {word}, {words_of(source, word)});
}

/// Copies elements where they are.
Status move_elements(const Array& target, const ArrayRef& source, DeviceOperations* device) {
  if (device && !target.record && !source->record) return device->map(target, "x", {target.type}, {source});
  if (device && target.rank() < Argument::kMaxRank) return copy_records(target, *source, *device);
  return copy_elements(target, *source);
}

/// A new array like another but for the type.
Outcome<ArrayRef> copied(const ArrayRef& array, const ElementType& type, Order order) {
  ASSIGN_OR_RETURN(ArrayRef copy, make_array(type, array->shape, order));
  share_home(*copy, {array.get()});
  RETURN_IF_FAILED(move_elements(*copy, array, device_for({array.get()}, array->size())));
  return copy;
}

}  // namespace

Outcome<ArrayRef> copy_array(const ArrayRef& array, Order order) {
  if (device_for({array.get()}, array->size())) return copied(array, array->element(), order);
  ASSIGN_OR_RETURN(ArrayRef copy, copy_on_host(*array, order));
  share_home(*copy, {array.get()});
  return copy;
}

Outcome<ArrayRef> copy_on_host(const Array& array, Order order) {
  ASSIGN_OR_RETURN(ArrayRef copy, make_array(array.element(), array.shape, order));
  if (order == Order::RowMajor && array.is_whole()) {
    ASSIGN_OR_RETURN(std::byte* const target, copy->write());
    RETURN_IF_FAILED(array.storage->copy_to(target));
  } else {
    RETURN_IF_FAILED(copy_elements(*copy, array));
  }
  return copy;
}

Outcome<ArrayRef> convert_array(const ArrayRef& array, ScalarType type) {
  if (array->record) return no_conversion(*array, type);
  if (array->type == type) return array;
  return copied(array, type, array->order());
}

Outcome<ArrayRef> dense_array(const ArrayRef& array, Order order) {
  if (order == Order::RowMajor ? array->is_row_major() : array->is_column_major()) return array;
  return copy_array(array, order);
}

Status assign_array(const Array& target, const ArrayRef& source) {
  ASSIGN_OR_RETURN(ArrayRef repeated, broadcast_array(*source, target.shape));
  if (source->storage == target.storage) {  // `a[1:] = a[:-1]` means the old elements
    ASSIGN_OR_RETURN(repeated, copy_array(repeated));
  }
  DeviceOperations* const captured = source->storage->captured_on();
  return move_elements(target, repeated, captured ? captured : device_for({&target}, target.size()));
}

Outcome<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {  // from the last axis
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return fail(DiagnosticId::HostShapeMismatch, shape_text(a), shape_text(b));
    shape[rank - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

Outcome<ArrayRef> broadcast_array(const Array& array, const Shape& shape) {
  ASSIGN_OR_RETURN(const Shape joined, broadcast_shapes(array.shape, shape));
  if (joined != shape) return fail(DiagnosticId::HostShapeMismatch, shape_text(array.shape), shape_text(shape));
  Shape strides(shape.size(), 0);
  const std::size_t added = shape.size() - array.rank();
  for (std::size_t i = 0; i < array.rank(); ++i)
    if (array.shape[i] == shape[added + i]) strides[added + i] = array.strides[i];
  return with_shape(array, shape, std::move(strides), array.offset);
}

ArrayRef permute_axes(const Array& array, const std::vector<std::size_t>& axes) {
  Shape shape, strides;
  for (const std::size_t axis : axes) {
    shape.push_back(array.shape[axis]);
    strides.push_back(array.strides[axis]);
  }
  return with_shape(array, std::move(shape), std::move(strides), array.offset);
}

namespace {

/// Replaces one -1 by what the others leave.
Outcome<Shape> resolve_shape(Shape shape, std::int64_t size) {
  const Failure mismatch = fail(DiagnosticId::HostReshapeMismatch, size, shape_text(shape));
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    std::int64_t rest = 1;
    for (auto extent = shape.begin(); extent != shape.end(); ++extent) {
      if (extent == open) continue;
      if (*extent < 0 || (*extent > 0 && rest > (std::int64_t{1} << 46) / *extent)) return mismatch;
      rest *= *extent;
    }
    if (rest == 0 || size % rest != 0) return mismatch;
    *open = size / rest;
  }
  ASSIGN_OR_RETURN(const std::int64_t count, checked_size(shape, ScalarType::U8));
  if (count != size) return mismatch;
  return shape;
}

}  // namespace

Outcome<ArrayRef> reshape_array(const ArrayRef& array, Shape shape) {
  ASSIGN_OR_RETURN(shape, resolve_shape(std::move(shape), array->size()));
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(array));
  Shape strides = dense_strides(shape, Order::RowMajor, dense->units());
  return with_shape(*dense, std::move(shape), std::move(strides), dense->offset);
}

namespace {

/// Whether a sum of multiples of `steps`, which fall, is a number: of each, from none to so many.
class ReachableSums {
 public:
  explicit ReachableSums(const std::map<std::int64_t, std::int64_t, std::greater<>>& steps)
      : steps_(steps.begin(), steps.end()), reach_(steps.size() + 1) {
    for (std::size_t i = steps_.size(); i > 0; --i)
      reach_[i - 1] = reach_[i] + steps_[i - 1].first * steps_[i - 1].second;
  }

  bool contain(std::int64_t number, std::size_t i = 0) {
    if (number < 0 || number > reach_[i]) return false;
    if (i == steps_.size() || tries_ == 0) return true;
    const auto [step, most] = steps_[i];
    const std::int64_t rest = std::max<std::int64_t>(0, number - reach_[i + 1]);
    for (std::int64_t k = (rest + step - 1) / step; k <= std::min(most, number / step); ++k) {
      if (tries_ > 0) --tries_;
      if (contain(number - k * step, i + 1)) return true;
    }
    return false;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> steps_;
  std::vector<std::int64_t> reach_;  // the largest sum of the steps from i on
  int tries_ = 10'000;
};

}  // namespace

bool elements_meet(const Array& a, const Array& b) {
  if (a.storage != b.storage || a.size() == 0 || b.size() == 0) return false;
  // From the first byte of `a` forwards, and from the last byte of `b` backwards, to the same byte.
  std::int64_t distance = b.offset * b.unit_bytes() - a.offset * a.unit_bytes();
  std::map<std::int64_t, std::int64_t, std::greater<>> steps;
  for (const auto& [array, is_first] : {std::pair(&a, true), std::pair(&b, false)}) {
    for (std::size_t axis = 0; axis < array->rank(); ++axis) {
      const std::int64_t step = array->strides[axis] * array->unit_bytes();
      const std::int64_t turns = array->shape[axis] - 1;
      if (turns == 0 || step == 0) continue;
      steps[std::abs(step)] += turns;
      if ((step > 0) != is_first) distance += std::abs(step) * turns;
    }
    if (array->element_bytes() > 1) steps[1] += array->element_bytes() - 1;
    if (!is_first) distance += array->element_bytes() - 1;
  }
  return ReachableSums(steps).contain(distance);
}

bool is_elements(const Value& value) {
  const ArrayRef* array = value.as<ArrayRef>();
  return array && !((*array)->record && (*array)->rank() == 0);
}

Outcome<ArrayRef> array_of(const Scalar& scalar) { return make_array(scalar.type, {}, Order::RowMajor, scalar); }

Outcome<Scalar> first_element(const Array& array) {
  ASSIGN_OR_RETURN(const std::byte* address, array.read());
  return Scalar::load(array.type, address);
}

Outcome<Value> number_or_array(const ArrayRef& array) {
  const bool is_string = is_text(array->element()) && character_of(array->record) == ScalarType::U32;
  if (array->rank() == 0 && is_string) return string_of(*array);
  if (array->rank() > 0 || array->record) return Value(array);
  return first_element(*array);
}

}  // namespace pykc::script
