// Python's format specifications: `[[fill]align][sign][z][#][0][width][, or _][.precision][type]`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

struct FormatSpec {
  std::string fill = " ";             // one code point
  char align = 0;                     // '<', '>', '^', '='; 0: by the type, and `0` as fill
  char sign = 0;                      // '+', '-', ' '; 0: not written
  bool has_no_negative_zero = false;  // 'z'
  bool alternate = false;
  char grouping = 0;  // ',' or '_'
  int width = 0;
  std::optional<int> precision;
  int least_digits = 0;  // of an integer: what `%.3d` gives as a precision
  char type = 0;
  std::string text;  // as written, for messages
};

Outcome<FormatSpec> parse_format_spec(std::string_view text);
Outcome<std::string> format_with(const Value& value, const FormatSpec& spec);
Outcome<std::string> format_complex(double real, double imaginary, const FormatSpec& spec);

}  // namespace pykc::script
