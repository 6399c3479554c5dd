// Values as text: what print, str() and f-strings show. Numbers as Python prints them, arrays as NumPy does.
#pragma once

#include <string>
#include <string_view>

#include "script/values/array.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// What print shows; reads arrays back from the device.
Outcome<std::string> to_text(const Value& value);
/// The text inside of a list or tuple: strings are quoted.
Outcome<std::string> to_repr(const Value& value);

/// What `!s`, `!r` or `!a` of an f-string, or `%s` and its kin, make of a value.
Outcome<std::string> converted(const Value& value, char conversion);

/// `value` by a format specification: `.3f`, `>10`, `,`, `08.3e`.
Outcome<std::string> format_value(const Value& value, std::string_view specification);
/// `"%d of %.1f" % (3, 2.5)`
Outcome<std::string> format_percent(std::string_view format, const Value& arguments);

enum class TextKind : bool { String, Bytes };
/// Text as Python's source would have it: 'it', "it's", 'two\\nlines', b'\\xff'.
std::string quoted(std::u32string_view characters, TextKind kind);

/// The shortest digits that read back as the same number: "0.1", "1e+20", "inf".
std::string float_text(double value);
std::string float_text(const Scalar& value);
/// The rows of numbers, cut to their corners where there are many (print_array.cpp).
Outcome<std::string> array_text(const Array& array);

}  // namespace pykc::script
