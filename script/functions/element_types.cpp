#include "script/functions/element_types.h"

#include "frontend/program/signature.h"
#include "script/arithmetic/elementwise.h"

namespace pykc::script {
namespace {

std::optional<ScalarType> vector_element(std::string_view stem) {
  if (stem.ends_with('x')) {
    stem.remove_suffix(1);
    return find_scalar_type(stem, true);
  }
  if (stem.starts_with("make_")) stem.remove_prefix(5);
  return find_type(TypeFamily::CudaVector, stem);
}

/// A complex number, or a vector: "float4", "f32x4".
RecordRef record_type_named(std::string_view name) {
  if (name == "c64" || name == "complex64") return complex_type(ScalarType::F32);
  if (name == "c128" || name == "complex128" || name == "complex") return complex_type(ScalarType::F64);
  if (name.empty() || name.back() < '1' || name.back() > '4') return {};
  const std::optional<ScalarType> element = vector_element(name.substr(0, name.size() - 1));
  return element ? vector_type(*element, name.back() - '0') : RecordRef();
}

/// An extent, or a tuple of them.
std::optional<Shape> extents_of(const Value& value) {
  if (const std::optional<std::int64_t> extent = as_integer(value)) return Shape{*extent};
  const std::vector<Value>* items = items_of(value);
  if (!items) return std::nullopt;
  Shape extents;
  for (const Value& item : *items) {
    const std::optional<std::int64_t> extent = as_integer(item);
    if (!extent || *extent < 1) return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

/// `("x", np.float32)`, `("w", np.int16, 3)`, `("w", (np.int16, 3))`
std::optional<RecordField> field_of(const Value& row) {
  const std::vector<Value>* parts = items_of(row);
  const std::string* name = parts && parts->size() >= 2 && parts->size() <= 3 ? (*parts)[0].as<std::string>() : nullptr;
  if (!name) return std::nullopt;
  const std::vector<Value>* pair = items_of((*parts)[1]);
  const bool is_pair = pair && pair->size() == 2 && parts->size() == 2 && !(*pair)[0].is<std::string>();
  const Value& type = is_pair ? (*pair)[0] : (*parts)[1];
  const std::optional<ElementType> element = element_type_of(type);
  const std::optional<Shape> extents = is_pair              ? extents_of((*pair)[1])
                                       : parts->size() == 3 ? extents_of((*parts)[2])
                                                            : Shape();
  if (!element || !extents) return std::nullopt;
  return RecordField{*name, *element, *extents};
}

}  // namespace

std::optional<ElementType> element_type_in(Library library, std::string_view name) {
  std::optional<ScalarType> type;
  if (library == Library::Numba) {
    if (const std::optional<ScalarType> part = find_type(TypeFamily::ComplexCode, name)) return complex_type(*part);
    type = find_type(TypeFamily::Numba, name);
  }
  if (!type) type = find_scalar_type(name, true);
  if (!type && library != Library::Prelude) type = find_type(TypeFamily::NumpyAndNumba, name);
  if (type) return *type;
  const RecordRef record = record_type_named(name);
  return record ? std::optional<ElementType>(record) : std::nullopt;
}

std::optional<ElementType> element_type_named(std::string_view text, std::string& error) {
  if (text == "int") return ElementType(ScalarType::I64);
  if (text == "float") return ElementType(ScalarType::F64);
  if (const RecordRef record = record_type_named(text)) return ElementType(record);
  return dtype_named(text, error);
}

std::optional<ElementType> element_type_of(const Value& value) {
  const TypeValue* type = value.as<TypeValue>();
  if (type && type->record) return ElementType(type->record);
  if (type && type->kind != TypeValue::Kind::Str) return ElementType(type->type);
  if (const std::string* name = value.as<std::string>()) {
    std::string error;
    return element_type_named(*name, error);
  }
  const std::vector<Value>* rows = items_of(value);
  if (!rows || rows->empty()) return std::nullopt;
  RecordType record{"record", RecordType::Kind::Struct};
  for (const Value& row : *rows) {
    std::optional<RecordField> field = field_of(row);
    if (!field || record.find(field->name)) return std::nullopt;
    record.fields.push_back(*std::move(field));
  }
  return ElementType(lay_out(std::move(record)));
}

}  // namespace pykc::script
