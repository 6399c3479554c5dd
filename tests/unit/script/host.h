// Runs .pyk text as a host program and collects what it printed or what went wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/diagnostic.h"
#include "script/script.h"

namespace pykc::script {

struct HostRun {
  std::string output;
  int code = -1;                        // what main returned; -1 after an error
  std::vector<Diagnostic> diagnostics;  // of the error
  /// The last diagnostic, which says what failed.
  const Diagnostic& error() const { return diagnostics.back(); }
};

/// The text must have no error that the parser finds.
Program parse_program(std::string_view source, const CompileOptions& options = {});
HostRun run_host(std::string_view source, std::vector<std::string> arguments = {}, const CompileOptions& options = {});
/// `print(expression)` under `import numpy as np` and `import math`, without the newline; an error as "E0414".
std::string printed(std::string_view expression);

struct Printed {
  std::string_view expression, text;
};
void expect_printed(const std::vector<Printed>& rows);

}  // namespace pykc::script
