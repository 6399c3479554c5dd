// Arrays on devices, as Python holds them, and streams.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "pykc/device.h"
#include "pykc/runtime.h"
#include "python/binding/host_buffer.h"

namespace pykc::python {

/// A view of elements on a device: copies share them, and keep the device.
struct DeviceArray {
  Device device;
  ElementType element;
  Buffer buffer;
  Mapping mapping;

  std::int64_t element_bytes() const { return size_in_bytes(element); }
  detail::Elements elements() const { return {buffer, mapping, element_bytes()}; }
  void* first() const {
    return static_cast<std::byte*>(detail::address_of(buffer)) + mapping.offset() * element_bytes();
  }
};

/// Elements at an address, of a device or the host, as an argument.
Argument array_argument(void* first, const ElementType& element, const Mapping& mapping);

/// Where memory comes from. What the pool gives is for work that is put on the current stream from now on.
enum class MemorySource { Device, Pool };

/// Memory without gaps for these extents.
DeviceArray allocate(const Device& device, const ElementType& element, std::span<const std::int64_t> shape,
                     Layout order, MemorySource source = MemorySource::Device);

/// What another library has on the device, or on the CPU device what the host has, without a copy. Nothing where the
/// object is none of these.
std::optional<DeviceArray> wrap(const Device& device, nb::handle object);

/// The extents of a tuple, or of one number.
std::vector<std::int64_t> extents_of(nb::handle shape);

void add_arrays(nb::module_& module);

void add_devices(nb::module_& module);
void add_kernels(nb::module_& module);
void add_launches(nb::module_& module);
void add_raw_modules(nb::module_& module);
void add_functions(nb::module_& module);
void add_compiler(nb::module_& module);
void add_costs(nb::module_& module);

}  // namespace pykc::python
