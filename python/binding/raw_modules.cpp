// Kernels that somebody else compiled: PTX and cubins.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/kernels.h"

namespace pykc::python {
namespace {

/// Code that somebody else compiled for a GPU, whose kernels take numbers alone: pointers are numbers of 64 bits.
struct RawModule {
  Device device;
  Module module;
};

/// `entries`: names of kernels with the types of their parameters.
RawModule load_raw(const Device& device, const std::string& code, nb::handle entries) {
  Artifact artifact{.target = "nvptx:" + device.info().target, .code = code, .kernels = {}};
  for (const nb::handle entry : entries) {
    KernelInfo& info = artifact.kernels.emplace_back();
    info.name = info.symbol = nb::cast<std::string>(entry[0]);
    for (const nb::handle type : nb::borrow<nb::list>(entry[1]))
      info.parameters.push_back({.name = "p" + std::to_string(info.parameters.size()), .value = element_of(type)});
  }
  return {device, take(without_gil([&] { return device.load(artifact); }))};
}

void launch_raw(const RawModule& raw, const std::string& name, nb::handle grid, nb::handle block, nb::handle stream,
                std::int64_t shared_bytes, const nb::tuple& arguments) {
  const Kernel kernel = take(raw.module.kernel(name));
  LaunchConfig config = launch_config(grid, block, stream, shared_bytes);
  config.stream = stream_for(stream, raw.device);
  const ArgumentList list(raw.device, config.stream, arguments, &kernel.info().parameters);
  take(without_gil([&] { return list.in_order([&] { return kernel.launch_with(config, list.list()); }); }));
}

nb::dict raw_resources(const RawModule& raw, const std::string& name) {
  const KernelResources resources = take(take(raw.module.kernel(name)).resources());
  nb::dict dict;
  dict["num_regs"] = resources.registers_per_thread;
  dict["local_size_bytes"] = resources.local_bytes_per_thread;
  dict["max_threads_per_block"] = resources.max_threads_per_block;
  return dict;
}

}  // namespace

void add_raw_modules(nb::module_& module) {
  nb::class_<RawModule>(module, "RawModule")
      .def(
          "__init__",
          [](RawModule* self, const Device& device, const std::string& code, nb::handle entries) {
            new (self) RawModule(load_raw(device, code, entries));
          },
          nb::arg("device"), nb::arg("code"), nb::arg("entries"))
      .def("launch", &launch_raw, nb::arg("name"), nb::arg("grid"), nb::arg("block"), nb::arg("stream").none(),
           nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("resources", &raw_resources, nb::arg("name"));
}

}  // namespace pykc::python
