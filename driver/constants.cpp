// What a host program passes to a source by name, as the text of a module.
#include <charconv>
#include <cmath>
#include <set>

#include "base/diagnostics.h"
#include "driver/driver.h"
#include "frontend/frontend.h"

namespace pykc::driver {
namespace {

std::string to_text(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value < 0 ? "-float('inf')" : "float('inf')";
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

struct ToText {
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return to_text(value); }
  std::string operator()(ScalarType value) const { return std::string(to_string(value)); }
};

}  // namespace

bool is_name(const std::string& text) {
  Diagnostics unheard;
  const SourceFile file("", text);
  const std::vector<Token> tokens = lex(file, unheard);
  return !tokens.empty() && tokens.front().kind == TokenKind::Identifier && tokens.front().range.begin == 0 &&
         tokens.front().range.end == text.size();
}

Result<std::string> constants_text(const std::vector<Constant>& constants) {
  std::string text;
  std::set<std::string_view> names;
  for (const auto& [name, value] : constants) {
    if (!is_name(name))
      return Error{ErrorCode::InvalidArgument,
                   "`" + name +
                       "` cannot be the name of a constant: a name has letters, digits and `_`, does not start "
                       "with a digit, and is no keyword of Python"};
    if (!names.insert(name).second)
      return Error{ErrorCode::InvalidArgument, "the constant `" + name + "` is given twice"};
    text += name + " = " + std::visit(ToText{}, value) + "\n";
  }
  return text;
}

}  // namespace pykc::driver
