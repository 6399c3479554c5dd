// Elementwise from C++: values for all kinds of shapes and strides, and what is refused.
#include "pykc/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/unit/jit/device.h"

namespace pykc {
namespace {

using testing::host;

class ElementwiseTest : public ::testing::Test {
 protected:
  template <typename T>
  Array<T> array(std::vector<std::int64_t> shape, T first = 0) const {
    Array<T> result = device_.allocate<T>(shape).value();
    std::vector<T> values(static_cast<std::size_t>(result.size()));
    std::iota(values.begin(), values.end(), first);
    result.copy_from(values).value();
    return result;
  }
  Elementwise squared_difference() const {
    return Elementwise::create(device_, {"x, y", "z", "z = (x - y) * (x - y)"}).value();
  }
  template <typename... Arguments>
  static std::string message(const Elementwise& function, const Arguments&... arguments) {
    const Result<void> done = function.launch(arguments...);
    return done ? std::string() : done.error().message;
  }
  const Device device_ = testing::device();
};

TEST_F(ElementwiseTest, ArraysAndNumbers) {
  const Elementwise f = squared_difference();
  const Array<float> x = array<float>({3000}), z = f.map<float>(x, 2.5F).value();
  const std::vector<float> result = host(z);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float difference = static_cast<float>(i) - 2.5F;
    ASSERT_EQ(result[i], difference * difference);
  }
  f.launch(z, 1, x).value();  // an integer takes the float's type
  EXPECT_EQ(host(z)[5], 16.0F);
  f.launch(x, x, x).value();  // in place
  EXPECT_EQ(host(x), std::vector<float>(3000, 0));
  EXPECT_EQ(host(f.map<double>(2, 5).value()), std::vector<double>{9});
}

TEST_F(ElementwiseTest, TypesAreTheArguments) {
  const Elementwise f = squared_difference();
  EXPECT_EQ(host(f.map<std::int64_t>(array<std::int32_t>({4}), array<std::int32_t>({4}, 100000)).value())[0],
            1410065408);  // computed in 32 bits, which wrap
  EXPECT_EQ(host(f.map<std::int64_t>(array<std::int64_t>({4}), array<std::int32_t>({4}, 100000)).value())[0],
            10000000000);
  EXPECT_EQ(host(f.map<std::int8_t>(array<float>({4}), 1.5F).value()), (std::vector<std::int8_t>{2, 0, 0, 2}));
  const Elementwise exact = Elementwise::create(device_, {"x: f64, y", "z", "z = x * y"}).value();
  EXPECT_EQ(host(exact.map<double>(array<float>({2}, 0.1F), 0.1).value())[0], static_cast<double>(0.1F) * 0.1);
}

/// For every index of a 3-D shape.
template <typename Visit>
void for_each(const std::int64_t (&shape)[3], Visit visit) {
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      for (std::int64_t k = 0; k < shape[2]; ++k) visit(i, j, k);
}

TEST_F(ElementwiseTest, BroadcastsOverAnyRanks) {
  const Elementwise f = Elementwise::create(device_, {"x, y, w", "z", "z = x + 1000 * y + 1000000 * w"}).value();
  const Array<float> x = array<float>({2, 3, 4}), y = array<float>({3, 1}), w = array<float>({2, 1, 4});
  const Array<double> z = f.map<double>(x, y, w).value();
  EXPECT_TRUE(std::ranges::equal(z.shape(), std::vector<std::int64_t>{2, 3, 4}));
  const std::vector<double> result = host(z);
  for_each({2, 3, 4}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::int64_t at = (i * 3 + j) * 4 + k;
    ASSERT_EQ(result[static_cast<std::size_t>(at)], at + 1000 * j + 1000000 * (i * 4 + k)) << at;
  });
  EXPECT_EQ(host(f.map<float>(array<float>({}, 5), array<float>({1}, 1), 0).value()), std::vector<float>{1005});
}

TEST_F(ElementwiseTest, AnyStrides) {
  const Elementwise f = Elementwise::create(device_, {"x, y", "z", "z = x - 100 * y"}).value();
  const Array<std::int32_t> x = array<std::int32_t>({4, 3, 2}), y = array<std::int32_t>({2, 3, 8});
  const auto turned = x.transpose();                                                    // (2, 3, 4), columns first
  const auto reversed = y.slice(Slice{}, Slice{.step = -1}, Slice{.step = 2}).value();  // (2, 3, 4)
  const Array<std::int32_t> z = f.map<std::int32_t>(turned, reversed).value();
  const auto into = device_.allocate<std::int32_t>({4, 3, 2}).value().transpose();
  f.launch(into, turned, reversed).value();
  const std::vector<std::int32_t> result = host(z), same = host(into);
  for_each({2, 3, 4}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto expected = (k * 3 + j) * 2 + i - 100 * ((i * 3 + 2 - j) * 8 + 2 * k);
    ASSERT_EQ(result[static_cast<std::size_t>((i * 3 + j) * 4 + k)], expected);
  });
  EXPECT_EQ(same, result);
}

TEST_F(ElementwiseTest, RandomShapes) {
  std::mt19937 random(7);
  const Elementwise f = Elementwise::create(device_, {"x, y", "z", "z = 3 * x + y"}).value();
  for (int round = 0; round < 60; ++round) {
    const int rank = static_cast<int>(random() % 5);
    std::vector<std::int64_t> shape, x_shape, y_shape;
    std::vector<int> axes;
    for (int i = 0; i < rank; ++i) {
      shape.push_back(static_cast<std::int64_t>(random() % 4 + 1));
      x_shape.push_back(random() % 3 == 0 ? 1 : shape.back());
      y_shape.push_back(x_shape.back() == 1 || random() % 3 != 0 ? shape.back() : 1);
      axes.push_back(i);
    }
    std::ranges::shuffle(axes, random);
    const Array<float> x = array<float>(x_shape), y = array<float>(y_shape, 50);
    // The output's axes lie in memory in a random order.
    std::vector<std::int64_t> inner;
    for (const int axis : axes) inner.push_back(shape[static_cast<std::size_t>(axis)]);
    std::vector<int> back(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) back[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
    const auto z = device_.allocate<float>(inner).value().permute(back).value();
    f.launch(z, x, y).value();
    const std::vector<float> result = host(z), xs = host(x), ys = host(y);
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::size_t rest = i, x_at = 0, y_at = 0, x_step = 1, y_step = 1;
      for (std::size_t a = shape.size(); a-- > 0;) {
        const std::size_t index = rest % static_cast<std::size_t>(shape[a]);
        rest /= static_cast<std::size_t>(shape[a]);
        x_at += x_shape[a] == 1 ? 0 : index * x_step;
        y_at += y_shape[a] == 1 ? 0 : index * y_step;
        x_step *= static_cast<std::size_t>(x_shape[a]);
        y_step *= static_cast<std::size_t>(y_shape[a]);
      }
      ASSERT_EQ(result[i], 3 * xs[x_at] + ys[y_at]) << "round " << round;
    }
  }
}

TEST_F(ElementwiseTest, LongRows) {
  const Elementwise f = Elementwise::create(device_, {"x, row, column", "z", "z = x + row - column"}).value();
  const Array<std::int32_t> x = array<std::int32_t>({40, 3, 1500}), row = array<std::int32_t>({1500}),
                            column = array<std::int32_t>({3, 1}, 7);
  const std::vector<std::int32_t> z = host(f.map<std::int32_t>(x, row, column).value());
  for (std::int32_t i = 0; i < 40 * 3 * 1500; ++i)
    ASSERT_EQ(z[static_cast<std::size_t>(i)], i + i % 1500 - (7 + i / 1500 % 3));
}

// On a GPU the first of these are moved in vectors, the others not.
TEST_F(ElementwiseTest, LengthsAndBeginnings) {
  const Elementwise f = Elementwise::create(device_, {"x, y", "z", "z = x + 2 * y"}).value();
  const Array<float> x = array<float>({5000}), y = array<float>({5000}, 30);
  for (const std::int64_t begin : {0, 8, 3})
    for (const std::int64_t length : {4, 1000, 4096, 4100, 4711}) {
      const Slice part{.start = begin, .stop = begin + length};
      const std::vector<float> z = host(f.map<float>(x.slice(part).value(), y.slice(part).value()).value());
      for (std::int64_t i = 0; i < length; ++i)
        ASSERT_EQ(z[static_cast<std::size_t>(i)], static_cast<float>(3 * (begin + i) + 60)) << begin << ", " << length;
    }
  const Elementwise g = Elementwise::create(device_, {"x, y", "z", "z = x > 2 * y"}).value();
  const Array<double> wide = array<double>({4096}, 1000);
  const auto narrow = device_.allocate<std::int32_t>(4096).value();
  g.launch(narrow, wide, x.slice(Slice{.stop = 4096}).value()).value();
  const std::vector<std::int32_t> z = host(narrow);
  for (std::int32_t i = 0; i < 4096; ++i) ASSERT_EQ(z[static_cast<std::size_t>(i)], i < 1000 ? 1 : 0);
}

TEST_F(ElementwiseTest, MoreRowsThanOneAxisOfTheGridHas) {
  const Elementwise f = Elementwise::create(device_, {"x, column", "z", "z = x - column"}).value();
  const Array<std::int32_t> x = array<std::int32_t>({40000, 64}), column = array<std::int32_t>({40000, 1});
  const std::vector<std::int32_t> z = host(f.map<std::int32_t>(x, column).value());
  for (std::int32_t i = 0; i < 40000 * 64; ++i) ASSERT_EQ(z[static_cast<std::size_t>(i)], i - i / 64);
}

TEST_F(ElementwiseTest, StepsBecomeOneKernel) {
  const Elementwise f = Elementwise::create(device_, {{"x, y", "d, s", "d = x - y\ns = x + y"},
                                                      {"d, a", "e", R"(
                                                          t = a * d
                                                          e = t if t > 0 else -t
                                                      )"},
                                                      {"e, s", "low, high", "low = s - e\nhigh = s + e"}})
                            .value();
  const Array<float> x = array<float>({50}), y = array<float>({50}, -20);
  const Array<float> low = device_.allocate<float>(50).value();
  const Array<double> high = device_.allocate<double>(50).value();
  f.launch(low, high, x, y, 0.5F).value();
  for (std::size_t i = 0; i < 50; ++i) {
    const float sum = 2 * static_cast<float>(i) - 20;
    ASSERT_EQ(host(low)[i], sum - 10);
    ASSERT_EQ(host(high)[i], sum + 10);
  }
}

TEST_F(ElementwiseTest, ConstantsAndFunctionsOfThePreamble) {
  const Elementwise f =
      Elementwise::create(device_, {"x", "y", "y = OFFSET + twice(math.sqrt(x))"}, {.constants = {{"OFFSET", 0.5}}},
                          "import math\n\ndef twice(x):\n    return 2 * x\n")
          .value();
  EXPECT_EQ(host(f.map<float>(array<float>({2}, 4)).value()), (std::vector<float>{4.5F, 0.5F + 2 * std::sqrt(5.0F)}));
}

TEST_F(ElementwiseTest, EmptyArrays) {
  const Elementwise f = squared_difference();
  EXPECT_EQ(f.map<float>(array<float>({0, 3}), array<float>({3})).value().size(), 0);
}

TEST_F(ElementwiseTest, WhatIsWrongIsSaid) {
  const Elementwise f = squared_difference();
  const Array<float> three = array<float>({3}), four = array<float>({4}), row = array<float>({1, 3});
  EXPECT_EQ(
      message(f, three, four, three),
      "arrays of the shapes (3,) and (4,) do not broadcast: extents are equal, or one of them is 1, counted from the "
      "last axis");
  EXPECT_EQ(message(f, three, row, three),
            "the output `z` is an array of shape (3,), and the result has the shape (1, 3)");
  EXPECT_EQ(message(f, 1, three, three), "the output `z` is a number, and the result has the shape (3,)");
  EXPECT_EQ(message(f, three, three),
            "the operation takes its outputs (z) and its inputs (x, y); 2 arguments are given");
  Argument strange = Argument::of(three);
  strange.type = static_cast<ScalarType>(99);
  const Argument list[] = {Argument::of(three), strange, Argument::of(three)};
  EXPECT_EQ(f.launch_with(nullptr, list).error().message, "an argument has an invalid ScalarType (99)");
  const Elementwise bits = Elementwise::create(device_, {"x", "y", "y = x & 1"}).value();
  EXPECT_NE(message(bits, three, three).find("elementwise"), std::string::npos);
  const auto refused = [&](const ElementwiseStep& step) {
    const Result<Elementwise> made = Elementwise::create(device_, step);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(refused({"x y", "z", "z = x"}), "`x y` is no name of an input or output");
  EXPECT_EQ(refused({"x, x", "z", "z = x"}), "`x` stands twice in `x, x`");
  EXPECT_EQ(refused({"x", "", "z = x"}), "`z = x` has no output: name what it defines");
  EXPECT_EQ(refused({"x", "z", "z = (x"}), "1 error");
  EXPECT_FALSE(Elementwise::create(device_, std::vector<ElementwiseStep>{}));
}

}  // namespace
}  // namespace pykc
