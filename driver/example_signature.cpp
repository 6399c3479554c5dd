#include "driver/example_signature.h"

namespace pykc::driver {

std::string example_signature(const Program& program, const ast::FunctionDef& kernel) {
  Diagnostics unheard;
  const std::vector<Configuration> configurations = configurations_of(program, *program.main, kernel, unheard);
  std::string text;
  for (const ast::Parameter& parameter : kernel.parameters) {
    const Constant* constant = configurations.empty() ? nullptr : configurations.front().find(parameter.name);
    text += text.empty() ? kernel.name + "(" : ", ";
    if (constant != nullptr)
      text += constant->text();
    else if (is_constexpr(parameter))
      text += "VALUE";
    else
      text += parameter.annotation ? program.main->file->text(parameter.annotation->range) : "TYPE";
  }
  return text + ")";
}

}  // namespace pykc::driver
