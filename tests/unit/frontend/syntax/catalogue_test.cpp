// The examples that `pykc explain` shows are right: what stands below "Wrong:" gives the error, what stands below
// "Right:" gives none.
#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

/// The code block behind a heading, or "" where the example is told in words.
std::string example(std::string_view explanation, std::string_view heading) {
  const std::string start = "\n" + std::string(heading) + "\n```python\n";
  const std::size_t begin = explanation.find(start);
  if (begin == std::string_view::npos) return {};
  const std::size_t code = begin + start.size();
  return std::string(explanation.substr(code, explanation.find("```", code) - code));
}

TEST(SyntaxCatalogue, ExamplesAreTrue) {
  int examples = 0;
  for (const DiagnosticInfo& row : all_diagnostics()) {
    if (!row.code.starts_with("E01")) continue;
    const std::string wrong = example(row.explanation, "Wrong:"), right = example(row.explanation, "Right:");
    EXPECT_EQ(wrong.empty(), right.empty()) << row.code;
    if (wrong.empty()) continue;
    ++examples;
    EXPECT_EQ(errors_in(wrong).substr(0, 5), row.code) << wrong;
    EXPECT_EQ(errors_in(right), "") << row.code << ":\n" << right;
  }
  EXPECT_GT(examples, 35);
}

}  // namespace
}  // namespace pykc
