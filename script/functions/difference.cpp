// Why two values that should be equal are not: what a failed assertion tells.
#include <cmath>

#include "script/arithmetic/array_from.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"

namespace pykc::script {
namespace {

std::string position_text(std::int64_t flat, const Shape& shape) {
  Shape position(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; flat /= shape[i]) position[i] = flat % shape[i];
  return position.size() == 1 ? "[" + std::to_string(position[0]) + "]" : shape_text(position);
}

/// The largest of the differences; one with a NaN on one side counts as larger than all.
struct Difference {
  std::int64_t count = 0, position = 0;
  double size = 0;
};
Difference largest_difference(const double* a, const double* b, std::int64_t count) {
  Difference found;
  for (std::int64_t i = 0; i < count; ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double size = std::isnan(a[i] - b[i]) ? INFINITY : std::fabs(a[i] - b[i]);
    if (found.count == 0 || size > found.size) {
      found.position = i;
      found.size = size;
    }
    ++found.count;
  }
  return found;
}

Outcome<std::vector<std::string>> explain(const Value& left, const Value& right) {
  ASSIGN_OR_RETURN(const ArrayRef a, array_from(left, std::nullopt));
  ASSIGN_OR_RETURN(const ArrayRef b, array_from(right, std::nullopt));
  if (a->record || b->record) return std::vector<std::string>{};
  const Outcome<Shape> shape = broadcast_shapes(a->shape, b->shape);
  if (!shape)
    return std::vector<std::string>{"the shapes are " + shape_text(a->shape) + " and " + shape_text(b->shape)};
  const auto prepared = [&](const ArrayRef& array) -> Outcome<ArrayRef> {
    ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(array, ScalarType::F64));
    ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(*converted, *shape));
    return dense_array(repeated);
  };
  ASSIGN_OR_RETURN(const ArrayRef x, prepared(a));
  ASSIGN_OR_RETURN(const ArrayRef y, prepared(b));
  ASSIGN_OR_RETURN(const std::byte* from_x, x->read());
  ASSIGN_OR_RETURN(const std::byte* from_y, y->read());
  const auto* left_numbers = reinterpret_cast<const double*>(from_x);
  const auto* right_numbers = reinterpret_cast<const double*>(from_y);
  const Difference difference = largest_difference(left_numbers, right_numbers, x->size());
  std::vector<std::string> notes;
  if (difference.count == 0) return notes;
  const std::string where = shape->empty() ? "" : " at " + position_text(difference.position, *shape);
  notes.push_back("the largest difference is " + float_text(difference.size) + where + ": " +
                  float_text(left_numbers[difference.position]) + " and " +
                  float_text(right_numbers[difference.position]));
  if (x->size() > 1)
    notes.push_back(std::to_string(difference.count) + " of " + std::to_string(x->size()) + " elements differ");
  return notes;
}

}  // namespace

std::vector<std::string> describe_difference(const Value& left, const Value& right) {
  Outcome<std::vector<std::string>> notes = explain(left, right);
  return notes ? *std::move(notes) : std::vector<std::string>{};
}

}  // namespace pykc::script
