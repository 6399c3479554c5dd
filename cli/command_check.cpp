// pykc check FILE…: every error and warning of the files, and nothing else.
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "driver/driver.h"

namespace pykc::cli {
namespace {

struct CheckRequest {
  std::vector<std::string> paths;
  CompileOptions options;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
};

int run(const CheckRequest& request) {
  const Result<std::vector<std::string>> files = expand_paths(request.paths);
  if (!files) return report(files.error());
  std::vector<Diagnostic> found;
  bool unreadable = false;
  for (const std::string& path : *files) {
    const Result<std::shared_ptr<const SourceFile>> file = driver::read_source(path);
    if (!file) {
      report(file.error());
      unreadable = true;
      continue;
    }
    for (Diagnostic& diagnostic : check_file(*file, request.options)) found.push_back(std::move(diagnostic));
  }
  print_diagnostics(found, request.diagnostics);
  const bool failed = std::any_of(found.begin(), found.end(),
                                  [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  return failed || unreadable ? kFailure : kSuccess;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<CheckRequest>();
  CLI::App* command = app.add_subcommand("check", "Report the errors and warnings of files or folders");
  command->add_option("FILE", request->paths, ".pyk files, or folders of them")->required();
  add_warning_flags(*command, request->options);
  add_diagnostics_flag(*command, request->diagnostics);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
