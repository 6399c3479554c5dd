#include "script/functions/indexing.h"

#include <algorithm>

#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/functions/records.h"
#include "script/values/characters.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

Outcome<std::int64_t> wrapped(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) return fail(DiagnosticId::HostIndexOutOfRange, index, extent);
  return index < 0 ? index + extent : index;
}

/// A slice as first element, count and step, by Python's rules of clipping.
struct Stretch {
  std::int64_t first, count, step;
};
Outcome<Stretch> resolve_slice(const SliceValue& slice, std::int64_t extent) {
  const std::int64_t step = slice.step.value_or(1);
  if (step == 0 || step == INT64_MIN) return fail(DiagnosticId::HostBadIndex, "a slice with step 0");
  const std::int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
  const auto clip = [&](std::int64_t i) { return std::clamp(i < 0 ? i + extent : i, least, most); };
  const std::int64_t first = slice.lower ? clip(*slice.lower) : (step > 0 ? 0 : extent - 1);
  const std::int64_t stop = slice.upper ? clip(*slice.upper) : (step > 0 ? extent : -1);
  return Stretch{first, RangeValue{first, stop, step}.size(), step};
}

/// An array under a list of indices, taken axis by axis.
class ViewBuilder {
 public:
  explicit ViewBuilder(const Array& array) : array_(array), offset_(array.offset) {}

  Outcome<ArrayRef> build(const std::vector<Value>& indices) {
    const auto uses_axis = [](const Value& v) { return !v.is<None>() && !v.is<EllipsisValue>(); };
    const auto used = static_cast<std::size_t>(std::count_if(indices.begin(), indices.end(), uses_axis));
    if (used > array_.rank()) return fail(DiagnosticId::HostTooManyIndices, used, array_.rank());
    bool had_ellipsis = false;
    for (const Value& index : indices) {
      if (index.is<EllipsisValue>()) {
        if (had_ellipsis) return fail(DiagnosticId::HostBadIndex, "a second `...`");
        had_ellipsis = true;
        keep_axes(array_.rank() - used);
      } else {
        RETURN_IF_FAILED(take(index));
      }
    }
    keep_axes(array_.rank() - axis_);
    if (shape_.size() > kMaxRank) return fail(DiagnosticId::HostBadShape, shape_text(shape_));
    return with_shape(array_, std::move(shape_), std::move(strides_), offset_);
  }

 private:
  void keep_axes(std::size_t count) {
    for (; count > 0; --count, ++axis_) {
      shape_.push_back(array_.shape[axis_]);
      strides_.push_back(array_.strides[axis_]);
    }
  }
  Status take(const Value& index) {
    if (index.is<None>()) {
      shape_.push_back(1);
      strides_.push_back(0);
      return Done{};
    }
    const std::int64_t extent = array_.shape[axis_], stride = array_.strides[axis_];
    if (const auto* slice = index.as<SliceValue>()) {
      ASSIGN_OR_RETURN(const Stretch stretch, resolve_slice(*slice, extent));
      if (stretch.count > 0) offset_ += stretch.first * stride;
      shape_.push_back(stretch.count);
      // A long step over few elements would overflow, and is never taken.
      strides_.push_back(stretch.count > 1 ? stride * stretch.step : stride);
    } else if (const std::optional<std::int64_t> i = as_integer(index); i && !index.is<bool>()) {
      ASSIGN_OR_RETURN(const std::int64_t position, wrapped(*i, extent));
      offset_ += position * stride;
    } else {
      return fail(DiagnosticId::HostBadIndex, describe(index));
    }
    ++axis_;
    return Done{};
  }

  const Array& array_;
  std::int64_t offset_;
  std::size_t axis_ = 0;
  Shape shape_, strides_;
};

Outcome<ArrayRef> view_of(const ArrayRef& array, const Value& index) {
  const auto* tuple = index.as<TupleValue>();
  return ViewBuilder(*array).build(tuple ? tuple->sequence->items : std::vector<Value>{index});
}

/// The positions along axis 0 (or of the flat elements, for a mask of the array's own shape) that an array selects.
struct Selection {
  ArrayRef source;  // selected along its axis 0
  std::vector<std::int64_t> positions;
  Shape shape;  // of the selection, in place of axis 0
};
Outcome<Selection> select(const ArrayRef& array, const ArrayRef& index) {
  Selection selection{array, {}, {}};
  ASSIGN_OR_RETURN(const ArrayRef dense, copy_array(index));
  if (index->type == ScalarType::Bool) {
    const bool prefix = index->rank() > 0 && index->rank() <= array->rank() &&
                        std::equal(index->shape.begin(), index->shape.end(), array->shape.begin());
    if (!prefix) return fail(DiagnosticId::HostShapeMismatch, shape_text(array->shape), shape_text(index->shape));
    Shape flat = {index->size()};
    flat.insert(flat.end(), array->shape.begin() + static_cast<std::ptrdiff_t>(index->rank()), array->shape.end());
    ASSIGN_OR_RETURN(selection.source, reshape_array(array, flat));
    ASSIGN_OR_RETURN(const std::byte* flags, dense->read());
    for (std::int64_t i = 0; i < index->size(); ++i)
      if (flags[i] != std::byte{0}) selection.positions.push_back(i);
    selection.shape = {static_cast<std::int64_t>(selection.positions.size())};
    return selection;
  }
  if (is_float(index->type)) return fail(DiagnosticId::HostBadIndex, describe(Value(index)));
  if (array->rank() == 0) return fail(DiagnosticId::HostTooManyIndices, 1, 0);
  ASSIGN_OR_RETURN(const ArrayRef integers, convert_array(dense, ScalarType::I64));
  ASSIGN_OR_RETURN(const std::byte* address, integers->read());
  for (std::int64_t i = 0; i < integers->size(); ++i) {
    ASSIGN_OR_RETURN(const std::int64_t position,
                     wrapped(reinterpret_cast<const std::int64_t*>(address)[i], array->shape[0]));
    selection.positions.push_back(position);
  }
  selection.shape = index->shape;
  return selection;
}

/// Item `i` along axis 0.
ArrayRef sub_array(const Array& array, std::int64_t i) {
  return with_shape(array, {array.shape.begin() + 1, array.shape.end()},
                    {array.strides.begin() + 1, array.strides.end()}, array.offset + i * array.strides[0]);
}

Outcome<Value> gather(const Selection& selection) {
  Shape shape = selection.shape;
  shape.insert(shape.end(), selection.source->shape.begin() + 1, selection.source->shape.end());
  ASSIGN_OR_RETURN(const ArrayRef result, make_array(selection.source->element(), shape));
  share_home(*result, {selection.source.get()});
  Shape rows = {static_cast<std::int64_t>(selection.positions.size())};
  rows.insert(rows.end(), selection.source->shape.begin() + 1, selection.source->shape.end());
  ASSIGN_OR_RETURN(const ArrayRef flat, reshape_array(result, rows));
  for (std::size_t i = 0; i < selection.positions.size(); ++i)
    RETURN_IF_FAILED(assign_array(*sub_array(*flat, static_cast<std::int64_t>(i)),
                                  sub_array(*selection.source, selection.positions[i])));
  return Value(result);
}

Status scatter(const ArrayRef& array, const Selection& selection, const ArrayRef& values) {
  if (selection.source->storage != array->storage)
    return fail(DiagnosticId::HostBadIndex, "a mask of several axes on an array that is not contiguous");
  Shape shape = {static_cast<std::int64_t>(selection.positions.size())};
  shape.insert(shape.end(), selection.source->shape.begin() + 1, selection.source->shape.end());
  ASSIGN_OR_RETURN(const ArrayRef rows, broadcast_array(*values, shape));
  for (std::size_t i = 0; i < selection.positions.size(); ++i)
    RETURN_IF_FAILED(assign_array(*sub_array(*selection.source, selection.positions[i]),
                                  sub_array(*rows, static_cast<std::int64_t>(i))));
  return Done{};
}

Outcome<Value> get_array_item(const ArrayRef& array, const Value& index) {
  if (const ArrayRef* by = index.as<ArrayRef>()) {
    ASSIGN_OR_RETURN(const Selection selection, select(array, *by));
    return gather(selection);
  }
  ASSIGN_OR_RETURN(const ArrayRef view, view_of(array, index));
  if (view->rank() == 0 && index.is<EllipsisValue>()) return Value(view);
  return number_or_array(view);
}

Outcome<Value> sequence_slice(const Value& object, const std::vector<Value>& items, const SliceValue& slice) {
  ASSIGN_OR_RETURN(const Stretch stretch, resolve_slice(slice, static_cast<std::int64_t>(items.size())));
  std::vector<Value> chosen;
  for (std::int64_t i = 0; i < stretch.count; ++i)
    chosen.push_back(items[static_cast<std::size_t>(stretch.first + i * stretch.step)]);
  return object.is<TupleValue>() ? make_tuple(std::move(chosen)) : make_list(std::move(chosen));
}

Outcome<Value> text_slice(const std::string& text, const SliceValue& slice) {
  const Characters characters(text);
  ASSIGN_OR_RETURN(const Stretch stretch, resolve_slice(slice, static_cast<std::int64_t>(characters.size())));
  std::string result;
  for (std::int64_t i = 0; i < stretch.count; ++i)
    result += characters[static_cast<std::size_t>(stretch.first + i * stretch.step)];
  return Value(std::move(result));
}

}  // namespace

Outcome<Value> get_item(const Value& object, const Value& index) {
  if (const ArrayRef* array = object.as<ArrayRef>()) {
    if (const std::string* field = index.as<std::string>(); field && (*array)->record) return field_of(**array, *field);
    return get_array_item(*array, index);
  }
  const std::vector<Value>* items = items_of(object);
  const bool is_indexable = items || object.is<RangeValue>() || object.is<std::string>();
  if (!is_indexable) return fail(DiagnosticId::HostNotIndexable, describe(object));
  if (const auto* slice = index.as<SliceValue>(); slice && items) return sequence_slice(object, *items, *slice);
  if (const auto* slice = index.as<SliceValue>(); slice && object.is<std::string>())
    return text_slice(*object.as<std::string>(), *slice);
  const std::optional<std::int64_t> i = as_integer(index);
  if (!i) return fail(DiagnosticId::HostBadIndex, describe(index));
  ASSIGN_OR_RETURN(const std::int64_t count, item_count(object));
  ASSIGN_OR_RETURN(const std::int64_t position, wrapped(*i, count));
  return item_at(object, position);
}

Status set_item(const Value& object, const Value& index, const Value& value) {
  if (const auto* list = object.as<ListValue>()) {
    const std::optional<std::int64_t> i = as_integer(index);
    if (!i) return fail(DiagnosticId::HostBadIndex, describe(index));
    std::vector<Value>& items = list->sequence->items;
    ASSIGN_OR_RETURN(const std::int64_t position, wrapped(*i, static_cast<std::int64_t>(items.size())));
    if (holds(value, *list->sequence)) return fail(DiagnosticId::HostListInItself);
    items[static_cast<std::size_t>(position)] = value;
    return Done{};
  }
  const ArrayRef* array = object.as<ArrayRef>();
  if (!array) return fail(DiagnosticId::HostNotAssignable, describe(object));
  if (const std::string* field = index.as<std::string>(); field && (*array)->record)
    return set_field(**array, *field, value);
  ASSIGN_OR_RETURN(const ArrayRef values,
                   (*array)->record ? to_records(value, (*array)->record) : to_array(value, (*array)->type));
  if (const ArrayRef* by = index.as<ArrayRef>()) {
    ASSIGN_OR_RETURN(const Selection selection, select(*array, *by));
    return scatter(*array, selection, values);
  }
  ASSIGN_OR_RETURN(const ArrayRef view, view_of(*array, index));
  return assign_array(*view, values);
}

Outcome<std::int64_t> item_count(const Value& object) {
  if (const std::vector<Value>* items = items_of(object)) return static_cast<std::int64_t>(items->size());
  if (const auto* range = object.as<RangeValue>()) return range->size();
  if (const std::string* text = object.as<std::string>()) return static_cast<std::int64_t>(Characters(*text).size());
  if (const ArrayRef* array = object.as<ArrayRef>(); array && (*array)->rank() > 0) return (*array)->shape[0];
  return fail(DiagnosticId::HostNotIterable, describe(object));
}

Outcome<Value> item_at(const Value& object, std::int64_t i) {
  const auto position = static_cast<std::size_t>(i);
  if (const std::vector<Value>* items = items_of(object)) return (*items)[position];
  if (const auto* range = object.as<RangeValue>()) return range->start + i * range->step;
  if (const std::string* text = object.as<std::string>()) return std::string(Characters(*text)[position]);
  return number_or_array(sub_array(**object.as<ArrayRef>(), i));
}

Outcome<std::vector<Value>> all_items(const Value& object) {
  if (const auto* generator = object.as<GeneratorValue>()) return std::exchange(generator->rest->items, {});
  ASSIGN_OR_RETURN(const std::int64_t count, item_count(object));
  if (count > kLongestSequence) return fail(DiagnosticId::HostSequenceTooLong, count);
  std::vector<Value> items;
  if (const std::string* text = object.as<std::string>()) {
    const Characters characters(*text);
    for (std::size_t i = 0; i < characters.size(); ++i) items.push_back(std::string(characters[i]));
    return items;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Value item, item_at(object, i));
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace pykc::script
