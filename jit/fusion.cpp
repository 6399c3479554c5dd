#include "jit/fusion.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"
#include "jit/kernel_text.h"
#include "jit/variant_cache.h"

namespace pykc::jit {
namespace {

/// "x: f32, y" as names with all that stands behind them.
struct Parameter {
  std::string name;
  std::string text;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

Result<std::vector<Parameter>> parameters_of(const std::string& all) {
  std::vector<Parameter> parameters;
  std::string_view list = all;
  while (!trimmed(list).empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string text = trimmed(list.substr(0, comma));
    const std::string name = trimmed(std::string_view(text).substr(0, text.find(':')));
    if (!driver::is_name(name)) return invalid_argument("`" + text + "` is no name of an input or output");
    if (std::ranges::any_of(parameters, [&](const Parameter& other) { return other.name == name; }))
      return invalid_argument("`" + name + "` stands twice in `" + all + "`");
    parameters.push_back({name, text});
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parameters;
}

std::string indented(const std::string& lines) {
  std::string result = "    ";
  for (const char c : trimmed(lines)) result += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return result + "\n";
}

}  // namespace

Result<Fusion> fuse(const std::vector<ElementwiseStep>& steps, const std::string& preamble) {
  Fusion fusion{.inputs = {}, .outputs = {}, .text = preamble + "\n"};
  std::string body;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<Parameter> inputs, parameters_of(steps[i].inputs));
    ASSIGN_OR_RETURN(const std::vector<Parameter> outputs, parameters_of(steps[i].outputs));
    if (outputs.empty()) return invalid_argument("`" + steps[i].operation + "` has no output: name what it defines");
    const std::string name = "step" + std::to_string(i), results = list_text(outputs, &Parameter::name);
    fusion.text += "def " + name + "(" + list_text(inputs, &Parameter::text) + "):\n" +
                   indented(driver::dedent(steps[i].operation).text) + "    return " + results + "\n\n";
    body += "    " + results + " = " + name + "(" + list_text(inputs, &Parameter::name) + ")\n";
    for (const Parameter& input : inputs)
      if (std::ranges::find(known, input.name) == known.end()) {
        known.push_back(input.name);
        fusion.inputs.push_back(input.name);
      }
    fusion.outputs.clear();
    for (const Parameter& output : outputs) {
      known.push_back(output.name);
      fusion.outputs.push_back(output.name);
    }
  }
  if (steps.empty()) return invalid_argument("there are no steps");
  RETURN_IF_FAILED(check_argument_count(fusion.inputs.size() + fusion.outputs.size()));
  fusion.text +=
      "def operation(" + list_text(fusion.inputs) + "):\n" + body + "    return " + list_text(fusion.outputs) + "\n\n";
  return fusion;
}

}  // namespace pykc::jit
