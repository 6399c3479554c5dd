#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <span>

#include "pykc/profiler.h"
#include "python/binding/arrays.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"

namespace pykc::python {
namespace {

nb::dict dict_of(const DeviceInfo& info) {
  nb::dict dict;
  dict["name"] = info.name;
  dict["description"] = info.description;
  dict["target"] = info.target;
  dict["multiprocessors"] = info.multiprocessors;
  dict["memory_bytes"] = info.memory_bytes;
  dict["max_shared_bytes_per_block"] = info.max_shared_bytes_per_block;
  dict["max_threads_per_block"] = info.max_threads_per_block;
  dict["driver"] = info.driver;
  dict["uuid"] = info.uuid;
  return dict;
}

/// Memory of the host that a GPU copies from and to at full speed. It shows itself by the buffer protocol.
struct PinnedMemory {
  std::span<std::uint8_t> span() const { return {static_cast<std::uint8_t*>(memory.get()), bytes}; }
  std::shared_ptr<void> memory;
  std::size_t bytes;
};

/// Memory that the host and kernels see. It shows itself to the host by the buffer protocol.
struct UnifiedMemory {
  std::span<std::uint8_t> span() const { return array.span(); }
  Device device;
  UnifiedArray<std::uint8_t> array;
};

template <typename Memory>
int show(PyObject* self, Py_buffer* view, int flags) {
  const std::span<std::uint8_t> bytes = nb::inst_ptr<Memory>(self)->span();
  return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 0, flags);
}

template <typename Memory>
nb::class_<Memory> add_memory(nb::module_& module, const char* name) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(show<Memory>)}, {0, nullptr}};
  return nb::class_<Memory>(module, name, nb::type_slots(slots));
}

UnifiedMemory unified(const Device& device, std::int64_t bytes, bool is_managed) {
  return {device, take(without_gil([&] {
            return is_managed ? device.allocate_managed<std::uint8_t>({bytes})
                              : device.allocate_mapped<std::uint8_t>({bytes});
          }))};
}

nb::dict dict_of(const PoolStatistics& statistics) {
  nb::dict dict;
  dict["used"] = statistics.used;
  dict["reserved"] = statistics.reserved;
  dict["peak_used"] = statistics.peak_used;
  dict["peak_reserved"] = statistics.peak_reserved;
  return dict;
}

}  // namespace

void add_devices(nb::module_& module) {
  add_memory<PinnedMemory>(module, "PinnedMemory");
  add_memory<UnifiedMemory>(module, "UnifiedMemory")
      .def_ro("device", &UnifiedMemory::device)
      .def_prop_ro("nbytes", [](const UnifiedMemory& memory) { return memory.span().size(); })
      .def_prop_ro("host_address",
                   [](const UnifiedMemory& memory) { return reinterpret_cast<std::uintptr_t>(memory.span().data()); })
      .def_prop_ro("address", [](const UnifiedMemory& memory) {
        return reinterpret_cast<std::uintptr_t>(memory.array.address());
      });
  nb::class_<Device>(module, "Device", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Device* self, const std::string& name) {
            new (self) Device(take(without_gil([&] { return Device::open(name); })));
          },
          nb::arg("name") = "")
      .def_prop_ro("name", [](const Device& device) { return device.info().name; })
      .def_prop_ro("description", [](const Device& device) { return device.info().description; })
      .def_prop_ro("target", [](const Device& device) { return device.info().target; })
      .def_prop_ro("info", [](const Device& device) { return dict_of(device.info()); })
      .def_prop_ro("is_cpu", &Device::is_cpu)
      .def_prop_ro("default_stream", &Device::default_stream)
      .def("create_stream", [](const Device& device) { return take(device.create_stream()); })
      .def("wrap_stream",
           [](const Device& device, std::uintptr_t handle) {
             return take(device.wrap_stream(reinterpret_cast<void*>(handle)));
           })
      .def("memory_info",
           [](const Device& device) {
             const MemoryInfo info = take(without_gil([&] { return device.memory_info(); }));
             return nb::make_tuple(info.free_bytes, info.total_bytes);
           })
      .def("pool_statistics", [](const Device& device) { return dict_of(take(device.pool().statistics())); })
      .def("reset_pool_peaks", [](const Device& device) { take(device.pool().reset_peaks()); })
      .def("limit_pool", [](const Device& device, std::int64_t bytes) { take(device.pool().set_limit(bytes)); })
      .def("trim_pool",
           [](const Device& device, std::int64_t keep) { take(without_gil([&] { return device.pool().trim(keep); })); })
      .def("pinned",
           [](const Device& device, std::int64_t bytes) {
             return PinnedMemory{take(without_gil([&] { return device.allocate_pinned_bytes(bytes); })),
                                 static_cast<std::size_t>(bytes)};
           })
      .def("managed", [](const Device& device, std::int64_t bytes) { return unified(device, bytes, true); })
      .def("mapped", [](const Device& device, std::int64_t bytes) { return unified(device, bytes, false); })
      .def("start_profiler", [](const Device& device) { take(start_profiler(device)); })
      .def("stop_profiler", [](const Device& device) { take(stop_profiler(device)); })
      .def("synchronize", [](const Device& device) { take(without_gil([&] { return device.synchronize(); })); })
      .def("cancel", [](const Device& device) { take(without_gil([&] { return device.cancel(); })); })
      .def("__eq__",
           [](const Device& a, nb::handle b) {
             return nb::isinstance<Device>(b) && a.state() == nb::cast<const Device*>(b)->state();
           })
      .def("__hash__", [](const Device& device) { return reinterpret_cast<std::intptr_t>(device.state()) >> 4; });
  module.def("driver_attribute",
             [](const std::string& name, int attribute) { return take(Device::driver_attribute(name, attribute)); });
  module.def("list_devices", [] {
    nb::list devices;
    for (const DeviceInfo& info : without_gil([] { return Device::list(); })) devices.append(dict_of(info));
    return devices;
  });
}

}  // namespace pykc::python
