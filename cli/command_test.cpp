// pykc test FILE|DIR…: every @test function of the files, on one device or on every device present, and the diagnostics
// that the files expect of themselves (expectations.h).
#include "cli/command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/expectations.h"
#include "cli/flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/test_report.h"
#include "driver/driver.h"
#include "pykc/runtime.h"
#include "script/script.h"

namespace pykc::cli {
namespace {

using Outcome = script::TestResult::Outcome;

struct TestRequest {
  std::vector<std::string> paths;
  std::vector<std::string> devices;
  std::string device, filter, known_failures;
  bool verbose = false, sanitizes = true;
  DiagnosticsFormat format = DiagnosticsFormat::Text;
  script::RunOptions run;  // its limit of time
  CompileOptions compile;
};

std::vector<std::string> devices_of(const std::string& device) {
  if (!device.empty()) return {device};
  std::vector<std::string> names;
  for (const DeviceInfo& present : Device::list()) names.push_back(present.name);
  return names;
}

/// The file's own options on top of the command line's. False if they cannot be read.
bool add_options(const std::string& text, CompileOptions& options) {
  CLI::App parser;
  add_compile_flags(parser, options);
  try {
    parser.parse(text);
  } catch (const CLI::ParseError&) {
    return false;
  }
  return true;
}

/// Runs one file and tells what it finds as it goes.
class FileTester {
 public:
  FileTester(const TestRequest& request, const std::string& path, bool known_to_fail) : request_(request) {
    report_.path = path;
    report_.known_to_fail = known_to_fail;
  }

  FileReport run() && {
    Result<std::shared_ptr<const SourceFile>> file = driver::read_source(report_.path);
    if (!file) {
      finish_run({.outcome = Outcome::Failed, .messages = {file.error().message}});
      return std::move(report_);
    }
    expected_ = read_expectations((*file)->text());
    compile_ = request_.compile;
    if (!add_options(expected_.options, compile_))
      finish_run({.outcome = Outcome::Failed, .messages = {"cannot read `# options:" + expected_.options + "`"}});
    std::vector<Diagnostic> diagnostics;
    if (expected_.stated) diagnostics = check_file(*file, compile_);
    run_tests(diagnostics);
    return std::move(report_);
  }

 private:
  void run_tests(const std::vector<Diagnostic>& diagnostics) {
    Result<Program> program = load(report_.path, compile_);
    if (!program && !expected_.stated) {
      finish_run({.outcome = Outcome::Failed, .messages = {program.error().message}}, program.error().diagnostics);
      return;
    }
    if (!program || script::list_tests(*program).empty()) {
      if (expected_.stated) compare(diagnostics, "");
      return;
    }
    for (const std::string& device : request_.devices) run_on(device, *program, diagnostics);
  }

  void run_on(const std::string& device, const Program& program, std::vector<Diagnostic> diagnostics) {
    script::RunOptions options = request_.run;
    options.device = device;
    options.compile = compile_;
    // A test must not pass because the CPU device happened to run threads in an order that is kind to it.
    if (device == "cpu" && request_.sanitizes && !compile_.sanitize.any()) options.compile.sanitize = Sanitize::all();
    if (request_.verbose) options.print = print_to_stdout;
    if (expected_.stated) options.warning = [&](const Diagnostic& warning) { diagnostics.push_back(warning); };
    const Result<std::vector<script::TestResult>> results = script::run_tests(program, options, request_.filter);
    if (!results && !covers(expected_, report_.path, results.error().diagnostics))
      finish_run({.device = device, .outcome = Outcome::Failed, .messages = {results.error().message}},
                 results.error().diagnostics);
    int checks = 0;
    if (results)
      for (const script::TestResult& result : *results) {
        checks += result.checks;
        diagnostics.insert(diagnostics.end(), result.diagnostics.begin(), result.diagnostics.end());
        finish_test(device, result);
      }
    else
      diagnostics.insert(diagnostics.end(), results.error().diagnostics.begin(), results.error().diagnostics.end());
    report_.checks = std::max(report_.checks, checks);
    if (expected_.stated) compare(diagnostics, device);
  }

  /// A test that fails in the way that the file expects has passed.
  void finish_test(const std::string& device, const script::TestResult& result) {
    TestRun run{device, result.name, result.outcome, result.milliseconds, {}, {}};
    const bool fails_as_expected =
        result.outcome == Outcome::Failed && covers(expected_, report_.path, result.diagnostics);
    if (fails_as_expected) run.outcome = Outcome::Passed;
    if (run.outcome != Outcome::Passed && !result.message.empty()) run.messages.push_back(result.message);
    finish_run(std::move(run), fails_as_expected ? std::vector<Diagnostic>() : result.diagnostics);
  }

  void compare(const std::vector<Diagnostic>& reported, const std::string& device) {
    report_.diagnostics = static_cast<int>(expected_.diagnostics.size());
    TestRun run{device, "", Outcome::Passed, 0, {}, {}};
    run.messages = differences(report_.path, expected_, reported, request_.filter.empty());
    if (!run.messages.empty()) run.outcome = Outcome::Failed;
    finish_run(std::move(run));
  }

  void finish_run(TestRun run, const std::vector<Diagnostic>& diagnostics = {}) {
    run.diagnostics = diagnostics;
    if (request_.format == DiagnosticsFormat::Text && (run.outcome != Outcome::Passed || request_.verbose)) print(run);
    report_.runs.push_back(std::move(run));
  }

  void print(const TestRun& run) const {
    constexpr const char* kWords[] = {"ok     ", "FAILED ", "skipped"};
    const bool is_known = report_.known_to_fail && run.outcome == Outcome::Failed;
    std::printf("%s %s%s%s", is_known ? "known  " : kWords[static_cast<int>(run.outcome)], run.device.c_str(),
                run.device.empty() ? "" : " ", report_.path.c_str());
    if (!run.test.empty()) std::printf(" %s (%.1f ms)", run.test.c_str(), run.milliseconds);
    std::printf("\n");
    for (const std::string& message : run.messages) std::printf("  %s\n", message.c_str());
    std::fflush(stdout);
    print_diagnostics(run.diagnostics, DiagnosticsFormat::Text);
  }

  const TestRequest& request_;
  FileReport report_;
  Expectations expected_;
  CompileOptions compile_;
};

int run(TestRequest& request) {
  const Result<std::vector<std::string>> paths = expand_paths(request.paths);
  if (!paths) return report(paths.error());
  const Result<std::set<std::string>> known = read_known_failures(request.known_failures);
  if (!known) return report(known.error());
  request.devices = devices_of(request.device);
  std::vector<FileReport> files;
  for (const std::string& path : *paths) {
    const bool known_to_fail = known->contains(std::filesystem::path(path).lexically_normal().string());
    files.push_back(FileTester(request, path, known_to_fail).run());
  }
  if (std::all_of(files.begin(), files.end(), [](const FileReport& file) { return file.runs.empty(); })) {
    std::fprintf(
        stderr,
        "pykc: no test found; a test is a function marked @test, or a line that ends in `# expect: CODE @ COLUMN`\n");
    return kFailure;
  }
  const bool is_text = request.format == DiagnosticsFormat::Text;
  if (!is_text) print_json(files);
  const bool by_chapter = *paths != request.paths;  // a folder was given
  return summarize(files, by_chapter, is_text) ? kSuccess : kFailure;
}

}  // namespace

void add_test(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<TestRequest>();
  CLI::App* command = app.add_subcommand(
      "test",
      "Run the @test functions of files or folders, and compare their diagnostics with their `# expect:` comments");
  command->add_option("FILE", request->paths, ".pyk files, or folders of them")->required();
  command->add_option("-k,--filter", request->filter, "Only tests whose name contains this");
  command->add_flag("-v,--verbose", request->verbose, "Name every test, and show what tests print");
  command->add_option("--known-failures", request->known_failures,
                      "A list of files that may fail, and must be taken off it once they pass");
  command->add_flag("!--no-sanitize", request->sanitizes,
                    "Do not look for races, uninitialised memory and divergence on the CPU device");
  add_device_flag(*command, request->device);
  add_timeout_flag(*command, request->run, "each test");
  add_seed_flag(*command, request->run);
  add_diagnostics_flag(*command, request->format);
  add_compile_flags(*command, request->compile);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
