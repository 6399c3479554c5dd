#include "script/functions/format_spec.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/utf8.h"
#include "script/functions/format.h"
#include "script/values/characters.h"

namespace pykc::script {
namespace {

constexpr int kWidest = 10000;

bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

Failure bad_format(std::string_view text, std::string_view reason) {
  return fail(DiagnosticId::HostBadFormat, text, reason);
}

/// Reads a specification, or the middle of a `%` conversion, from left to right.
class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : rest_(text) { spec_.text = text; }

  Outcome<FormatSpec> parse() {
    const bool has_fill = parse_align();
    if (!rest_.empty() && (rest_[0] == '+' || rest_[0] == '-' || rest_[0] == ' ')) spec_.sign = take();
    spec_.has_no_negative_zero = accept('z');
    spec_.alternate = accept('#');
    if (!has_fill && accept('0')) spec_.fill = "0";
    ASSIGN_OR_RETURN(spec_.width, parse_number());
    if (accept(','))
      spec_.grouping = ',';
    else if (accept('_'))
      spec_.grouping = '_';
    if (accept('.')) {
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return bad_format(spec_.text, "a precision is missing");
      ASSIGN_OR_RETURN(spec_.precision, parse_number());
    }
    if (!rest_.empty()) spec_.type = take();
    if (!rest_.empty()) return bad_format(spec_.text, "there is more after the type");
    return spec_;
  }

  /// What stands between `%` and the letter: flags in any order, width, precision.
  Outcome<FormatSpec> parse_conversion() {
    const std::size_t end = std::min(rest_.find_first_not_of("-+ #0"), rest_.size());
    const auto has = [flags = rest_.substr(0, end)](char flag) { return flags.find(flag) != std::string_view::npos; };
    rest_.remove_prefix(end);
    spec_.align = has('-') ? '<' : has('0') ? '=' : '>';
    if (spec_.align == '=') spec_.fill = "0";
    spec_.sign = has('+') ? '+' : has(' ') ? ' ' : '-';
    spec_.alternate = has('#');
    ASSIGN_OR_RETURN(spec_.width, parse_number());
    if (accept('.')) {
      ASSIGN_OR_RETURN(spec_.precision, parse_number());
    }
    if (!rest_.empty()) return bad_format(spec_.text, "there is more after the precision");
    return spec_;
  }

 private:
  /// Whether a fill is there, too.
  bool parse_align() {
    if (rest_.empty()) return false;
    const std::size_t size = Characters(rest_).first(1).size();
    const bool has_fill = rest_.size() > size && is_align(rest_[size]);
    if (has_fill) {
      spec_.fill = rest_.substr(0, size);
      rest_.remove_prefix(size);
    }
    if (is_align(rest_[0])) spec_.align = take();
    return has_fill;
  }
  Outcome<int> parse_number() {
    int number = 0;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      number = number * 10 + (take() - '0');
      if (number > kWidest) return bad_format(spec_.text, "a width or precision is at most 10000");
    }
    return number;
  }
  bool accept(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  std::string_view rest_;
  FormatSpec spec_;
};

std::string repeat(std::string_view text, std::size_t count) {
  std::string result;
  while (count-- > 0) result += text;
  return result;
}

/// Fills up to the width; `sign` stays in front of the filling for '='.
std::string padded(const FormatSpec& spec, std::string_view sign, std::string_view body, char align) {
  const std::size_t size = sign.size() + Characters(body).size();
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t missing = width > size ? width - size : 0;
  const std::string text = std::string(sign) + std::string(body);
  switch (align) {
    case '<':
      return text + repeat(spec.fill, missing);
    case '^':
      return repeat(spec.fill, missing / 2) + text + repeat(spec.fill, missing - missing / 2);
    case '=':
      return std::string(sign) + repeat(spec.fill, missing) + std::string(body);
    default:
      return repeat(spec.fill, missing) + text;
  }
}

/// Digits with a separator between groups, and with zeros in front up to a width.
std::string grouped(std::string_view digits, const FormatSpec& spec, std::size_t width) {
  const std::size_t group =
      spec.type != 0 && std::string_view("boxX").find(spec.type) != std::string_view::npos ? 4 : 3;
  std::string result;  // from its end
  for (std::size_t i = 0; i < digits.size() || result.size() < width; ++i) {
    if (i > 0 && i % group == 0) result += spec.grouping;
    result += i < digits.size() ? digits[digits.size() - 1 - i] : '0';
  }
  std::ranges::reverse(result);
  return result;
}

/// A number: its sign and prefix, the digits in front of the point, none for `inf`, and what follows.
std::string number_text(const FormatSpec& spec, std::string_view sign, std::string digits, std::string_view rest) {
  const char align = spec.align != 0 ? spec.align : spec.fill == "0" ? '=' : '>';
  if (spec.grouping != 0 && !digits.empty()) {
    const std::size_t others = sign.size() + rest.size(), width = static_cast<std::size_t>(spec.width);
    const bool has_zeros = spec.fill == "0" && align == '=';  // which are in groups, too
    digits = grouped(digits, spec, has_zeros && width > others ? width - others : 0);
  }
  return padded(spec, sign, digits.append(rest), align);
}

std::string sign_of(const FormatSpec& spec, bool negative) {
  if (negative) return "-";
  return spec.sign == 0 || spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string printed(const char* format, int precision, double value) {
  std::string buffer(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, precision, value)) + 1, '\0');
  std::snprintf(buffer.data(), buffer.size(), format, precision, value);
  buffer.pop_back();
  return buffer;
}

/// By `g`, or by a precision without a letter: then what has no digit behind the point gets an exponent, or `.0`. The C
/// library's own `%#g` loses a zero of 99.95 by two digits.
std::string general_digits(const FormatSpec& spec, int precision, double magnitude) {
  const int last = std::max(precision, 1) - 1;
  const std::string scientific = printed(spec.type == 'G' ? "%#.*E" : "%#.*e", last, magnitude);
  const std::size_t e = scientific.find_first_of("eE");
  if (e == std::string::npos) return scientific;  // inf and nan
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  const bool is_plain = exponent >= -4 && exponent < (spec.type == 0 ? last : last + 1);
  std::string digits = is_plain ? printed("%#.*f", last - exponent, magnitude) : scientific.substr(0, e);
  if (!spec.alternate) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.' && is_plain && spec.type == 0) digits += '0';
    if (digits.back() == '.') digits.pop_back();
  }
  return is_plain ? digits : digits + scientific.substr(e);
}

/// The digits of a number that is not negative.
std::string float_digits(const FormatSpec& spec, double magnitude) {
  if (spec.type == 'g' || spec.type == 'G' || (spec.type == 0 && spec.precision))
    return general_digits(spec, spec.precision.value_or(6), magnitude);
  if (spec.type != 0) {
    const std::string format = std::string(spec.alternate ? "%#.*" : "%.*") + (spec.type == '%' ? 'f' : spec.type);
    const int precision = spec.precision.value_or(6);
    return spec.type == '%' ? printed(format.c_str(), precision, magnitude * 100) + "%"
                            : printed(format.c_str(), precision, magnitude);
  }
  std::string text = float_text(magnitude);
  if (spec.alternate && std::isfinite(magnitude) && text.find('.') == std::string::npos)
    text.insert(text.find('e'), ".");
  return text;
}

/// The number that the digits are of, with its sign.
std::string signed_float(const FormatSpec& spec, double number, const std::string& digits) {
  const bool shows_zero = std::isfinite(number) &&
                          digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  const bool negative = std::signbit(number) && !std::isnan(number) && !(spec.has_no_negative_zero && shows_zero);
  const std::size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  return number_text(spec, sign_of(spec, negative), digits.substr(0, whole), std::string_view(digits).substr(whole));
}

bool is_one_of(char type, std::string_view types) { return type != 0 && types.find(type) != std::string_view::npos; }

Outcome<std::string> format_float(double number, const FormatSpec& spec) {
  if (spec.type != 0 && !is_one_of(spec.type, "eEfFgG%"))
    return bad_format(spec.text, "a float is formatted by e, f, g, n or %");
  return signed_float(spec, number, float_digits(spec, std::fabs(number)));
}

/// A part of a complex number: without a letter and a precision the shortest digits, to which no `.0` is added.
std::string part_text(const FormatSpec& spec, double number) {
  std::string digits = float_digits(spec, std::fabs(number));
  if (spec.type == 0 && digits.ends_with(".0")) digits.resize(digits.size() - (spec.alternate ? 1 : 2));
  return signed_float(spec, number, digits);
}

std::string digits_in_base(std::uint64_t magnitude, unsigned base, bool upper) {
  const char* const figures = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string digits;
  do {
    digits.insert(digits.begin(), figures[magnitude % base]);
    magnitude /= base;
  } while (magnitude != 0);
  return digits;
}

/// The character with the number.
Outcome<std::string> format_character(bool negative, std::uint64_t number, const FormatSpec& spec) {
  if (spec.sign != 0 || spec.alternate || spec.grouping != 0)
    return bad_format(spec.text, "a character has neither a sign nor separators nor `#`");
  if (negative || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF))
    return bad_format(spec.text, "no character has this number");
  std::string text;
  append_utf8(text, static_cast<char32_t>(number));
  return number_text(spec, "", "", text);
}

Outcome<std::string> format_integer(bool negative, std::uint64_t magnitude, const FormatSpec& spec) {
  if (spec.precision) return bad_format(spec.text, "an integer has no precision");
  if (spec.has_no_negative_zero) return bad_format(spec.text, "an integer has no negative zero");
  if (spec.type == 'c') return format_character(negative, magnitude, spec);
  std::string prefix, digits;
  switch (spec.type) {
    case 0:
    case 'd':
      digits = std::to_string(magnitude);
      break;
    case 'x':
    case 'X':
      digits = digits_in_base(magnitude, 16, spec.type == 'X');
      prefix = spec.type == 'X' ? "0X" : "0x";
      break;
    case 'o':
      digits = digits_in_base(magnitude, 8, false), prefix = "0o";
      break;
    case 'b':
      digits = digits_in_base(magnitude, 2, false), prefix = "0b";
      break;
    default:
      return bad_format(spec.text, "an integer is formatted by d, x, X, o, b, c, n, or as a float");
  }
  if (spec.grouping == ',' && !prefix.empty()) return bad_format(spec.text, "`,` is for decimal digits; write `_`");
  if (const auto least = static_cast<std::size_t>(spec.least_digits); digits.size() < least)
    digits.insert(0, least - digits.size(), '0');
  return number_text(spec, sign_of(spec, negative) + (spec.alternate ? prefix : ""), digits, "");
}

Outcome<std::string> format_string(std::string_view text, const FormatSpec& spec) {
  if (spec.type != 0 && spec.type != 's') return bad_format(spec.text, "a string is formatted by s");
  if (spec.align == '=') return bad_format(spec.text, "only numbers are filled after the sign");
  if (spec.sign != 0 || spec.has_no_negative_zero || spec.alternate || spec.grouping != 0)
    return bad_format(spec.text, "a sign, `z`, `#` and separators are for numbers");
  if (spec.precision) text = Characters(text).first(static_cast<std::size_t>(*spec.precision));
  return padded(spec, "", text, spec.align == 0 ? '<' : spec.align);
}

bool has_float_type(const Value& value) {
  const auto* const scalar = value.as<Scalar>();
  return value.is<double>() || (scalar && is_float(scalar->type));
}

}  // namespace

Outcome<FormatSpec> parse_format_spec(std::string_view text) { return SpecParser(text).parse(); }

Outcome<std::string> format_with(const Value& value, const FormatSpec& spec) {
  if (const std::string* text = value.as<std::string>()) return format_string(*text, spec);
  const std::optional<double> number = as_number(value);
  if (!number) {
    if (spec.type != 0 || value.is<ArrayRef>() || items_of(value))
      return bad_format(spec.text, describe(value) + " cannot be formatted this way");
    ASSIGN_OR_RETURN(const std::string text, to_text(value));
    return format_string(text, spec);
  }
  const bool is_of_floats = has_float_type(value);
  if (spec.type == 'n') {
    if (spec.grouping != 0) return bad_format(spec.text, "`n` takes no separators");
    FormatSpec general = spec;
    general.type = is_of_floats ? 'g' : 'd';
    return format_with(value, general);
  }
  if (is_of_floats || is_one_of(spec.type, "eEfFgG%")) return format_float(*number, spec);
  if (const auto* scalar = value.as<Scalar>(); scalar && scalar->type == ScalarType::U64)
    return format_integer(false, scalar->bits, spec);
  const std::int64_t integer = *as_integer(value);
  const auto bits = static_cast<std::uint64_t>(integer);
  return format_integer(integer < 0, integer < 0 ? 0 - bits : bits, spec);
}

Outcome<std::string> format_complex(double real, double imaginary, const FormatSpec& spec) {
  if (spec.type != 0 && !is_one_of(spec.type, "eEfFgGn"))
    return bad_format(spec.text, "a complex number is formatted by e, f, g or n");
  if (spec.fill == "0" || spec.align == '=')
    return bad_format(spec.text, "a complex number is not filled up with zeros, nor behind its sign");
  FormatSpec part = spec;
  part.width = 0;
  if (spec.type == 'n' || (spec.type == 0 && spec.precision)) part.type = 'g';
  const bool is_imaginary = spec.type == 0 && real == 0 && !std::signbit(real);
  std::string text;
  if (!is_imaginary) {
    text = part_text(part, real);
    part.sign = '+';
  }
  text += part_text(part, imaginary) + "j";
  return padded(spec, "", spec.type == 0 && !is_imaginary ? "(" + text + ")" : text,
                spec.align == 0 ? '>' : spec.align);
}

namespace {

/// What `%s`, `%r`, `%a` and `%c` show.
Outcome<std::string> shown_by(char conversion, const Value& value) {
  if (conversion != 'c') return converted(value, conversion);
  const std::string* const text = value.as<std::string>();
  if (!text) return format_value(value, "c");
  if (Characters(*text).size() != 1) return bad_format("%c", "it takes one character, or the number of one");
  return *text;
}

/// One `%` conversion of an old-style format.
Outcome<std::string> format_conversion(std::string_view flags, char conversion, const Value& value) {
  ASSIGN_OR_RETURN(FormatSpec spec, SpecParser(flags).parse_conversion());
  if (is_one_of(conversion, "srac")) {
    ASSIGN_OR_RETURN(const std::string shown, shown_by(conversion, value));
    return format_string(
        shown,
        {.align = spec.align == '<' ? '<' : '>', .width = spec.width, .precision = spec.precision, .text = spec.text});
  }
  spec.type = conversion == 'i' || conversion == 'u' ? 'd' : conversion;
  if (!is_one_of(spec.type, "eEfFgG")) spec.least_digits = std::exchange(spec.precision, {}).value_or(0);
  if (spec.type == 'd')
    if (const std::optional<double> number = as_number(value); number && has_float_type(value)) {
      if (!(std::fabs(*number) < 9e18)) return bad_format(std::string("%") + conversion, "the number is too large");
      return format_with(Value(static_cast<std::int64_t>(*number)), spec);
    }
  return format_with(value, spec);
}

}  // namespace

Outcome<std::string> format_percent(std::string_view format, const Value& arguments) {
  const std::vector<Value> single = {arguments};
  const auto* tuple = arguments.as<TupleValue>();
  const std::vector<Value>& values = tuple ? tuple->sequence->items : single;
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    const std::size_t end = format.find_first_not_of("-+ #0123456789.", i + 1);
    if (end == std::string_view::npos) return bad_format(format, "a conversion is cut short");
    if (format[end] == '%') {
      result += '%';
    } else {
      if (!is_one_of(format[end], "diusracxXofFeEgG"))
        return bad_format(format, std::string("there is no conversion %") + format[end]);
      if (next == values.size()) return bad_format(format, "there are fewer values than conversions");
      ASSIGN_OR_RETURN(const std::string piece,
                       format_conversion(format.substr(i + 1, end - i - 1), format[end], values[next++]));
      result += piece;
    }
    i = end;
  }
  if (next != values.size()) return bad_format(format, "there are more values than conversions");
  return result;
}

}  // namespace pykc::script
