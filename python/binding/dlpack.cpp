#include "python/binding/dlpack.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "pykc/dlpack.h"
#include "python/binding/errors.h"
#include "python/binding/streams.h"

namespace pykc::python {
namespace {

constexpr const char* kTensor = "dltensor";
constexpr const char* kUsedTensor = "used_dltensor";
constexpr const char* kVersionedTensor = "dltensor_versioned";
constexpr const char* kUsedVersionedTensor = "used_dltensor_versioned";

constexpr DLDataType dlpack_type_of(ScalarType type) {
  return {static_cast<std::uint8_t>(detail::dlpack_code(type)), static_cast<std::uint8_t>(8 * size_in_bytes(type)), 1};
}

DLDataType dlpack_type_of(const ElementType& element) {
  if (element.is_record()) {
    if (element.record->kind != RecordType::Kind::Complex) throw nb::buffer_error("DLPack knows no records");
    return {kDLComplex, static_cast<std::uint8_t>(8 * size_in_bytes(element)), 1};
  }
  return dlpack_type_of(element.scalar);
}

ElementType element_of_dlpack(DLDataType type) {
  if (type.lanes == 1) {
    if (type.code == kDLComplex && type.bits == 64) return complex_type(ScalarType::F32);
    if (type.code == kDLComplex && type.bits == 128) return complex_type(ScalarType::F64);
    for (int i = 0; i < kScalarTypeCount; ++i) {
      const DLDataType own = dlpack_type_of(static_cast<ScalarType>(i));
      if (own.code == type.code && own.bits == type.bits) return static_cast<ScalarType>(i);
    }
  }
  throw nb::type_error("kernels have no elements of this DLPack type");
}

template <typename Managed>
DeviceArray import_tensor(const Device& device, Managed* tensor) {
  const ElementType element = element_of_dlpack(tensor->dl_tensor.dtype);
  detail::WrappedElements wrapped =
      take(detail::import_tensor(device, tensor, tensor->dl_tensor.dtype, alignment_of(element)));
  return {device, element, std::move(wrapped.buffer), wrapped.mapping};
}

/// A capsule that frees the tensor unless somebody took it.
template <typename Managed>
nb::object export_capsule(const DeviceArray& array, const char* name) {
  Managed* const tensor = take(
      detail::export_tensor(array.buffer, array.mapping, dlpack_type_of(array.element), std::type_identity<Managed>()));
  PyObject* const capsule = PyCapsule_New(tensor, name, [](PyObject* unused) {
    const char* const current = PyCapsule_GetName(unused);
    if (current == nullptr || std::strncmp(current, "used_", 5) == 0) return;
    auto* const held = static_cast<Managed*>(PyCapsule_GetPointer(unused, current));
    held->deleter(held);
  });
  if (capsule == nullptr) {
    tensor->deleter(tensor);
    nb::raise_python_error();
  }
  return nb::steal(capsule);
}

/// The table of a type, DLPACK 1.3's `DLPackExchangeAPI`; the functions that make tensors are left out of use.
struct ExchangeTable {
  DLPackVersion version;
  const ExchangeTable* previous;  // of an older version
  void* functions_for_owners[3];
  int (*describe)(void* object, DLTensor* tensor);  // may be null
  int (*current_stream)(DLDeviceType type, std::int32_t device, void** stream);
};

/// What is known of a type of tensors. PyTorch negates and conjugates lazily: such a tensor's memory is not its value.
struct TensorType {
  nb::object type;  // kept: another one could come to lie at its address
  const ExchangeTable* table;
  nb::object is_negated, is_conjugated;
};

const ExchangeTable* table_of(nb::handle type) {
  const nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  constexpr const char* kName = "dlpack_exchange_api";
  if (PyCapsule_IsValid(capsule.ptr(), kName) == 0) return nullptr;
  const auto* table = static_cast<const ExchangeTable*>(PyCapsule_GetPointer(capsule.ptr(), kName));
  while (table != nullptr && table->version.major != DLPACK_MAJOR_VERSION) table = table->previous;
  return table != nullptr && table->describe != nullptr ? table : nullptr;
}

/// Nothing for a type that has no table. The GIL guards what is known; a copy, since a description may be code of
/// Python's, during which other types become known.
std::optional<TensorType> tensor_type_of(nb::handle type) {
  static auto& known = *new std::vector<TensorType>();  // never freed: Python may end before
  for (const TensorType& each : known)
    if (each.type.is(type)) return each;
  const ExchangeTable* const table = table_of(type);
  if (table == nullptr) return std::nullopt;
  constexpr std::size_t kMost = 16;  // types that come and go take no more than this
  if (known.size() == kMost) known.erase(known.begin());
  return known.emplace_back(nb::borrow(type), table, nb::getattr(type, "is_neg", nb::object()),
                            nb::getattr(type, "is_conj", nb::object()));
}

bool says(const nb::object& question, nb::handle tensor) {
  return question.is_valid() && nb::cast<bool>(question(tensor));
}

/// Real tensors that are negated lazily are imaginary parts of conjugated ones: no two of their elements are
/// neighbours.
bool may_be_lazy(const DLTensor& tensor) {
  if (tensor.dtype.code == kDLComplex) return true;
  for (std::int32_t axis = 0; tensor.strides != nullptr && axis < tensor.ndim; ++axis)
    if (tensor.shape[axis] > 1 && std::abs(tensor.strides[axis]) == 1) return false;
  return tensor.strides != nullptr;
}

}  // namespace

DeviceArray import_capsule(const Device& device, const nb::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedTensor) != 0) {
    auto* const tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersionedTensor));
    DeviceArray array = import_tensor(device, tensor);
    PyCapsule_SetName(capsule.ptr(), kUsedVersionedTensor);
    return array;
  }
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kTensor));
  if (tensor == nullptr) throw nb::python_error();
  DeviceArray array = import_tensor(device, tensor);
  PyCapsule_SetName(capsule.ptr(), kUsedTensor);
  return array;
}

nb::object to_dlpack(const DeviceArray& array, const nb::object& stream, const nb::object& max_version,
                     const nb::object& /*dl_device*/, const nb::object& copy) {
  if (!copy.is_none() && nb::cast<bool>(copy)) throw nb::buffer_error("only the memory itself is shared, not a copy");
  // Work that was put on other streams is done before another library reads it.
  const bool asks_for_no_order = nb::isinstance<nb::int_>(stream) && nb::cast<std::int64_t>(stream) == -1;
  if (!array.device.is_cpu() && !asks_for_no_order) {
    const Stream* const current = current_stream(array.device);
    const Stream ours = current != nullptr ? *current : array.device.default_stream();
    take(without_gil([&] { return ours.synchronize(); }));
  }
  const bool knows_versions = nb::isinstance<nb::tuple>(max_version) && nb::cast<int>(max_version[0]) >= 1;
  return knows_versions ? export_capsule<DLManagedTensorVersioned>(array, kVersionedTensor)
                        : export_capsule<DLManagedTensor>(array, kTensor);
}

nb::tuple dlpack_device(const DeviceArray& array) {
  const DLDevice place = detail::dlpack_device(array.device);
  return nb::make_tuple(static_cast<int>(place.device_type), place.device_id);
}

std::optional<BorrowedTensor> borrow_tensor(const Device& device, nb::handle object) {
  const std::optional<TensorType> type = tensor_type_of(object.type());
  if (!type) return std::nullopt;
  const ExchangeTable& table = *type->table;
  DLTensor tensor{};
  if (table.describe(object.ptr(), &tensor) != 0) nb::raise_python_error();
  if (may_be_lazy(tensor) && (says(type->is_negated, object) || says(type->is_conjugated, object)))
    throw nb::buffer_error(
        "the tensor is negated or conjugated lazily: its memory holds other numbers; `resolve_neg` "
        "and `resolve_conj` make a copy");
  BorrowedTensor borrowed{.first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset,
                          .element = element_of_dlpack(tensor.dtype),
                          .mapping = take(detail::mapping_of(device, tensor))};
  const bool has_streams = !device.is_cpu() && table.current_stream != nullptr;
  if (has_streams && table.current_stream(tensor.device.device_type, tensor.device.device_id, &borrowed.stream) != 0)
    nb::raise_python_error();
  return borrowed;
}

}  // namespace pykc::python
