// Arrays to and from other libraries by DLPack (https://dmlc.github.io/dlpack), without copying: PyTorch, CuPy, JAX and
// NumPy speak it. A tensor is a struct with the memory's address, type and shape, and a function to call when it is no
// longer used.
//
//   pykc::Array<float> x = pykc::from_dlpack<float>(device, tensor).value();   // takes the tensor
//   DLManagedTensorVersioned* y = pykc::to_dlpack(x).value();                  // y->deleter(y) lets it go
//
// Order: neither function waits. What the other library has put on its streams must be done before, or in order with,
// what is done here; pykc's default stream is CUDA's legacy default stream.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "pykc/array.h"
#include "pykc/device.h"

// The structs are DLPack's own: its header is used where it is found or included already. Else this is the binary
// interface of DLPack 1, under the official header's guard, so that one included later adds nothing.
#if !defined(DLPACK_DLPACK_H_) && __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

extern "C" {
typedef struct {
  std::uint32_t major;
  std::uint32_t minor;
} DLPackVersion;

typedef enum : std::int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  std::int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e5m2 = 12U,
} DLDataTypeCode;

typedef struct {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row-major without gaps
  std::uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
}
#elif !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION < 1
#error "pykc/dlpack.h needs DLPack 1.0 or later, and found an older dlpack.h"
#endif

namespace [[gnu::visibility("default")]] pykc {

namespace detail {

/// Where the memory of a device lies.
DLDevice dlpack_device(const Device& device);
/// The places of the tensor's elements, which must lie where the device reaches them.
Result<Mapping> mapping_of(const Device& device, const DLTensor& tensor);

Result<WrappedElements> import_tensor(const Device& device, DLManagedTensorVersioned* tensor, DLDataType type,
                                      std::int64_t alignment);
Result<WrappedElements> import_tensor(const Device& device, DLManagedTensor* tensor, DLDataType type,
                                      std::int64_t alignment);

/// The last argument says which of the two.
Result<DLManagedTensorVersioned*> export_tensor(const Buffer& buffer, const Mapping& mapping, DLDataType type,
                                                std::type_identity<DLManagedTensorVersioned>);
Result<DLManagedTensor*> export_tensor(const Buffer& buffer, const Mapping& mapping, DLDataType type,
                                       std::type_identity<DLManagedTensor>);

constexpr DLDataTypeCode dlpack_code(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return kDLBool;
    case ScalarType::BF16:
      return kDLBfloat;
    case ScalarType::F8E4M3:
      return kDLFloat8_e4m3fn;
    case ScalarType::F8E5M2:
      return kDLFloat8_e5m2;
    default:
      return is_float(type) ? kDLFloat : is_signed_integer(type) ? kDLInt : kDLUInt;
  }
}

template <typename T>
constexpr DLDataType dlpack_type() {
  constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
  DLDataTypeCode code = kDLComplex;
  if constexpr (!is_complex) code = dlpack_code(element_type<T>());
  return {static_cast<std::uint8_t>(code), 8 * sizeof(T), 1};
}

}  // namespace detail

/// The tensor's memory as an array of `device`, which must be where the tensor lies; T must be its type. The array, its
/// copies and its views own the tensor, and the last of them calls its deleter. Where this fails, the tensor remains
/// the caller's. A tensor that is marked read-only is refused: an array can be written to.
template <typename T, typename Managed>
requires std::is_same_v<Managed, DLManagedTensorVersioned> || std::is_same_v<Managed, DLManagedTensor> Result<Array<T>>
from_dlpack(const Device& device, Managed* tensor) {
  const auto imported = detail::import_tensor(device, tensor, detail::dlpack_type<T>(), alignof(T));
  if (!imported) return imported.error();
  return Array<T>::over(imported->buffer, imported->mapping);
}

/// The array as a tensor, which keeps the memory until its deleter is called, from any thread.
/// `to_dlpack<DLManagedTensor>(x)` makes one for libraries older than DLPack 1.
template <typename Managed = DLManagedTensorVersioned, typename T>
requires std::is_same_v<Managed, DLManagedTensorVersioned> || std::is_same_v<Managed, DLManagedTensor> Result<Managed*>
to_dlpack(const Array<T>& array) {
  return detail::export_tensor(array.buffer(), array.mapping(), detail::dlpack_type<T>(),
                               std::type_identity<Managed>());
}

}  // namespace pykc
