#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "pykc/library.h"
#include "pykc/source.h"
#include "python/binding/arrays.h"
#include "python/binding/errors.h"
#include "python/binding/options.h"

namespace pykc::python {
namespace {

struct EmitName {
  std::string_view name;
  Emit emit;
};
constexpr EmitName kEmits[] = {{"tokens", Emit::Tokens}, {"ast", Emit::Ast},      {"checked", Emit::Checked},
                               {"ir", Emit::Ir},         {"cpu-ir", Emit::CpuIr}, {"llvm", Emit::Llvm},
                               {"asm", Emit::Assembly},  {"code", Emit::Code}};

Emit emit_of(std::string_view name) {
  for (const EmitName& known : kEmits)
    if (known.name == name) return known.emit;
  throw nb::value_error("`emit` is one of: tokens, ast, checked, ir, cpu-ir, llvm, asm, code");
}

/// A Source that imports gave: the text alone, or (text, name, line, indentation).
Source source_of(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return Source(nb::cast<std::string>(given));
  const nb::tuple parts = nb::borrow<nb::tuple>(given);
  return Source(nb::cast<std::string>(parts[0]), nb::cast<std::string>(parts[1]), nb::cast<int>(parts[2]),
                nb::cast<std::string>(parts[3]));
}

/// Asks Python for a module. What Python raises is told at the import.
Result<Source> ask(nb::handle function, std::string_view name) {
  const nb::gil_scoped_acquire acquired;
  try {
    const nb::object found = function(nb::str(name.data(), name.size()));
    if (found.is_none()) return Error{ErrorCode::NotFound, "no such module"};
    return source_of(found);
  } catch (const std::exception& raised) {
    return Error{ErrorCode::InputOutput, raised.what()};
  }
}

Library library_of(nb::handle given) {
  if (!nb::isinstance<nb::tuple>(given)) return take(Library::read(nb::cast<std::string>(nb::str(given))));
  const auto bytes = nb::cast<nb::bytes>(given[1]);
  return {nb::cast<std::string>(given[0]), std::string(bytes.c_str(), bytes.size())};
}

/// Sets the option of this name; false where there is none.
bool set_option(CompileOptions& options, std::string_view name, nb::handle value) {
  if (name == "target") return options.target = nb::cast<std::string>(value), true;
  if (name == "costs_for") return options.costs_for = nb::cast<std::string>(value), true;
  if (name == "optimization") return options.optimization = nb::cast<int>(value), true;
  if (name == "signatures") return options.signatures = nb::cast<std::vector<std::string>>(value), true;
  if (name == "silenced_warnings") return options.silenced_warnings = nb::cast<std::vector<std::string>>(value), true;
  if (name == "libraries") {
    for (const nb::handle library : value) options.libraries.push_back(library_of(library));
    return true;
  }
  if (name == "import_") {
    if (!value.is_none())
      options.import = [owner = held(nb::borrow(value))](std::string_view module) {
        return ask(nb::handle(static_cast<PyObject*>(owner.get())), module);
      };
    return true;
  }
  if (name == "sanitize") return options.sanitize = nb::cast<bool>(value) ? Sanitize::all() : Sanitize(), true;
  const std::pair<std::string_view, bool&> flags[] = {
      {"fast_math", options.fast_math}, {"asserts", options.asserts},     {"checked", options.checked},
      {"contract", options.contract},   {"line_info", options.line_info}, {"cache", options.cache},
      {"warnings", options.warnings},   {"untrusted", options.untrusted}};
  for (const auto& [flag, place] : flags)
    if (name == flag) return place = nb::cast<bool>(value), true;
  return false;
}

nb::object compile_text(const std::string& text, const std::string& name, int line, const std::string& indentation,
                        const std::string& emit_name, const nb::kwargs& keywords) {
  const CompileOptions options = options_of(keywords);
  const Emit emit = emit_of(emit_name);
  const Source source(text, name, line, indentation);
  const CompileOutput output = take(without_gil([&] { return compile_to(emit, source, options); }));
  if (emit != Emit::Code) return nb::str(output.text.data(), output.text.size());
  const std::string bytes = output.artifact.serialize();
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

std::shared_ptr<void> held(nb::object object) {
  return {object.release().ptr(), [](void* pointer) {
            const nb::gil_scoped_acquire acquired;
            nb::handle(static_cast<PyObject*>(pointer)).dec_ref();
          }};
}

CompileOptions options_of(const nb::kwargs& keywords) {
  CompileOptions options;
  for (const auto& [key, value] : keywords) {
    const auto name = nb::cast<std::string>(key);
    if (!set_option(options, name, value)) throw nb::type_error(("there is no option `" + name + "`").c_str());
  }
  return options;
}

void add_compiler(nb::module_& module) {
  module.attr("version") = version();
  module.attr("llvm_version") = llvm_version();
  module.def("compile", &compile_text, nb::arg("text"), nb::arg("name") = "<memory>", nb::arg("line") = 1,
             nb::arg("indentation") = "", nb::kw_only(), nb::arg("emit") = "code", nb::arg("options"),
             "What `pykc compile --emit` gives; bytes of an artifact for \"code\".");
  module.def(
      "library_source",
      [](const std::string& name) {
        const std::string_view text = library_text(name);
        return nb::str(text.data(), text.size());
      },
      nb::arg("module"), "The text of a module of the library, \"pykc.reduce\"; nothing where there is none.");
}

}  // namespace pykc::python
