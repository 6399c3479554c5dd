#include "jit/generalized_kernel.h"

#include <algorithm>
#include <optional>

#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"
#include "jit/kernel_text.h"

namespace pykc::jit {
namespace {

/// Reads "(m,n),(n)" from the front of the text, as far as it goes.
std::optional<std::vector<AxisNames>> read_arguments(std::string_view& text) {
  std::vector<AxisNames> arguments;
  while (text.starts_with('(')) {
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos) return std::nullopt;
    AxisNames& names = arguments.emplace_back();
    for (std::string_view list = text.substr(1, close - 1); !list.empty();) {
      const std::size_t comma = std::min(list.find(','), list.size());
      names.emplace_back(list.substr(0, comma));
      if (!driver::is_name(names.back()) || comma + 1 == list.size()) return std::nullopt;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    text.remove_prefix(close + 1);
    if (!text.starts_with(",(")) break;
    text.remove_prefix(1);
  }
  return arguments;
}

constexpr std::string_view kKernel = R"(

import pykc as outer_pykc

@outer_pykc.kernel(wraparound=False)
def $NAME(outer_places, $ALL):
    outer_i = outer_pykc.grid(1)
    if outer_i < outer_places:
        $PLACE
        $FUNCTION($VALUES)
)";

}  // namespace

Result<AxesSignature> parse_axes(std::string_view given) {
  const auto wrong = [&] {
    return invalid_argument("`" + std::string(given) +
                            "` is no signature: write the inner axes of inputs and outputs as in (m,n),(n,p)->(m,p)");
  };
  std::string text(given);
  std::erase(text, ' ');
  std::string_view rest = text;
  const std::optional<std::vector<AxisNames>> inputs = read_arguments(rest);
  if (!inputs || inputs->empty() || !rest.starts_with("->")) return wrong();
  rest.remove_prefix(2);
  const std::optional<std::vector<AxisNames>> outputs = read_arguments(rest);
  if (!outputs || outputs->empty() || !rest.empty()) return wrong();
  return AxesSignature{*inputs, *outputs};
}

std::string generalized_kernel(const GeneralizedKernel& kernel) {
  const int outputs = static_cast<int>(kernel.outputs), inputs = static_cast<int>(kernel.is_array.size()) - outputs;
  const std::vector<std::string> places = numbered("outer_i", kernel.rank);
  const std::vector<std::string> names = numbered("outer_in", inputs);
  std::vector<std::string> all = numbered("outer_out", outputs);
  all.insert(all.end(), names.begin(), names.end());
  std::vector<std::string> values;
  for (std::size_t i = 0; i < all.size(); ++i) values.push_back(element(all[i], kernel.is_array[i], places));
  std::rotate(values.begin(), values.begin() + outputs, values.end());  // the function takes the inputs first
  return fill(kKernel, {{"NAME", kernel.name},
                        {"ALL", list_text(all)},
                        {"PLACE", decomposition("outer_i", "outer_i", kernel.rank, "outer_out0", 0, kernel.is_wide)},
                        {"FUNCTION", kernel.function},
                        {"VALUES", list_text(values)}});
}

}  // namespace pykc::jit
