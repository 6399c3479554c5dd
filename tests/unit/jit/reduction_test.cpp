// Reductions from C++: values over all axes of all kinds of shapes, against plain loops.
#include "pykc/reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "tests/unit/jit/device.h"

namespace pykc {
namespace {

using testing::host;

class ReductionTest : public ::testing::Test {
 protected:
  template <typename T>
  Array<T> array(std::vector<std::int64_t> shape) const {
    Array<T> result = device_.allocate<T>(shape).value();
    std::vector<T> values(static_cast<std::size_t>(result.size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 7 % 101);
    result.copy_from(values).value();
    return result;
  }
  Reduction sum() const { return Reduction::create(device_, {}).value(); }
  const Device device_ = testing::device();
};

/// The sum over the axes whose bits are set, of a row-major array.
std::vector<std::int64_t> plain_sum(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& shape,
                                    unsigned reduced) {
  std::size_t results = 1;
  for (std::size_t a = 0; a < shape.size(); ++a)
    if (!(reduced >> a & 1)) results *= static_cast<std::size_t>(shape[a]);
  std::vector<std::int64_t> sums(results);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i, at = 0, step = 1;
    for (std::size_t a = shape.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(shape[a]);
      if (!(reduced >> a & 1)) {
        at += rest % extent * step;
        step *= extent;
      }
      rest /= extent;
    }
    sums[at] += values[i];
  }
  return sums;
}

/// Parts of results that several blocks share need memory, which a graph keeps for its own launches.
TEST_F(ReductionTest, BecomesPartOfAGraph) {
  const Stream stream = device_.create_stream().value();
  const Array<std::int64_t> x = array<std::int64_t>({300000}), y = array<std::int64_t>({300000});
  const Array<std::int64_t> total = device_.zeros<std::int64_t>({1}).value();
  const Array<std::int64_t> other = device_.zeros<std::int64_t>({1}).value();
  const std::vector<std::int64_t> values = host(x), ones(300000, 1);
  const std::int64_t expected = plain_sum(values, {300000}, 1)[0];
  std::optional<Graph> graph;
  {
    const Reduction f = sum();
    f.launch({}, total.reshape({}).value(), x).value();  // compiles
    ASSERT_EQ(host(total)[0], expected);
    total.fill_zero().value();
    stream.begin_capture().value();
    f.launch_on(stream, {}, total.reshape({}).value(), x).value();
    f.launch_on(stream, {}, other.reshape({}).value(), y).value();
    graph = stream.end_capture().value();
    EXPECT_EQ(host(total)[0], 0);
    // What follows takes scratch memory of its own, as large as that of the graph.
    f.launch_on(stream, {}, other.reshape({}).value(), y).value();
  }
  graph->launch(stream).value();
  stream.synchronize().value();
  EXPECT_EQ(host(total)[0], expected);
  EXPECT_EQ(host(other)[0], expected);
  x.copy_from(ones).value();
  for (int i = 0; i < 3; ++i) graph->launch(stream).value();
  stream.synchronize().value();
  EXPECT_EQ(host(total)[0], 300000);
  EXPECT_EQ(host(other)[0], expected);
}

TEST_F(ReductionTest, IsCompiledWhileAStreamCaptures) {
  const Stream stream = device_.create_stream().value();
  const Array<float> x = array<float>({100000});
  const Array<float> total = device_.zeros<float>({1}).value();
  const Reduction f = Reduction::create(device_, {.map = "x", .reduce = "max(a, b)", .identity = "0"}).value();
  stream.begin_capture().value();
  const Result<void> captured = f.launch_on(stream, {}, total.reshape({}).value(), x);
  ASSERT_TRUE(captured) << captured.error().message;
  const Graph graph = stream.end_capture().value();
  graph.launch(stream).value();
  stream.synchronize().value();
  EXPECT_EQ(host(total)[0], 100);
}

TEST_F(ReductionTest, EveryChoiceOfAxes) {
  const Reduction f = sum();
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{5}, {1}, {70, 3}, {3, 70}, {1, 40}, {4, 1, 9}, {6, 5, 4, 3}, {2, 300, 2}, {33, 65}}) {
    const Array<std::int64_t> x = array<std::int64_t>(shape);
    const std::vector<std::int64_t> values = host(x);
    for (unsigned reduced = 1; reduced < 1U << shape.size(); ++reduced) {
      ReductionAxes axes{.axes = {}, .keepdims = reduced % 2 == 0};
      std::size_t results = 1;
      for (int a = 0; a < static_cast<int>(shape.size()); ++a)
        if (reduced >> a & 1)
          axes.axes.push_back(a % 2 == 0 ? a : a - static_cast<int>(shape.size()));
        else
          results *= static_cast<std::size_t>(shape[static_cast<std::size_t>(a)]);
      const Array<std::int64_t> result = f.reduce<std::int64_t>(axes, x).value();
      EXPECT_EQ(result.rank(), axes.keepdims ? x.rank() : x.rank() - std::popcount(reduced));
      EXPECT_EQ(static_cast<std::size_t>(result.size()), results);
      EXPECT_EQ(host(result), plain_sum(values, shape, reduced)) << "axes " << reduced;
    }
  }
}

TEST_F(ReductionTest, LongOnesAreSplit) {
  const Reduction f = sum();
  const Array<std::int64_t> x = array<std::int64_t>({200001});
  const std::vector<std::int64_t> values = host(x);
  EXPECT_EQ(host(f.reduce<std::int64_t>({}, x).value()).front(),
            std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  const Array<std::int64_t> tall = array<std::int64_t>({50000, 3}), wide = array<std::int64_t>({3, 50000});
  EXPECT_EQ(host(f.reduce<std::int64_t>({.axes = {0}}, tall).value()), plain_sum(host(tall), {50000, 3}, 1));
  EXPECT_EQ(host(f.reduce<std::int64_t>({.axes = {1}}, wide).value()), plain_sum(host(wide), {3, 50000}, 2));
  for (int i = 0; i < 3; ++i)  // the memory for the parts is used again
    EXPECT_EQ(host(f.reduce<std::int64_t>({.axes = {1}}, wide).value()), plain_sum(host(wide), {3, 50000}, 2));
}

TEST_F(ReductionTest, RowsThatEndWithinTheStepsOfABlock) {
  const Reduction f = sum();
  for (const std::int64_t length : {500, 511, 512, 513, 575, 576, 1023, 1025, 3000}) {
    const Array<std::int64_t> rows = array<std::int64_t>({3, length});
    EXPECT_EQ(host(f.reduce<std::int64_t>({.axes = {1}}, rows).value()), plain_sum(host(rows), {3, length}, 2));
    const Array<std::int64_t> planes = array<std::int64_t>({2, 3, length});
    EXPECT_EQ(host(f.reduce<std::int64_t>({.axes = {0, 2}}, planes).value()),
              plain_sum(host(planes), {2, 3, length}, 5));
  }
}

TEST_F(ReductionTest, ViewsAndBroadcastInputs) {
  const Reduction dot = Reduction::create(device_, {.inputs = "x, y", .map = "x * y"}).value();
  const Array<std::int64_t> x = array<std::int64_t>({40, 30}), y = array<std::int64_t>({40});
  std::vector<std::int64_t> products = host(x);
  for (std::size_t i = 0; i < products.size(); ++i) products[i] *= host(y)[i / 30];
  EXPECT_EQ(host(dot.reduce<std::int64_t>({.axes = {1}}, x.transpose(), y).value()), plain_sum(products, {40, 30}, 1));
  const Array<std::int64_t> into = device_.allocate<std::int64_t>({30, 2}).value();
  into.fill_zero().value();
  dot.launch({.axes = {-1}}, into.slice(Slice{}, 1).value(), x.transpose(), y).value();
  const std::vector<std::int64_t> sums = plain_sum(products, {40, 30}, 1), pairs = host(into);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(pairs[2 * i], 0);
    EXPECT_EQ(pairs[2 * i + 1], sums[i]);
  }
}

/// Along those that are reduced, along those that are kept, and along all; and of arrays none of which has all axes.
TEST_F(ReductionTest, InputsAreRepeatedAlongAxes) {
  const Reduction distances = Reduction::create(device_, {.inputs = "x, y, z, w", .map = "(x - y) * z + w"}).value();
  for (const std::int64_t length : {30, 700}) {
    const Array<std::int64_t> x = array<std::int64_t>({40, length}), y = array<std::int64_t>({40, 1}),
                              z = array<std::int64_t>({length}), w = array<std::int64_t>({1});
    w.copy_from(std::vector<std::int64_t>{3}).value();
    std::vector<std::int64_t> of_whole = host(x), of_parts = of_whole;
    for (std::size_t i = 0; i < of_whole.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(length), column = i % static_cast<std::size_t>(length);
      of_whole[i] = (of_whole[i] - host(y)[row]) * host(z)[column] + 3;
      of_parts[i] = (host(y)[row] - 3) * host(z)[column] + 3;
    }
    const std::vector<std::vector<int>> choices = {{0}, {1}, {0, 1}};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const ReductionAxes axes{.axes = choices[i]};
      const auto reduced = static_cast<unsigned>(i + 1);
      EXPECT_EQ(host(distances.reduce<std::int64_t>(axes, x, y, z, w).value()),
                plain_sum(of_whole, {40, length}, reduced));
      EXPECT_EQ(host(distances.reduce<std::int64_t>(axes, y, w, z, w).value()),
                plain_sum(of_parts, {40, length}, reduced));
    }
  }
}

TEST_F(ReductionTest, MapReducePostAndIdentity) {
  const Reduction l2norm =
      Reduction::create(device_, {.map = "x * x", .post = "math.sqrt(a)", .preamble = "import math\n"}).value();
  const Array<float> x = array<float>({2, 1000});
  const std::vector<float> values = host(x), norms = host(l2norm.reduce<float>({.axes = {1}}, x).value());
  for (std::size_t row = 0; row < 2; ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < 1000; ++i)
      squares += static_cast<double>(values[1000 * row + i]) * values[1000 * row + i];
    EXPECT_NEAR(norms[row], std::sqrt(squares), 1e-3);
  }
  const Reduction largest =
      Reduction::create(device_, {.reduce = "max(a, b)", .identity = "-math.inf", .preamble = "import math\n"}).value();
  EXPECT_EQ(host(largest.reduce<float>({}, x).value()).front(), 100.0F);
  const Reduction mean = Reduction::create(device_, {.post = "a / count"}).value();
  EXPECT_EQ(host(mean.reduce<double>({}, array<float>({101})).value()).front(), 50.0);
  const Array<double> many = mean.reduce<double>({}, array<float>({101 * 500})).value();
  EXPECT_EQ(host(many).front(), 50.0);  // of the elements, not of the parts
  const Reduction product = Reduction::create(device_, {.map = "2", .reduce = "a * b", .identity = "1"}).value();
  EXPECT_EQ(host(product.reduce<std::int32_t>({}, array<float>({10})).value()).front(), 1024);
}

TEST_F(ReductionTest, StepsAndReductionAreOneKernel) {
  const Reduction distance =
      Reduction::create(
          device_, {.steps = {{"x, y", "d", "d = x - y"}, {"d, w", "e", "e = w * d * d"}}, .inputs = "e", .map = "e"})
          .value();
  const Array<std::int64_t> x = array<std::int64_t>({20, 50}), y = array<std::int64_t>({50});
  std::int64_t expected = 0;
  const std::vector<std::int64_t> xs = host(x), ys = host(y);
  for (std::size_t i = 0; i < xs.size(); ++i) expected += 3 * (xs[i] - ys[i % 50]) * (xs[i] - ys[i % 50]);
  EXPECT_EQ(host(distance.reduce<std::int64_t>({}, x, y, 3).value()).front(), expected);
}

TEST_F(ReductionTest, TheAccumulatorHasATypeOfItsOwn) {
  const Array<std::uint8_t> x = array<std::uint8_t>({101});
  const Reduction wrapping = sum();
  EXPECT_EQ(host(wrapping.reduce<std::uint8_t>({}, x).value()).front(), 5050 % 256);
  EXPECT_EQ(host(wrapping.reduce<std::uint32_t>({}, x).value()).front(), 5050);
  const Reduction mean = Reduction::create(device_, {.post = "a // count", .accumulator = ScalarType::I64}).value();
  EXPECT_EQ(host(mean.reduce<std::uint8_t>({}, x).value()).front(), 50);
}

TEST_F(ReductionTest, NothingToReduce) {
  const Reduction f = sum();
  EXPECT_EQ(host(f.reduce<float>({.axes = {0}}, array<float>({0, 3})).value()), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(f.reduce<float>({.axes = {1}}, array<float>({0, 3})).value().size(), 0);
  EXPECT_EQ(host(f.reduce<float>({}, array<float>({})).value()), std::vector<float>{0});
}

TEST_F(ReductionTest, WhatIsWrongIsSaid) {
  const Reduction f = sum();
  const Array<float> x = array<float>({2, 3}), two = array<float>({2});
  const auto message = [&](const ReductionAxes& axes, const auto& output, const auto& input) {
    const Result<void> done = f.launch(axes, output, input);
    return done ? std::string() : done.error().message;
  };
  EXPECT_EQ(message({.axes = {2}}, two, x), "axis 2 does not exist in 2 dimensions");
  EXPECT_EQ(message({.axes = {1, -1}}, two, x), "axis -1 is given twice");
  EXPECT_EQ(message({.axes = {0}}, two, x), "the output has the shape (2,), and the result (3,)");
  EXPECT_EQ(message({.axes = {0}}, 1, x), "the output is a number: it must be an array of the shape (3,)");
  EXPECT_EQ(message({}, two, 1), "none of the inputs is an array");
  EXPECT_EQ(f.launch({}, two, x, x).error().message,
            "the reduction takes its output and its inputs (x); 3 arguments are given");
  EXPECT_FALSE(Reduction::create(device_, {.reduce = "a +"}));
  EXPECT_EQ(Reduction::create(device_, {.accumulator = static_cast<ScalarType>(99)}).error().message,
            "the accumulator has an invalid ScalarType");
}

}  // namespace
}  // namespace pykc
