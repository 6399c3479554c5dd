#include "script/arithmetic/array_from.h"

#include <algorithm>

#include "script/arithmetic/promote.h"

namespace pykc::script {
namespace {

/// The leaves of a nest in order, and its shape. A leaf may be an array, which adds its own axes.
class Nest {
 public:
  Status collect(const Value& value, std::size_t depth) {
    if (depth > kMaxRank)
      return fail(DiagnosticId::HostBadShape, "of so many brackets").note("arrays have at most 8 axes");
    const std::vector<Value>* items = items_of(value);
    if (!items) return add_leaf(value, depth);
    RETURN_IF_FAILED(check_extent(depth, static_cast<std::int64_t>(items->size())));
    for (const Value& item : *items) RETURN_IF_FAILED(collect(item, depth + 1));
    return Done{};
  }

  Shape shape() const {
    Shape shape = shape_;
    if (leaf_shape_) shape.insert(shape.end(), leaf_shape_->begin(), leaf_shape_->end());
    return shape;
  }
  ScalarType type() const { return type_ ? type_->type : ScalarType::F64; }
  const std::vector<Value>& leaves() const { return leaves_; }
  std::int64_t leaf_size() const {
    std::int64_t size = 1;
    for (const std::int64_t extent : leaf_shape_.value_or(Shape{})) size *= extent;
    return size;
  }

 private:
  Status add_leaf(const Value& value, std::size_t depth) {
    const std::optional<OperandType> type = operand_type(value);
    if (!type) return fail(DiagnosticId::HostWrongType, "element of an array", "a number", describe(value));
    if (depth != shape_.size()) return ragged();
    const ArrayRef* array = value.as<ArrayRef>();
    const Shape shape = array ? (*array)->shape : Shape{};
    if (leaf_shape_ && *leaf_shape_ != shape) return ragged();
    leaf_shape_ = shape;
    type_ = type_ ? join(*type_, *type) : *type;
    leaves_.push_back(value);
    return Done{};
  }
  Status check_extent(std::size_t depth, std::int64_t extent) {
    if (depth == shape_.size()) {
      if (leaf_shape_) return ragged();
      shape_.push_back(extent);
    }
    if (shape_[depth] != extent) return ragged();
    return Done{};
  }
  static Failure ragged() { return fail(DiagnosticId::HostRaggedArray); }

  Shape shape_;
  std::optional<Shape> leaf_shape_;
  std::optional<OperandType> type_;
  std::vector<Value> leaves_;
};

}  // namespace

Outcome<ArrayRef> array_from(const Value& value, std::optional<ScalarType> type) {
  if (const ArrayRef* array = value.as<ArrayRef>()) return type ? convert_array(*array, *type) : *array;
  Nest nest;
  RETURN_IF_FAILED(nest.collect(value, 0));
  const ScalarType element = type.value_or(nest.type());
  ASSIGN_OR_RETURN(ArrayRef result, make_array(element, nest.shape()));
  if (nest.leaf_size() == 0 || result->size() == 0) return result;
  ASSIGN_OR_RETURN(std::byte* const address, result->write());
  const std::int64_t leaf_bytes = nest.leaf_size() * result->element_bytes();
  for (std::size_t i = 0; i < nest.leaves().size(); ++i) {
    std::byte* const target = address + static_cast<std::int64_t>(i) * leaf_bytes;
    if (const ArrayRef* leaf = nest.leaves()[i].as<ArrayRef>()) {
      ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(*leaf, element));
      ASSIGN_OR_RETURN(const ArrayRef dense, copy_array(converted));
      RETURN_IF_FAILED(dense->storage->copy_to(target));
    } else {
      ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(nest.leaves()[i], element));
      scalar.store(target);
    }
  }
  return result;
}

Outcome<ArrayRef> to_array(const Value& value, ScalarType weak) {
  if (const ArrayRef* array = value.as<ArrayRef>()) {
    if ((*array)->record) return fail(DiagnosticId::HostWrongType, "elements", "numbers", describe(value));
    return *array;
  }
  if (const Scalar* scalar = value.as<Scalar>()) return array_of(*scalar);
  if (items_of(value)) return array_from(value, std::nullopt);
  ASSIGN_OR_RETURN(const Scalar scalar, to_scalar(value, weak));
  return array_of(scalar);
}

}  // namespace pykc::script
