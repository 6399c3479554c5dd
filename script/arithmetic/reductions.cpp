// Every reduction sees rows: the axes that go are moved to the end and made dense, so that one loop over a contiguous
// run serves all of them.
#include "script/arithmetic/reductions.h"

#include <algorithm>
#include <cmath>

#include "script/arithmetic/device_expressions.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

constexpr std::int64_t kPairwiseBlock = 128;

/// The sum of `term(x)` in f64; halves are summed for themselves, so the error grows with the logarithm of the length.
template <typename T, typename Term>
double pairwise_sum(const T* row, std::int64_t length, Term term) {
  if (length > kPairwiseBlock) {
    const std::int64_t half = length / 2;
    return pairwise_sum(row, half, term) + pairwise_sum(row + half, length - half, term);
  }
  double sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= length; i += 4)
    for (int lane = 0; lane < 4; ++lane) sums[lane] += term(static_cast<double>(row[i + lane]));
  for (; i < length; ++i) sums[0] += term(static_cast<double>(row[i]));
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Operations on one row. Each gives the value of the result's element.
template <typename T>
struct RowOf {
  const T* elements;
  std::int64_t length;

  double mean() const {
    return pairwise_sum(elements, length, [](double x) { return x; }) / static_cast<double>(length);
  }
  double variance(std::int64_t degrees) const {
    const double center = mean();
    const double sum = pairwise_sum(elements, length, [center](double x) { return (x - center) * (x - center); });
    return sum / static_cast<double>(length - degrees);
  }
  double norm() const {
    return std::sqrt(pairwise_sum(elements, length, [](double x) { return x * x; }));
  }
  auto sum() const {
    if constexpr (kIsFloat<T>) {
      return pairwise_sum(elements, length, [](double x) { return x; });
    } else {
      std::uint64_t total = 0;
      for (std::int64_t i = 0; i < length; ++i) total += static_cast<std::uint64_t>(elements[i]);
      return total;
    }
  }
  auto product() const {
    std::conditional_t<kIsFloat<T>, double, std::uint64_t> result = 1;
    for (std::int64_t i = 0; i < length; ++i) result *= static_cast<decltype(result)>(Compute<T>(elements[i]));
    return result;
  }
  /// The first element that no other precedes; a NaN precedes all.
  template <typename Before>
  std::int64_t first(Before before) const {
    std::int64_t best = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto x = static_cast<Compute<T>>(elements[i]);
      if constexpr (kIsFloat<T>)
        if (std::isnan(x)) return i;
      if (before(x, static_cast<Compute<T>>(elements[best]))) best = i;
    }
    return best;
  }
  std::int64_t nonzero() const {
    return std::count_if(elements, elements + length, [](T x) { return static_cast<Compute<T>>(x) != 0; });
  }
};

struct Rows {
  ArrayRef elements;  // the reduced axes last
  std::int64_t count, length;
  Shape result_shape;
  std::vector<std::size_t> reduced;  // axes
};

/// The rows, whose elements are not made dense yet.
Rows rows_of(const ArrayRef& array, const Axes& axes, bool keep) {
  std::vector<std::size_t> kept;
  Rows rows{nullptr, 1, 1, {}, {}};
  for (std::size_t i = 0; i < array->rank(); ++i) {
    const bool goes = !axes || std::find(axes->begin(), axes->end(), i) != axes->end();
    (goes ? rows.reduced : kept).push_back(i);
    (goes ? rows.length : rows.count) *= array->shape[i];
    if (!goes) rows.result_shape.push_back(array->shape[i]);
    if (goes && keep) rows.result_shape.push_back(1);
  }
  kept.insert(kept.end(), rows.reduced.begin(), rows.reduced.end());
  rows.elements = permute_axes(*array, kept);
  return rows;
}

ScalarType result_type(Reduction reduction, ScalarType type) {
  const ScalarType real = is_float(type) ? type : ScalarType::F64;
  switch (reduction) {
    case Reduction::Sum:
    case Reduction::Product:
      return is_float(type) ? type : is_unsigned_integer(type) ? ScalarType::U64 : ScalarType::I64;
    case Reduction::Minimum:
    case Reduction::Maximum:
      return type;
    case Reduction::Mean:
    case Reduction::Variance:
    case Reduction::StandardDeviation:
    case Reduction::Norm:
      return real;
    case Reduction::Any:
    case Reduction::All:
      return ScalarType::Bool;
    default:
      return ScalarType::I64;
  }
}

bool needs_elements(Reduction reduction) {
  return reduction == Reduction::Minimum || reduction == Reduction::Maximum || reduction == Reduction::ArgMinimum ||
         reduction == Reduction::ArgMaximum;
}

template <typename T>
Scalar reduce_row(Reduction reduction, const RowOf<T>& row, ScalarType to, std::int64_t degrees) {
  const auto less = [](auto a, auto b) { return a < b; };
  const auto greater = [](auto a, auto b) { return a > b; };
  switch (reduction) {
    case Reduction::Sum:
      return Scalar::of(row.sum(), to);
    case Reduction::Product:
      return Scalar::of(row.product(), to);
    case Reduction::Minimum:
      return Scalar::of(row.elements[row.first(less)], to);
    case Reduction::Maximum:
      return Scalar::of(row.elements[row.first(greater)], to);
    case Reduction::Mean:
      return Scalar::of(row.mean(), to);
    case Reduction::Variance:
      return Scalar::of(row.variance(degrees), to);
    case Reduction::StandardDeviation:
      return Scalar::of(std::sqrt(row.variance(degrees)), to);
    case Reduction::Any:
      return Scalar::of(row.nonzero() > 0, to);
    case Reduction::All:
      return Scalar::of(row.nonzero() == row.length, to);
    case Reduction::ArgMinimum:
      return Scalar::of(row.first(less), to);
    case Reduction::ArgMaximum:
      return Scalar::of(row.first(greater), to);
    case Reduction::Norm:
      return Scalar::of(row.norm(), to);
    case Reduction::CountNonzero:
      break;
  }
  return Scalar::of(row.nonzero(), to);
}

/// With the means of the same rows, where the reduction takes them.
Status reduce_on(DeviceOperations& device, const ReductionSource& source, const ArrayRef& result, const ArrayRef& array,
                 const std::vector<std::size_t>& axes) {
  std::vector<ArrayRef> inputs = {array};
  if (source.inputs != "x") {
    Shape shape = array->shape;
    for (const std::size_t axis : axes) shape[axis] = 1;
    ASSIGN_OR_RETURN(inputs.emplace_back(), make_array(ScalarType::F64, shape));
    RETURN_IF_FAILED(device.reduce(*inputs.back(), *device_reduction(Reduction::Mean, array->type, 0),
                                   {axes.begin(), axes.end()}, {array}));
  }
  return device.reduce(*result, source, {axes.begin(), axes.end()}, inputs);
}

}  // namespace

Outcome<ArrayRef> reduce(Reduction reduction, std::string_view name, const ArrayRef& array, const Axes& axes, bool keep,
                         std::int64_t degrees) {
  if (is_float8(array->type) && result_type(reduction, array->type) != ScalarType::Bool)
    return fail(DiagnosticId::HostOperandType, name, describe(Value(array))).note(kStoredOnly);
  const Rows rows = rows_of(array, axes, keep);
  if (rows.length == 0 && rows.count > 0 && needs_elements(reduction))
    return fail(DiagnosticId::HostEmptyReduction, name);
  const ScalarType type = result_type(reduction, array->type);
  ASSIGN_OR_RETURN(ArrayRef result, make_array(type, rows.result_shape));
  share_home(*result, {array.get()});
  DeviceOperations* const device = rows.reduced.empty() ? nullptr : device_for({array.get()}, array->size());
  if (device)
    if (const std::optional<ReductionSource> source = device_reduction(reduction, array->type, degrees)) {
      RETURN_IF_FAILED(reduce_on(*device, *source, result, array, rows.reduced));
      return result;
    }
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(rows.elements));
  ASSIGN_OR_RETURN(const std::byte* from, dense->read());
  ASSIGN_OR_RETURN(std::byte* const to, result->write());
  with_type(array->type, [&]<typename T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const RowOf<T> row{reinterpret_cast<const T*>(from) + i * rows.length, rows.length};
      reduce_row(reduction, row, type, degrees).store(to + i * size_in_bytes(type));
    }
  });
  return result;
}

Outcome<ArrayRef> cumulative_sum(const ArrayRef& array, std::size_t axis) {
  if (is_float8(array->type))
    return fail(DiagnosticId::HostOperandType, "cumsum", describe(Value(array))).note(kStoredOnly);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < array->rank(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  const ScalarType type = result_type(Reduction::Sum, array->type);
  ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(permute_axes(*array, order), type));
  ASSIGN_OR_RETURN(const ArrayRef sums, copy_array(converted));
  ASSIGN_OR_RETURN(std::byte* const address, sums->write());
  const std::int64_t length = array->shape[axis], count = length == 0 ? 0 : array->size() / length;
  with_type(type, [&]<typename T>(std::type_identity<T>) {
    for (std::int64_t row = 0; row < count; ++row) {
      T* const elements = reinterpret_cast<T*>(address) + row * length;
      std::conditional_t<kIsFloat<T>, double, std::uint64_t> total = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        total += static_cast<decltype(total)>(Compute<T>(elements[i]));
        elements[i] = convert_element<T>(total);
      }
    }
  });
  std::vector<std::size_t> back(array->rank());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return permute_axes(*sums, back);
}

Outcome<ArrayRef> sorted_array(const ArrayRef& array) {
  ASSIGN_OR_RETURN(const ArrayRef sorted, copy_array(array));
  ASSIGN_OR_RETURN(std::byte* const address, sorted->write());
  const std::int64_t length = array->shape.back(), count = length == 0 ? 0 : array->size() / length;
  with_type(array->type, [&]<typename T>(std::type_identity<T>) {
    const auto before = [](T a, T b) {
      const auto x = static_cast<Compute<T>>(a), y = static_cast<Compute<T>>(b);
      if constexpr (kIsFloat<T>)
        if (std::isnan(y)) return !std::isnan(x);
      return x < y;
    };
    for (std::int64_t row = 0; row < count; ++row) {
      T* const elements = reinterpret_cast<T*>(address) + row * length;
      std::sort(elements, elements + length, before);
    }
  });
  return sorted;
}

Outcome<ArrayRef> count_occurrences(const ArrayRef& array, std::int64_t least_length) {
  if (is_float(array->type) || array->rank() != 1)
    return fail(DiagnosticId::HostWrongType, "bincount's argument", "a one-dimensional array of integers",
                describe(Value(array)));
  ASSIGN_OR_RETURN(ArrayRef values, convert_array(array, ScalarType::I64));
  ASSIGN_OR_RETURN(values, dense_array(values));
  ASSIGN_OR_RETURN(const std::byte* address, values->read());
  const auto* elements = reinterpret_cast<const std::int64_t*>(address);
  std::int64_t length = std::max<std::int64_t>(least_length, 0);
  for (std::int64_t i = 0; i < values->size(); ++i) {
    if (elements[i] < 0 || elements[i] >= (std::int64_t{1} << 40))
      return fail(DiagnosticId::HostValueOutOfRange, std::to_string(elements[i]), "a bin number");
    length = std::max(length, elements[i] + 1);
  }
  ASSIGN_OR_RETURN(ArrayRef counts, make_array(ScalarType::I64, {length}, Order::RowMajor, Scalar{ScalarType::I64, 0}));
  ASSIGN_OR_RETURN(std::byte* const result, counts->write());
  for (std::int64_t i = 0; i < values->size(); ++i) ++reinterpret_cast<std::int64_t*>(result)[elements[i]];
  return counts;
}

namespace {

/// c += a @ b for dense row-major matrices of one type; `c` is the accumulator, f64 for floats.
template <typename T, typename Sum>
void multiply(const T* a, const T* b, Sum* c, std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto factor = static_cast<Sum>(static_cast<Compute<T>>(a[i * depth + k]));
      for (std::int64_t j = 0; j < columns; ++j)
        c[i * columns + j] += factor * static_cast<Sum>(static_cast<Compute<T>>(b[k * columns + j]));
    }
}

}  // namespace

Outcome<ArrayRef> matrix_product(const ArrayRef& a, const ArrayRef& b) {
  const auto is_fine = [](const Array& array) { return array.rank() == 1 || array.rank() == 2; };
  if (!is_fine(*a) || !is_fine(*b) || a->shape.back() != b->shape.front())
    return fail(DiagnosticId::HostShapeMismatch, shape_text(a->shape), shape_text(b->shape))
        .note("a product sums over the last axis of the left and the first of the right; both have rank 1 or 2");
  if (is_float8(a->type) || is_float8(b->type))
    return fail(DiagnosticId::HostOperandTypes, "@", describe(Value(a)), describe(Value(b))).note(kStoredOnly);
  const ScalarType type = promote(a->type, b->type);
  ASSIGN_OR_RETURN(ArrayRef left, convert_array(a, type));
  ASSIGN_OR_RETURN(left, dense_array(left));
  ASSIGN_OR_RETURN(ArrayRef right, convert_array(b, type));
  ASSIGN_OR_RETURN(right, dense_array(right));
  Shape shape;
  if (a->rank() == 2) shape.push_back(a->shape[0]);
  if (b->rank() == 2) shape.push_back(b->shape[1]);
  const std::int64_t rows = a->rank() == 2 ? a->shape[0] : 1, columns = b->rank() == 2 ? b->shape[1] : 1;
  const ScalarType working = is_float(type) ? ScalarType::F64 : ScalarType::U64;
  ASSIGN_OR_RETURN(ArrayRef sums, make_array(working, shape, Order::RowMajor, Scalar{working, 0}));
  ASSIGN_OR_RETURN(const std::byte* from_left, left->read());
  ASSIGN_OR_RETURN(const std::byte* from_right, right->read());
  ASSIGN_OR_RETURN(std::byte* const to, sums->write());
  with_type(type, [&]<typename T>(std::type_identity<T>) {
    using Sum = std::conditional_t<kIsFloat<T>, double, std::uint64_t>;
    multiply(reinterpret_cast<const T*>(from_left), reinterpret_cast<const T*>(from_right), reinterpret_cast<Sum*>(to),
             rows, a->shape.back(), columns);
  });
  return convert_array(sums, type);
}

}  // namespace pykc::script
