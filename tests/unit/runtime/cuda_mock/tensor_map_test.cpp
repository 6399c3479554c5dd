// Tensor maps that launches make.
#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

/// A kernel of one matrix, with a map of boxes of 8 rows and 64 columns of it.
Artifact artifact_with_tensor_map(Layout layout) {
  Artifact artifact = test_artifact();
  ParameterInfo matrix = array("x", ScalarType::BF16, {kAny, kAny});
  matrix.array.layout = layout;
  artifact.kernels[0].parameters = {scalar("a", ScalarType::F32), matrix};
  artifact.kernels[0].tensor_maps = {{1, {8, 64}, 128}};
  return artifact;
}

Result<void> launch_on(const Kernel& kernel, const Argument& matrix) {
  return kernel.launch_with({.grid = {1}, .block = {32}}, std::array{Argument::of(1.0F), matrix});
}

TEST_F(CudaMock, TensorMapsAreMadeOfTheArraysOfALaunch) {
  const Device device = Device::open("cuda:0").value();
  const Kernel kernel = device.load(artifact_with_tensor_map(Layout::RowMajor)).value().kernel("scale").value();
  const Array<std::uint16_t> memory = device.allocate<std::uint16_t>(100 * 72 + 8).value();
  const auto matrix = [&](std::int64_t first, std::int64_t rows, std::int64_t columns) {
    Argument argument = Argument::of(memory);
    argument.type = ScalarType::BF16;
    argument.address = static_cast<std::uint16_t*>(argument.address) + first;
    argument.rank = 2;
    argument.extents[0] = rows, argument.extents[1] = columns;
    argument.strides[0] = columns, argument.strides[1] = 1;
    return argument;
  };
  mock_set_words(5);  // a, x, its extents, the map
  ASSERT_TRUE(launch_on(kernel, matrix(8, 100, 72)));
  const TensorMap& made = *mock_last_tensor_map();
  EXPECT_EQ(mock_last_launch()->words[4], made.address) << "the map is the last parameter";
  EXPECT_EQ(made.address, mock_last_launch()->words[1]);
  EXPECT_EQ(made.type, 9) << "bf16";
  EXPECT_EQ(made.swizzle, 3) << "128 bytes";
  EXPECT_EQ(made.rank, 2);
  EXPECT_EQ(made.extents[0], 72U);
  EXPECT_EQ(made.extents[1], 100U);
  EXPECT_EQ(made.strides[0], 144U);
  EXPECT_EQ(made.box[0], 64U);
  EXPECT_EQ(made.box[1], 8U);

  const int calls = mock_calls("cuTensorMapEncodeTiled");
  EXPECT_TRUE(launch_on(kernel, matrix(0, 0, 72)));
  EXPECT_EQ(mock_calls("cuTensorMapEncodeTiled"), calls) << "there is nothing to copy of an empty array";
  expect_error(launch_on(kernel, matrix(1, 100, 72)), ErrorCode::InvalidLaunch,
               "parameter `x`: a GPU's copy unit cannot read it: it does not begin at a multiple of 16 bytes");
  expect_error(launch_on(kernel, matrix(0, 100, 71)), ErrorCode::InvalidLaunch,
               "its rows lie 142 bytes apart, which is no multiple of 16");
  mock_fail("cuTensorMapEncodeTiled", 1, kOutOfResources);
  expect_error(launch_on(kernel, matrix(0, 100, 72)), ErrorCode::DriverError, "cuTensorMapEncodeTiled failed");
}

TEST_F(CudaMock, TensorMapsFollowTheArraysLayout) {
  const Device device = Device::open("cuda:0").value();
  const Array<std::uint16_t> memory = device.allocate<std::uint16_t>(64 * 80).value();
  Argument argument = Argument::of(memory);
  argument.type = ScalarType::BF16;
  argument.rank = 2;
  argument.extents[0] = 64, argument.extents[1] = 48;
  argument.strides[0] = 1, argument.strides[1] = 64;
  const Kernel by_columns = device.load(artifact_with_tensor_map(Layout::ColumnMajor)).value().kernel("scale").value();
  ASSERT_TRUE(launch_on(by_columns, argument));
  EXPECT_EQ(mock_last_tensor_map()->extents[0], 64U);
  EXPECT_EQ(mock_last_tensor_map()->strides[0], 128U);
  EXPECT_EQ(mock_last_tensor_map()->box[0], 8U);

  const Kernel strided = device.load(artifact_with_tensor_map(Layout::Strided)).value().kernel("scale").value();
  expect_error(launch_on(strided, argument), ErrorCode::InvalidLaunch, "elements of its last axis are no neighbours");
  argument.strides[0] = 80, argument.strides[1] = 1;
  ASSERT_TRUE(launch_on(strided, argument));
  EXPECT_EQ(mock_last_tensor_map()->extents[0], 48U);
  EXPECT_EQ(mock_last_tensor_map()->strides[0], 160U);
}

TEST_F(CudaMock, RefusesTensorMapsThatFitNoArray) {
  const Device device = Device::open("cuda:0").value();
  for (const TensorMapInfo& wrong : {TensorMapInfo{0, {8, 64}, 0}, {2, {8, 64}, 0}, {-1, {8, 64}, 0}, {1, {8}, 0}}) {
    Artifact artifact = artifact_with_tensor_map(Layout::RowMajor);
    artifact.kernels[0].tensor_maps = {wrong};
    expect_error(device.load(artifact), ErrorCode::InputOutput, "has a tensor map that fits no array of it");
  }
}

}  // namespace
}  // namespace pykc::testing
