#include "pykc/mapping.h"

#include <gtest/gtest.h>

#include <vector>

#include "pykc/view.h"

namespace pykc {
namespace {

using Shape = std::vector<std::int64_t>;

Mapping dense(const Shape& shape, Layout order = Layout::RowMajor) { return Mapping::dense(shape, order).value(); }

template <typename... Indices>
Result<Mapping> slice(const Mapping& mapping, Indices... indices) {
  return mapping.slice(std::vector<Index>{Index(indices)...});
}

/// "shape (2, 3) and strides (3, 1) from 0", or the error.
std::string show(const Result<Mapping>& mapping) {
  if (!mapping) return mapping.error().message;
  return to_string(*mapping) + " from " + std::to_string(mapping->offset());
}

TEST(Mapping, DenseInEitherOrder) {
  EXPECT_EQ(show(dense({2, 3, 4})), "shape (2, 3, 4) and strides (12, 4, 1) from 0");
  EXPECT_EQ(show(dense({2, 3, 4}, Layout::ColumnMajor)), "shape (2, 3, 4) and strides (1, 2, 6) from 0");
  EXPECT_EQ(show(dense({})), "shape () and strides () from 0");
  EXPECT_EQ(dense({}).size(), 1);
  EXPECT_EQ(dense({2, 0}).size(), 0);
  EXPECT_EQ(Mapping().size(), 0);
  EXPECT_EQ(show(Mapping()), "shape (0) and strides (1) from 0");
}

TEST(Mapping, SlicesAsNumPy) {
  const Mapping x = dense({10, 4});
  EXPECT_EQ(show(slice(x)), "shape (10, 4) and strides (4, 1) from 0");
  EXPECT_EQ(show(slice(x, 3)), "shape (4) and strides (1) from 12");
  EXPECT_EQ(show(slice(x, -1, -2)), "shape () and strides () from 38");
  EXPECT_EQ(show(slice(x, Slice{2, 8, 3})), "shape (2, 4) and strides (12, 1) from 8");
  EXPECT_EQ(show(slice(x, Slice{2, 9, 3})), "shape (3, 4) and strides (12, 1) from 8");
  EXPECT_EQ(show(slice(x, Slice{.step = -1}, Slice{1, -1})), "shape (10, 2) and strides (-4, 1) from 37");
  EXPECT_EQ(show(slice(x, Slice{.start = 8, .step = -3})), "shape (3, 4) and strides (-12, 1) from 32");
  EXPECT_EQ(show(slice(x, Slice{8, 2, -3})), "shape (2, 4) and strides (-12, 1) from 32");
  EXPECT_EQ(show(slice(x, newaxis, Slice{}, newaxis, 1)), "shape (1, 10, 1) and strides (0, 4, 0) from 1");
  EXPECT_EQ(show(slice(*slice(x, Slice{2, 8}), 1, Slice{.step = 2})), "shape (2) and strides (2) from 12");
  EXPECT_EQ(show(slice(x, Slice{5, 5})), "shape (0, 4) and strides (4, 1) from 0");
  EXPECT_EQ(show(slice(x, Slice{5, 2})), "shape (0, 4) and strides (4, 1) from 0");
  EXPECT_EQ(show(slice(x, Slice{10, 10}, 3)), "shape (0) and strides (4) from 0");
  EXPECT_EQ(show(slice(x, Slice{.step = INT64_MAX})), "shape (1, 4) and strides (4, 1) from 0");
  EXPECT_EQ(show(slice(x, Slice{.step = INT64_MIN})), "shape (1, 4) and strides (4, 1) from 36");
  EXPECT_EQ(show(slice(dense({0}), Slice{.step = -1})), "shape (0) and strides (1) from 0");
}

/// What Python makes of list(range(10))[start:stop:step], by the rule that NumPy shares.
TEST(Mapping, ClipsBoundsAsNumPy) {
  constexpr std::optional<std::int64_t> kNone = std::nullopt;
  const struct {
    std::optional<std::int64_t> start, stop;
    std::int64_t step;
    std::vector<std::int64_t> taken;
  } table[] = {
      {kNone, kNone, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {2, 100, 1, {2, 3, 4, 5, 6, 7, 8, 9}},
      {-100, 3, 1, {0, 1, 2}},
      {100, 200, 1, {}},
      {-200, -100, 1, {}},
      {5, -100, 1, {}},
      {-3, 100, 2, {7, 9}},
      {9, 100, 3, {9}},
      {10, 11, 1, {}},
      {kNone, kNone, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
      {100, kNone, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
      {100, -100, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
      {10, 0, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1}},
      {3, -100, -1, {3, 2, 1, 0}},
      {-100, kNone, -1, {}},
      {-100, -200, -1, {}},
      {-11, kNone, -1, {}},
      {8, -11, -3, {8, 5, 2}},
      {kNone, -100, -4, {9, 5, 1}},
      {kNone, 100, -1, {}},
      {100, 5, -2, {9, 7}},
      {INT64_MIN, INT64_MAX, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {INT64_MAX, INT64_MIN, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
      {INT64_MIN, INT64_MAX, INT64_MAX, {0}},
      {INT64_MAX, INT64_MIN, INT64_MIN, {9}},
      {0, INT64_MIN, 1, {}},
      {-9, 9, 4, {1, 5}},
      {-10, 10, 3, {0, 3, 6, 9}},
      {-1, -11, -1, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
  };
  for (const auto& [start, stop, step, taken] : table) {
    const Mapping view = slice(dense({10}), Slice{start, stop, step}).value();
    std::vector<std::int64_t> elements;
    for (std::int64_t i = 0; i < view.size(); ++i) elements.push_back(view.offset() + i * view.strides()[0]);
    EXPECT_EQ(elements, taken) << show(view) << " of " << step;
  }
  for (const Slice& all : {Slice{}, Slice{-5, 5}, Slice{5, -5, -1}, Slice{0, -1, -1}, Slice{.step = -2}})
    EXPECT_EQ(show(slice(dense({0}), all)), "shape (0) and strides (1) from 0");
  EXPECT_EQ(show(slice(dense({10, 4}), Slice{8, 100}, Slice{-100, 2})), "shape (2, 2) and strides (4, 1) from 32");
}

TEST(Mapping, RefusesWhatIsOutOfRange) {
  const Mapping x = dense({10, 4});
  EXPECT_EQ(show(slice(x, 10)), "index 10 is out of range for axis 0, whose extent is 10");
  EXPECT_EQ(show(slice(x, 0, -5)), "index -5 is out of range for axis 1, whose extent is 4");
  EXPECT_EQ(show(slice(dense({0}), 0)), "index 0 is out of range for axis 0, whose extent is 0");
  EXPECT_EQ(show(slice(x, Slice{.step = 0})), "the step of a slice is not 0");
  EXPECT_EQ(show(slice(x, 0, 0, 0)), "3 indices are too many for an array of 2 axes");
  EXPECT_EQ(show(slice(dense(Shape(8, 1)), newaxis)), "an array has at most 8 axes, not 9");
  EXPECT_EQ(show(slice(dense(Shape(8, 1)), newaxis, 0)),
            "shape (1, 1, 1, 1, 1, 1, 1, 1) and strides (0, 1, 1, 1, 1, 1, 1, 1) from 0");
}

TEST(Mapping, Permutes) {
  const Mapping x = dense({2, 3, 4});
  EXPECT_EQ(show(x.transpose()), "shape (4, 3, 2) and strides (1, 4, 12) from 0");
  EXPECT_EQ(show(x.permute(std::vector{1, -1, 0})), "shape (3, 4, 2) and strides (4, 1, 12) from 0");
  EXPECT_EQ(show(x.permute(std::vector{0, 1})), "2 axes are named to permute an array of 3");
  EXPECT_EQ(show(x.permute(std::vector{0, 1, 1})), "axis 1 is named twice");
  EXPECT_EQ(show(x.permute(std::vector{0, 1, -2})), "axis -2 is named twice");
  EXPECT_EQ(show(x.permute(std::vector{0, 1, 3})), "an array of 3 axes has no axis 3");
}

TEST(Mapping, ReshapesWhereAViewIsPossible) {
  const auto reshape = [](const Mapping& x, const Shape& shape) { return show(x.reshape(shape)); };
  const Mapping x = dense({2, 3, 4});
  EXPECT_EQ(reshape(x, {6, 4}), "shape (6, 4) and strides (4, 1) from 0");
  EXPECT_EQ(reshape(x, {-1}), "shape (24) and strides (1) from 0");
  EXPECT_EQ(reshape(x, {2, -1, 2, 1}), "shape (2, 6, 2, 1) and strides (12, 2, 1, 1) from 0");
  const Mapping odd = *slice(x, Slice{}, Slice{.step = 2}, Slice{.step = -1});
  EXPECT_EQ(show(odd), "shape (2, 2, 4) and strides (12, 8, -1) from 3");
  EXPECT_EQ(reshape(odd, {2, 2, 2, 2}), "shape (2, 2, 2, 2) and strides (12, 8, -2, -1) from 3");
  EXPECT_EQ(reshape(odd, {1, 2, 1, 2, 4}), "shape (1, 2, 1, 2, 4) and strides (24, 12, 16, 8, -1) from 3");
  EXPECT_EQ(
      reshape(odd, {4, 4}),
      "elements with shape (2, 2, 4) and strides (12, 8, -1) have the shape (4, 4) in no view; copy() them first");
  EXPECT_EQ(reshape(x.transpose(), {4, 3, 2, 1}), "shape (4, 3, 2, 1) and strides (1, 4, 12, 1) from 0");
  EXPECT_FALSE(x.transpose().reshape(Shape{-1}));
  EXPECT_EQ(reshape(dense({1, 1}), {}), "shape () and strides () from 0");
  EXPECT_EQ(reshape(dense({}), {1, 1}), "shape (1, 1) and strides (1, 1) from 0");
  EXPECT_EQ(reshape(dense({2, 0}), {0, 7}), "shape (0, 7) and strides (7, 1) from 0");
  EXPECT_EQ(reshape(dense({2, 0}), {3, -1}), "shape (3, 0) and strides (1, 1) from 0");
  EXPECT_EQ(reshape(x, {5, -1}), "an array of 24 elements cannot have the shape (5, -1)");
  EXPECT_EQ(reshape(x, {25}), "an array of 24 elements cannot have the shape (25)");
  EXPECT_EQ(reshape(dense({0}), {0, -1}), "an array of 0 elements cannot have the shape (0, -1)");
  EXPECT_EQ(reshape(x, {-1, -1}), "an array cannot have the extent -1: its shape is (1, -1)");
  EXPECT_EQ(reshape(x, {-2, -12}), "an array cannot have the extent -2: its shape is (-2, -12)");
  EXPECT_EQ(reshape(dense({1}), Shape(9, 1)), "an array has at most 8 axes, not 9");
}

TEST(Mapping, SqueezesAndExpands) {
  const Mapping x = dense({1, 3, 1});
  EXPECT_EQ(show(x.squeeze()), "shape (3) and strides (1) from 0");
  EXPECT_EQ(show(x.squeeze(0)), "shape (3, 1) and strides (1, 1) from 0");
  EXPECT_EQ(show(x.squeeze(-1)), "shape (1, 3) and strides (3, 1) from 0");
  EXPECT_EQ(show(x.squeeze(1)), "axis 1 cannot go: its extent is 3");
  EXPECT_EQ(show(x.squeeze(3)), "an array of 3 axes has no axis 3");
  EXPECT_EQ(show(dense({3}).expand(0)), "shape (1, 3) and strides (0, 1) from 0");
  EXPECT_EQ(show(dense({3}).expand(1)), "shape (3, 1) and strides (1, 0) from 0");
  EXPECT_EQ(show(dense({3}).expand(-1)), "shape (3, 1) and strides (1, 0) from 0");
  EXPECT_EQ(show(dense({3}).expand(2)), "an array of 1 axes gets no new axis 2");
  EXPECT_EQ(show(dense(Shape(8, 1)).expand(0)), "an array has at most 8 axes, not 9");
}

TEST(Mapping, KnowsWhatIsContiguous) {
  EXPECT_TRUE(dense({2, 3}).is_contiguous());
  EXPECT_FALSE(dense({2, 3}).is_contiguous(Layout::ColumnMajor));
  EXPECT_TRUE(dense({2, 3}).transpose().is_contiguous(Layout::ColumnMajor));
  EXPECT_TRUE(slice(dense({2, 3}), 1)->is_contiguous());
  EXPECT_TRUE(slice(dense({4, 3}), Slice{1, 3})->is_contiguous());
  EXPECT_FALSE(slice(dense({4, 3}), Slice{}, Slice{0, 2})->is_contiguous());
  EXPECT_TRUE(slice(dense({4, 3}), 0, Slice{0, 1, 2})->is_contiguous());
  EXPECT_TRUE(dense({0, 5}).is_contiguous(Layout::ColumnMajor));
  EXPECT_FALSE(slice(dense({4}), Slice{.step = -1})->is_contiguous());
}

TEST(Mapping, AnyStrides) {
  const auto strided = [](const Shape& shape, const Shape& strides, std::int64_t offset = 0) {
    return Mapping::strided(shape, strides, offset);
  };
  const Mapping x = strided({3, 4}, {-10, 0}, 30).value();
  EXPECT_EQ(x.range().begin, 10);
  EXPECT_EQ(x.range().end, 31);
  EXPECT_EQ(x.size(), 12);
  EXPECT_EQ(strided({0, 4}, {1, 1}, 7)->range().end, 0);
  EXPECT_EQ(strided({0, 4}, {1, 1}, 7)->offset(), 0);
  EXPECT_EQ(show(strided({2}, {1, 1})), "shape (2) and strides (1, 1) are of different lengths");
  EXPECT_EQ(show(strided({3}, {INT64_MAX})),
            "no memory holds an array with shape (3) and strides (9223372036854775807)");
  EXPECT_EQ(show(strided({2, 2}, {1L << 56, 1})),
            "no memory holds an array with shape (2, 2) and strides (72057594037927936, 1)");
  EXPECT_TRUE(strided({1, 0}, {INT64_MIN, INT64_MAX}));
  EXPECT_FALSE(strided({2}, {1}, INT64_MIN));
  EXPECT_EQ(show(strided({-1}, {1})), "an array cannot have the extent -1: its shape is (-1)");
  EXPECT_FALSE(Mapping::dense(Shape{1L << 40, 1L << 40}));
  EXPECT_FALSE(Mapping::dense(Shape{1L << 40, 1L << 40, 0}));
}

TEST(HostView, FindsElements) {
  std::vector<int> values = {0, 1, 2, 3, 4, 5};
  const HostView<int> x = HostView<int>::of(values, {2, 3}).value();
  EXPECT_EQ(x(1, 2), 5);
  EXPECT_EQ(x.transpose()(2, 1), 5);
  EXPECT_EQ(x.slice(Slice{.step = -1}, 1).value()(0), 4);
  EXPECT_EQ(HostView<int>::of(values, {2, 3}, Layout::ColumnMajor).value()(1, 2), 5);
  EXPECT_EQ(HostView<int>::of(values, {2, 3}, Layout::ColumnMajor).value()(0, 2), 4);
  EXPECT_EQ(HostView<int>(values)(4), 4);
  x.ravel().value()(0) = 7;
  const HostView<const int> read_only = x;
  EXPECT_EQ(read_only(0, 0), 7);
  EXPECT_EQ(*read_only.slice(1, 1).value().data(), 4);
}

TEST(HostView, StaysInItsSpan) {
  std::vector<int> values(6);
  EXPECT_EQ(HostView<int>::of(values, {2, 2}).error().message,
            "a host span of 6 elements does not fit shape (2, 2) and strides (2, 1)");
  EXPECT_TRUE(HostView<int>::of(values, {3, 2}, {1, 3}));
  EXPECT_TRUE(HostView<int>::of(values, {6}, {-1}, 5));
  EXPECT_EQ(HostView<int>::of(values, {3, 2}, {1, 4}).error().message,
            "a view with shape (3, 2) and strides (1, 4) from element 0 leaves its host span of 6 elements");
  EXPECT_FALSE(HostView<int>::of(values, {6}, {-1}, 4));
}

/// As std::mdspan with std::layout_stride, which C++20 lacks.
struct Mdspan {
  static constexpr std::size_t rank() { return 2; }
  double* data_handle() const { return data; }
  int extent(std::size_t axis) const { return axis == 0 ? 2 : 3; }
  int stride(std::size_t axis) const { return axis == 0 ? 4 : 1; }
  double* data;
};

TEST(HostView, TakesAnMdspan) {
  double values[] = {0, 1, 2, -1, 4, 5, 6, -1};
  const HostView<double> x = HostView<double>::of(Mdspan{values}).value();
  EXPECT_EQ(x(1, 2), 6);
  EXPECT_EQ(to_string(x.mapping()), "shape (2, 3) and strides (4, 1)");
}

}  // namespace
}  // namespace pykc
