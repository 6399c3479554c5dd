// Taking plain text apart, and putting lists together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pykc {

/// Is it a digit of ASCII, whatever the locale?
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text without the blanks around it.
inline std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// A piece of code as it stands in a sentence.
inline std::string as_code(std::string_view code) { return "`" + std::string(code) + "`"; }

/// Calls `visit` for each part of the text between separators: one more than there are separators.
template <typename Visit>
void for_each_part(std::string_view text, char separator, Visit visit) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The items with a separator between them: integers and texts as they are, others as `text_of` has them, which may be
/// a member (`&ParameterInfo::name`).
template <typename Items, typename TextOf = std::identity>
std::string list_text(const Items& items, TextOf text_of = {}, std::string_view separator = ", ") {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!std::exchange(is_first, false)) text += separator;
    if constexpr (std::integral<std::remove_cvref_t<std::invoke_result_t<TextOf&, decltype(item)>>>)
      text += std::to_string(std::invoke(text_of, item));
    else
      text += std::invoke(text_of, item);
  }
  return text;
}

/// A shape as Python writes it: "(3, 4)", "(3,)".
inline std::string shape_text(std::span<const std::int64_t> shape) {
  return "(" + list_text(shape) + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace pykc
