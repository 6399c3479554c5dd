#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "codegen/codegen.h"
#include "codegen/machine.h"

namespace pykc::codegen {
namespace {

/// What LLVM 22 generates code for, from Turing on. "a": this chip only; "f": this chip and later ones of its family.
constexpr std::string_view kChips[] = {
    "sm_75",   "sm_80",   "sm_86",  "sm_87",   "sm_88",   "sm_89",  "sm_90",   "sm_90a",  "sm_100",
    "sm_100a", "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110",
    "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f",
};

constexpr std::string_view kDefaultChip = "sm_80";

Error unknown_target(std::string_view text) {
  std::string message = "unknown target '" + std::string(text) + "'; the targets are 'cpu', 'cpu:NAME' and";
  for (const std::string_view chip : kChips) message.append(" ").append(chip);
  return {ErrorCode::Unsupported, message};
}

Result<Target> parse_processor(std::string_view name) {
  Target target{Target::Kind::Cpu, std::string(name)};
  if (name == "native") target.chip = this_chip();
  const ProcessorCheck check = check_processor(target.chip);
  if (!check.is_known)
    return Error{ErrorCode::Unsupported,
                 "unknown processor '" + target.chip +
                     "'; 'cpu' is this machine's, others have LLVM's names, such as x86-64-v3, znver4, sapphirerapids"};
  if (!check.is_usable)
    return Error{ErrorCode::Unsupported,
                 "processor '" + target.chip + "' has no SSE4.1; x86-64-v2 is the least that will do"};
  return target;
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
  if (text.empty()) text = kDefaultChip;
  if (text == "cpu") return parse_processor("native");
  if (text.starts_with("cpu:")) return parse_processor(text.substr(4));
  const std::string_view chip = text.starts_with("nvptx:") ? text.substr(6) : text;
  if (std::ranges::find(kChips, chip) == std::end(kChips)) return unknown_target(text);
  return Target{Kind::Nvptx, std::string(chip)};
}

int sm_number(const Target& target) {
  return target.kind == Target::Kind::Nvptx ? std::atoi(target.chip.c_str() + 3) : 0;
}

std::string Target::to_string() const { return (kind == Kind::Nvptx ? "nvptx:" : "cpu:") + chip; }

}  // namespace pykc::codegen
