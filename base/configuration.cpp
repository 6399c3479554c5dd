#include "pykc/configuration.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace pykc {
namespace {

std::string real_text(double value) {
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
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(ScalarType value) const { return std::string(to_string(value)); }
};

}  // namespace

std::string Constant::text() const { return std::visit(ToText{}, value); }

const Constant* Configuration::find(std::string_view name) const {
  const auto found = std::ranges::find(constants_, name, &Constant::name);
  return found == constants_.end() ? nullptr : &*found;
}

std::int64_t Configuration::operator[](std::string_view name) const {
  if (const Constant* constant = find(name)) {
    if (const auto* integer = std::get_if<std::int64_t>(&constant->value)) return *integer;
    if (const auto* integer = std::get_if<std::uint64_t>(&constant->value)) return static_cast<std::int64_t>(*integer);
    if (const auto* flag = std::get_if<bool>(&constant->value)) return *flag ? 1 : 0;
  }
  detail::terminate_with(
      {ErrorCode::InvalidArgument, "the configuration " + text() + " has no integer " + as_code(name)});
}

std::string Configuration::text() const {
  return list_text(constants_, [](const Constant& constant) { return constant.name + "=" + constant.text(); });
}

}  // namespace pykc
