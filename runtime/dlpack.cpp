#include "pykc/dlpack.h"

#include <array>
#include <charconv>
#include <string>

#include "base/errors.h"
#include "runtime/device.h"

namespace pykc::detail {
namespace {

Error invalid_tensor(const std::string& message) { return invalid_argument("DLPack tensor: " + message); }

std::string text_of(DLDataType type) {
  constexpr const char* kNames[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  if (type.code == kDLFloat8_e4m3fn || type.code == kDLFloat8_e5m2)
    return type.code == kDLFloat8_e5m2 ? "float8_e5m2" : "float8_e4m3fn";
  const std::string name = type.code < std::size(kNames) ? kNames[type.code] : "type " + std::to_string(type.code);
  return name + std::to_string(type.bits) + (type.lanes == 1 ? "" : "x" + std::to_string(type.lanes));
}

std::string text_of(DLDevice device) {
  const std::string id = std::to_string(device.device_id);
  switch (device.device_type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda:" + id;
    case kDLCUDAHost:
      return "pinned host memory";
    case kDLCUDAManaged:
      return "managed memory of cuda:" + id;
    default:
      return "a device of DLPack's type " + std::to_string(static_cast<int>(device.device_type));
  }
}

DLDevice device_of(const DeviceInfo& info) {
  constexpr std::string_view kGpu = "cuda:";
  if (!info.name.starts_with(kGpu)) return {kDLCPU, 0};
  DLDevice device{kDLCUDA, 0};
  std::from_chars(info.name.data() + kGpu.size(), info.name.data() + info.name.size(), device.device_id);
  return device;
}

/// Whether a device reaches what lies there: a GPU managed memory, too, the host pinned memory, too.
bool reaches(DLDevice device, DLDevice memory) {
  if (device.device_type == kDLCPU) return memory.device_type == kDLCPU || memory.device_type == kDLCUDAHost;
  return memory.device_type == kDLCUDAManaged ||
         (memory.device_type == kDLCUDA && memory.device_id == device.device_id);
}

Result<void> check_type(DLDataType given, DLDataType type) {
  if (given.code == type.code && given.bits == type.bits && given.lanes == 1) return {};
  return invalid_tensor("its elements are " + text_of(given) + ", the array's " + text_of(type));
}

/// Calls the tensor's deleter, once the tensor was taken.
template <typename Managed>
struct TensorOwner {
  Managed* tensor;
  bool has_taken = false;
  explicit TensorOwner(Managed* from) : tensor(from) {}
  TensorOwner(const TensorOwner&) = delete;
  TensorOwner& operator=(const TensorOwner&) = delete;
  ~TensorOwner() {
    if (has_taken && tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};

template <typename Managed>
Result<WrappedElements> take(const Device& device, Managed* managed, DLDataType type, std::int64_t alignment) {
  const DLTensor& tensor = managed->dl_tensor;
  RETURN_IF_FAILED(check_type(tensor.dtype, type));
  ASSIGN_OR_RETURN(const Mapping mapping, mapping_of(device, tensor));
  const auto owner = std::make_shared<TensorOwner<Managed>>(managed);
  Result<WrappedElements> imported = wrap_elements(device, static_cast<std::byte*>(tensor.data) + tensor.byte_offset,
                                                   mapping, type.bits / 8, alignment, owner);
  owner->has_taken = imported.has_value();
  return imported;
}

/// What a tensor made here points to.
template <typename Managed>
struct Exported {
  Buffer buffer;
  std::array<std::int64_t, kMaxRank> shape, strides;
  Managed tensor{};
};

template <typename Managed>
Result<Managed*> exported(const Buffer& buffer, const Mapping& mapping, DLDataType type) {
  auto exported = std::make_unique<Exported<Managed>>();
  exported->buffer = buffer;
  std::ranges::copy(mapping.shape(), exported->shape.begin());
  std::ranges::copy(mapping.strides(), exported->strides.begin());
  Managed& tensor = exported->tensor;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  tensor.dl_tensor = {.data = static_cast<std::byte*>(buffer.address()) + mapping.offset() * (type.bits / 8),
                      .device = buffer.device() == nullptr ? DLDevice{kDLCPU, 0} : device_of(buffer.device()->info),
                      .ndim = mapping.rank(),
                      .dtype = type,
                      .shape = exported->shape.data(),
                      .strides = exported->strides.data(),
                      .byte_offset = 0};
  tensor.manager_ctx = exported.get();
  tensor.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
  return &exported.release()->tensor;
}

}  // namespace

DLDevice dlpack_device(const Device& device) { return device_of(device.info()); }

Result<Mapping> mapping_of(const Device& device, const DLTensor& tensor) try {
  if (!reaches(dlpack_device(device), tensor.device))
    return invalid_tensor("it lies on " + text_of(tensor.device) + ", and an array of " + device.info().name +
                          " is asked for");
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank)
    return invalid_tensor("it has " + std::to_string(tensor.ndim) + " axes, an array at most " +
                          std::to_string(kMaxRank));
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank > 0 && tensor.shape == nullptr) return invalid_tensor("it has no shape");
  const std::span<const std::int64_t> shape(tensor.shape, rank);
  if (rank == 0 || tensor.strides == nullptr) return Mapping::dense(shape);
  return Mapping::strided(shape, {tensor.strides, rank});
} catch (...) {
  return error_in_flight();
}

Result<WrappedElements> import_tensor(const Device& device, DLManagedTensorVersioned* tensor, DLDataType type,
                                      std::int64_t alignment) try {
  if (tensor == nullptr) return invalid_tensor("there is none");
  if (tensor->version.major != DLPACK_MAJOR_VERSION)
    return invalid_tensor("it is of DLPack " + std::to_string(tensor->version.major) + "." +
                          std::to_string(tensor->version.minor) + "; pykc reads version 1");
  if ((tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0)
    return invalid_tensor("it is read-only, and an array can be written to; export a copy of it");
  return take(device, tensor, type, alignment);
} catch (...) {
  return error_in_flight();
}

Result<WrappedElements> import_tensor(const Device& device, DLManagedTensor* tensor, DLDataType type,
                                      std::int64_t alignment) try {
  if (tensor == nullptr) return invalid_tensor("there is none");
  return take(device, tensor, type, alignment);
} catch (...) {
  return error_in_flight();
}

Result<DLManagedTensorVersioned*> export_tensor(const Buffer& buffer, const Mapping& mapping, DLDataType type,
                                                std::type_identity<DLManagedTensorVersioned>) try {
  return exported<DLManagedTensorVersioned>(buffer, mapping, type);
} catch (...) {
  return error_in_flight();
}

Result<DLManagedTensor*> export_tensor(const Buffer& buffer, const Mapping& mapping, DLDataType type,
                                       std::type_identity<DLManagedTensor>) try {
  return exported<DLManagedTensor>(buffer, mapping, type);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc::detail
