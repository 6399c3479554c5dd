// Arrays on the CPU device and on the CUDA device over the fake driver: views, copies both ways, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

#include "pykc/runtime.h"
#include "tests/mock_cuda/mock_cuda.h"

namespace pykc {
namespace {

using Shape = std::vector<std::int64_t>;

class Arrays : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_cuda::mock_reset(); }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(mock_cuda::mock_live_objects(), 0);
  }
  const Device& device() {
    if (!device_) device_ = Device::open(GetParam()).value();
    return *device_;
  }
  template <typename T>
  std::vector<T> values_of(const Array<T>& array) {
    std::vector<T> values(static_cast<std::size_t>(array.size()));
    const Result<void> copied = array.copy_to(values);
    EXPECT_TRUE(copied) << copied.error().message;
    return values;
  }
  /// 0, 1, 2, …
  Array<int> counting(const Shape& shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    std::vector<int> values(static_cast<std::size_t>(size));
    std::iota(values.begin(), values.end(), 0);
    return device().copy_from<int>(values, shape).value();
  }

  std::optional<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Devices, Arrays, ::testing::Values("cpu", "cuda:0"), [](const auto& info) {
  return std::string(info.param).substr(0, 3) == "cpu" ? "Cpu" : "Cuda";
});

using Values = std::vector<int>;

TEST_P(Arrays, ViewsShareTheirElements) {
  const Array<int> x = counting({3, 4});
  EXPECT_EQ(values_of(x.slice(1).value()), (Values{4, 5, 6, 7}));
  EXPECT_EQ(values_of(x.slice(Slice{}, 2).value()), (Values{2, 6, 10}));
  EXPECT_EQ(values_of(x.slice(Slice{.step = -2}, Slice{1, 3}).value()), (Values{9, 10, 1, 2}));
  EXPECT_EQ(values_of(x.transpose()), (Values{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(values_of(x.reshape({2, 6}).value().slice(1).value()), (Values{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(values_of(x.slice(-1, -1).value()), (Values{11}));
  EXPECT_EQ(x.slice(2, 1).value().address(), x.address() + 9);
  ASSERT_TRUE(x.slice(Slice{}, Slice{0, 4, 3}).value().copy_from(Values{-1, -2, -3, -4, -5, -6}));
  EXPECT_EQ(values_of(x), (Values{-1, 1, 2, -2, -3, 5, 6, -4, -5, 9, 10, -6}));
  ASSERT_TRUE(x.slice(Slice{}, 1).value().fill_zero());
  EXPECT_EQ(values_of(x), (Values{-1, 0, 2, -2, -3, 0, 6, -4, -5, 0, 10, -6}));
  EXPECT_EQ(x.slice(Slice{1, 1}).value().size(), 0);
  EXPECT_EQ(values_of(x.slice(Slice{1, 1}, Slice{.step = 2}).value()), Values());
}

TEST_P(Arrays, CreatedAsByNumPy) {
  EXPECT_EQ(values_of(device().zeros<int>({2, 2}).value()), Values(4));
  const Array<int> columns = device().zeros<int>({2, 3}, Layout::ColumnMajor).value();
  EXPECT_EQ(columns.strides()[1], 2);
  const Array<int> like = device().like(columns).value(), zeros = device().zeros_like(columns).value();
  EXPECT_EQ(to_string(like.mapping()), to_string(columns.mapping()));
  EXPECT_EQ(to_string(zeros.mapping()), to_string(columns.mapping()));
  EXPECT_EQ(values_of(zeros), Values(6));
  const Values host = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(columns.copy_from(host));
  EXPECT_EQ(values_of(columns), host);
  EXPECT_EQ(values_of(columns.transpose()), (Values{1, 4, 2, 5, 3, 6}));
  const HostView<const int> view = HostView<const int>::of(host, {3, 2}).value();
  EXPECT_EQ(values_of(device().copy_from<int>(view.transpose()).value()), (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(values_of(device().copy_from(columns.transpose()).value()), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(device().copy_from<int>(host, {4}).error().message,
            "a host span of 6 elements does not fit an array of 4 elements");
  EXPECT_FALSE(device().allocate<int>(Shape(9, 1)));
  const Array<int> scalar = device().copy_from<int>(Values{7}, {}).value();
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(values_of(scalar), (Values{7}));
}

TEST_P(Arrays, TakeTheirTypeFromWhatIsCopied) {
  const std::vector<double> vector = {1, 2, 3, 4};
  const std::array<std::uint8_t, 2> pair = {7, 8};
  const float plain[] = {1.5F};
  const Array<double> x = device().copy_from(vector).value(), square = device().copy_from(vector, {2, 2}).value();
  const Array<std::uint8_t> y = device().copy_from(pair).value();
  const Array<float> z = device().copy_from(plain).value();
  EXPECT_EQ(values_of(x), vector);
  EXPECT_EQ(square.rank(), 2);
  EXPECT_EQ(values_of(y), (std::vector<std::uint8_t>{7, 8}));
  EXPECT_EQ(values_of(z), std::vector<float>{1.5F});
  EXPECT_EQ(values_of(device().copy_from(std::span(vector).first(2)).value()), (std::vector<double>{1, 2}));
}

TEST_P(Arrays, OfOneAxisNeedNoList) {
  const std::size_t n = 3;
  EXPECT_EQ(values_of(device().zeros<int>(n).value()), Values(3));
  EXPECT_EQ(device().allocate<int>(n).value().size(), 3);
  // An empty list is a shape: that of one element.
  EXPECT_EQ(device().zeros<int>({}).value().size(), 1);
  EXPECT_EQ(device().allocate<int>({}).value().size(), 1);
}

TEST_P(Arrays, BecomeVectors) {
  const Array<int> x = counting({2, 3});
  EXPECT_EQ(x.transpose().to_vector().value(), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Array<int>().to_vector().value(), Values());
  const bool flags[] = {true, false, true};
  EXPECT_EQ(device().copy_from(flags).value().to_vector().value(), (std::vector<bool>{true, false, true}));
  if (device().is_cpu()) return;
  mock_cuda::mock_fail("cuMemcpyDtoHAsync", 1, 1);
  EXPECT_EQ(x.to_vector().error().code, ErrorCode::DriverError);
}

template <typename T>
void expect_filled(const Device& device, const T& value) {
  const Array<T> x = device.zeros<T>({3, 4, 5}).value();
  ASSERT_TRUE(x.fill(value));
  EXPECT_EQ(x.to_vector().value(), std::vector<T>(60, value));
  ASSERT_TRUE(x.fill(T()));
  const Stream stream = device.create_stream().value();
  for (const Array<T>& part :
       {x.slice(Slice{}, Slice{1, -1}).value(), x.slice(1, Slice{}, Slice{.step = -2}).value()}) {
    ASSERT_TRUE(part.fill(stream, value));
    ASSERT_TRUE(stream.synchronize());
    EXPECT_EQ(part.to_vector().value(), std::vector<T>(static_cast<std::size_t>(part.size()), value));
  }
  const std::vector<T> all = x.to_vector().value();
  EXPECT_EQ(std::count(all.begin(), all.end(), value), 30 + 6);  // what lies between has stayed
}

TEST_P(Arrays, AreFilledWithAValue) {
  expect_filled<std::int8_t>(device(), -3);
  expect_filled<std::uint16_t>(device(), 54321);
  expect_filled<std::int32_t>(device(), -1);
  expect_filled<float>(device(), 1.5F);
  expect_filled<double>(device(), 1.0 / 3);
  expect_filled<std::uint64_t>(device(), 0x1234567812345678);
  expect_filled<std::complex<double>>(device(), {1, -2});
  EXPECT_TRUE(Array<int>().fill(1));
  EXPECT_TRUE(device().allocate<double>(0).value().fill(2.5));
  EXPECT_EQ(device().zeros<float>({}).value().transpose().fill(2).has_value(), true);
}

TEST_P(Arrays, AreFilledInGraphsByFourBytes) {
  const Stream stream = device().create_stream().value();
  const Array<float> x = device().zeros<float>({2, 3}).value();
  const Array<double> y = device().zeros<double>(3).value();
  ASSERT_TRUE(stream.begin_capture());
  ASSERT_TRUE(x.fill(stream, 2.5F));
  EXPECT_EQ(y.fill(stream, 2.5).error().code, ErrorCode::Unsupported);
  const Graph graph = stream.end_capture().value();
  EXPECT_EQ(x.to_vector().value(), std::vector<float>(6));
  ASSERT_TRUE(graph.launch(stream));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(x.to_vector().value(), std::vector<float>(6, 2.5F));
}

TEST_P(Arrays, CopiesAndFlattens) {
  const Array<int> x = counting({2, 3});
  const Array<int> copy = x.transpose().copy().value();
  EXPECT_EQ(to_string(copy.mapping()), "shape (3, 2) and strides (2, 1)");
  EXPECT_EQ(values_of(copy), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values_of(x.transpose().flatten().value()), values_of(copy));
  EXPECT_EQ(x.flatten().value().rank(), 1);
  EXPECT_NE(x.flatten().value().address(), x.address());
  EXPECT_EQ(x.ravel().value().address(), x.address());
  EXPECT_FALSE(x.transpose().ravel());
  EXPECT_EQ(Array<int>().copy().value().size(), 0);
}

TEST_P(Arrays, ElementsMayOverlapInACopy) {
  const Array<int> x = counting({8});
  ASSERT_TRUE(x.slice(Slice{1, 8}).value().copy_from(x.slice(Slice{0, 7}).value()));
  EXPECT_EQ(values_of(x), (Values{0, 0, 1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(x.copy_from(x.slice(Slice{.step = -1}).value()));
  EXPECT_EQ(values_of(x), (Values{6, 5, 4, 3, 2, 1, 0, 0}));
  const Stream stream = device().create_stream().value();
  ASSERT_TRUE(x.copy_from(stream, x.slice(Slice{.step = -1}).value()));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(values_of(x), (Values{0, 0, 1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(x.copy_from(x));
  const Array<int> square = counting({3, 3});
  ASSERT_TRUE(square.copy_from(square.transpose()));
  EXPECT_EQ(values_of(square), (Values{0, 3, 6, 1, 4, 7, 2, 5, 8}));
}

TEST_P(Arrays, CopiesOfViewsBecomePartsOfAGraph) {
  const Array<int> x = counting({4, 4}), y = device().zeros<int>({4, 2}).value();
  const Array<int> odd = x.slice(Slice{}, Slice{1, 4, 2}).value();
  Values out(8), in = {10, 11, 12, 13};
  const Stream stream = device().create_stream().value();
  ASSERT_TRUE(stream.begin_capture());
  EXPECT_TRUE(y.slice(0, Slice{}).value().fill_zero(stream));
  EXPECT_TRUE(y.slice(Slice{1, 4}).value().copy_from(stream, odd.slice(Slice{1, 4}).value()));
  EXPECT_TRUE(x.slice(Slice{}, 3).value().copy_from(stream, in));
  EXPECT_TRUE(y.copy_to(stream, out));
  const Result<void> overlapping = x.slice(Slice{1, 4}).value().copy_from(stream, x.slice(Slice{0, 3}).value());
  EXPECT_EQ(overlapping.error().code, ErrorCode::Unsupported);
  if (!device().is_cpu()) {
    EXPECT_EQ(y.transpose().copy_to(stream, out).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(y.transpose().copy_from(stream, out).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(x.copy_from(stream, counting({4, 4}).transpose()).error().code, ErrorCode::Unsupported);
  }
  const Graph graph = stream.end_capture().value();
  EXPECT_EQ(out, Values(8));
  ASSERT_TRUE(graph.launch(stream));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(out, (Values{0, 0, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(values_of(odd), (Values{1, 10, 5, 11, 9, 12, 13, 13}));
  in = {0, 0, 0, 0};
  ASSERT_TRUE(graph.launch(stream));
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(out, (Values{0, 0, 5, 11, 9, 12, 13, 13}));
  EXPECT_EQ(values_of(odd), (Values{1, 0, 5, 0, 9, 0, 13, 0}));
}

TEST_P(Arrays, WhatHasOnePlaceForManyElementsIsReadOnly) {
  const Array<int> one = counting({2, 1});
  const Array<int> wide = Array<int>::over(one.buffer(), Mapping::strided(Shape{2, 3}, Shape{1, 0}).value()).value();
  EXPECT_EQ(values_of(wide), (Values{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(values_of(wide.copy().value()), (Values{0, 0, 0, 1, 1, 1}));
  const char* expected =
      "an array whose elements along axis 1 are one and the same (its stride is 0) cannot be written to";
  EXPECT_EQ(wide.copy_from(Values(6)).error().message, expected);
  EXPECT_EQ(wide.copy_from(counting({2, 3})).error().message, expected);
  Values host(2);
  EXPECT_EQ(counting({2, 3}).copy_to(HostView<int>::of(host, {2, 3}, {1, 0}).value()).error().message, expected);
  const Array<int> windows =
      Array<int>::over(counting({6}).buffer(), Mapping::strided(Shape{4, 3}, Shape{1, 1}).value()).value();
  EXPECT_EQ(values_of(windows), (Values{0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5}));
  EXPECT_EQ(values_of(windows.transpose().copy().value()), (Values{0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}));
}

TEST_P(Arrays, TheStrideOfASingleElementMayBeAnyNumber) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Array<int> x = counting({3});
  for (const std::int64_t stride : {kMost, -kMost - 1}) {
    const Array<int> column =
        Array<int>::over(x.buffer(), Mapping::strided(Shape{3, 1}, Shape{1, stride}).value()).value();
    EXPECT_EQ(values_of(column), (Values{0, 1, 2}));
    EXPECT_TRUE(column.copy_from(counting({3, 1})));
    EXPECT_EQ(values_of(column.copy().value()), (Values{0, 1, 2}));
  }
}

TEST_P(Arrays, RefusesWhatDoesNotFit) {
  const Array<int> x = counting({2, 3});
  EXPECT_EQ(x.copy_from(counting({3, 2})).error().message, "elements of shape (3, 2) cannot be copied to shape (2, 3)");
  Values host(5);
  EXPECT_FALSE(x.copy_to(host));
  EXPECT_FALSE(x.copy_from(host));
  EXPECT_FALSE(x.copy_to(HostView<int>(host)));
  EXPECT_EQ(x.slice(2).error().message, "index 2 is out of range for axis 0, whose extent is 2");
  EXPECT_EQ(Array<int>::over(x.buffer(), Mapping::dense(Shape{7}).value()).error().message,
            "an array with shape (7) and strides (1) from element 0 leaves its buffer, which has room for 6 elements");
  EXPECT_FALSE(Array<int>::over(x.buffer(), Mapping::strided(Shape{2}, Shape{-1}).value()));
  EXPECT_EQ(values_of(Array<int>::over(x.buffer(), Mapping::strided(Shape{2}, Shape{-1}, 1).value()).value()),
            (Values{1, 0}));
}

/// Calls `visit` with all indices of a shape, the last changing fastest.
template <typename Visit>
void for_each_index(std::span<const std::int64_t> shape, Visit visit, Shape index = {}) {
  if (index.size() == shape.size()) return visit(index);
  index.push_back(0);
  for (; index.back() < shape[index.size() - 1]; ++index.back()) for_each_index(shape, visit, index);
}

template <typename T>
T& element(const HostView<T>& view, const Shape& index) {
  T* place = view.data();
  for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * view.strides()[i];
  return *place;
}

/// Slices and permutations by chance, the same for an array and for host memory.
class RandomViews {
 public:
  explicit RandomViews(unsigned seed) : random_(seed) {}
  Shape shape() {
    Shape shape(static_cast<std::size_t>(below(5)));
    for (std::int64_t& extent : shape) extent = 1 + below(6);
    return shape;
  }
  std::pair<Array<int>, HostView<int>> view(Array<int> x, HostView<int> host) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      const std::int64_t extent = x.shape()[static_cast<std::size_t>(axis)];
      const std::int64_t first = below(extent), last = below(extent), step = 1 + below(3);
      const std::int64_t stop = first <= last ? last + 1 : last - 1;
      const Slice slice{first, stop < 0 ? std::nullopt : std::optional(stop), first <= last ? step : -step};
      std::vector<Index> indices(static_cast<std::size_t>(axis), Index(Slice{}));
      indices.emplace_back(slice);
      x = sliced(x, indices);
      host = sliced(host, indices);
    }
    std::vector<int> axes(static_cast<std::size_t>(x.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    return {x.permute(axes).value(), host.permute(axes).value()};
  }

 private:
  std::int64_t below(std::int64_t bound) { return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_); }
  template <typename View>
  static View sliced(const View& view, const std::vector<Index>& indices) {
    switch (indices.size()) {
      case 1:
        return view.slice(indices[0]).value();
      case 2:
        return view.slice(indices[0], indices[1]).value();
      case 3:
        return view.slice(indices[0], indices[1], indices[2]).value();
      default:
        return view.slice(indices[0], indices[1], indices[2], indices[3]).value();
    }
  }
  std::mt19937 random_;
};

TEST_P(Arrays, CopiesOfAnyViewTouchItsElementsAlone) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomViews random(seed);
    const Array<int> x = counting(random.shape());
    const Shape shape(x.shape().begin(), x.shape().end());
    Values memory = values_of(x), other_memory(memory.size(), -1), read(memory.size());
    const auto [view, host] = random.view(x, HostView<int>::of(memory, shape).value());

    // Out, to a span and to host memory whose elements lie in another order.
    Values expected;
    for_each_index(view.shape(), [&](const Shape& index) { expected.push_back(element(host, index)); });
    EXPECT_EQ(values_of(view), expected);
    const Shape view_shape(view.shape().begin(), view.shape().end());
    Values columns(expected.size());
    const HostView<int> by_columns = HostView<int>::of(columns, view_shape, Layout::ColumnMajor).value();
    ASSERT_TRUE(view.copy_to(by_columns));
    EXPECT_EQ(values_of(device().copy_from<int>(HostView<const int>(by_columns)).value()), expected);

    // In, from a span and on a stream; then from another array with other strides.
    Values incoming(expected.size());
    std::iota(incoming.begin(), incoming.end(), 1000);
    std::size_t next = 0;
    for_each_index(view.shape(), [&](const Shape& index) { element(host, index) = incoming[next++]; });
    const Stream stream = device().create_stream().value();
    ASSERT_TRUE(view.copy_from(stream, incoming));
    ASSERT_TRUE(stream.synchronize());
    EXPECT_EQ(values_of(x), memory);

    ASSERT_TRUE(view.fill_zero(stream));
    ASSERT_TRUE(stream.synchronize());
    for_each_index(view.shape(), [&](const Shape& index) { element(host, index) = 0; });
    EXPECT_EQ(values_of(x), memory);

    const Array<int> source = device().copy_from<int>(HostView<const int>(by_columns)).value();
    ASSERT_TRUE(view.copy_from(source));
    for_each_index(view.shape(), [&](const Shape& index) { element(host, index) = element(by_columns, index); });
    EXPECT_EQ(values_of(x), memory);
  }
}

TEST_P(Arrays, ManyShortRowsAreCopied) {
  const std::int64_t rows = 700;
  const Array<int> x = counting({rows, 2, 5});
  const Array<int> view = x.slice(Slice{}, Slice{.step = -1}, Slice{0, 5, 2}).value();
  Values expected;
  for (int row = 0; row < rows; ++row)
    for (int i : {1, 0})
      for (int j : {0, 2, 4}) expected.push_back(10 * row + 5 * i + j);
  EXPECT_EQ(values_of(view), expected);
  EXPECT_EQ(values_of(view.copy().value()), expected);
  const Array<int> transposed = device().copy_from(view.transpose()).value();
  ASSERT_TRUE(view.copy_from(transposed.transpose()));
  EXPECT_EQ(values_of(view), expected);
  ASSERT_TRUE(transposed.fill_zero());
  ASSERT_TRUE(transposed.transpose().copy_from(view));
  EXPECT_EQ(values_of(transposed.transpose()), expected);
}

TEST_P(Arrays, ThatWereMovedFromAreEmpty) {
  Array<float> x = device().zeros<float>(5).value();
  const Array<float> kept = std::move(x);
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(x.address(), nullptr);
  EXPECT_EQ(x.buffer().bytes(), 0);
  x = kept;
  EXPECT_EQ(x.to_vector().value(), std::vector<float>(5));
  UnifiedArray<float> unified = device().allocate_managed<float>({4}).value();
  const UnifiedArray<float> taken = std::move(unified);
  EXPECT_EQ(unified.span().size() + unified.host().size(), 0U);
  EXPECT_EQ(taken.span().size(), 4U);
}

TEST(ArraysAcrossDevices, CopyTheirElements) {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  mock_cuda::mock_reset();
  mock_cuda::mock_set_devices(2);
  {
    const Device cpu = Device::open("cpu").value(), first = Device::open("cuda:0").value(),
                 second = Device::open("cuda:1").value();
    const Values values = {0, 1, 2, 3, 4, 5};
    const Array<int> x = cpu.copy_from<int>(values, {2, 3}).value();
    const Array<int> y = first.copy_from(x.transpose()).value();
    const Array<int> z = second.zeros<int>({2, 6}).value();
    ASSERT_TRUE(z.slice(Slice{}, Slice{.step = 2}).value().copy_from(y.transpose()));
    const Array<int> back = cpu.like(z).value();
    const Stream stream = second.create_stream().value(), other = first.create_stream().value();
    ASSERT_TRUE(back.copy_from(stream, z));
    Values host(12);
    ASSERT_TRUE(back.copy_to(host));
    EXPECT_EQ(host, (Values{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
    EXPECT_EQ(back.copy_from(other, z).error().message, "the copy's stream belongs to another device");
    EXPECT_EQ(z.copy_from(other, z).error().message, "the copy's stream belongs to another device");
    EXPECT_EQ(z.copy_to(other, host).error().message, "the copy's stream belongs to another device");
    EXPECT_EQ(z.fill_zero(other).error().message, "the copy's stream belongs to another device");
    for (const char* function : {"cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync"}) {
      mock_cuda::mock_fail(function, 1, 1);
      EXPECT_FALSE(first.copy_from(z.slice(Slice{}, Slice{.step = 2}).value()));  // by way of the host
    }
  }
  EXPECT_EQ(mock_cuda::mock_live_objects(), 0);
}

TEST(ArraysAcrossDevices, EveryCallOfAStridedCopyMayFail) {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  mock_cuda::mock_reset();
  const Device device = Device::open("cuda:0").value();
  const Array<int> x = device.zeros<int>({4, 40}).value(), y = device.zeros<int>({4, 40}).value();
  const Array<int> part = x.slice(Slice{}, Slice{0, 20}).value(), other = y.slice(Slice{}, Slice{0, 20}).value();
  Values host(80);
  const auto expect_failure = [](const Result<void>& result, const char* function) {
    ASSERT_FALSE(result) << function;
    EXPECT_EQ(result.error().code, ErrorCode::DriverError);
    EXPECT_TRUE(result.error().message.starts_with(std::string(function) + " failed")) << result.error().message;
  };
  mock_cuda::mock_fail("cuMemcpy2DAsync", 1, 1);
  expect_failure(part.copy_from(host), "cuMemcpy2DAsync");
  mock_cuda::mock_fail("cuMemcpy2DAsync", 1, 1);
  expect_failure(part.copy_to(host), "cuMemcpy2DAsync");
  mock_cuda::mock_fail("cuMemcpy2DAsync", 1, 1);
  expect_failure(part.copy_from(other), "cuMemcpy2DAsync");
  mock_cuda::mock_fail("cuMemcpyDtoDAsync", 1, 1);
  expect_failure(x.copy_from(y), "cuMemcpyDtoDAsync");
  mock_cuda::mock_fail("cuMemsetD2D8Async", 1, 1);
  expect_failure(part.fill_zero(), "cuMemsetD2D8Async");
  mock_cuda::mock_fail("cuMemsetD2D32Async", 1, 1);
  expect_failure(part.fill(3), "cuMemsetD2D32Async");
  mock_cuda::mock_fail("cuMemsetD32Async", 1, 1);
  expect_failure(x.fill(3), "cuMemsetD32Async");
  Values turned(160);
  const HostView<int> columns = HostView<int>::of(turned, {4, 40}, Layout::ColumnMajor).value();
  for (const char* function : {"cuMemcpyDtoHAsync", "cuStreamSynchronize"}) {
    mock_cuda::mock_fail(function, 1, 1);
    expect_failure(x.copy_to(columns), function);
  }
  for (const char* function : {"cuMemcpyHtoDAsync", "cuStreamSynchronize"}) {
    mock_cuda::mock_fail(function, 1, 1);
    expect_failure(x.copy_from(columns), function);
  }
}

}  // namespace
}  // namespace pykc
