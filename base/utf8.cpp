#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace pykc {

namespace {

unsigned char byte_at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0;
}

/// The length that a first byte announces; 0 for a byte that starts nothing.
int sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return {};
  const unsigned char first = byte_at(text, offset);
  const int length = sequence_length(first);
  if (length == 0) return {};
  if (length == 1) return {first, 1};
  char32_t value = first & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, offset + static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || value > 0x10FFFF || is_surrogate) return {};
  return {value, length};
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text, i);
    points += point.bytes > 0 ? point.value : U'\uFFFD';
    i += static_cast<std::size_t>(std::max(point.bytes, 1));
  }
  return points;
}

std::u32string code_points_of_bytes(std::string_view bytes) {
  std::u32string result;
  for (const char byte : bytes) result += static_cast<unsigned char>(byte);
  return result;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (static_cast<unsigned char>(text[offset]) < 0x80) {
      ++offset;
      continue;
    }
    const CodePoint point = decode_utf8(text, offset);
    if (point.bytes == 0) return offset;
    offset += static_cast<std::size_t>(point.bytes);
  }
  return std::string_view::npos;
}

std::string abbreviate_utf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && is_utf8_continuation(text[bytes])) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace pykc
