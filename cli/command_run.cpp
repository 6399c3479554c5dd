// pykc run FILE [ARGS…]: the file's main function, on a GPU if there is one, else on the CPU.
#include <cstdio>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/load.h"
#include "cli/output.h"
#include "driver/driver.h"
#include "script/script.h"

namespace pykc::cli {
namespace {

struct RunRequest {
  std::string file;
  script::RunOptions options;
};

int run(RunRequest& request) {
  Result<Program> program = load(request.file, request.options.compile);
  if (!program) return report(program.error());
  request.options.print = print_to_stdout;
  request.options.warning = print_warning;
  const Result<int> code = script::run_main(*program, request.options);
  std::fflush(stdout);
  if (code) return *code;
  const int failure = report(code.error());
  return code.error().code == ErrorCode::Timeout ? static_cast<int>(kTimeout) : failure;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<RunRequest>();
  CLI::App* command = app.add_subcommand("run", "Run the main function of a .pyk file");
  command->add_option("FILE", request->file, "The .pyk file")->required();
  command->add_option("ARGS", request->options.arguments, "Arguments of main, in order or as NAME=VALUE");
  add_device_flag(*command, request->options.device);
  add_timeout_flag(*command, request->options, "the run");
  add_seed_flag(*command, request->options);
  add_compile_flags(*command, request->options.compile);
  command->positionals_at_end(false);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

}  // namespace pykc::cli
