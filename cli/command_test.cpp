// pykc test FILE|DIR…: every @test function of the files, on one device or on every device present.
#include <cstdio>

#include "cli/command.h"
#include "driver/driver.h"
#include "pykc/runtime.h"
#include "script/script.h"

namespace pykc::cli {
namespace {

struct Request {
  std::vector<std::string> paths;
  std::string device, filter;
  bool verbose = false;
  CompileOptions compile;
};

struct Count {
  int passed = 0, failed = 0, skipped = 0;
};

std::vector<std::string> devices_of(const Request& request) {
  if (!request.device.empty()) return {request.device};
  std::vector<std::string> names;
  for (const DeviceInfo& device : Device::list()) names.push_back(device.name);
  return names;
}

void print_result(const std::string& where, const script::TestResult& result, bool verbose, Count& count) {
  using Outcome = script::TestResult::Outcome;
  const char* word = "ok     ";
  if (result.outcome == Outcome::Failed) word = "FAILED ";
  if (result.outcome == Outcome::Skipped) word = "skipped";
  ++(result.outcome == Outcome::Passed ? count.passed : result.outcome == Outcome::Failed ? count.failed : count.skipped);
  if (result.outcome == Outcome::Passed && !verbose) return;
  std::printf("%s %s %s (%.1f ms)%s%s\n", word, where.c_str(), result.name.c_str(), result.milliseconds,
              result.message.empty() ? "" : ": ", result.message.c_str());
  std::fflush(stdout);
  print_diagnostics(result.diagnostics, DiagnosticsFormat::Text);
}

void run_file(const std::string& path, const Request& request, Count& count) {
  Result<Program> program = load(path, request.compile);
  if (!program) {
    report(program.error());
    ++count.failed;
    return;
  }
  if (script::list_tests(*program).empty()) return;
  for (const std::string& device : devices_of(request)) {
    script::RunOptions options{.device = device, .arguments = {}, .compile = request.compile, .print = {}, .warning = {}};
    if (request.verbose) options.print = print_to_stdout;
    const std::string where = device + " " + path;
    const Result<std::vector<script::TestResult>> results = script::run_tests(*program, options, request.filter);
    if (!results) {
      std::printf("FAILED  %s\n", where.c_str());
      std::fflush(stdout);
      report(results.error());
      ++count.failed;
      continue;
    }
    for (const script::TestResult& result : *results) print_result(where, result, request.verbose, count);
  }
}

int run(const Request& request) {
  const Result<std::vector<std::string>> files = expand_paths(request.paths);
  if (!files) return report(files.error());
  Count count;
  for (const std::string& path : *files) run_file(path, request, count);
  std::printf("%d passed, %d failed", count.passed, count.failed);
  std::printf(count.skipped > 0 ? ", %d skipped\n" : "\n", count.skipped);
  if (count.passed + count.failed + count.skipped == 0) {
    std::fprintf(stderr, "pykc: no test found; a test is a function marked @test\n");
    return kFailure;
  }
  return count.failed == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_test(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("test", "Run the @test functions of files or folders");
  command->add_option("FILE", request->paths, ".pyk files, or folders of them")->required();
  command->add_option("-k,--filter", request->filter, "Only tests whose name contains this");
  command->add_flag("-v,--verbose", request->verbose, "Name every test, and show what tests print");
  add_device_flag(*command, request->device);
  add_compile_flags(*command, request->compile);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
