// Launches of a kernel as the one before: without a step of Python between the call and the kernel.
#include <nanobind/nanobind.h>

#include "python/binding/arrays.h"
#include "python/binding/kernels.h"

namespace pykc::python {
namespace {

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

PyObject* type_of(const nb::builtin_exception& error) {
  switch (error.type()) {
    case nb::exception_type::type_error:
      return PyExc_TypeError;
    case nb::exception_type::buffer_error:
      return PyExc_BufferError;
    default:
      return PyExc_ValueError;
  }
}

/// Launches as before; the exception where it failed.
nb::object launched_as_before(const Launch& launch, const nb::tuple& arguments) {
  const nb::object kernel = launch.recent().kernel;  // kept, for another thread may launch another one meanwhile
  try {
    pykc::python::launch(*nb::inst_ptr<SourceKernel>(kernel), launch.config, arguments);
    return {};
  } catch (const nb::python_error& error) {
    return nb::borrow(error.value());
  } catch (const nb::builtin_exception& error) {
    return nb::borrow(type_of(error))(error.what());
  }
}

PyObject* call_launch(PyObject* self, PyObject* arguments, PyObject* keywords) {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_TypeError, "a launch is what the brackets of a kernel give");
    return nullptr;
  }
  const Launch& launch = *nb::inst_ptr<Launch>(self);
  try {
    auto given = nb::borrow<nb::tuple>(arguments);
    if (keywords != nullptr && PyDict_Size(keywords) > 0)
      given = nb::tuple(launch.dispatcher.attr("_in_order")(given, nb::borrow<nb::dict>(keywords)));
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

}  // namespace

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
            new (self) Launch{nb::borrow(dispatcher), nb::borrow(recent), where,
                              launch_config(where[0], where[1], where[2], nb::cast<std::int64_t>(where[3]))};
          },
          nb::arg("dispatcher"), nb::arg("recent"), nb::arg("where"))
      .def_ro("dispatcher", &Launch::dispatcher)
      .def_ro("where", &Launch::where);
  module.def(
      "all_use", [](nb::handle device) { device_of_all = device.is_none() ? nullptr : device.ptr(); },
      nb::arg("device").none());
}

}  // namespace pykc::python
