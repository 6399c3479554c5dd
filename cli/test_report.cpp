#include "cli/test_report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/errors.h"
#include "base/json.h"
#include "base/text.h"
#include "driver/driver.h"

namespace pykc::cli {
namespace {

using Outcome = script::TestResult::Outcome;

struct Count {
  int files = 0, tests = 0, checks = 0, diagnostics = 0, passed = 0, failed = 0, skipped = 0;

  void add(const FileReport& file) {
    std::set<std::string> names;
    for (const TestRun& run : file.runs) {
      if (!run.test.empty()) names.insert(run.test);
      ++(run.outcome == Outcome::Passed ? passed : run.outcome == Outcome::Failed ? failed : skipped);
    }
    ++files;
    tests += static_cast<int>(names.size());
    checks += file.checks;
    diagnostics += file.diagnostics;
  }
};

void print_row(const std::string& name, const Count& count) {
  std::printf("%-32s %6d %6d %7d %12d %7d\n", name.c_str(), count.files, count.tests, count.checks, count.diagnostics,
              count.failed);
}

void print_chapters(const std::vector<FileReport>& files) {
  std::map<std::string, Count> chapters;
  Count total;
  for (const FileReport& file : files) {
    if (file.runs.empty()) continue;
    chapters[std::filesystem::path(file.path).parent_path().filename().string()].add(file);
    total.add(file);
  }
  std::printf("%-32s %6s %6s %7s %12s %7s\n", "chapter", "files", "tests", "checks", "diagnostics", "failed");
  for (const auto& [name, count] : chapters) print_row(name, count);
  print_row("all", total);
}

const char* word(Outcome outcome) {
  return outcome == Outcome::Passed ? "passed" : outcome == Outcome::Failed ? "failed" : "skipped";
}

std::string json(const TestRun& run) {
  return "{\"device\": " + json_string(run.device) + ", \"test\": " + json_string(run.test) + ", \"outcome\": \"" +
         word(run.outcome) + "\", \"milliseconds\": " + std::to_string(run.milliseconds) + ", \"messages\": [" +
         list_text(run.messages, json_string) + "], \"diagnostics\": " + to_json(run.diagnostics) + "}";
}

}  // namespace

bool FileReport::failed() const {
  return std::any_of(runs.begin(), runs.end(), [](const TestRun& run) { return run.outcome == Outcome::Failed; });
}

Result<std::set<std::string>> read_known_failures(const std::string& list) {
  std::set<std::string> paths;
  if (list.empty()) return paths;
  ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> file, driver::read_source(list));
  std::istringstream text{std::string(file->text())};
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string path;
    if (words >> path) paths.insert((std::filesystem::path(list).parent_path() / path).lexically_normal().string());
  }
  return paths;
}

bool summarize(const std::vector<FileReport>& files, bool by_chapter, bool print) {
  Count count;
  int known = 0, fixed = 0;
  for (const FileReport& file : files) {
    if (file.known_to_fail && file.failed()) {
      ++known;
      continue;
    }
    count.add(file);
    if (!file.known_to_fail || file.runs.empty()) continue;
    ++fixed;
    if (print) std::printf("%s: passes now: take it off the list of known failures\n", file.path.c_str());
  }
  if (print && by_chapter) print_chapters(files);
  if (print) {
    std::printf("%d passed, %d failed", count.passed, count.failed);
    if (count.skipped > 0) std::printf(", %d skipped", count.skipped);
    std::printf(known > 0 ? ", %d files known to fail\n" : "\n", known);
  }
  return count.failed == 0 && fixed == 0;
}

void print_json(const std::vector<FileReport>& files) {
  std::string text = "[";
  for (const FileReport& file : files) {
    if (file.runs.empty()) continue;
    text += (text.size() > 1 ? ",\n " : "\n ") + ("{\"file\": " + json_string(file.path)) +
            ", \"checks\": " + std::to_string(file.checks) + ", \"diagnostics\": " + std::to_string(file.diagnostics) +
            ", \"known_to_fail\": " + (file.known_to_fail ? "true" : "false") + ", \"runs\": [";
    text += list_text(file.runs, json) + "]}";
  }
  std::printf("%s\n]\n", text.c_str());
}

}  // namespace pykc::cli
