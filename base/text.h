// Taking plain text apart, and shapes as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pykc {

/// Of ASCII's digits, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text without the blanks around it.
inline std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// Calls `visit` for each part of the text between separators: one more than there are separators.
template <typename Visit>
void for_each_part(std::string_view text, char separator, Visit visit) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// A shape as Python writes it: "(3, 4)", "(3,)".
inline std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace pykc
