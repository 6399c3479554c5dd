// What a test file says of itself in comments:
//
//   # options: --checked                 the options of its compilation, as on the command line
//   x = blockdim.x  # expect: E0203 @ 5  a diagnostic of this line, by code and column; more follow after commas
//   # expect: E0105 @ 7:3                one of another line, where the line itself can hold no comment
//   # expect: nothing                    the file has no diagnostics at all, not even warnings
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/diagnostic.h"

namespace pykc::cli {

struct Expectation {
  int line = 0, column = 0;
  std::string code;
  friend auto operator<=>(const Expectation&, const Expectation&) = default;
};

struct Expectations {
  bool stated = false;  // the file has an `# expect:`; of other files only the tests count
  std::set<Expectation> diagnostics;
  std::vector<int> unreadable_lines;
  std::string options;
};

Expectations read_expectations(std::string_view text);

/// One line for each difference between what was expected of the file and what was reported.
/// `complete` is false where only some of the file's tests ran: then nothing is missed.
std::vector<std::string> differences(const std::string& path, const Expectations& expected,
                                     const std::vector<Diagnostic>& reported, bool complete);
/// Whether every one of them is expected.
bool covers(const Expectations& expected, const std::string& path, const std::vector<Diagnostic>& reported);

}  // namespace pykc::cli
