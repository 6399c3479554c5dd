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

/// Shows `--no-asserts`, where CLI11 has `--no-asserts{false}`.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    if (const std::size_t at = name.find("{false}"); at != std::string::npos) name.erase(at, 7);
    return name;
  }
};

/// Of a word that is no command, `pykc frobnicate` or `pykc cache frobnicate`, CLI11 says only that one is required.
/// False where no word stands there.
bool report_no_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* above = &app;
  std::string path;
  int i = 1;
  for (; !above->get_subcommands().empty(); ++i) {
    above = above->get_subcommands().front();
    path += above->get_name() + " ";
  }
  if (i >= argc || argv[i][0] == '-') return false;
  const std::string word = argv[i];
  std::vector<std::string> names;
  for (const CLI::App* command : above->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string_view meant = pykc::nearest(word, {names.begin(), names.end()});
  std::fprintf(stderr, "pykc: there is no command `%s`%s The commands: %s\n", (path + word).c_str(),
               meant.empty() ? "." : ("; did you mean `" + path + std::string(meant) + "`?").c_str(),
               pykc::list_text(names).c_str());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"pykc compiles and runs Python-like GPU kernels, on NVIDIA GPUs and on the CPU."};
  app.footer(
      "Exit codes: 0 success, 1 the source, a test or a launch failed, 2 the command line is wrong.\n"
      "`pykc COMMAND --help` tells more; docs/ has the language and the C++ API.");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());

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
    if (report_no_command(app, argc, argv)) return pykc::cli::kUsage;
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
