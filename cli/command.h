// The program `pykc`: one file a subcommand, each with a function that adds it to the command line.
//
// Exit codes: 0 success · 1 the source, a test or a launch failed · 2 the command line is wrong · 124 the time of
// --timeout is over, as the program `timeout` has it.
#pragma once

#include <CLI/CLI.hpp>

namespace pykc::cli {

/// Each adds its subcommand to `app`; when the user chose it, `exit_code` is set by its callback.
void add_compile(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_test(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_builtins(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_cache(CLI::App& app, int& exit_code);

}  // namespace pykc::cli
