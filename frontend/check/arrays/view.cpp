// Parts of arrays, and arrays seen in another way: slices, transposes, other shapes and element types. None of them
// copies an element. What can be known of a view's layout and shape while compiling is in its type.
#include "frontend/check/arrays/view.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"

namespace pykc::checker {

using checked::Type;
using checked::ViewAxis;

namespace {

bool is_whole(const ViewAxis& axis) {
  return axis.kind == ViewAxis::Kind::Slice && !axis.start && !axis.stop && !axis.step;
}

std::optional<Int128> whole_constant(const checked::Expr* expr) {
  if (!expr || !expr->as<checked::Constant>()) return std::nullopt;
  return integer_of(*expr);
}

bool has_unit_step(const ViewAxis& axis) { return !axis.step || whole_constant(axis.step) == 1; }

/// Whether the axes, from the slowest to the fastest, take one run of the elements: indices, then a range, then all.
template <typename Axes>
bool takes_one_run(const Axes& axes) {
  bool has_range = false;
  for (const ViewAxis& axis : axes) {
    if (axis.kind == ViewAxis::Kind::New) continue;
    if (has_range && !is_whole(axis)) return false;
    if (axis.kind == ViewAxis::Kind::Slice && !has_unit_step(axis)) return false;
    has_range |= axis.kind == ViewAxis::Kind::Slice;
  }
  return true;
}

Layout layout_of_view(const ArrayType& array, const std::vector<ViewAxis>& axes) {
  const bool is_contiguous = array.layout != Layout::Strided;
  std::vector<ViewAxis> slowest_first = axes;
  if (array.layout == Layout::ColumnMajor) std::reverse(slowest_first.begin(), slowest_first.end());
  return is_contiguous && takes_one_run(slowest_first) ? array.layout : Layout::Strided;
}

/// How many elements a slice takes of a dimension, where that is known.
std::optional<std::int64_t> count_of(const ViewAxis& axis, std::int64_t extent) {
  if (axis.kind == ViewAxis::Kind::New) return 1;
  for (const checked::Expr* bound : {axis.start, axis.stop, axis.step})
    if (bound && !whole_constant(bound)) return std::nullopt;
  if (extent == ArrayType::kDynamic) return std::nullopt;
  return static_cast<std::int64_t>(positions_of(axis, extent).count);
}

/// All extents are known, or none is said to be.
void set_extents(ArrayType& type, const std::vector<std::optional<std::int64_t>>& extents) {
  const bool all_known =
      type.layout != Layout::Strided &&
      std::all_of(extents.begin(), extents.end(), [](const auto& e) { return e.has_value() && *e > 0; });
  type.extents.clear();
  for (const auto& extent : extents) type.extents.push_back(all_known ? *extent : ArrayType::kDynamic);
  if (type.rank() <= 1 && type.layout == Layout::ColumnMajor) type.layout = Layout::RowMajor;
}

/// Whether a slice goes on to the end of the array.
bool is_open(const ViewAxis& axis) {
  return axis.kind == ViewAxis::Kind::Slice && !axis.stop && whole_constant(axis.step).value_or(1) > 0;
}

/// An array of this type in the memory of `array`.
template <typename Node>
Value viewed_as(FunctionChecker& checker, const Value& array, ArrayType type, SourceRange range, Node node,
                bool is_pointer = false) {
  const ir::AddressSpace space = array.type()->space;
  const Type view =
      is_pointer ? checker.types.pointer(std::move(type), space) : checker.types.of(std::move(type), space);
  return TreeBuilder::strong(checker.tree.make(view, range, std::move(node)));
}

struct MethodName {
  std::string_view name;
  Method method;
};
constexpr MethodName kMethods[] = {
    {"reshape", Method::Reshape}, {"ravel", Method::Ravel}, {"transpose", Method::Transpose},
    {"view", Method::View},       {"item", Method::Item},   {"conjugate", Method::Conjugate},
    {"copy", Method::Copy}};

std::vector<int> reversed_order(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

constexpr std::string_view kAttributes[] = {"shape",     "strides", "ndim",    "size", "itemsize", "nbytes",
                                            "dtype",     "flags",   "T",       "flat", "view",     "item",
                                            "transpose", "ravel",   "reshape", "copy"};

std::optional<ViewAxis> slice_axis(FunctionChecker& checker, const ast::Slice& slice) {
  ViewAxis axis;
  bool all_known = true;
  const auto bound = [&](const ast::ExprPtr& written) -> const Expr* {
    if (!written || written->as<ast::NoneLiteral>()) return nullptr;
    const Value given = checker.value(*written);
    const Expr* converted = given.known() ? index_number(checker, given) : nullptr;
    all_known &= converted != nullptr;
    return converted;
  };
  axis.start = bound(slice.lower);
  axis.stop = bound(slice.upper);
  axis.step = bound(slice.step);
  if (whole_constant(axis.step) == 0) {
    checker.report(slice.step->range, DiagnosticId::SliceStep);
    return std::nullopt;
  }
  if (!all_known) return std::nullopt;
  return axis;
}

bool add_index_item(FunctionChecker& checker, const ast::Expr& part, bool may_be_tuple, std::vector<IndexItem>& items) {
  using Kind = IndexItem::Kind;
  if (part.as<ast::EllipsisLiteral>()) {
    items.push_back({Kind::Ellipsis, {}, {}, part.range});
    return true;
  }
  if (const auto* slice = part.as<ast::Slice>()) {
    std::optional<ViewAxis> axis = slice_axis(checker, *slice);
    if (axis) items.push_back({Kind::Slice, {}, *axis, part.range});
    return axis.has_value();
  }
  const Entity found = checker.entity(part);
  const auto* named = std::get_if<LanguageFunctionRef>(&found);
  if (std::holds_alternative<NoneRef>(found) || (named && named->id == LanguageFunction::NewAxis)) {
    items.push_back({Kind::NewAxis, {}, {}, part.range});
    return true;
  }
  const Value position = to_value(checker, found, part.range);
  if (!position.known()) return false;
  if (!position.is_tuple() || !may_be_tuple) {
    items.push_back({Kind::Position, position, {}, part.range});
    return true;
  }
  for (const Value& element : all_elements(checker, position))
    items.push_back({Kind::Position, element, {}, part.range});
  return true;
}

Value view_of(FunctionChecker& checker, const Value& array, checked::View view, SourceRange range) {
  ArrayType type = array.type()->array;
  type.layout = layout_of_view(type, view.axes);
  std::vector<std::optional<std::int64_t>> extents;
  std::size_t dimension = 0;
  for (const ViewAxis& axis : view.axes) {
    const bool is_new = axis.kind == ViewAxis::Kind::New;
    const std::int64_t extent = is_new ? 1 : array.type()->array.extents[dimension++];
    if (axis.kind != ViewAxis::Kind::Index) extents.push_back(count_of(axis, extent));
  }
  if (static_cast<int>(extents.size()) > kMaximumRank) {
    checker.report(range, DiagnosticId::TooManyDimensions);
    return {};
  }
  set_extents(type, extents);
  const bool is_pointer = array.type()->is_pointer && std::ranges::any_of(view.axes, is_open);
  return viewed_as(checker, array, std::move(type), range, std::move(view), is_pointer);
}

Value transposed(FunctionChecker& checker, const Value& array, std::vector<int> order, SourceRange range) {
  const ArrayType& from = array.type()->array;
  const int rank = from.rank();
  const bool is_same = std::is_sorted(order.begin(), order.end());
  const bool is_reversed = std::is_sorted(order.rbegin(), order.rend());
  if (is_same || rank <= 1) return array;
  ArrayType type = from;
  if (from.layout != Layout::Strided && is_reversed)
    type.layout = from.layout == Layout::RowMajor ? Layout::ColumnMajor : Layout::RowMajor;
  else
    type.layout = Layout::Strided;
  std::vector<std::optional<std::int64_t>> extents;
  for (const int dimension : order) extents.push_back(count_of({}, from.extents[static_cast<std::size_t>(dimension)]));
  set_extents(type, extents);
  return viewed_as(checker, array, std::move(type), range, checked::Transpose{array.expr, std::move(order)});
}

bool require_row_major(FunctionChecker& checker, const Value& array, std::string_view what, SourceRange range) {
  const ArrayType& type = array.type()->array;
  if (type.layout == Layout::RowMajor || (type.rank() <= 1 && type.layout != Layout::Strided)) return true;
  checker.report(range, DiagnosticId::NotContiguous, what, checked::to_string(array.type()));
  return false;
}

/// `extents` are integers; one may be -1.
Value reshaped(FunctionChecker& checker, const Value& array, const std::vector<Value>& extents, SourceRange range) {
  if (!require_row_major(checker, array, "reshape", range)) return {};
  checked::Reshape reshape{array.expr, {}, -1};
  std::vector<std::optional<std::int64_t>> known;
  Int128 product = 1;
  int open = 0;
  for (const Value& extent : extents) {
    const Expr* converted = index_number(checker, extent);
    if (!converted) return {};
    reshape.extents.push_back(converted);
    const std::optional<Int128> constant = whole_constant(converted);
    if (constant && *constant < 0) ++open;
    if (constant && *constant > 0 && product <= (Int128{1} << 48)) product *= *constant;
    known.push_back(constant ? std::optional(static_cast<std::int64_t>(*constant)) : std::nullopt);
  }
  if (open > 0 && !require_length(checker, array, range)) return {};
  const ArrayType& from = array.type()->array;
  const bool all_known = std::all_of(known.begin(), known.end(), [](const auto& extent) { return extent.has_value(); });
  std::optional<Int128> size;
  if (from.has_static_shape() || from.rank() == 0)
    size = std::accumulate(from.extents.begin(), from.extents.end(), Int128{1}, std::multiplies<>());
  const bool fits = !size || !all_known || (open > 0 ? *size % product == 0 : *size == product);
  if (open > 1 || !fits) {
    checker.report(range, DiagnosticId::ReshapeSize, checked::to_string(array.type()))
        .note("the product of the extents is the number of elements; one of them may be -1, for what is left");
    return {};
  }
  if (static_cast<int>(extents.size()) > kMaximumRank) {
    checker.report(range, DiagnosticId::TooManyDimensions);
    return {};
  }
  for (auto& extent : known) {
    if (!size) extent.reset();
    if (size && extent && *extent < 0) extent = static_cast<std::int64_t>(*size / product);
  }
  if (checks_bounds(checker, *array.expr) && !(size && all_known))
    reshape.fault = add_fault(checker, "an array of {0} elements cannot be reshaped to one of {1}", range);
  ArrayType type = array.type()->array;
  type.layout = Layout::RowMajor;
  set_extents(type, known);
  return viewed_as(checker, array, std::move(type), range, std::move(reshape));
}

/// All elements in row-major order, as one dimension.
Value flattened(FunctionChecker& checker, const Value& array, std::string_view what, SourceRange range) {
  if (array.type()->array.rank() == 1) return array;
  if (!require_row_major(checker, array, what, range)) return {};
  return reshaped(checker, array, {checker.tree.weak_integer(-1, range)}, range);
}

Value reinterpreted(FunctionChecker& checker, const Value& array, ScalarType element, SourceRange range) {
  ArrayType type = array.type()->array;
  const std::int64_t from = size_in_bytes(type.element), to = size_in_bytes(element);
  if (from != to) {
    if (!require_row_major(checker, array, "view with another size of element", range)) return {};
    const std::int64_t last = type.rank() == 0 ? 1 : type.extents.back();
    const bool fits = last == ArrayType::kDynamic || last * from % to == 0;
    if (!fits || type.rank() == 0) {
      checker.report(range, DiagnosticId::ViewSize, checked::to_string(array.type()), to_string(element));
      return {};
    }
    if (last != ArrayType::kDynamic) type.extents.back() = last * from / to;
  }
  type.element = element;
  return viewed_as(checker, array, std::move(type), range, checked::Reinterpret{array.expr}, array.type()->is_pointer);
}

/// `a.copy()`: an array of the thread's own, which is the same one each time that the place is reached.
Value copied(FunctionChecker& checker, const Value& array, SourceRange range) {
  const ArrayType& from = array.type()->array;
  if (!from.has_static_shape()) {
    checker
        .report(range, DiagnosticId::UnsupportedInKernel, "a copy of an array whose shape is not known while compiling")
        .note("copy the elements into an array of a known shape: `b = local.array(N, dtype)`, then `b[:] = a`");
    return {};
  }
  const Value copy = own_array(checker, {from.element, Layout::RowMajor, from.extents}, range);
  store_array(checker, copy, array, std::nullopt, range);
  return copy;
}

Value call_transpose(FunctionChecker& checker, const Value& array, const std::vector<Value>& axes, SourceRange range) {
  const int rank = array.type()->array.rank();
  if (axes.empty()) return transposed(checker, array, reversed_order(rank), range);
  std::vector<int> order;
  for (const Value& axis : axes) {
    const Int128 given = axis.is_constant() && is_integer(axis.scalar()) ? integer_of(*axis.expr) : rank;
    const Int128 dimension = given < 0 ? given + rank : given;
    const bool is_new = std::find(order.begin(), order.end(), static_cast<int>(dimension)) == order.end();
    if (dimension < 0 || dimension >= rank || !is_new) break;
    order.push_back(static_cast<int>(dimension));
  }
  if (order.size() == axes.size() && static_cast<int>(order.size()) == rank)
    return transposed(checker, array, std::move(order), range);
  checker.report(range, DiagnosticId::ArgumentValue, "transpose",
                 "each of the dimensions 0 to " + std::to_string(rank - 1) + " once, as constants");
  return {};
}

/// `a.item()`, `a.item(i)` counting through all elements, `a.item(i, j)`
Value item_of(FunctionChecker& checker, const Value& array, std::vector<Value> position, SourceRange range) {
  const ArrayType& type = array.type()->array;
  const auto rank = static_cast<std::size_t>(type.rank());
  if (position.size() == rank) return index(checker, array, std::move(position), range);
  if (position.empty())
    return index(checker, array, std::vector<Value>(rank, checker.tree.weak_integer(0, range)), range);
  if (position.size() == 1) {
    const Value flat = flattened(checker, array, "item", range);
    return flat.known() ? index(checker, flat, std::move(position), range) : Value{};
  }
  report_index_count(checker, array, static_cast<int>(position.size()), range);
  return {};
}

}  // namespace

Positions positions_of(const ViewAxis& slice, Int128 size) {
  const Int128 step = whole_constant(slice.step).value_or(1);
  const Int128 low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto clip = [&](const checked::Expr* bound, Int128 otherwise) {
    const std::optional<Int128> written = whole_constant(bound);
    return written ? std::clamp(*written < 0 ? *written + size : *written, low, high) : otherwise;
  };
  const Int128 start = clip(slice.start, step > 0 ? low : high), stop = clip(slice.stop, step > 0 ? high : low);
  const Int128 span = step > 0 ? stop - start : start - stop, length = step > 0 ? step : -step;
  return {start, step, span <= 0 ? 0 : (span - 1) / length + 1};
}

// ---- what stands between the brackets ----
std::optional<std::vector<IndexItem>> index_items(FunctionChecker& checker, const ast::Expr& index) {
  std::vector<IndexItem> items;
  const auto* tuple = index.as<ast::Tuple>();
  if (!tuple) {
    if (!add_index_item(checker, index, true, items)) return std::nullopt;
    return items;
  }
  bool all_known = true;
  for (const ast::ExprPtr& part : tuple->elements) all_known &= add_index_item(checker, *part, false, items);
  if (!all_known) return std::nullopt;
  return items;
}

// ---- views ----

/// An element where every dimension has a position, else a view. Dimensions that nothing stands for are taken whole.
Value select(FunctionChecker& checker, const Value& array, const std::vector<IndexItem>& items, SourceRange range) {
  using Kind = IndexItem::Kind;
  const int rank = array.type()->array.rank();
  const auto count = [&](Kind kind) {
    return static_cast<int>(
        std::count_if(items.begin(), items.end(), [&](const auto& item) { return item.kind == kind; }));
  };
  const int positions = count(Kind::Position), used = positions + count(Kind::Slice);
  if (count(Kind::Ellipsis) > 1) {
    checker.report(range, DiagnosticId::IndexType, "a second `...`");
    return {};
  }
  if (used > rank) {
    report_index_count(checker, array, used, range);
    return {};
  }
  const auto counts_from_end = [](const IndexItem& item) {
    const bool begins_there = !item.slice.start && whole_constant(item.slice.step).value_or(1) < 0;
    return begins_there || whole_constant(item.slice.start).value_or(0) < 0 ||
           whole_constant(item.slice.stop).value_or(0) < 0;
  };
  if (std::ranges::any_of(items, counts_from_end) && !require_length(checker, array, range)) return {};
  if (positions == rank && static_cast<int>(items.size()) == rank) {
    std::vector<Value> indices;
    for (const IndexItem& item : items) indices.push_back(item.position);
    return index(checker, array, std::move(indices), range);
  }
  checked::View view{array.expr, {}, wraps_around(checker, *array.expr), -1};
  int dimension = 0;
  const auto take_whole = [&] {
    for (int left = rank - used; left > 0; --left, ++dimension) view.axes.push_back({});
  };
  for (const IndexItem& item : items) {
    if (item.kind == Kind::Ellipsis) take_whole();
    if (item.kind == Kind::NewAxis) view.axes.push_back({.kind = ViewAxis::Kind::New});
    if (item.kind == Kind::Slice) view.axes.push_back(item.slice), ++dimension;
    if (item.kind != Kind::Position) continue;
    const Expr* position = index_value(checker, array, item.position, dimension++);
    if (!position) return {};
    view.axes.push_back({.kind = ViewAxis::Kind::Index, .start = position});
  }
  if (count(Kind::Ellipsis) == 0) take_whole();
  if (positions > 0 && checks_bounds(checker, *array.expr))
    view.bounds_fault = bounds_fault(checker, *array.expr, range);
  return view_of(checker, array, std::move(view), range);
}

// ---- attributes and methods ----

/// `flags`: what the array's type says of how it lies, so that they are constants.
Value flags_of(FunctionChecker& checker, const ArrayType& type, SourceRange range) {
  const bool by_rows = type.layout == Layout::RowMajor;
  const bool by_columns = type.layout == Layout::ColumnMajor || (by_rows && type.rank() == 1);
  std::vector<Value> flags;
  for (const bool flag : {by_rows, by_columns, by_rows || by_columns})
    flags.push_back(TreeBuilder::strong(checker.tree.boolean(flag, range)));
  return checker.tree.tuple(std::move(flags), range, {"c_contiguous", "f_contiguous", "contiguous"});
}

Entity array_attribute(FunctionChecker& checker, const Value& array, const ast::Attribute& node, SourceRange range) {
  if (!array.known()) return Unknown{};
  const int rank = array.type()->array.rank();
  const std::string_view name = node.name;
  if (name == "ndim") return checker.tree.weak_integer(rank, range);
  if (name == "dtype") return TypeRef{array.type()->array.element};
  if (name == "itemsize") return checker.tree.weak_integer(size_in_bytes(array.type()->array.element), range);
  if (name == "flags") return flags_of(checker, array.type()->array, range);
  if (name == "flat") return flattened(checker, array, "`flat`", range);
  if (name == "T") return transposed(checker, array, reversed_order(rank), range);
  if (name == "shape" || name == "strides" || name == "size" || name == "nbytes") {
    if (is_simple(*array.expr)) return measured(checker, array, name, range);
    return TreeBuilder::strong(with_temporary(checker, array.expr, [&](const Expr* kept) {
      return measured(checker, TreeBuilder::strong(kept), name, range).expr;
    }));
  }
  for (const MethodName& row : kMethods)
    if (row.name == name && row.method != Method::Conjugate) return MethodRef{array, row.method};
  if (const ElementType& element = array.type()->array.element; element.is_record() && element.record->find(name))
    return field_view(checker, array, name, node.name_range, range);
  for (const Reduction& row : all_reductions())
    if (row.name == name && row.is_method()) return ReductionRef{&row, array};
  auto diagnostic = checker.report(node.name_range, DiagnosticId::UnknownAttribute, "an array in a kernel", name);
  const std::string_view near = nearest(name, {std::begin(kAttributes), std::end(kAttributes)});
  diagnostic.did_you_mean(near);
  if (near.empty())
    diagnostic.note(
        "an array has shape, strides, ndim, size, itemsize, nbytes, dtype, flags, T, flat, reshape, ravel, transpose, "
        "view, "
        "item, copy, and sum, min and their kin here; the rest is for host functions");
  return Unknown{};
}

/// `shape`, `strides`, `size`, `nbytes`
Value measured(FunctionChecker& checker, const Value& array, std::string_view name, SourceRange range) {
  const int rank = array.type()->array.rank();
  const Value item = checker.tree.weak_integer(size_in_bytes(array.type()->array.element), range);
  if (name == "shape" || name == "strides") {
    std::vector<Value> numbers;
    for (int i = 0; i < rank; ++i) {
      const Value stride =
          TreeBuilder::strong(checker.tree.scalar(ScalarType::I64, range, checked::Stride{array.expr, i}));
      numbers.push_back(name == "shape" ? extent(checker, array, i, range)
                                        : binary(checker, ast::BinaryOp::Mul, stride, item, range));
    }
    return checker.tree.tuple(std::move(numbers), range);
  }
  Value size = checker.tree.weak_integer(1, range);
  for (int i = 0; i < rank; ++i)
    size = i == 0 ? extent(checker, array, 0, range)
                  : binary(checker, ast::BinaryOp::Mul, size, extent(checker, array, i, range), range);
  return name == "size" ? size : binary(checker, ast::BinaryOp::Mul, size, item, range);
}

Entity call_method(FunctionChecker& checker, const MethodRef& method, const ast::Call& call, SourceRange range) {
  const std::string_view name = kMethods[static_cast<std::size_t>(method.method)].name;
  if (!has_no_keywords(checker, call, as_code(name))) return Unknown{};
  if (method.method == Method::View) {
    constexpr std::string_view kParameters[] = {"dtype"};
    const auto arguments = bind_arguments(checker, call, range, name, kParameters, 1, "(dtype)");
    const std::optional<ScalarType> type = arguments ? scalar_type(checker, *(*arguments)[0]) : std::nullopt;
    return type ? Entity(reinterpreted(checker, method.self, *type, range)) : Entity(Unknown{});
  }
  if (method.method == Method::Conjugate) {
    if (!bind_arguments(checker, call, range, name, {}, 0, "()")) return Unknown{};
    return conjugate(checker, method.self, range);
  }
  if (method.method == Method::Copy) {
    if (!bind_arguments(checker, call, range, name, {}, 0, "()")) return Unknown{};
    return copied(checker, method.self, range);
  }
  std::optional<std::vector<Value>> listed = listed_arguments(checker, call);
  if (!listed) return Unknown{};
  std::vector<Value>& given = *listed;
  switch (method.method) {
    case Method::Reshape:
      return reshaped(checker, method.self, given, range);
    case Method::Transpose:
      return call_transpose(checker, method.self, given, range);
    case Method::Item:
      return item_of(checker, method.self, std::move(given), range);
    case Method::Ravel:
    case Method::View:  // these four have returned above
    case Method::Conjugate:
    case Method::Copy:
      break;
  }
  if (given.empty()) return flattened(checker, method.self, "ravel", range);
  checker.report(range, DiagnosticId::ArgumentCount, "`ravel`", "no arguments", std::to_string(given.size()));
  return Unknown{};
}

}  // namespace pykc::checker
