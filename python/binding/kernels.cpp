#include "python/binding/kernels.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/errors.h"
#include "pykc/autotune.h"
#include "python/binding/arrays.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

struct LoadedSource {
  Device device;
  SourceModule module;
  bool counts_costs;
};

/// A kernel with configurations, between which its launches choose.
struct TunedSourceKernel {
  Device device;
  TunedKernel kernel;
};

std::int64_t extent_of(nb::handle value) {
  const Py_ssize_t extent = PyNumber_AsSsize_t(value.ptr(), PyExc_OverflowError);
  if (extent == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return extent;
}

/// An integer, or a tuple of up to three.
Dim3 dimensions(nb::handle value, const char* what) {
  if (PyLong_CheckExact(value.ptr())) return {extent_of(value), 1, 1};
  if (PyIndex_Check(value.ptr())) return {extent_of(value), 1, 1};
  std::int64_t extents[3] = {1, 1, 1};
  std::size_t count = 0;
  for (const nb::handle extent : value) {
    if (count == 3) break;
    extents[count++] = extent_of(extent);
  }
  if (count == 0 || count != nb::len(value))
    throw nb::value_error((std::string("the ") + what + " is an integer or a tuple of one to three").c_str());
  return {extents[0], extents[1], extents[2]};
}

/// Compiles a typed kernel before its arguments are made; which they are matters only for their number.
void find_types(SourceKernel& kernel, std::size_t count) {
  if (kernel.typed || !kernel.kernel.is_typed()) return;
  const std::vector<Argument> any(count);
  Kernel typed = take(without_gil([&] { return kernel.kernel.specialization_with(any); }));
  if (!kernel.typed) kernel.typed = std::move(typed);  // another thread may launch it already
}

/// Launches, tells of faults where the launch is done by then, on the CPU device, and brings back what a GPU wrote to
/// the host's arrays.
template <typename Launch>
Result<void> launch_and_bring_back(const Device& device, const ArgumentList& arguments, Launch launch) {
  Result<void> done = arguments.in_order(launch);
  if (!done) return done;
  if (device.is_cpu()) RETURN_IF_FAILED(device.synchronize());
  return arguments.copy_back();
}

Result<void> launch_now(const SourceKernel& kernel, const LaunchConfig& config, const ArgumentList& arguments) {
  return launch_and_bring_back(kernel.device, arguments, [&] {
    return kernel.typed ? kernel.typed->launch_with(config, arguments.list())
                        : kernel.kernel.launch_with(config, arguments.list());
  });
}

Kernel specialization(SourceKernel& kernel, const ArgumentList& list) {
  if (kernel.typed) return *kernel.typed;
  return take(without_gil([&] { return kernel.kernel.specialization_with(list.list()); }));
}

/// Launches with the arguments that `list` is of. Where one does not fit they are made anew, with numbers as the kernel
/// has them that was chosen for them: by one of several signatures, or since some of its parameters alone have types.
Result<void> launch_now(SourceKernel& kernel, const LaunchConfig& config, const ArgumentList& list,
                        const nb::tuple& arguments) {
  Result<void> done = without_gil([&] { return launch_now(kernel, config, list); });
  if (done || kernel.typed || done.error().code != ErrorCode::InvalidLaunch) return done;
  const SourceKernel chosen{kernel.device, kernel.kernel, kernel.counts_costs, false, specialization(kernel, list)};
  const ArgumentList stated(kernel.device, config.stream, arguments, chosen.parameters(), kernel.counts_costs, false);
  return without_gil([&] { return launch_now(chosen, config, stated); });
}

std::vector<Constant> constants_of(const nb::dict& values) {
  std::vector<Constant> constants;
  for (const auto& [name, value] : values)
    constants.push_back({nb::cast<std::string>(name), nb::cast<std::int64_t>(value)});
  return constants;
}

/// The kernel for the one configuration given, or for those that the source lists.
TunedSourceKernel tuned(const SourceKernel& kernel, nb::handle configuration) {
  std::vector<Configuration> given;
  if (!configuration.is_none()) given.emplace_back(constants_of(nb::borrow<nb::dict>(configuration)));
  return {kernel.device, take(TunedKernel::create(kernel.kernel, given))};
}

/// `shape` is called with the names and numbers of a configuration, and returns grid and block. What it raises is
/// raised again.
void launch_tuned(TunedSourceKernel& tuned, nb::handle shape, nb::handle stream, const nb::tuple& arguments) {
  const Stream* const on = stream_for(stream, tuned.device);
  const ArgumentList list(tuned.device, on, arguments, nullptr);
  std::optional<nb::python_error> raised;
  const auto shape_of = [&](const Configuration& configuration) -> LaunchConfig {
    const nb::gil_scoped_acquire acquired;
    try {
      nb::dict values;
      for (const Constant& constant : configuration.constants())
        values[constant.name.c_str()] = configuration[constant.name];
      const nb::object found = shape(values);
      LaunchConfig config = launch_config(found[0], found[1], stream, 0);
      config.stream = on;
      return config;
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
      return {.grid = {0}, .block = {0}};  // no launch
    }
  };
  Result<void> done = without_gil([&] {
    return launch_and_bring_back(
        tuned.device, list, [&] { return tuned.kernel.launch_with(detail::ShapeFunction(shape_of), list.list()); });
  });
  if (raised) throw std::move(*raised);
  take(std::move(done));
}

/// A thread for each task: in blocks of `block_size`, or of what keeps most threads running where it is 0.
void for_all(SourceKernel& kernel, std::int64_t tasks, std::int64_t block_size, nb::handle stream,
             std::int64_t shared_bytes, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  const Stream* const on = stream_for(stream, kernel.device);
  const ArgumentList list(kernel.device, on, arguments, kernel.parameters(), kernel.counts_costs,
                          kernel.wraps_integers);
  LaunchConfig config{.block = {block_size, 1, 1}, .shared_bytes = shared_bytes};
  if (block_size > 0)
    config.grid.x = tasks / block_size + (tasks % block_size != 0);
  else
    config = take(specialization(kernel, list).configuration_for(tasks, shared_bytes));
  config.stream = on;
  take(launch_now(kernel, config, list, arguments));
}

/// "f32[:]"; of records with their fields, "record{x: f32 @ 0} align 4[:]".
std::string type_of(const ParameterInfo& parameter) {
  const ElementType& element = parameter.is_array ? parameter.array.element : parameter.value;
  const bool has_fields = element.is_record() && element.record->kind == RecordType::Kind::Struct;
  const std::string name = to_string(element);
  return (has_fields ? layout_text(element) + " align " + std::to_string(alignment_of(element)) : name) +
         (parameter.is_array ? to_string(parameter.array).substr(name.size()) : "");
}

nb::list types_of(const Kernel& kernel) {
  nb::list types;
  for (const ParameterInfo& parameter : kernel.info().parameters) types.append(type_of(parameter));
  return types;
}

/// The types of each that was compiled.
nb::list specializations(const SourceKernel& kernel) {
  nb::list all;
  for (const Kernel& special : kernel.kernel.specializations()) all.append(types_of(special));
  return all;
}

/// What the kernel for these arguments is: compiled and loaded, if it was not yet.
nb::dict info(SourceKernel& kernel, const nb::args& arguments) {
  find_types(kernel, arguments.size());
  const ArgumentList list(kernel.device, nullptr, arguments, kernel.parameters());
  const Kernel special = specialization(kernel, list);
  const KernelResources resources = take(special.resources());
  nb::dict dict;
  nb::list names;
  for (const ParameterInfo& parameter : special.info().parameters) names.append(parameter.name);
  dict["name"] = special.info().name;
  dict["types"] = types_of(special);
  dict["parameters"] = names;
  dict["static_shared_bytes"] = special.info().static_shared_bytes;
  dict["is_cooperative"] = special.info().is_cooperative;
  dict["registers_per_thread"] = resources.registers_per_thread;
  dict["local_bytes_per_thread"] = resources.local_bytes_per_thread;
  dict["max_threads_per_block"] = resources.max_threads_per_block;
  dict["suggested_block_size"] = take(special.suggested_block_size());
  return dict;
}

/// How many blocks of this size run on a multiprocessor at a time.
int active_blocks(SourceKernel& kernel, nb::handle block, std::int64_t shared_bytes, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  const ArgumentList list(kernel.device, nullptr, arguments, kernel.parameters());
  return take(specialization(kernel, list)
                  .active_blocks_per_multiprocessor(launch_config(nb::int_(1), block, nb::none(), shared_bytes)));
}

/// The threads of a block with which most run at a time.
int suggested_block_size(SourceKernel& kernel, std::int64_t shared_bytes, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  const ArgumentList list(kernel.device, nullptr, arguments, kernel.parameters());
  return take(specialization(kernel, list).suggested_block_size(shared_bytes));
}

/// VALUES is a row-major array.
void set_constant(const LoadedSource& source, const std::string& name, nb::handle values) {
  const HostBuffer buffer(values);
  const std::int64_t bytes = buffer.mapping().size() * size_in_bytes(buffer.element());
  const std::span elements(static_cast<const std::byte*>(buffer.first()), static_cast<std::size_t>(bytes));
  take(without_gil([&] { return source.module.set_constant_bytes(name, buffer.element(), elements); }));
}

}  // namespace

LaunchConfig launch_config(nb::handle grid, nb::handle block, nb::handle stream, std::int64_t shared_bytes) {
  return {.grid = dimensions(grid, "grid"),
          .block = dimensions(block, "block"),
          .shared_bytes = shared_bytes,
          .stream = stream_of(stream)};
}

void launch(SourceKernel& kernel, LaunchConfig config, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  if (config.stream == nullptr) config.stream = current_stream(kernel.device);
  const ArgumentList list(kernel.device, config.stream, arguments, kernel.parameters(), kernel.counts_costs,
                          kernel.wraps_integers);
  take(launch_now(kernel, config, list, arguments));
}

void add_kernels(nb::module_& module) {
  nb::class_<SourceKernel>(module, "Kernel", nb::is_weak_referenceable())
      .def_prop_ro("name", [](const SourceKernel& kernel) { return kernel.kernel.name(); })
      .def_prop_ro("is_typed", [](const SourceKernel& kernel) { return kernel.kernel.is_typed(); })
      .def(
          "launch",
          [](SourceKernel& kernel, nb::handle grid, nb::handle block, nb::handle stream, std::int64_t shared_bytes,
             const nb::tuple& arguments) {
            launch(kernel, launch_config(grid, block, stream, shared_bytes), arguments);
          },
          nb::arg("grid"), nb::arg("block"), nb::arg("stream").none(), nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("for_all", &for_all, nb::arg("tasks"), nb::arg("block_size"), nb::arg("stream").none(),
           nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("tuned", &tuned, nb::arg("configuration") = nb::none())
      .def("info", &info)
      .def("active_blocks", &active_blocks, nb::arg("block"), nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("suggested_block_size", &suggested_block_size, nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("specializations", &specializations);
  nb::class_<TunedSourceKernel>(module, "TunedKernel")
      .def("launch", &launch_tuned, nb::arg("shape"), nb::arg("stream").none(), nb::arg("arguments"));
  nb::class_<LoadedSource>(module, "Module", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](LoadedSource* self, const Device& device, const std::string& text, const std::string& name, int line,
             const std::string& indentation, const nb::kwargs& keywords) {
            const CompileOptions options = options_of(keywords);
            const Source source(text, name, line, indentation);
            new (self)
                LoadedSource{device, take(without_gil([&] { return SourceModule::load(device, source, options); })),
                             !options.costs_for.empty()};
          },
          nb::arg("device"), nb::arg("text"), nb::arg("name") = "<memory>", nb::arg("line") = 1,
          nb::arg("indentation") = "", nb::arg("options"))
      .def("set_constant", &set_constant, nb::arg("name"), nb::arg("values"))
      .def("kernel_names", [](const LoadedSource& source) { return source.module.kernel_names(); })
      .def(
          "kernel",
          [](const LoadedSource& source, const std::string& name, bool wraps_integers) {
            return SourceKernel{source.device, take(source.module.kernel(name)), source.counts_costs, wraps_integers};
          },
          nb::arg("name"), nb::arg("wraps_integers") = true);
}

}  // namespace pykc::python
