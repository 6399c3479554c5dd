#include "runtime/cuda/tensor_maps.h"

#include <algorithm>
#include <string>

#include "base/errors.h"

namespace pykc::cuda {
namespace {

constexpr int kMostAxes = 5;
constexpr std::uint64_t kUnit = 16;  // bytes: addresses and strides are multiples of it

/// An array of a launch as the unit counts: from the axis whose elements are neighbours on.
struct Tensor {
  void* address = nullptr;
  std::uint32_t rank = 0;
  std::uint64_t extents[kMostAxes] = {};
  std::uint64_t strides[kMostAxes] = {};  // in bytes
  bool is_empty() const { return std::find(extents, extents + rank, 0) != extents + rank; }
};

CUtensorMapDataType data_type(ScalarType type) {
  switch (type) {
    case ScalarType::F16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ScalarType::BF16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ScalarType::F32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ScalarType::F64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case ScalarType::I32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ScalarType::I64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    default:
      break;
  }
  switch (size_in_bytes(type)) {
    case 1:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 4:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

CUtensorMapSwizzle swizzle_of(int bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/// How many of the launch's parameters a parameter is.
int parts_of(const ParameterInfo& parameter) {
  if (!parameter.is_array) return 1;
  const ArrayType& type = parameter.array;
  return 1 + (type.has_static_shape() ? 0 : type.rank() * (type.layout == Layout::Strided ? 2 : 1));
}

Tensor tensor_of(const KernelInfo& kernel, int number, const detail::PreparedLaunch& launch) {
  int first = 0;
  for (int i = 0; i < number; ++i) first += parts_of(kernel.parameters[static_cast<std::size_t>(i)]);
  const auto word = [&](int n) { return *static_cast<const std::uint64_t*>(launch.parameters[first + n]); };
  const ArrayType& type = kernel.parameters[static_cast<std::size_t>(number)].array;
  const int rank = type.rank();
  Tensor tensor{.address = reinterpret_cast<void*>(word(0)), .rank = static_cast<std::uint32_t>(rank)};
  auto stride = static_cast<std::uint64_t>(size_in_bytes(type.element));
  for (int i = 0; i < rank; ++i) {
    const int axis = type.layout == Layout::ColumnMajor ? i : rank - 1 - i;
    tensor.extents[i] = type.has_static_shape()
                            ? static_cast<std::uint64_t>(type.extents[static_cast<std::size_t>(axis)])
                            : word(1 + axis);
    tensor.strides[i] = type.layout == Layout::Strided ? word(1 + rank + axis) * size_in_bytes(type.element) : stride;
    stride *= tensor.extents[i];
  }
  return tensor;
}

/// Why the unit cannot read it; empty where it can.
std::string why_not(const Tensor& tensor, const ArrayType& type) {
  if (reinterpret_cast<std::uintptr_t>(tensor.address) % kUnit != 0)
    return "it does not begin at a multiple of 16 bytes";
  if (tensor.extents[0] > 1 && tensor.strides[0] != static_cast<std::uint64_t>(size_in_bytes(type.element)))
    return "elements of its last axis are no neighbours";
  for (std::uint32_t i = 1; i < tensor.rank; ++i)
    if (tensor.strides[i] % kUnit != 0)
      return "its rows lie " + std::to_string(tensor.strides[i]) + " bytes apart, which is no multiple of 16";
  return {};
}

}  // namespace

Result<void> append_tensor_maps(const Driver& driver, const KernelInfo& kernel, detail::PreparedLaunch& launch) {
  for (const TensorMapInfo& info : kernel.tensor_maps) {
    const ParameterInfo& parameter = kernel.parameters[static_cast<std::size_t>(info.parameter)];
    const Tensor tensor = tensor_of(kernel, info.parameter, launch);
    CUtensorMap map{};  // of an empty array nothing is copied
    if (!tensor.is_empty()) {
      if (const std::string why = why_not(tensor, parameter.array); !why.empty())
        return detail::invalid_launch(kernel,
                                      "parameter `" + parameter.name + "`: a GPU's copy unit cannot read it: " + why);
      std::uint32_t box[kMostAxes], steps[kMostAxes];
      for (std::uint32_t i = 0; i < tensor.rank; ++i) {
        const std::size_t axis = parameter.array.layout == Layout::ColumnMajor ? i : tensor.rank - 1 - i;
        box[i] = static_cast<std::uint32_t>(info.box[axis]);
        steps[i] = 1;
      }
      if (driver.cuTensorMapEncodeTiled == nullptr)
        return Error{ErrorCode::Unsupported, "the NVIDIA driver is too old for kernels that copy boxes of arrays"};
      RETURN_IF_FAILED(driver.check(
          "cuTensorMapEncodeTiled",
          driver.cuTensorMapEncodeTiled(&map, data_type(parameter.array.element.scalar), tensor.rank, tensor.address,
                                        tensor.extents, tensor.strides + 1, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        swizzle_of(info.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)));
    }
    launch.append(&map, sizeof map);
  }
  return {};
}

}  // namespace pykc::cuda
