// "Did you mean …?": the nearest name by edit distance (insert, delete, replace, swap of neighbours).
#include <algorithm>
#include <cctype>

#include "base/diagnostics.h"

namespace pykc {

namespace {

constexpr std::size_t kLongestWord = 64;

bool differ(char a, char b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) != lower(b);
}

/// Optimal string alignment distance, blind to case.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = table[i - 1][j - 1] + (differ(a[i - 1], b[j - 1]) ? 1 : 0);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]);
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  return table[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  int best_distance = static_cast<int>(word.size()) / 3 + 1;  // further away, it is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size()),
                      shorter = std::min(word.size(), candidate.size());
    if (candidate.empty() || candidate == word || longer - shorter >= static_cast<std::size_t>(best_distance)) continue;
    const int distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= static_cast<int>(longer)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace pykc
