#include "tests/random/writer.h"

namespace pykc::random_test {

Writer::Writer(std::uint64_t seed) : random(seed), features(random) {
  for (const ScalarType type : kWideTypes) types.push_back(type);
  if (!is_enabled(Feature::NarrowTypes)) return;
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (const auto type = static_cast<ScalarType>(i); size_in_bytes(type) < 4 && !is_float8(type))
      types.push_back(type);
}

void Writer::line(const std::string& text_of_line) {
  text += std::string(static_cast<std::size_t>(4 * place.depth), ' ') + text_of_line + "\n";
}

void Writer::blank_lines() { text += "\n\n"; }

ScalarType Writer::any_of(std::span<const ScalarType> wanted) {
  for (int i = 0; i < 8; ++i) {
    const ScalarType type = any_type();
    for (const ScalarType one : wanted)
      if (one == type) return type;
  }
  return wanted[static_cast<std::size_t>(number(static_cast<int>(wanted.size())))];
}

}  // namespace pykc::random_test
