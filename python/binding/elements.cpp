#include "python/binding/elements.h"

#include <nanobind/stl/string.h>

#include <optional>

namespace pykc::python {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  PyErr_SetString(PyExc_TypeError, ("kernels have no elements of type " + what).c_str());
  throw nb::python_error();
}

/// Records laid out as the dtype says.
ElementType record_of(nb::handle dtype) {
  RecordType record;
  record.name = "record";
  record.bytes = nb::cast<std::int64_t>(dtype.attr("itemsize"));
  if (record.bytes == 0) refuse(nb::cast<std::string>(nb::repr(dtype)) + ", which has no bytes");
  record.alignment = nb::cast<int>(dtype.attr("alignment"));
  const nb::object fields = dtype.attr("fields");
  for (const nb::handle name : nb::tuple(nb::object(dtype.attr("names")))) {
    const nb::object entry = fields[name];
    nb::object type = entry[0];
    RecordField field{.name = nb::cast<std::string>(name), .type = {}, .extents = {}, .offset = 0};
    field.offset = nb::cast<std::int64_t>(entry[1]);
    const nb::object parts = type.attr("subdtype");  // of a field that is an array
    if (!parts.is_none()) {
      for (const nb::handle extent : nb::tuple(nb::object(type.attr("shape"))))
        field.extents.push_back(nb::cast<std::int64_t>(extent));
      type = parts[0];
    }
    field.type = element_of(type);
    record.fields.push_back(std::move(field));
  }
  return RecordRef(std::move(record));
}

/// A code of NumPy's without its byte order.
std::optional<ElementType> find_code(std::string_view code) {
  if (code == "c8") return ElementType(complex_type(ScalarType::F32));
  if (code == "c16") return ElementType(complex_type(ScalarType::F64));
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (const auto type = static_cast<ScalarType>(i); !info(type).npy.empty() && info(type).npy == code) return type;
  if (const RecordRef text = find_text_type(code)) return ElementType(text);
  return std::nullopt;
}

std::optional<ElementType> find_name(std::string_view name) {
  if (name == "bool") return ScalarType::Bool;
  if (name == "c64" || name == "complex64") return ElementType(complex_type(ScalarType::F32));
  if (name == "c128" || name == "complex128") return ElementType(complex_type(ScalarType::F64));
  if (const std::optional<ScalarType> scalar = find_scalar_type(name, true)) return *scalar;
  const bool has_order = name.starts_with('<') || name.starts_with('|') || name.starts_with('=');
  return find_code(has_order ? name.substr(1) : name);
}

/// A letter of the `struct` module, with NumPy's additions; sizes are those of this machine.
std::optional<ElementType> find_letter(std::string_view letter) {
  if (letter == "Zf") return ElementType(complex_type(ScalarType::F32));
  if (letter == "Zd") return ElementType(complex_type(ScalarType::F64));
  if (letter.size() != 1) return std::nullopt;
  switch (letter.front()) {
    case '?':
      return ScalarType::Bool;
    case 'b':
      return ScalarType::I8;
    case 'B':
    case 'c':
      return ScalarType::U8;
    case 'h':
      return ScalarType::I16;
    case 'H':
      return ScalarType::U16;
    case 'i':
      return ScalarType::I32;
    case 'I':
      return ScalarType::U32;
    case 'l':
    case 'q':
    case 'n':
      return ScalarType::I64;
    case 'L':
    case 'Q':
    case 'N':
      return ScalarType::U64;
    case 'e':
      return ScalarType::F16;
    case 'f':
      return ScalarType::F32;
    case 'd':
      return ScalarType::F64;
    default:
      return std::nullopt;
  }
}

}  // namespace

ElementType element_of(nb::handle dtype) {
  if (nb::isinstance<nb::str>(dtype)) {
    const auto name = nb::cast<std::string>(dtype);
    if (const std::optional<ElementType> found = find_name(name)) return *found;
    refuse("`" + name + "`");
  }
  if (nb::hasattr(dtype, "fields") && !dtype.attr("fields").is_none()) return record_of(dtype);
  for (const char* const attribute : {"str", "name"})  // NumPy's code; the name where there is none, as of bfloat16
    if (nb::hasattr(dtype, attribute))
      if (const nb::object name = dtype.attr(attribute); nb::isinstance<nb::str>(name)) {
        const auto text = nb::cast<std::string>(name);
        if (text.starts_with('>'))
          refuse("`" + text + "`, whose bytes stand in the other order: pass `x.astype(x.dtype.newbyteorder(\"=\"))`");
        if (const std::optional<ElementType> found = find_name(text)) return *found;
      }
  refuse(nb::cast<std::string>(nb::repr(dtype)));
}

ElementType element_of_format(const char* format, nb::handle owner) {
  std::string_view letter = format == nullptr ? "B" : format;
  const bool is_little = letter.starts_with('<') || letter.starts_with('=') || letter.starts_with('@');
  if (is_little) letter.remove_prefix(1);
  if (const std::optional<ElementType> found = find_letter(letter)) return *found;
  if (nb::hasattr(owner, "dtype")) return element_of(owner.attr("dtype"));
  refuse("`" + std::string(letter) + "` (a format of the buffer protocol)");
}

std::string typestr_of(const ElementType& element) {
  if (element == ElementType(complex_type(ScalarType::F32))) return "<c8";
  if (element == ElementType(complex_type(ScalarType::F64))) return "<c16";
  if (is_text(element))
    return (character_of(element.record) == ScalarType::U8 ? "|S" : "<U") + std::to_string(width_of(element.record));
  if (element.is_record()) return "|V" + std::to_string(element.record->bytes);
  const std::string code(info(element.scalar).npy);
  if (code.empty()) return std::string(info(element.scalar).numpy);
  return (size_in_bytes(element.scalar) == 1 ? "|" : "<") + code;
}

}  // namespace pykc::python
