// The examples that `pykc explain` shows are right: what stands below "Wrong:" gives the diagnostic, what stands below
// "Right:" does not, and has no error.
#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc {
namespace {

/// The code block behind a heading, or "" where the example is told in words.
std::string example(std::string_view explanation, std::string_view heading) {
  const std::string start = "\n" + std::string(heading) + "\n```python\n";
  const std::size_t begin = explanation.find(start);
  if (begin == std::string_view::npos) return {};
  const std::size_t code = begin + start.size();
  std::string text(explanation.substr(code, explanation.find("```", code) - code));
  const bool is_module = text.find("def ") != std::string::npos || text.starts_with("import ");
  return is_module ? import_for(text) + text : in_kernel(text);
}

struct Found {
  bool has_code = false, has_error = false;
};

Found look_for(std::string_view code, const std::string& text) {
  Found found;
  for (const Diagnostic& d : check_text(text, {.silenced = {}}).diagnostics) {
    found.has_code |= d.code == code;
    found.has_error |= d.severity == Severity::Error;
  }
  return found;
}

bool is_of_checker(std::string_view code) {
  return code.starts_with("E02") || (code.starts_with("E030")) || code.starts_with("W050") || code.starts_with("W051");
}

TEST(CheckCatalogue, ExamplesAreTrue) {
  int examples = 0;
  for (const DiagnosticInfo& row : all_diagnostics()) {
    if (!is_of_checker(row.code)) continue;
    const std::string wrong = example(row.explanation, "Wrong:"), right = example(row.explanation, "Right:");
    EXPECT_EQ(wrong.empty(), right.empty()) << row.code;
    if (wrong.empty()) continue;
    ++examples;
    EXPECT_TRUE(look_for(row.code, wrong).has_code) << row.code << ":\n" << wrong << reports_in(wrong);
    const Found found = look_for(row.code, right);
    EXPECT_FALSE(found.has_code || found.has_error) << row.code << ":\n" << right << reports_in(right);
  }
  EXPECT_GT(examples, 65);
}

}  // namespace
}  // namespace pykc
