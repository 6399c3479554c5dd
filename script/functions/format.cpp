#include "script/functions/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "script/functions/format_spec.h"
#include "script/functions/functions.h"
#include "script/functions/records.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

constexpr int kDeepestNest = 50;

/// Python's repr of a float from the shortest digits in scientific form: plain for exponents -4 to 15.
std::string python_notation(std::string_view scientific) {
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const std::string_view power = scientific.substr(e + (scientific[e + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(scientific);
  const bool negative = scientific.front() == '-';
  std::string digits;
  for (const char c : scientific.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  if (exponent < 0) {
    digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    digits.insert(1, ".");
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole + 1) digits.append(whole + 1 - digits.size(), '0');
    digits.insert(whole, ".");
  }
  return (negative ? "-" : "") + digits;
}

template <typename T>
std::string shortest(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  return python_notation({buffer, static_cast<std::size_t>(end - buffer)});
}

/// The shortest decimal that rounds to the same f16 or bf16.
std::string shortest_small(const Scalar& value) {
  const auto number = value.as<double>();
  if (!std::isfinite(number)) return shortest(number);
  char buffer[64];
  for (int digits = 0; digits < 9; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*e", digits, number);
    if (Scalar::of(std::strtod(buffer, nullptr), value.type).bits == value.bits) break;
  }
  return python_notation(buffer);
}

Outcome<std::string> repr(const Value& value, int depth);

/// `[1, 2]`, `(1,)`, `Point(x=1, y=2)`
Outcome<std::string> items_text(const Value& sequence, int depth) {
  if (depth > kDeepestNest) return std::string("...");
  const std::vector<Value>& items = *items_of(sequence);
  const auto* const tuple = sequence.as<TupleValue>();
  const std::vector<std::string> names = tuple ? tuple->sequence->names : std::vector<std::string>();
  std::string text = tuple ? tuple->sequence->type_name + "(" : "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSIGN_OR_RETURN(const std::string item, repr(items[i], depth + 1));
    text += (i > 0 ? ", " : "") + (names.empty() ? item : names[i] + "=" + item);
  }
  if (tuple && names.empty() && items.size() == 1) text += ",";
  return text + (tuple ? ")" : "]");
}

Outcome<std::string> repr(const Value& value, int depth) {
  if (const std::string* text = value.as<std::string>()) return quoted(code_points(*text), TextKind::String);
  if (items_of(value)) return items_text(value, depth);
  return to_text(value);
}

std::string type_name(const TypeValue& type) {
  switch (type.kind) {
    case TypeValue::Kind::Int:
      return "int";
    case TypeValue::Kind::Float:
      return "float";
    case TypeValue::Kind::Bool:
      return "bool";
    case TypeValue::Kind::Str:
      return "str";
    case TypeValue::Kind::Scalar:
      break;
  }
  return type.record ? type.record->name : std::string(to_string(type.type));
}

/// With what is not ASCII as escapes.
std::string in_ascii(std::string_view text) {
  std::string result;
  for (const char32_t c : code_points(text)) {
    const auto number = static_cast<unsigned>(c);
    char escape[16] = {static_cast<char>(c)};
    if (c > 0xFFFF)
      std::snprintf(escape, sizeof(escape), "\\U%08x", number);
    else if (c > 0xFF)
      std::snprintf(escape, sizeof(escape), "\\u%04x", number);
    else if (c > 0x7F)
      std::snprintf(escape, sizeof(escape), "\\x%02x", number);
    result += escape;
  }
  return result;
}

std::string range_text(const RangeValue& range) {
  std::string text = "range(" + std::to_string(range.start) + ", " + std::to_string(range.stop);
  if (range.step != 1) text += ", " + std::to_string(range.step);
  return text + ")";
}

}  // namespace

std::string quoted(std::u32string_view characters, TextKind kind) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const bool has_single = characters.find(U'\'') != std::u32string_view::npos;
  const bool has_double = characters.find(U'"') != std::u32string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string text(kind == TextKind::Bytes ? "b" : "");
  text += quote;
  for (const char32_t c : characters) {
    const bool is_control = c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD;
    if (c == U'\n')
      text += "\\n";
    else if (c == U'\r')
      text += "\\r";
    else if (c == U'\t')
      text += "\\t";
    else if (is_control || (kind == TextKind::Bytes && c > 0x7E))
      text += {'\\', 'x', kDigits[c >> 4 & 15], kDigits[c & 15]};
    else if (c == U'\\' || c == static_cast<char32_t>(quote))
      text += {'\\', static_cast<char>(c)};
    else
      append_utf8(text, c);
  }
  return text + quote;
}

std::string float_text(double value) { return shortest(value); }

std::string float_text(const Scalar& value) {
  switch (value.type) {
    case ScalarType::F16:
    case ScalarType::BF16:
      return shortest_small(value);
    case ScalarType::F32:
      return shortest(value.as<float>());
    default:
      return shortest(value.as<double>());
  }
}

Outcome<std::string> to_text(const Value& value) {
  if (value.is<None>()) return std::string("None");
  if (const bool* flag = value.as<bool>()) return std::string(*flag ? "True" : "False");
  if (const std::int64_t* integer = value.as<std::int64_t>()) return std::to_string(*integer);
  if (const double* number = value.as<double>()) return float_text(*number);
  if (const Scalar* scalar = value.as<Scalar>()) {
    if (is_float(scalar->type)) return float_text(*scalar);
    if (scalar->type == ScalarType::Bool) return std::string(scalar->bits != 0 ? "True" : "False");
    return scalar->type == ScalarType::U64 ? std::to_string(scalar->bits) : std::to_string(scalar->as<std::int64_t>());
  }
  if (const std::string* text = value.as<std::string>()) return *text;
  if (const ArrayRef* array = value.as<ArrayRef>()) return array_text(**array);
  if (items_of(value)) return items_text(value, 0);
  if (const RangeValue* range = value.as<RangeValue>()) return range_text(*range);
  if (const TypeValue* type = value.as<TypeValue>()) return type_name(*type);
  if (const auto* object = value.as<InstanceValue>(); object && !object->instance->text.empty())
    return object->instance->text;
  return "<" + describe(value) + ">";
}

Outcome<std::string> to_repr(const Value& value) { return repr(value, 0); }

Outcome<std::string> converted(const Value& value, char conversion) {
  if (conversion == 's') return to_text(value);
  ASSIGN_OR_RETURN(const std::string text, to_repr(value));
  return conversion == 'a' ? in_ascii(text) : text;
}

Outcome<std::string> format_value(const Value& value, std::string_view specification) {
  ASSIGN_OR_RETURN(const FormatSpec spec, parse_format_spec(specification));
  const ArrayRef* array = value.as<ArrayRef>();
  if (array && (*array)->rank() == 0 && is_complex(value)) {
    ASSIGN_OR_RETURN(const Value real, field_of(**array, "real"));
    ASSIGN_OR_RETURN(const Value imaginary, field_of(**array, "imag"));
    return format_complex(*as_number(real), *as_number(imaginary), spec);
  }
  if (array && (*array)->rank() == 0 && !(*array)->record) {
    ASSIGN_OR_RETURN(const Scalar scalar, first_element(**array));
    return format_value(Value(scalar), specification);
  }
  // NumPy's numbers are formatted as Python's.
  const Scalar* const scalar = value.as<Scalar>();
  if (scalar && is_float(scalar->type)) return format_with(Value(scalar->as<double>()), spec);
  return specification.empty() ? to_text(value) : format_with(value, spec);
}

}  // namespace pykc::script
