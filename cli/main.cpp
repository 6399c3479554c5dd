// The program `pykc`. See command.h for its parts and exit codes.
#include <cstdio>

#include "base/diagnostics.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "pykc/compiler.h"

namespace {

std::string version_text() {
  return "pykc " + pykc::version() + " (LLVM " + pykc::llvm_version() + ", math: " + pykc::math_library() + ")";
}

/// Of a first word that is no command CLI11 says only that one is required.
int report_no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string_view meant = pykc::nearest(word, {names.begin(), names.end()});
  std::fprintf(stderr, "pykc: there is no command `%s`%s The commands: %s\n", word.c_str(),
               meant.empty() ? "." : ("; did you mean `" + std::string(meant) + "`?").c_str(),
               pykc::list_text(names).c_str());
  return pykc::cli::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"pykc compiles and runs Python-like GPU kernels, on NVIDIA GPUs and on the CPU."};
  app.footer(
      "Exit codes: 0 success, 1 the source, a test or a launch failed, 2 the command line is wrong.\n"
      "`pykc COMMAND --help` tells more; docs/ has the language and the C++ API.");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);

  int exit_code = pykc::cli::kSuccess;
  pykc::cli::add_compile(app, exit_code);
  pykc::cli::add_run(app, exit_code);
  pykc::cli::add_test(app, exit_code);
  pykc::cli::add_analyze(app, exit_code);
  pykc::cli::add_bench(app, exit_code);
  pykc::cli::add_check(app, exit_code);
  pykc::cli::add_info(app, exit_code);
  pykc::cli::add_builtins(app, exit_code);
  pykc::cli::add_explain(app, exit_code);
  pykc::cli::add_cache(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') return report_no_command(app, argv[1]);
    return app.exit(error) == 0 ? pykc::cli::kSuccess : pykc::cli::kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? pykc::cli::kSuccess : pykc::cli::kUsage;
  } catch (...) {
    return pykc::cli::report(pykc::error_in_flight());
  }
  if (const pykc::Result<void> printed = pykc::cli::flush_stdout(); !printed && exit_code == pykc::cli::kSuccess)
    return pykc::cli::report(printed.error());
  return exit_code;
}
