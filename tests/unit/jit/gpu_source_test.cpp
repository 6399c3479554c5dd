// The kernels that are generated for GPUs, run on the CPU device: it has the semantics of a GPU's, so the text is
// tested where there is none.
#include <gtest/gtest.h>

#include <numeric>

#include "jit/elementwise_source.h"
#include "jit/reduction_source.h"
#include "jit/vectors.h"

namespace pykc::jit {
namespace {

class GpuSource : public ::testing::Test {
 protected:
  GenericKernel kernel(const Source& source, const char* name) const {
    return SourceModule::load(device_, source).value().kernel(name).value();
  }
  Array<std::int32_t> counted(std::vector<std::int64_t> shape) const {
    const Array<std::int32_t> array = device_.allocate<std::int32_t>(shape).value();
    std::vector<std::int32_t> values(static_cast<std::size_t>(array.size()));
    std::iota(values.begin(), values.end(), 0);
    array.copy_from(values).value();
    return array;
  }
  static std::vector<std::int32_t> host(const Array<std::int32_t>& array) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(array.size()));
    array.copy_to(values).value();
    return values;
  }
  const Device device_ = Device::open("cpu").value();
};

TEST_F(GpuSource, Elementwise) {
  const Fusion fusion = fuse({{"x, a", "y", "y = a * x"}}, "").value();
  const Array<std::int32_t> x = counted({3, 1000}), y = device_.allocate<std::int32_t>({3, 1000}).value();
  for (const bool by_rows : {false, true})
    for (const bool is_wide : {false, true}) {
      y.fill_zero().value();
      const ElementwiseVariant variant{.rank = 2, .is_array = {true, false}, .by_rows = by_rows, .is_wide = is_wide};
      const Dim3 grid = by_rows ? Dim3{8, 2, 2} : Dim3{24};  // one row too many
      kernel(source_of(fusion, variant), "elementwise").launch({.grid = grid, .block = {32}}, y, x, 3).value();
      const std::vector<std::int32_t> result = host(y);
      for (std::int32_t i = 0; i < 3000; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], 3 * i);
    }
}

TEST_F(GpuSource, ElementwiseOnVectors) {
  const Fusion fusion = fuse({{"x, a", "y, z", "y = a * x\nz = y - x"}}, "").value();
  const Array<std::int32_t> x = counted({3, 1000}), y = device_.allocate<std::int32_t>({3, 1000}).value();
  const Array<std::int32_t> z = device_.allocate<std::int32_t>({3, 1000}).value();
  std::vector<Argument> arguments = {Argument::of(y), Argument::of(z), Argument::of(x), Argument::of(3)};
  ASSERT_EQ(vector_width(arguments), 4);
  vectorize(arguments, 4);
  for (const bool by_rows : {false, true}) {
    y.fill_zero().value();
    z.fill_zero().value();
    const ElementwiseVariant variant{.rank = 2, .is_array = {true, false}, .width = 4, .by_rows = by_rows};
    const Dim3 grid = by_rows ? Dim3{4, 2, 2} : Dim3{12};
    kernel(source_of(fusion, variant), "elementwise").launch_with({.grid = grid, .block = {32}}, arguments).value();
    const std::vector<std::int32_t> ys = host(y), zs = host(z);
    for (std::int32_t i = 0; i < 3000; ++i) {
      ASSERT_EQ(ys[static_cast<std::size_t>(i)], 3 * i);
      ASSERT_EQ(zs[static_cast<std::size_t>(i)], 2 * i);
    }
  }
}

TEST_F(GpuSource, VectorsThatArraysHold) {
  const auto width = [](const auto&... arrays) {
    const std::vector<Argument> arguments = {Argument::of(arrays)...};
    return vector_width(arguments);
  };
  const auto make = [&]<typename T>(T /*of this type*/, std::vector<std::int64_t> shape) {
    return device_.allocate<T>(shape).value();
  };
  const auto matrix = make(1.0F, {6, 8});
  EXPECT_EQ(width(matrix, make(1.0F, {8})), 4);
  EXPECT_EQ(width(matrix, make(1.0, {6, 8})), 2) << "the widest type fills 16 bytes";
  EXPECT_EQ(width(make(std::uint8_t{}, {16})), 4);
  EXPECT_EQ(width(matrix, 2.5F), 4) << "a number has no say";
  EXPECT_EQ(width(make(1.0F, {6, 6})), 1) << "rows of no whole vectors";
  EXPECT_EQ(width(matrix.transpose()), 1);
  EXPECT_EQ(width(matrix.slice(Slice{}, Slice{.start = 4}).value()), 4);
  EXPECT_EQ(width(matrix.slice(Slice{}, Slice{.start = 2, .stop = 6}).value()), 1) << "begins between two vectors";
  EXPECT_EQ(width(make(1.0F, {2, 9}).slice(Slice{}, Slice{.stop = 8}).value()), 1) << "so does the second row";
}

TEST_F(GpuSource, Reduction) {
  const ReductionText text = reduction_text({.map = "x + 1", .post = "a - count"}).value();
  const Array<std::int32_t> x = counted({37, 1000});
  const auto reduce = [&](bool along_x, const Array<std::int32_t>& input, Dim3 grid, Dim3 block) {
    const std::int64_t results = input.shape()[0], length = input.shape()[1];
    const ReductionVariant variant{.kept = 1,
                                   .reduced = 1,
                                   .is_array = {true},
                                   .accumulator = ScalarType::I32,
                                   .along_x = along_x,
                                   .lanes = static_cast<int>(along_x ? block.x : block.y),
                                   .places = static_cast<int>(along_x ? block.y : block.x)};
    const Array<std::int32_t> sums = device_.allocate<std::int32_t>(results).value();
    kernel(source_of(text, variant), "reduction")
        .launch({.grid = grid, .block = block}, sums, results, length, length, length, input)
        .value();
    return host(sums);
  };
  std::vector<std::int32_t> rows(37), columns(1000);
  for (std::int32_t i = 0; i < 37000; ++i) {
    rows[static_cast<std::size_t>(i / 1000)] += i;
    columns[static_cast<std::size_t>(i % 1000)] += i;
  }
  for (const std::int64_t lanes : {1, 2, 32, 256}) {
    const std::int64_t places = lanes == 256 ? 1 : 8;
    const Dim3 for_rows{(37 + places - 1) / places}, for_columns{1000 / places};
    EXPECT_EQ(reduce(true, x, for_rows, {lanes, places}), rows) << lanes;
    EXPECT_EQ(reduce(false, x.transpose(), for_columns, {places, lanes}), columns) << lanes;
  }
}

TEST_F(GpuSource, ReductionOfVectors) {
  const ReductionText text = reduction_text({.inputs = "x, y, a", .map = "a * x + y"}).value();
  const Array<std::int32_t> x = counted({37, 1000}), sums = device_.allocate<std::int32_t>(37).value();
  for (const int width : {2, 4}) {
    ReductionVariant variant{.kept = 1,
                             .reduced = 1,
                             .is_array = {true, true, false},
                             .accumulator = ScalarType::I32,
                             .width = width,
                             .along_x = true,
                             .places = 2};
    Argument vectors = Argument::of(x);
    vectors.record = vector_type(ScalarType::I32, width);
    vectors.extents[1] /= width, vectors.strides[0] /= width;
    const std::vector<Argument> arguments = {Argument::of(sums),
                                             Argument::of(37),
                                             Argument::of(1000 / width),
                                             Argument::of(1000 / width),
                                             Argument::of(1000),
                                             vectors,
                                             vectors,
                                             Argument::of(2)};
    for (const int lanes : {1, 4, 32, 64, 128}) {
      variant.lanes = lanes;
      sums.fill_zero().value();
      kernel(source_of(text, variant), "reduction").launch_with({.grid = {19}, .block = {lanes, 2}}, arguments).value();
      const std::vector<std::int32_t> result = host(sums);
      for (std::int32_t row = 0; row < 37; ++row)
        ASSERT_EQ(result[static_cast<std::size_t>(row)], 3 * (1000 * 1000 * row + 499500)) << width << " " << lanes;
    }
  }
}

TEST_F(GpuSource, PartsAreReducedBySeveralBlocks) {
  const ReductionText text = reduction_text({}).value();
  const Array<std::int32_t> x = counted({10, 777}), parts = device_.allocate<std::int32_t>({5, 10}).value();
  const ReductionVariant variant{.kept = 1,
                                 .reduced = 1,
                                 .is_array = {true},
                                 .accumulator = ScalarType::I32,
                                 .along_x = true,
                                 .is_split = true,
                                 .lanes = 16,
                                 .places = 2};
  kernel(source_of(text, variant), "reduction")
      .launch({.grid = {5, 5}, .block = {16, 2}}, parts, 10, 777, 156, 777, x)
      .value();
  const std::vector<std::int32_t> values = host(parts), all = host(x);
  for (std::size_t row = 0; row < 10; ++row) {
    std::int32_t sum = 0;
    for (std::size_t part = 0; part < 5; ++part) sum += values[10 * part + row];
    EXPECT_EQ(sum, std::accumulate(all.begin() + static_cast<int>(777 * row),
                                   all.begin() + static_cast<int>(777 * (row + 1)), 0));
  }
}

}  // namespace
}  // namespace pykc::jit
