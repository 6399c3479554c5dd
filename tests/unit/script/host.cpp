#include "host.h"

#include <gtest/gtest.h>

#include "driver/driver.h"

namespace pykc::script {

Program parse_program(std::string_view source, const CompileOptions& options) {
  Diagnostics diagnostics;
  const auto file = std::make_shared<const SourceFile>("test.pyk", std::string(source));
  Program program = load_program(file, driver::imports_of("test.pyk", options).resolver, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.list()) ADD_FAILURE() << to_text(diagnostic);
  return program;
}

HostRun run_host(std::string_view source, std::vector<std::string> arguments, const CompileOptions& compile) {
  const Program program = parse_program(source, compile);
  HostRun run;
  RunOptions options;
  options.device = "cpu";
  options.compile = compile;
  options.arguments = std::move(arguments);
  options.print = [&run](std::string_view text) { run.output += text; };
  const Result<int> code = run_main(program, options);
  if (code)
    run.code = *code;
  else
    run.diagnostics = code.error().diagnostics;
  return run;
}

std::string printed(std::string_view expression) {
  const HostRun run = run_host("import math\nimport numpy as np\nprint(" + std::string(expression) + ")\n");
  if (run.code < 0) return run.error().code;
  return run.output.substr(0, run.output.size() - 1);
}

void expect_printed(const std::vector<Printed>& rows) {
  for (const Printed& row : rows) EXPECT_EQ(printed(row.expression), row.text) << row.expression;
}

}  // namespace pykc::script
