// Arrays as host code sees them: a type, a shape, strides, and shared elements. A slice is another Array over the same
// Storage. Handles are cheap; an Array never changes, its elements do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "script/values/outcome.h"
#include "script/values/scalar.h"
#include "script/values/storage.h"
#include "script/values/value.h"

namespace pykc::script {

using Shape = std::vector<std::int64_t>;
inline constexpr std::size_t kMaxRank = Argument::kMaxRank;

enum class Order : std::uint8_t { RowMajor, ColumnMajor };

class Array {
 public:
  ScalarType type = ScalarType::F64;
  RecordRef record;  // what the elements are where they are no scalars; `type` says nothing then
  Shape shape;
  Shape strides;            // in units
  std::int64_t offset = 0;  // of the first element, in units
  std::shared_ptr<Storage> storage;

  std::size_t rank() const { return shape.size(); }
  std::int64_t size() const;
  ElementType element() const { return record ? ElementType(record) : ElementType(type); }
  std::int64_t element_bytes() const { return size_in_bytes(element()); }
  /// What strides and offset count: elements, but of records bytes, since a field may lie anywhere in another record.
  std::int64_t unit_bytes() const { return record ? 1 : size_in_bytes(type); }
  std::int64_t units() const { return element_bytes() / unit_bytes(); }  // that make an element
  bool is_row_major() const;
  bool is_column_major() const;
  /// What a copy is made in: row-major but for what is column-major alone.
  Order order() const { return is_column_major() && !is_row_major() ? Order::ColumnMajor : Order::RowMajor; }
  /// Whether it is all of its storage, in row-major order.
  bool is_whole() const;

  /// The address of the first element on the host.
  Outcome<std::byte*> read() const;
  /// For whoever writes all elements.
  Outcome<std::byte*> write() const;
};

/// The number of elements, or why there is no array of this shape.
Outcome<std::int64_t> checked_size(const Shape& shape, const ElementType& type);
/// A new array whose elements all are `fill`, or anything.
Outcome<ArrayRef> make_array(const ElementType& type, Shape shape, Order order = Order::RowMajor,
                             std::optional<Scalar> fill = std::nullopt);
/// `step` is that of the fastest axis.
Shape dense_strides(const Shape& shape, Order order, std::int64_t step = 1);

/// A new array of the same elements; of an array of the device it is one, too.
Outcome<ArrayRef> copy_array(const ArrayRef& array, Order order = Order::RowMajor);
/// A copy as an array of the host, whose elements are there.
Outcome<ArrayRef> copy_on_host(const Array& array, Order order);
/// The array itself where it has that type, else a converted copy.
Outcome<ArrayRef> convert_array(const ArrayRef& array, ScalarType type);
/// The array itself where it is dense in that order, else a copy.
Outcome<ArrayRef> dense_array(const ArrayRef& array, Order order = Order::RowMajor);
/// Whether an element of the one lies where one of the other does. What takes too long to find out counts as so.
bool elements_meet(const Array& a, const Array& b);
/// Copies the elements of `source`, repeated as broadcasting has it, into `target`, converting them.
Status assign_array(const Array& target, const ArrayRef& source);

// ---- other views of the same elements ----

ArrayRef with_shape(const Array& array, Shape shape, Shape strides, std::int64_t offset);
/// The elements in another shape: a view where the strides allow it, else a copy. One extent may be -1.
Outcome<ArrayRef> reshape_array(const ArrayRef& array, Shape shape);
/// Axis i of the result is axis `axes[i]` of the array.
ArrayRef permute_axes(const Array& array, const std::vector<std::size_t>& axes);
/// The array as if it had `shape`; repeated axes have stride 0.
Outcome<ArrayRef> broadcast_array(const Array& array, const Shape& shape);
/// The shape that both broadcast to.
Outcome<Shape> broadcast_shapes(const Shape& a, const Shape& b);

/// Whether it is an array that an operation goes through: not one record, which is an array of rank 0.
bool is_elements(const Value& value);
/// A rank-0 array of one number.
Outcome<ArrayRef> array_of(const Scalar& scalar);
/// The first element.
Outcome<Scalar> first_element(const Array& array);
/// An array of rank 0 as the number or string that it holds; others, and records, as they are.
Outcome<Value> number_or_array(const ArrayRef& array);

}  // namespace pykc::script
