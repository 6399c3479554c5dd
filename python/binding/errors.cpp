#include "python/binding/errors.h"

namespace pykc::python {
namespace {

/// The class of the module, or of Python, for an error.
nb::object class_of(ErrorCode code) {
  const auto own = [](const char* name) { return nb::module_::import_("pykc._native").attr(name); };
  switch (code) {
    case ErrorCode::InvalidSource:
      return own("CompileError");
    case ErrorCode::InvalidLaunch:
      return own("LaunchError");
    case ErrorCode::KernelFault:
    case ErrorCode::Cancelled:
      return own("KernelFault");
    case ErrorCode::NotFound:
    case ErrorCode::DriverUnavailable:
    case ErrorCode::DriverError:
    case ErrorCode::Unsupported:
    case ErrorCode::Internal:
      return own("DeviceError");
    case ErrorCode::InvalidArgument:
      return nb::borrow(PyExc_ValueError);
    case ErrorCode::InputOutput:
      return nb::borrow(PyExc_OSError);
    case ErrorCode::OutOfMemory:
      return nb::borrow(PyExc_MemoryError);
    case ErrorCode::Timeout:
      return nb::borrow(PyExc_TimeoutError);
  }
  return own("Error");
}

/// The diagnostics with their lines and carets, as the command line shows them.
std::string text_of(const Error& error) {
  if (error.diagnostics.empty()) return error.message;
  std::string text;
  for (const Diagnostic& diagnostic : error.diagnostics) text += (text.empty() ? "" : "\n") + to_text(diagnostic);
  return text;
}

}  // namespace

void add_exceptions(nb::module_& module) {
  const auto add = [&](const char* name, const char* doc, const nb::tuple& bases) {
    const std::string full = std::string("pykc.") + name;
    const nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr));
    if (!made.is_valid()) nb::raise_python_error();
    module.attr(name) = made;
    return made;
  };
  const nb::object base =
      add("Error", "What pykc's own exceptions derive from.", nb::make_tuple(nb::borrow(PyExc_Exception)));
  add("CompileError", "The source has errors. `diagnostics` has them as data: a list of dictionaries.",
      nb::make_tuple(base));
  add("LaunchError", "The configuration or the arguments do not fit the kernel.",
      nb::make_tuple(base, nb::borrow(PyExc_ValueError)));
  add("KernelFault", "An assert, a raise or a failed check stopped the kernel.",
      nb::make_tuple(base, nb::borrow(PyExc_RuntimeError)));
  add("DeviceError", "The device is not there, or cannot do what is asked for.",
      nb::make_tuple(base, nb::borrow(PyExc_RuntimeError)));
}

void raise(const Error& error) {
  const nb::object type = class_of(error.code);
  nb::object exception = type(text_of(error));
  if (!error.diagnostics.empty())
    nb::setattr(exception, "diagnostics", nb::module_::import_("json").attr("loads")(to_json(error.diagnostics)));
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

}  // namespace pykc::python
