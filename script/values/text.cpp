#include "script/values/text.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/utf8.h"

namespace pykc::script {
namespace {

Outcome<ArrayRef> array_of_characters(std::u32string_view characters, const RecordRef& type) {
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(ElementType(type), {}, Order::RowMajor, Scalar{ScalarType::U8, 0}));
  ASSIGN_OR_RETURN(std::byte* const memory, array->write());
  const auto bytes = static_cast<std::size_t>(size_in_bytes(character_of(type)));
  const std::size_t count = std::min(characters.size(), static_cast<std::size_t>(width_of(type)));
  for (std::size_t i = 0; i < count; ++i) std::memcpy(memory + i * bytes, &characters[i], bytes);
  return array;
}

RecordRef type_for(ScalarType character, std::size_t count) {
  return text_type(character, static_cast<std::int64_t>(std::max<std::size_t>(count, 1)));
}

}  // namespace

Outcome<ArrayRef> bytes_array(std::string_view bytes) {
  return array_of_characters(code_points_of_bytes(bytes), type_for(ScalarType::U8, bytes.size()));
}

Outcome<ArrayRef> text_array(std::string_view text, const RecordRef& type) {
  return array_of_characters(code_points(text), type);
}

Outcome<ArrayRef> resized_text(const Array& text, const RecordRef& type) {
  ASSIGN_OR_RETURN(const ArrayRef result,
                   make_array(ElementType(type), text.shape, Order::RowMajor, Scalar{ScalarType::U8, 0}));
  ASSIGN_OR_RETURN(std::byte* const to, result->write());
  ASSIGN_OR_RETURN(const ArrayRef dense, dense_array(std::make_shared<const Array>(text)));
  ASSIGN_OR_RETURN(const std::byte* const from, dense->read());
  const std::int64_t target_bytes = result->element_bytes(), source_bytes = dense->element_bytes();
  for (std::int64_t i = 0; i < text.size(); ++i)
    std::memcpy(to + i * target_bytes, from + i * source_bytes,
                static_cast<std::size_t>(std::min(target_bytes, source_bytes)));
  return result;
}

RecordRef text_type_of(const Value& value) {
  if (const std::string* text = value.as<std::string>()) return type_for(ScalarType::U32, code_points(*text).size());
  const ArrayRef* array = value.as<ArrayRef>();
  return array && is_text((*array)->element()) ? (*array)->record : RecordRef();
}

RecordRef common_text_type(const RecordRef& a, const RecordRef& b) {
  if (!a || !b || !is_text(a) || !is_text(b) || character_of(a) != character_of(b)) return {};
  return width_of(a) < width_of(b) ? b : a;
}

Outcome<std::u32string> characters_of(const Array& text) {
  ASSIGN_OR_RETURN(const std::byte* const memory, text.read());
  const auto bytes = static_cast<std::size_t>(size_in_bytes(character_of(text.record)));
  std::u32string characters(static_cast<std::size_t>(width_of(text.record)), U'\0');
  for (std::size_t i = 0; i < characters.size(); ++i) std::memcpy(&characters[i], memory + i * bytes, bytes);
  while (!characters.empty() && characters.back() == 0) characters.pop_back();
  return characters;
}

Outcome<std::string> string_of(const Array& text) {
  ASSIGN_OR_RETURN(const std::u32string characters, characters_of(text));
  std::string result;
  for (const char32_t character : characters) {
    const bool is_valid = character <= 0x10FFFF && !(character >= 0xD800 && character <= 0xDFFF);
    append_utf8(result, is_valid ? character : U'\uFFFD');
  }
  return result;
}

}  // namespace pykc::script
