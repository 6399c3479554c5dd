// Generalised ufuncs from C++: values over outer axes that broadcast, and what is refused.
#include "pykc/generalized_ufunc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/unit/jit/device.h"

namespace pykc {
namespace {

using testing::host;

constexpr SourceLiteral kMatmul = R"pyk(
  def matmul(a, b, c):
      for i in range(c.shape[0]):
          for j in range(c.shape[1]):
              total = 0
              for k in range(a.shape[1]):
                  total += a[i, k] * b[k, j]
              c[i, j] = total
)pyk"_pyk;

class Generalized : public ::testing::Test {
 protected:
  Array<std::int64_t> counted(std::vector<std::int64_t> shape) const {
    const Array<std::int64_t> array = device_.allocate<std::int64_t>(shape).value();
    std::vector<std::int64_t> values(static_cast<std::size_t>(array.size()));
    std::iota(values.begin(), values.end(), 0);
    array.copy_from(values).value();
    return array;
  }
  GeneralizedUfunc matmul() const { return GeneralizedUfunc::create(device_, "(m,n),(n,p)->(m,p)", kMatmul).value(); }
  const Device device_ = testing::device();
};

/// Element (i, j) of the product of matrix `at_a` of `a`, m by n, and matrix `at_b` of `b`, n by p.
std::int64_t product(const std::vector<std::int64_t>& a, std::size_t at_a, const std::vector<std::int64_t>& b,
                     std::size_t at_b, std::size_t n, std::size_t p, std::size_t m, std::size_t i, std::size_t j) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += a[(at_a * m + i) * n + k] * b[(at_b * n + k) * p + j];
  return sum;
}

TEST_F(Generalized, OuterAxesBroadcast) {
  const GeneralizedUfunc f = matmul();
  const Array<std::int64_t> a = counted({5, 1, 2, 3}), b = counted({7, 3, 4});
  const Array<std::int64_t> c = f.map<std::int64_t>(a, b).value();
  EXPECT_TRUE(std::ranges::equal(c.shape(), std::vector<std::int64_t>{5, 7, 2, 4}));
  const std::vector<std::int64_t> result = host(c), as = host(a), bs = host(b);
  for (std::size_t o = 0; o < 35; ++o)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        ASSERT_EQ(result[(o * 2 + i) * 4 + j], product(as, o / 7, bs, o % 7, 3, 4, 2, i, j));
}

TEST_F(Generalized, ViewsAndOneMatrix) {
  const GeneralizedUfunc f = matmul();
  const Array<std::int64_t> a = counted({3, 2}), b = counted({3, 4});
  const Array<std::int64_t> c = device_.allocate<std::int64_t>({4, 2}).value();
  f.launch(c.transpose(), a.transpose(), b).value();
  EXPECT_EQ(host(c), (std::vector<std::int64_t>{40, 52, 46, 61, 52, 70, 58, 79}));
}

TEST_F(Generalized, NumbersAndSeveralOutputs) {
  const GeneralizedUfunc f = GeneralizedUfunc::create(device_, "(n),()->(),(n)", R"pyk(
    def offset(x):
        return x + 1

    def scan(x, scale, total, running):
        total[0] = 0
        for i in range(x.shape[0]):
            total[0] += scale * x[i]
            running[i] = offset(total[0])
  )pyk"_pyk)
                                 .value();
  const Array<std::int64_t> x = counted({2, 3}), scale = counted({2});
  const Array<std::int64_t> total = device_.allocate<std::int64_t>({2}).value(),
                            running = device_.allocate<std::int64_t>({2, 3}).value();
  f.launch(total, running, x, 10).value();
  EXPECT_EQ(host(total), (std::vector<std::int64_t>{30, 120}));
  EXPECT_EQ(host(running), (std::vector<std::int64_t>{1, 11, 31, 31, 71, 121}));
  f.launch(total, running, x, scale).value();
  EXPECT_EQ(host(total), (std::vector<std::int64_t>{0, 12}));
}

TEST_F(Generalized, AnAxisThatOnlyTheOutputHas) {
  const GeneralizedUfunc f = GeneralizedUfunc::create(device_, "() -> (n)", R"pyk(
    def powers(x, out):
        value = x * 0 + 1
        for i in range(out.shape[0]):
            out[i] = value
            value *= x
  )pyk"_pyk)
                                 .value();
  const Array<std::int64_t> out = device_.allocate<std::int64_t>({3, 4}).value();
  f.launch(out, counted({3})).value();
  EXPECT_EQ(host(out), (std::vector<std::int64_t>{1, 0, 0, 0, 1, 1, 1, 1, 1, 2, 4, 8}));
  EXPECT_EQ(f.map<std::int64_t>(counted({3})).error().message,
            "no input says how long the axis `n` is: launch with an output that does");
}

TEST_F(Generalized, WhatIsWrongIsSaid) {
  const auto refused = [&](std::string_view signature, const Source& source = kMatmul) {
    const Result<GeneralizedUfunc> made = GeneralizedUfunc::create(device_, signature, source);
    return made ? std::string() : made.error().message;
  };
  for (const char* signature :
       {"", "(m,n)", "(m,n)->", "->(m)", "(m,n),(n,p)->(m,p", "(m,)->(m)", "(2)->(m)", "(m)(n)->(m)", "(m)->(m)x"})
    EXPECT_TRUE(refused(signature).ends_with("write the inner axes of inputs and outputs as in (m,n),(n,p)->(m,p)"))
        << signature;
  EXPECT_EQ(refused("(m)->(m)"), "`matmul` has 3 parameters, and the signature 2 arguments");
  EXPECT_EQ(refused("(m)->(m)", Source("X = 1\n")), "the source defines no function");

  const GeneralizedUfunc f = matmul();
  const Array<std::int64_t> a = counted({2, 3}), b = counted({4, 5}), c = counted({2, 5});
  EXPECT_EQ(f.launch(c, a, b).error().message, "the axis `n` is 3 long in one argument and 4 in another");
  EXPECT_EQ(f.launch(c, a, counted({3})).error().message,
            "an argument of 1 axes cannot be the (n, p) of the signature");
  EXPECT_EQ(f.launch(c, a, 1).error().message, "an argument of 0 axes cannot be the (n, p) of the signature");
  EXPECT_EQ(f.launch(c, a, counted({4, 3, 5})).error().message, "output 0 is not an array of the shape (4, 2, 5)");
  EXPECT_EQ(f.launch(c, a).error().message, "`matmul` takes 1 outputs and then 2 inputs; 2 arguments are given");
  EXPECT_NE(f.map<std::int64_t>(counted({2, 2, 3}), counted({3, 3, 5})).error().message.find("do not broadcast"),
            std::string::npos);
  const GeneralizedUfunc broken = GeneralizedUfunc::create(device_, "(n)->(n)", R"pyk(
    def broken(x, y):
        y[0] = nobody
  )pyk"_pyk)
                                      .value();
  const Error error = broken.launch(counted({3}), counted({3})).error();
  ASSERT_FALSE(error.diagnostics.empty());
  EXPECT_EQ(error.diagnostics.front().place.line, __LINE__ - 5);
  EXPECT_EQ(error.diagnostics.front().place.file, __FILE__);
}

}  // namespace
}  // namespace pykc
