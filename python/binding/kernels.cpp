#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "pykc/autotune.h"
#include "pykc/source_module.h"
#include "python/binding/arguments.h"
#include "python/binding/arrays.h"
#include "python/binding/elements.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

struct LoadedSource {
  Device device;
  SourceModule module;
};

/// A kernel of a source. One whose parameters all state their types is compiled once, and numbers become those types.
struct SourceKernel {
  Device device;
  GenericKernel kernel;
  std::optional<Kernel> typed = std::nullopt;

  const std::vector<ParameterInfo>* parameters() const { return typed ? &typed->info().parameters : nullptr; }
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

Result<void> launch_now(const SourceKernel& kernel, const LaunchConfig& config, const ArgumentList& arguments) {
  Result<void> done = kernel.typed ? kernel.typed->launch_with(config, arguments.list())
                                   : kernel.kernel.launch_with(config, arguments.list());
  if (!done) return done;
  if (kernel.device.is_cpu()) return kernel.device.synchronize();  // the launch is done: faults are told here
  return arguments.copy_back(config.stream);
}

void launch_as(SourceKernel& kernel, const LaunchConfig& config, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  const ArgumentList list(kernel.device, arguments, kernel.parameters());
  take(without_gil([&] { return launch_now(kernel, config, list); }));
}

void launch(SourceKernel& kernel, nb::handle grid, nb::handle block, nb::handle stream, std::int64_t shared_bytes,
            const nb::tuple& arguments) {
  launch_as(kernel,
            {.grid = dimensions(grid, "grid"),
             .block = dimensions(block, "block"),
             .shared_bytes = shared_bytes,
             .stream = stream_of(stream)},
            arguments);
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
  const ArgumentList list(tuned.device, arguments, nullptr);
  std::optional<nb::python_error> raised;
  const Stream* const on = stream_of(stream);
  const auto shape_of = [&](const Configuration& configuration) -> LaunchConfig {
    const nb::gil_scoped_acquire acquired;
    try {
      nb::dict values;
      for (const Constant& constant : configuration.constants())
        values[constant.name.c_str()] = configuration[constant.name];
      const nb::object found = shape(values);
      return {.grid = dimensions(found[0], "grid"), .block = dimensions(found[1], "block"), .stream = on};
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
      return {.grid = {0}, .block = {0}};  // no launch
    }
  };
  Result<void> done = without_gil([&]() -> Result<void> {
    Result<void> launched = tuned.kernel.launch_with(detail::ShapeFunction(shape_of), list.list());
    return launched && tuned.device.is_cpu() ? tuned.device.synchronize() : std::move(launched);
  });
  if (raised) throw std::move(*raised);
  take(std::move(done));
}

/// The device that launches of all threads go to; null where a thread may have one of its own. `_devices` keeps it.
PyObject* device_of_all = nullptr;

/// What a function of Python launched last, and where; `changed` tells whether something that it captured is no more
/// what it was, and is not there where it captured nothing that can change.
struct Recent {
  nb::object device;
  nb::object kernel;
  nb::object changed;

  bool is_ready() const {
    if (!device.is_valid() || device.ptr() != device_of_all) return false;
    return !changed.is_valid() || !nb::cast<bool>(nb::object(changed)());
  }
};

/// `k[grid, block, stream, shared]`. A launch like the one before goes straight to the kernel. Others, and those that
/// fail, are the affair of `dispatcher`: of its `_launched` and `_failed`.
struct Launch {
  nb::object dispatcher;
  nb::object recent_object;
  nb::tuple where;
  LaunchConfig config;

  const Recent& recent() const { return *nb::inst_ptr<Recent>(recent_object); }
};

LaunchConfig config_of(const nb::tuple& where) {
  return {.grid = dimensions(where[0], "grid"),
          .block = dimensions(where[1], "block"),
          .shared_bytes = extent_of(where[3]),
          .stream = stream_of(where[2])};
}

/// Launches as before; the exception where it failed.
nb::object launched_as_before(const Launch& launch, const nb::tuple& arguments) {
  const nb::object kernel = launch.recent().kernel;  // kept, for another thread may launch another one meanwhile
  try {
    launch_as(*nb::inst_ptr<SourceKernel>(kernel), launch.config, arguments);
    return {};
  } catch (const nb::python_error& error) {
    return nb::borrow(error.value());
  } catch (const nb::builtin_exception& error) {
    const bool is_type_error = error.type() == nb::exception_type::type_error;
    return nb::borrow(is_type_error ? PyExc_TypeError : PyExc_ValueError)(error.what());
  }
}

PyObject* call_launch(PyObject* self, PyObject* arguments, PyObject* keywords) {
  if (!nb::inst_ready(self) || (keywords != nullptr && PyDict_Size(keywords) > 0)) {
    PyErr_SetString(PyExc_TypeError, "a launch takes the kernel's arguments, by position");
    return nullptr;
  }
  const Launch& launch = *nb::inst_ptr<Launch>(self);
  try {
    const auto given = nb::borrow<nb::tuple>(arguments);
    if (!launch.recent().is_ready())
      launch.dispatcher.attr("_launched")("launch", launch.where, given);
    else if (const nb::object error = launched_as_before(launch, given); error.is_valid())
      launch.dispatcher.attr("_failed")(error, launch.where, given);
    Py_RETURN_NONE;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  return nullptr;
}

// What a function captures may be its launches, and these refer to the function: the collector has to see it.
int traverse_launch(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Launch& launch = *nb::inst_ptr<Launch>(self);
  Py_VISIT(launch.dispatcher.ptr());
  Py_VISIT(launch.recent_object.ptr());
  Py_VISIT(launch.where.ptr());
  return 0;
}

int clear_launch(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Launch>(self)->dispatcher.reset();
  return 0;
}

int traverse_recent(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Recent>(self)->changed.ptr());
  return 0;
}

int clear_recent(PyObject* self) {
  if (nb::inst_ready(self)) *nb::inst_ptr<Recent>(self) = {};
  return 0;
}

void add_launches(nb::module_& module) {
  static PyType_Slot recent_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_recent)},
                                       {Py_tp_clear, reinterpret_cast<void*>(clear_recent)},
                                       {0, nullptr}};
  nb::class_<Recent>(module, "Recent", nb::type_slots(recent_slots))
      .def(nb::init<>())
      .def(
          "remember",
          [](Recent& recent, nb::handle device, nb::handle kernel, nb::handle changed) {
            recent = {nb::borrow(device), nb::borrow(kernel), changed.is_none() ? nb::object() : nb::borrow(changed)};
          },
          nb::arg("device"), nb::arg("kernel"), nb::arg("changed").none());
  static PyType_Slot launch_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_launch)},
                                       {Py_tp_traverse, reinterpret_cast<void*>(traverse_launch)},
                                       {Py_tp_clear, reinterpret_cast<void*>(clear_launch)},
                                       {0, nullptr}};
  nb::class_<Launch>(module, "Launch", nb::type_slots(launch_slots))
      .def(
          "__init__",
          [](Launch* self, nb::handle dispatcher, nb::handle recent, const nb::tuple& where) {
            new (self) Launch{nb::borrow(dispatcher), nb::borrow(recent), where, config_of(where)};
          },
          nb::arg("dispatcher"), nb::arg("recent"), nb::arg("where"))
      .def_ro("dispatcher", &Launch::dispatcher)
      .def_ro("where", &Launch::where);
  module.def(
      "all_use", [](nb::handle device) { device_of_all = device.is_none() ? nullptr : device.ptr(); },
      nb::arg("device").none());
}

Kernel specialization(SourceKernel& kernel, const ArgumentList& list) {
  if (kernel.typed) return *kernel.typed;
  return take(without_gil([&] { return kernel.kernel.specialization_with(list.list()); }));
}

/// A thread for each task: in blocks of `block_size`, or of what keeps most threads running where it is 0.
void for_all(SourceKernel& kernel, std::int64_t tasks, std::int64_t block_size, nb::handle stream,
             std::int64_t shared_bytes, const nb::tuple& arguments) {
  find_types(kernel, arguments.size());
  const ArgumentList list(kernel.device, arguments, kernel.parameters());
  LaunchConfig config{.block = {block_size, 1, 1}, .shared_bytes = shared_bytes};
  if (block_size > 0)
    config.grid.x = tasks / block_size + (tasks % block_size != 0);
  else
    config = take(specialization(kernel, list).configuration_for(tasks, shared_bytes));
  config.stream = stream_of(stream);
  take(without_gil([&] { return launch_now(kernel, config, list); }));
}

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
  const ArgumentList list(raw.device, arguments, &kernel.info().parameters);
  const LaunchConfig config{.grid = dimensions(grid, "grid"),
                            .block = dimensions(block, "block"),
                            .shared_bytes = shared_bytes,
                            .stream = stream_of(stream)};
  take(without_gil([&] { return kernel.launch_with(config, list.list()); }));
}

nb::dict raw_resources(const RawModule& raw, const std::string& name) {
  const KernelResources resources = take(take(raw.module.kernel(name)).resources());
  nb::dict dict;
  dict["num_regs"] = resources.registers_per_thread;
  dict["local_size_bytes"] = resources.local_bytes_per_thread;
  dict["max_threads_per_block"] = resources.max_threads_per_block;
  return dict;
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
  const ArgumentList list(kernel.device, arguments, kernel.parameters());
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

}  // namespace

void add_kernels(nb::module_& module) {
  add_launches(module);
  nb::class_<SourceKernel>(module, "Kernel", nb::is_weak_referenceable())
      .def_prop_ro("name", [](const SourceKernel& kernel) { return kernel.kernel.name(); })
      .def_prop_ro("is_typed", [](const SourceKernel& kernel) { return kernel.kernel.is_typed(); })
      .def("launch", &launch, nb::arg("grid"), nb::arg("block"), nb::arg("stream").none(), nb::arg("shared_bytes"),
           nb::arg("arguments"))
      .def("for_all", &for_all, nb::arg("tasks"), nb::arg("block_size"), nb::arg("stream").none(),
           nb::arg("shared_bytes"), nb::arg("arguments"))
      .def("tuned", &tuned, nb::arg("configuration") = nb::none())
      .def("info", &info)
      .def("specializations", &specializations);
  nb::class_<TunedSourceKernel>(module, "TunedKernel")
      .def("launch", &launch_tuned, nb::arg("shape"), nb::arg("stream").none(), nb::arg("arguments"));
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
  nb::class_<LoadedSource>(module, "Module", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](LoadedSource* self, const Device& device, const std::string& text, const std::string& name, int line,
             const std::string& indentation, const nb::kwargs& keywords) {
            const CompileOptions options = options_of(keywords);
            const Source source(text, name, line, indentation);
            new (self)
                LoadedSource{device, take(without_gil([&] { return SourceModule::load(device, source, options); }))};
          },
          nb::arg("device"), nb::arg("text"), nb::arg("name") = "<memory>", nb::arg("line") = 1,
          nb::arg("indentation") = "", nb::arg("options"))
      .def("kernel_names", [](const LoadedSource& source) { return source.module.kernel_names(); })
      .def("kernel", [](const LoadedSource& source, const std::string& name) {
        return SourceKernel{source.device, take(source.module.kernel(name))};
      });
}

}  // namespace pykc::python
