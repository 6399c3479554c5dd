#include "base/json.h"

#include "base/utf8.h"

namespace pykc {
namespace {

std::string escape_control(char32_t code_point) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (code_point) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {'\\', 'u', '0', '0', digits[code_point >> 4 & 15], digits[code_point & 15]};
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (std::size_t offset = 0; offset < text.size();) {
    const CodePoint point = decode_utf8(text, offset);
    const std::size_t bytes = point.bytes == 0 ? 1 : static_cast<std::size_t>(point.bytes);
    if (point.bytes == 0)
      result += "\uFFFD";
    else if (point.value < 0x20 || point.value == 0x7F)
      result += escape_control(point.value);
    else if (point.value == '"' || point.value == '\\')
      result += {'\\', static_cast<char>(point.value)};
    else
      result += text.substr(offset, bytes);
    offset += bytes;
  }
  return result += '"';
}

}  // namespace pykc
