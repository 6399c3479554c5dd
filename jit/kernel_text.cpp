#include "jit/kernel_text.h"

#include <cctype>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace pykc::jit {
namespace {

/// The text with `indentation` behind each of its line ends, and no line end at its end.
std::string indented(std::string text, const std::string& indentation) {
  while (text.ends_with('\n')) text.pop_back();
  std::string result;
  for (const char c : text) result += c == '\n' ? "\n" + indentation : std::string(1, c);
  return result;
}

}  // namespace

std::string fill(std::string_view text, const std::map<std::string, std::string>& parts) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('$'), text.size());
    result += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    std::size_t end = 1;
    while (end < text.size() && std::isupper(static_cast<unsigned char>(text[end]))) ++end;
    const std::string line = result.substr(result.rfind('\n') + 1);
    const std::size_t first = line.find_first_not_of(' ');
    result += indented(parts.at(std::string(text.substr(1, end - 1))), line.substr(0, first));
    text.remove_prefix(end);
  }
  return result;
}

std::vector<std::string> numbered(const std::string& prefix, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

std::string decomposition(const std::string& index, const std::string& prefix, int rank, const std::string& array,
                          int first_axis, bool is_wide) {
  if (rank == 0) return "pass\n";
  if (rank == 1) return prefix + "0 = " + index + "\n";
  const std::string type = is_wide ? "i64" : "u32", rest = prefix + "_rest";
  std::string text = rest + " = " + type + "(" + index + ")\n";
  for (int axis = rank - 1; axis > 0; --axis) {
    const std::string extent = type + "(" + array + ".shape[" + std::to_string(first_axis + axis) + "])";
    text += prefix + std::to_string(axis) + " = " + rest + " % " + extent + "\n";
    text += rest + " = " + rest + " // " + extent + "\n";
  }
  return text + prefix + "0 = " + rest + "\n";
}

std::string element(const std::string& name, bool is_array, const std::vector<std::string>& indices) {
  return is_array ? name + "[" + list_text(indices) + "]" : name;
}

bool is_wide(std::int64_t elements) { return elements > std::numeric_limits<std::int32_t>::max(); }

}  // namespace pykc::jit
