#include "codegen/nvptx/ptx_version.h"

#include <algorithm>
#include <string_view>

namespace pykc::codegen {
namespace {

constexpr int kFirstChipOfPtx86 = 100;  // the lowest version that knows it has all that is asked for here

/// Whether a text of `ptx`, which LLVM does not read, has the word.
bool has_in_texts(const ir::Module& source, std::string_view word) {
  const auto has_word = [&](const ir::ForeignCode& code) {
    return !code.is_function && code.text.find(word) != std::string::npos;
  };
  return std::ranges::any_of(
      source.functions, [&](const auto& function) { return std::ranges::any_of(function->foreign_codes, has_word); });
}

}  // namespace

int least_ptx(const ir::Module& source, const Target& target, const Options& options) {
  if (target.kind != Target::Kind::Nvptx) return 0;
  const int chip = sm_number(target);
  if (chip >= kFirstChipOfPtx86) return 0;
  if (has_in_texts(source, "::ordered_metadata")) return 85;  // of `mma.sp`
  // Conversions of floats of 8 bits came to sm_89, and sums of vectors in memory to sm_90a.
  if (chip == 89 || target.chip == "sm_90a") return 81;
  if (std::ranges::any_of(source.functions, [](const auto& function) { return !function->tensor_maps.empty(); }))
    return 80;  // the copy unit
  if (options.fast_math && chip < 80) return 70;  // `tanh.approx`
  return 0;
}

}  // namespace pykc::codegen
