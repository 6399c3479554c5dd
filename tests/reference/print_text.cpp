#include "tests/reference/print_text.h"

#include <cstdio>

#include "base/float_bits.h"

namespace pykc::reference {
namespace {

template <typename T>
std::string formatted(const std::string& conversion, T value) {
  char text[512];
  std::snprintf(text, sizeof text, conversion.c_str(), value);
  return text;
}

std::string converted(const std::string& conversion, ir::Scalar value) {
  if (conversion == "%-s") return value.bits != 0 ? ".0" : "";
  if (conversion.back() == 's') return formatted(conversion, value.bits != 0 ? "True" : "False");
  if (is_float(value.type)) return formatted(conversion, float_from_bits(value.type, value.bits));
  return formatted(conversion, static_cast<long long>(ir::integer_from_bits(value.type, value.bits)));
}

}  // namespace

std::string print_text(std::string_view format, std::span<const ir::Scalar> operands) {
  std::string text;
  std::size_t next = 0;
  while (!format.empty()) {
    if (format.starts_with("%%") || format.front() != '%') {
      text += format.front();
      format.remove_prefix(format.front() == '%' ? 2 : 1);
      continue;
    }
    const std::size_t end = format.find_first_of("diouxXeEfFgGs", 1) + 1;
    text += converted(std::string(format.substr(0, end)), operands[next++]);
    format.remove_prefix(end);
  }
  return text;
}

}  // namespace pykc::reference
