// What `pykc test` counted, by chapter: a chapter is the folder of a file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pykc/error.h"
#include "script/script.h"

namespace pykc::cli {

/// One run of one test, or of a file as a whole (`test` is empty: its diagnostics, or an error outside of tests).
struct TestRun {
  std::string device, test;
  script::TestResult::Outcome outcome = script::TestResult::Outcome::Passed;
  double milliseconds = 0;
  std::vector<std::string> messages;
  std::vector<Diagnostic> diagnostics;
};

struct FileReport {
  std::string path;
  bool known_to_fail = false;
  int checks = 0;       // asserts that held, each line of source once
  int diagnostics = 0;  // that the file expects
  std::vector<TestRun> runs;
  bool failed() const;
};

/// Files that are known to fail, one a line, relative to the list's own folder; `#` starts a comment.
Result<std::set<std::string>> read_known_failures(const std::string& list);

/// Whether nothing failed that is not known to. Prints the table by chapter, and the counts.
bool summarize(const std::vector<FileReport>& files, bool by_chapter, bool print);
void print_json(const std::vector<FileReport>& files);

}  // namespace pykc::cli
