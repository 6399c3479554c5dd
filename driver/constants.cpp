// What a host program passes to a source by name, as the text of a module.
#include <set>

#include "base/diagnostics.h"
#include "base/errors.h"
#include "driver/driver.h"
#include "frontend/frontend.h"
#include "frontend/syntax/token.h"

namespace pykc::driver {

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
  for (const Constant& constant : constants) {
    const std::string& name = constant.name;
    if (!is_name(name))
      return invalid_argument("`" + name +
                              "` cannot be the name of a constant: a name has letters, digits and `_`, does not start "
                              "with a digit, and is no keyword of Python");
    if (!names.insert(name).second) return invalid_argument("the constant `" + name + "` is given twice");
    if (const ScalarType* const type = std::get_if<ScalarType>(&constant.value); type != nullptr && !is_valid(*type))
      return invalid_argument("the constant `" + name + "` is given as " + std::string(to_string(*type)) + " (" +
                              std::to_string(static_cast<int>(*type)) + ")");
    text += name + " = " + constant.text() + "\n";
  }
  return text;
}

}  // namespace pykc::driver
