#include "measure/launch_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>

#include "measure/elements.h"

namespace pykc::measure {
namespace {

ParameterInfo array_of(std::string name, ElementType element, int rank, Layout layout = Layout::RowMajor) {
  ParameterInfo parameter{.name = std::move(name), .is_array = true};
  parameter.array = {.element = std::move(element),
                     .layout = layout,
                     .extents = std::vector<std::int64_t>(static_cast<std::size_t>(rank), ArrayType::kDynamic)};
  return parameter;
}
ParameterInfo number(std::string name, ElementType type) { return {.name = std::move(name), .value = std::move(type)}; }

KernelInfo kernel_with(std::vector<ParameterInfo> parameters) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.parameters = std::move(parameters);
  return kernel;
}

Device cpu() { return Device::open("cpu").value(); }

template <typename T>
std::span<const T> elements(const Argument& argument) {
  std::size_t count = 1;
  for (int axis = 0; axis < argument.rank; ++axis) count *= static_cast<std::size_t>(argument.extents[axis]);
  return {static_cast<const T*>(argument.address), count};
}

TEST(BenchmarkArguments, ArraysHaveTheSizeOrTheShapeThatIsAsked) {
  const KernelInfo kernel = kernel_with({array_of("x", ScalarType::F32, 1), array_of("y", ScalarType::F64, 2),
                                         array_of("z", ScalarType::U8, 2, Layout::ColumnMajor)});
  const LaunchArguments arguments =
      LaunchArguments::create(cpu(), kernel, 10'000, {.shapes = {{"z", {30, 20}}}}).value();
  ASSERT_EQ(arguments.list().size(), 3U);
  EXPECT_EQ(arguments.list()[0].extents[0], 10'000);
  EXPECT_EQ(arguments.list()[1].extents[0], 100);
  EXPECT_EQ(arguments.list()[1].extents[1], 100);
  EXPECT_EQ(arguments.list()[2].extents[0], 30);
  EXPECT_EQ(arguments.list()[2].strides[0], 1);
  EXPECT_EQ(arguments.list()[2].strides[1], 30);
  EXPECT_TRUE(std::ranges::equal(arguments.first_shape(), std::vector<std::int64_t>{10'000}));
}

TEST(BenchmarkArguments, RandomNumbersAreInRangeAndAlwaysTheSame) {
  const KernelInfo kernel =
      kernel_with({array_of("x", ScalarType::F32, 1), array_of("i", ScalarType::I32, 1),
                   array_of("b", ScalarType::I8, 1), array_of("w", complex_type(ScalarType::F32), 1)});
  const LaunchArguments arguments =
      LaunchArguments::create(cpu(), kernel, 3'000'000, {.shapes = {{"w", {1000}}}}).value();
  const auto x = elements<float>(arguments.list()[0]);
  const auto [least, most] = std::ranges::minmax(x);
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.999F);
  const auto indices = elements<std::int32_t>(arguments.list()[1]);
  EXPECT_EQ(std::ranges::min(indices), 0);
  EXPECT_EQ(std::ranges::max(indices), 999);  // an index into the smallest array
  EXPECT_EQ(std::ranges::max(elements<std::int8_t>(arguments.list()[2])), 126);
  for (const std::complex<float> z : elements<std::complex<float>>(arguments.list()[3])) {
    EXPECT_TRUE(z.real() >= 0 && z.real() < 1);
    EXPECT_NE(z.real(), z.imag());
  }
  const std::vector<float> before(x.begin(), x.end());
  std::memset(arguments.list()[0].address, 0, x.size_bytes());
  arguments.refill(std::vector<std::string>{"i"}).value();
  EXPECT_EQ(std::ranges::max(x), 0);
  arguments.refill(std::vector<std::string>{"i", "x"}).value();
  EXPECT_TRUE(std::ranges::equal(x, before));
}

TEST(BenchmarkArguments, MembersOfEnumsAreNotRandom) {
  RecordType color{.name = "Color", .kind = RecordType::Kind::Enum};
  color.fields = {{.name = "value", .type = ScalarType::I32}};
  RecordType pixel{.name = "Pixel"};
  pixel.fields = {{.name = "x", .type = ScalarType::F32}, {.name = "color", .type = lay_out(color)}};
  const KernelInfo kernel = kernel_with({array_of("p", lay_out(pixel), 1)});
  const LaunchArguments arguments = LaunchArguments::create(cpu(), kernel, 100, {}).value();
  struct Pixel {
    float x;
    std::int32_t color;
  };
  float sum = 0;
  for (const Pixel& p : elements<Pixel>(arguments.list()[0])) {
    sum += p.x;
    EXPECT_EQ(p.color, 0);
  }
  EXPECT_GT(sum, 10);
}

TEST(BenchmarkArguments, Numbers) {
  const KernelInfo kernel = kernel_with({array_of("x", ScalarType::F32, 2), number("n", ScalarType::I32),
                                         number("m", ScalarType::U64), number("a", ScalarType::F32),
                                         number("flag", ScalarType::Bool), number("z", complex_type(ScalarType::F64))});
  const ArgumentSettings settings{.values = {{"m", "size"}, {"a", "2.5"}, {"flag", "True"}, {"z", "1,-2"}}};
  const LaunchArguments arguments = LaunchArguments::create(cpu(), kernel, 10'000, settings).value();
  const auto scalar = [&]<typename T>(T, std::size_t index) {
    T value;
    std::memcpy(&value, arguments.list()[index].scalar, sizeof value);
    return value;
  };
  EXPECT_EQ(scalar(std::int32_t{}, 1), 100);
  EXPECT_EQ(scalar(std::uint64_t{}, 2), 10'000U);
  EXPECT_EQ(scalar(float{}, 3), 2.5F);
  EXPECT_TRUE(scalar(bool{}, 4));
  std::complex<double> z;
  std::memcpy(&z, arguments.list()[5].address, sizeof z);
  EXPECT_EQ(z, (std::complex<double>{1, -2}));
}

TEST(BenchmarkArguments, ErrorsNameTheParameters) {
  const KernelInfo kernel =
      kernel_with({array_of("x", ScalarType::F32, 1), number("a", ScalarType::F32), number("k", ScalarType::U8)});
  const auto message = [&](const ArgumentSettings& settings) {
    const Result<LaunchArguments> arguments = LaunchArguments::create(cpu(), kernel, 10, settings);
    return arguments ? std::string("no error") : arguments.error().message;
  };
  EXPECT_EQ(message({}), "kernel `k` needs values that nobody can guess (a: f32, k: u8)");
  EXPECT_EQ(message({.values = {{"a", "1"}, {"k", "256"}}}), "the value of `k`: 256 is no u8");
  EXPECT_EQ(message({.values = {{"a", "1x"}, {"k", "2"}}}), "the value of `a`: 1x is no f32");
  EXPECT_EQ(message({.values = {{"a", "1,2"}, {"k", "2"}}}), "the value of `a`: 1,2 is no f32");
  EXPECT_EQ(message({.values = {{"q", "1"}}}),
            "the value of `q`, 1: kernel `k` has no number of this name; its numbers are a, k");
  EXPECT_EQ(message({.shapes = {{"a", {1}}}}),
            "the shape of `a`: kernel `k` has no array of this name; its arrays are x");
  EXPECT_EQ(message({.shapes = {{"x", {1, 2}}}}), "the shape of `x`: f32[:] takes 1 extents, not 2");
}

TEST(BenchmarkArguments, AShortageOfMemoryIsReported) {
  const Result<LaunchArguments> arguments =
      LaunchArguments::create(cpu(), kernel_with({array_of("x", ScalarType::F64, 1)}), std::int64_t{1} << 46, {});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().code, ErrorCode::OutOfMemory);
}

TEST(GridOver, CoversTheArray) {
  const std::vector<std::int64_t> line{1000}, rows{100, 300}, cube{5, 100, 300};
  EXPECT_EQ(grid_over(line, {256}, 1, {}), (Dim3{4}));
  EXPECT_EQ(grid_over(line, {16, 16}, 2, {}), (Dim3{63}));
  EXPECT_EQ(grid_over(rows, {32, 8}, 2, {}), (Dim3{10, 13}));
  EXPECT_EQ(grid_over(rows, {256}, 1, {}), (Dim3{118}));  // 30,000 elements along x
  EXPECT_EQ(grid_over(cube, {32, 8}, 3, {}), (Dim3{10, 13, 5}));
  EXPECT_EQ(grid_over(cube, {32, 8}, 2, {}), (Dim3{10, 63}));
  EXPECT_EQ(grid_over(line, {256}, 1, {8}), (Dim3{8}));  // whole clusters
  EXPECT_EQ(grid_over({}, {256}, 1, {}), (Dim3{1}));
}

}  // namespace
}  // namespace pykc::measure
