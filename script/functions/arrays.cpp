// Functions and methods of arrays: reductions, comparison, shapes.
#include <algorithm>
#include <cmath>
#include <complex>

#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/arithmetic/reductions.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

constexpr std::uint32_t kEverywhere = in(Library::Prelude, Library::Numpy, Library::ArrayMethod);
constexpr std::uint32_t kFunctionOnly = in(Library::Prelude, Library::Numpy);
constexpr std::uint32_t kMethodOnly = in(Library::ArrayMethod);

/// A result of rank 0 as the number it is, in Python's type where that is bool.
Outcome<Value> reduced(const ArrayRef& result) {
  if (result->rank() == 0 && result->type == ScalarType::Bool) return truth(Value(result));
  return number_or_array(result);
}

Outcome<Axes> axes_of(const Value& value, const Arguments& arguments, std::size_t parameter, std::size_t rank) {
  if (value.is<None>()) return Axes{};
  ASSIGN_OR_RETURN(const Shape listed, arguments.shape(parameter));
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : listed) {
    ASSIGN_OR_RETURN(const std::size_t position, checked_axis(axis, rank));
    if (std::find(axes.begin(), axes.end(), position) != axes.end())
      return fail(DiagnosticId::HostWrongType, "axis` of `" + std::string(arguments.function->name), "axes that differ",
                  shape_text(listed));
    axes.push_back(position);
  }
  return Axes(std::move(axes));
}

/// The function of an array's real parts and of its imaginary ones.
Outcome<Value> of_parts(Run& run, const Arguments& arguments) {
  const auto of_part = [&](std::string_view name) -> Outcome<Value> {
    Arguments given = arguments;
    ASSIGN_OR_RETURN(given.values[0], attribute(arguments[0], name));
    return arguments.function->implementation(run, given);
  };
  ASSIGN_OR_RETURN(const Value real, of_part("real"));
  ASSIGN_OR_RETURN(const Value imaginary, of_part("imag"));
  return complex_of(real, imaginary);
}

/// "a, axis=None, keepdims=False"
template <Reduction kReduction>
Outcome<Value> reduction(Run& run, const Arguments& arguments) {
  constexpr bool is_linear = kReduction == Reduction::Sum || kReduction == Reduction::Mean;
  if (is_linear && is_complex(arguments[0])) return of_parts(run, arguments);
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const Axes axes, axes_of(arguments[1], arguments, 1, array->rank()));
  ASSIGN_OR_RETURN(const bool keep, arguments.flag(2));
  ASSIGN_OR_RETURN(const ArrayRef result, reduce(kReduction, arguments.function->name, array, axes, keep));
  return reduced(result);
}

/// "a, axis=None, ddof=0, keepdims=False"
template <Reduction kReduction>
Outcome<Value> spread(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const Axes axes, axes_of(arguments[1], arguments, 1, array->rank()));
  ASSIGN_OR_RETURN(const std::int64_t degrees, arguments.integer(2));
  ASSIGN_OR_RETURN(const bool keep, arguments.flag(3));
  ASSIGN_OR_RETURN(const ArrayRef result, reduce(kReduction, arguments.function->name, array, axes, keep, degrees));
  return reduced(result);
}

Outcome<Value> host_cumsum(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ArrayRef array, arguments.array(0));
  std::size_t axis = 0;
  if (arguments.is_none(1) || array->rank() == 0) {
    ASSIGN_OR_RETURN(array, reshape_array(array, {-1}));
  }
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(const std::int64_t given, arguments.integer(1));
    ASSIGN_OR_RETURN(axis, checked_axis(given, array->rank()));
  }
  return cumulative_sum(array, axis);
}

Outcome<Value> host_sort(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  if (array->rank() == 0) return fail(DiagnosticId::HostBadAxis, -1, 0);
  return sorted_array(array);
}

Outcome<Value> host_bincount(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const std::int64_t least, arguments.integer(1));
  return count_occurrences(array, least);
}

/// A result, copied to the array `out` where one is given.
Outcome<Value> into_out(const Arguments& arguments, std::size_t i, const ArrayRef& result) {
  if (i >= arguments.values.size() || arguments.is_none(i)) return reduced(result);
  const ArrayRef* out = arguments[i].as<ArrayRef>();
  if (!out) return arguments.wrong_type(i, "an array");
  if ((*out)->shape != result->shape)
    return fail(DiagnosticId::HostShapeMismatch, shape_text((*out)->shape), shape_text(result->shape));
  RETURN_IF_FAILED(assign_array(**out, result));
  return arguments[i];
}

Outcome<Value> host_matmul(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef a, arguments.array(0));
  ASSIGN_OR_RETURN(const ArrayRef b, arguments.array(1));
  ASSIGN_OR_RETURN(const ArrayRef product, matrix_product(a, b));
  return into_out(arguments, 2, product);
}

/// The same, but by a number it multiplies.
Outcome<Value> host_dot(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef a, arguments.array(0));
  ASSIGN_OR_RETURN(const ArrayRef b, arguments.array(1));
  if (a->rank() > 0 && b->rank() > 0) return host_matmul(run, arguments);
  ASSIGN_OR_RETURN(const Value product, apply(BinaryFunction::Multiply, a, b));
  return into_out(arguments, 2, *product.as<ArrayRef>());
}

/// The sum of a matrix's diagonal; of more axes, of each matrix of the first two.
Outcome<Value> host_trace(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const std::int64_t offset, arguments.integer(1));
  if (array->rank() < 2) return arguments.wrong_type(0, "an array of two dimensions or more");
  const std::int64_t rows = array->shape[0], columns = array->shape[1];
  const std::int64_t first_row = std::max<std::int64_t>(0, -offset), first_column = std::max<std::int64_t>(0, offset);
  Shape shape(array->shape.begin() + 1, array->shape.end()), strides(array->strides.begin() + 1, array->strides.end());
  shape[0] = std::max<std::int64_t>(0, std::min(rows - first_row, columns - first_column));
  strides[0] = array->strides[0] + array->strides[1];
  const std::int64_t start = first_row * array->strides[0] + first_column * array->strides[1];
  const ArrayRef diagonal =
      with_shape(*array, std::move(shape), std::move(strides), array->offset + (shape[0] > 0 ? start : 0));
  ASSIGN_OR_RETURN(const ArrayRef sum, reduce(Reduction::Sum, "trace", diagonal, Axes{{0}}));
  return into_out(arguments, 2, sum);
}

// ---- comparison of whole arrays ----

/// The real or the imaginary parts of an array's elements as f64, repeated to a shape.
Outcome<ArrayRef> part_in_shape(const ArrayRef& array, bool is_imaginary, const Shape& shape) {
  ArrayRef part = array;
  if (array->record) {
    ASSIGN_OR_RETURN(part, field_view(*array, is_imaginary ? "imag" : "real"));
  } else if (is_imaginary) {
    return make_array(ScalarType::F64, shape, Order::RowMajor, Scalar{ScalarType::F64, 0});
  }
  ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(part, ScalarType::F64));
  ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(*converted, shape));
  return dense_array(repeated);
}

struct Closeness {
  double relative, absolute;
  bool equal_nan;

  template <typename Number>
  bool operator()(const Number& x, const Number& y) const {
    if (x == y || (equal_nan && x != x && y != y)) return true;
    const double size = std::abs(y);
    return std::abs(x - y) <= absolute + relative * size && !std::isinf(size);
  }
};

/// |a - b| <= atol + rtol * |b| everywhere; equal infinities are close, NaN to nothing unless asked.
Outcome<Value> host_allclose(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef a, arguments.any_array(0));
  ASSIGN_OR_RETURN(const ArrayRef b, arguments.any_array(1));
  ASSIGN_OR_RETURN(const double relative, arguments.number(2));
  ASSIGN_OR_RETURN(const double absolute, arguments.number(3));
  ASSIGN_OR_RETURN(const bool equal_nan, arguments.flag(4));
  for (const auto& [array, i] : {std::pair(a, 0U), std::pair(b, 1U)})
    if (array->record && array->record->kind != RecordType::Kind::Complex)
      return arguments.wrong_type(i, "an array of numbers");
  ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(a->shape, b->shape));
  const bool is_complex = a->record || b->record;
  ArrayRef parts[4];
  const double* numbers[4] = {};
  for (std::size_t i = 0; i < 4; i += is_complex ? 1 : 2) {
    ASSIGN_OR_RETURN(parts[i], part_in_shape(i < 2 ? a : b, i % 2 == 1, shape));
    ASSIGN_OR_RETURN(const std::byte* bytes, parts[i]->read());
    numbers[i] = reinterpret_cast<const double*>(bytes);
  }
  const Closeness close{relative, absolute, equal_nan};
  for (std::int64_t i = 0; i < parts[0]->size(); ++i) {
    const bool holds =
        is_complex ? close(std::complex(numbers[0][i], numbers[1][i]), std::complex(numbers[2][i], numbers[3][i]))
                   : close(numbers[0][i], numbers[2][i]);
    if (!holds) return Value(false);
  }
  return Value(true);
}

Outcome<Value> host_array_equal(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef a, arguments.any_array(0));
  ASSIGN_OR_RETURN(const ArrayRef b, arguments.any_array(1));
  if (a->shape != b->shape) return Value(false);
  if (a->record || b->record) {
    ASSIGN_OR_RETURN(const Value same, apply_to_records(BinaryFunction::Equal, Value(a), Value(b)));
    ASSIGN_OR_RETURN(const ArrayRef flags, to_array(same, ScalarType::Bool));
    ASSIGN_OR_RETURN(const ArrayRef all, reduce(Reduction::All, "all", flags, std::nullopt));
    return reduced(all);
  }
  ASSIGN_OR_RETURN(const ArrayRef equal, apply_arrays(BinaryFunction::Equal, a, b, promote(a->type, b->type)));
  ASSIGN_OR_RETURN(const ArrayRef all, reduce(Reduction::All, "all", equal, std::nullopt));
  return reduced(all);
}

Outcome<Value> host_shares_memory(Run&, const Arguments& arguments) {
  const ArrayRef* const a = arguments[0].as<ArrayRef>();
  const ArrayRef* const b = arguments[1].as<ArrayRef>();
  return Value(a != nullptr && b != nullptr && elements_meet(**a, **b));
}

/// Whole arrays begin at boundaries of any size that is asked for.
Outcome<Value> host_is_aligned(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  ASSIGN_OR_RETURN(const std::int64_t bytes, arguments.integer(1));
  if (bytes <= 0) return arguments.wrong_type(1, "a positive number");
  return Value(array->offset * array->unit_bytes() % bytes == 0);
}

// ---- shapes ----

/// reshape(2, 3) and reshape((2, 3)): the extents are one argument or several.
Outcome<Shape> shape_of_rest(const Arguments& arguments) {
  Arguments shaped = arguments;
  shaped.values = {arguments.rest.size() == 1 ? arguments.rest[0] : make_tuple(arguments.rest)};
  return shaped.shape(0);
}

Outcome<Value> host_reshape(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  ASSIGN_OR_RETURN(const Shape shape, shape_of_rest(arguments));
  return reshape_array(array, shape);
}

Outcome<Value> host_ravel(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  return reshape_array(array, {-1});
}

Outcome<Value> host_transpose(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  std::vector<std::size_t> axes;
  if (arguments.rest.empty()) {
    for (std::size_t i = array->rank(); i > 0; --i) axes.push_back(i - 1);
  } else {
    ASSIGN_OR_RETURN(const Shape listed, shape_of_rest(arguments));
    for (const std::int64_t axis : listed) {
      ASSIGN_OR_RETURN(const std::size_t position, checked_axis(axis, array->rank()));
      axes.push_back(position);
    }
    std::vector<std::size_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    const bool each_once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (!each_once || axes.size() != array->rank())
      return fail(DiagnosticId::HostWrongType, "axes` of `transpose",
                  "each axis of the " + std::to_string(array->rank()) + " once", shape_text(listed));
  }
  return Value(permute_axes(*array, axes));
}

Outcome<Value> host_broadcast_to(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(1));
  ASSIGN_OR_RETURN(const ArrayRef repeated, broadcast_array(*array, shape));
  return copy_array(repeated);
}

Outcome<Value> host_concatenate(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::vector<Value> parts, all_items(arguments[0]));
  ASSIGN_OR_RETURN(const std::int64_t given_axis, arguments.integer(1));
  if (parts.empty()) return fail(DiagnosticId::HostEmptyReduction, "concatenate");
  std::vector<ArrayRef> arrays;
  for (const Value& part : parts) {
    ASSIGN_OR_RETURN(const ArrayRef array, array_from(part, std::nullopt));
    arrays.push_back(array);
  }
  ASSIGN_OR_RETURN(const std::size_t axis, checked_axis(given_axis, arrays[0]->rank()));
  ScalarType type = arrays[0]->type;
  Shape shape = arrays[0]->shape;
  shape[axis] = 0;
  for (const ArrayRef& array : arrays) {
    Shape rest = array->shape;
    if (rest.size() != shape.size())
      return fail(DiagnosticId::HostShapeMismatch, shape_text(arrays[0]->shape), shape_text(rest));
    const std::int64_t extent = rest[axis];
    rest[axis] = shape[axis];
    if (rest != shape)
      return fail(DiagnosticId::HostShapeMismatch, shape_text(arrays[0]->shape), shape_text(array->shape));
    shape[axis] += extent;
    type = promote(type, array->type);
  }
  ASSIGN_OR_RETURN(const ArrayRef result, make_array(type, shape));
  std::int64_t at = 0;
  for (const ArrayRef& array : arrays) {
    RETURN_IF_FAILED(assign_array(
        *with_shape(*result, array->shape, result->strides, result->offset + at * result->strides[axis]), array));
    at += array->shape[axis];
  }
  return Value(result);
}

Outcome<Value> host_copy(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  return copy_array(array, array->order());
}

Outcome<Value> host_conjugate(Run& run, const Arguments& arguments) {
  if (is_complex(arguments[0])) return conjugate(arguments[0]);
  return operand_type(arguments[0]) && !arguments[0].is<ArrayRef>() ? arguments[0] : host_copy(run, arguments);
}

Outcome<Value> host_astype(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ElementType type, arguments.number_type(1));
  if (type.is_record()) {
    ASSIGN_OR_RETURN(const ArrayRef converted, to_records(arguments[0], type.record));
    return copy_array(converted);
  }
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  return array->type == type.scalar ? copy_array(array) : convert_array(array, type.scalar);
}

/// Of elements of the same size, or of a row-major array whose rows are whole numbers of the new ones.
Outcome<Value> host_view(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(1));
  Array view = *array;
  view.type = type;
  const std::int64_t from = size_in_bytes(array->type), to = size_in_bytes(type);
  if (from != to) {
    const bool is_whole = array->rank() > 0 && array->is_row_major() && array->shape.back() * from % to == 0;
    if (!is_whole || array->offset * from % to != 0)
      return arguments.wrong_type(1, "a type of " + std::to_string(from) + " bytes, or one that divides the rows");
    view.shape.back() = array->shape.back() * from / to;
    view.strides = dense_strides(view.shape, Order::RowMajor);
    view.offset = array->offset * from / to;
  }
  return Value(std::make_shared<const Array>(std::move(view)));
}

Outcome<Value> host_fill(Run&, const Arguments& arguments) {
  const ArrayRef* array = arguments[0].as<ArrayRef>();
  if (!array) return arguments.wrong_type(0, "an array");
  RETURN_IF_FAILED(set_item(arguments[0], Value(EllipsisValue{}), arguments[1]));
  return Value();
}

Outcome<Value> host_item(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));
  if (array->size() != 1) return arguments.wrong_type(0, "an array of one element");
  ASSIGN_OR_RETURN(const Scalar scalar, first_element(*array));
  if (scalar.type == ScalarType::Bool) return Value(scalar.bits != 0);
  if (is_float(scalar.type)) return Value(scalar.as<double>());
  const std::optional<std::int64_t> integer = as_integer(Value(scalar));
  return integer ? Value(*integer) : Value(scalar);  // beyond an i64 only a u64 is
}

Outcome<Value> host_tolist(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(0));
  if (array->rank() == 0) return array->record ? host_copy(run, arguments) : host_item(run, arguments);
  ASSIGN_OR_RETURN(std::vector<Value> items, all_items(arguments[0]));
  for (Value& item : items) {
    if (item.is<std::string>()) continue;
    Arguments inner = arguments;
    inner.values = {item};
    ASSIGN_OR_RETURN(item, host_tolist(run, inner));
  }
  return make_list(std::move(items));
}

Outcome<Value> host_where(Run&, const Arguments& arguments) { return where(arguments[0], arguments[1], arguments[2]); }

Outcome<Value> host_clip(Run&, const Arguments& arguments) {
  Value result = arguments[0];
  if (!arguments.is_none(1)) {
    ASSIGN_OR_RETURN(result, apply(BinaryFunction::Maximum, result, arguments[1]));
  }
  if (!arguments.is_none(2)) {
    ASSIGN_OR_RETURN(result, apply(BinaryFunction::Minimum, result, arguments[2]));
  }
  return result;
}

constexpr std::string_view kReduce = "a, axis=None, keepdims=False";
constexpr std::string_view kSpread = "a, axis=None, ddof=0, keepdims=False";

constexpr HostFunction kArrayFunctions[] = {
    {"sum", in(Library::Numpy, Library::ArrayMethod), kReduce, reduction<Reduction::Sum>,
     "The sum; floats are added in f64, pairwise."},
    {"prod", kEverywhere, kReduce, reduction<Reduction::Product>, "The product."},
    {"min", in(Library::Numpy, Library::ArrayMethod), kReduce, reduction<Reduction::Minimum>, "The smallest element."},
    {"max", in(Library::Numpy, Library::ArrayMethod), kReduce, reduction<Reduction::Maximum>, "The largest element."},
    {"mean", kEverywhere, kReduce, reduction<Reduction::Mean>, "The mean."},
    {"std", kEverywhere, kSpread, spread<Reduction::StandardDeviation>, "The standard deviation."},
    {"var", kEverywhere, kSpread, spread<Reduction::Variance>, "The variance."},
    {"any", kEverywhere, kReduce, reduction<Reduction::Any>, "Whether any element is true."},
    {"all", kEverywhere, kReduce, reduction<Reduction::All>, "Whether all elements are true."},
    {"argmin", kEverywhere, kReduce, reduction<Reduction::ArgMinimum>, "Where the smallest element is."},
    {"argmax", kEverywhere, kReduce, reduction<Reduction::ArgMaximum>, "Where the largest element is."},
    {"count_nonzero", kFunctionOnly, kReduce, reduction<Reduction::CountNonzero>, "How many elements are not zero."},
    {"norm", in(Library::Prelude, Library::Linalg), kReduce, reduction<Reduction::Norm>, "The Euclidean norm."},
    {"cumsum", kEverywhere, "a, axis=None", host_cumsum, "Running sums."},
    {"sort", kFunctionOnly, "a", host_sort, "The elements along the last axis in ascending order, as a new array."},
    {"bincount", kFunctionOnly, "x, minlength=0", host_bincount, "How often 0, 1, 2 and so on occur."},
    {"dot", kEverywhere, "a, b, out=None", host_dot,
     "The matrix product, or with a number that; floats are added in f64."},
    {"matmul", kFunctionOnly, "a, b, out=None", host_matmul, "The matrix product, `a @ b`."},
    {"trace", kEverywhere, "a, offset=0, out=None", host_trace, "The sum of the elements on a diagonal."},
    {"allclose", kFunctionOnly, "a, b, rtol=1e-5, atol=1e-8, equal_nan=False", host_allclose,
     "Whether `|a - b| <= atol + rtol * |b|` everywhere."},
    {"array_equal", kFunctionOnly, "a, b", host_array_equal, "Whether shapes and all elements are equal."},
    {"shares_memory", kFunctionOnly, "a, b", host_shares_memory,
     "Whether an element of the one array lies where one of the other does; what is no array lies nowhere."},
    {"is_aligned", in(Library::Prelude), "array, bytes", host_is_aligned,
     "Whether the array begins at a multiple of so many bytes; arrays that are no views do."},
    {"reshape", kEverywhere, "a, *shape", host_reshape, "The elements in another shape; one extent may be -1."},
    {"ravel", kEverywhere, "a", host_ravel, "The elements in one dimension."},
    {"flatten", kMethodOnly, "a", host_ravel, "The elements in one dimension."},
    {"transpose", kEverywhere, "a, *axes", host_transpose, "The axes in reverse order, or in the order given."},
    {"broadcast_to", kFunctionOnly, "a, shape", host_broadcast_to, "The array repeated to a shape."},
    {"concatenate", kFunctionOnly, "arrays, axis=0", host_concatenate, "Arrays joined along an axis."},
    {"copy", kEverywhere, "a", host_copy, "A new array of the same elements."},
    {"conjugate", in(Library::Numpy, Library::ArrayMethod), "a", host_conjugate, "The complex conjugate."},
    {"conj", in(Library::Numpy, Library::ArrayMethod), "a", host_conjugate, "The complex conjugate."},
    {"astype", kMethodOnly, "a, dtype", host_astype, "A new array of converted elements."},
    {"view", kMethodOnly, "a, dtype", host_view, "The same memory as elements of another type."},
    {"fill", kMethodOnly, "a, value", host_fill, "Sets all elements."},
    {"item", kMethodOnly, "a", host_item, "The only element, as a Python number."},
    {"tolist", kMethodOnly, "a", host_tolist, "The elements as nested lists."},
    {"where", kFunctionOnly, "condition, x, y", host_where, "`x` where the condition holds, else `y`."},
    {"clip", kEverywhere, "a, min=None, max=None", host_clip, "The elements, limited to an interval."},
};

}  // namespace

std::span<const HostFunction> array_functions() { return kArrayFunctions; }

}  // namespace pykc::script
