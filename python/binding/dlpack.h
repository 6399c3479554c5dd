// DLPack's protocol of Python: arrays to and from other libraries, without copies.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "python/binding/arrays.h"

namespace pykc::python {

/// What the capsule of a `__dlpack__` holds, which is used up.
DeviceArray import_capsule(const Device& device, const nb::object& capsule);

/// `__dlpack__` and `__dlpack_device__` of an array.
nb::object to_dlpack(const DeviceArray& array, const nb::object& stream, const nb::object& max_version,
                     const nb::object& dl_device, const nb::object& copy);
nb::tuple dlpack_device(const DeviceArray& array);

/// A tensor whose memory and shape are its object's, which must live.
struct BorrowedTensor {
  void* first = nullptr;
  ElementType element;
  Mapping mapping;
  void* stream = nullptr;  // on which the library works just now; null for the default stream and on the CPU device
};

/// What the object's type describes by DLPack's table of C functions (`__dlpack_c_exchange_api__`, DLPack 1.3), as
/// PyTorch's does: no object of Python is made, so a tensor costs a tenth of a microsecond. Nothing where it has none.
std::optional<BorrowedTensor> borrow_tensor(const Device& device, nb::handle object);

}  // namespace pykc::python
