// UTF-8, as the lexer and the diagnostics need it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pykc {

struct CodePoint {
  char32_t value = 0;
  int bytes = 0;  // 0: there is no valid UTF-8 at this offset
};
/// The code point at `offset`; overlong forms, surrogates and values above U+10FFFF are invalid.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// All code points; U+FFFD for each byte that belongs to none.
std::u32string code_points(std::string_view text);

/// One code point a byte: Latin-1.
std::u32string code_points_of_bytes(std::string_view bytes);

/// Appends a code point that is not a surrogate.
void append_utf8(std::string& text, char32_t code_point);

/// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Does this byte continue a code point that began earlier?
constexpr bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The start of `text`, at most `bytes` long, with no code point cut in half; "…" says that something is missing.
std::string abbreviate_utf8(std::string_view text, std::size_t bytes);

}  // namespace pykc
