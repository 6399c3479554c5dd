// Which characters make an identifier, beyond ASCII.
#include <algorithm>
#include <array>

#include "frontend/syntax/lexer.h"

namespace pykc {

namespace {

struct CodePointRange {
  char32_t first, last;
};

constexpr auto kStart = std::to_array<CodePointRange>({
#define IDENTIFIER_START(first, last) {first, last},
#include "frontend/syntax/identifier_characters.def"
});

constexpr auto kContinue = std::to_array<CodePointRange>({
#define IDENTIFIER_CONTINUE(first, last) {first, last},
#include "frontend/syntax/identifier_characters.def"
});

template <std::size_t size>
bool contains(const std::array<CodePointRange, size>& ranges, char32_t code_point) {
  const auto* range = std::lower_bound(ranges.begin(), ranges.end(), code_point,
                                       [](const CodePointRange& r, char32_t value) { return r.last < value; });
  return range != ranges.end() && code_point >= range->first;
}

}  // namespace

bool is_identifier_start(char32_t code_point) { return contains(kStart, code_point); }

bool is_identifier_continue(char32_t code_point) {
  return contains(kStart, code_point) || contains(kContinue, code_point);
}

}  // namespace pykc
