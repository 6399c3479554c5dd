// Runs a case by the interpreter or on a device, and compares what the arrays hold afterwards.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "tests/differential/case.h"

namespace pykc::differential {

struct Execution {
  std::vector<std::vector<unsigned char>> arrays;  // one an argument; empty for scalars
  std::string error;
};

/// What lowering makes of the source, without the passes behind it but contraction, which decides how results round. It
/// is printed and read back. Null with `error` set where that fails.
std::unique_ptr<ir::Module> compile_to_ir(const std::string& source, const CompileOptions& options, std::string& error);
/// How the interpreter runs; a right program gives the same in every order, whatever memory holds that nobody wrote.
struct Interpretation {
  std::int64_t step_limit = 1'000'000'000;
  bool last_thread_first = false;
  unsigned char poison = 0xa5;
  bool find_races = false;
};
Execution run_interpreter(const ir::Module& module, const Case& launch, const Interpretation& how = {});
Execution run_device(const Device& device, const Artifact& artifact, const Case& launch);

/// Empty when all arrays are the same. Any NaN is the same as any other: which bits it has is the processor's affair.
std::string difference(const Execution& expected, const Execution& given, const Case& launch, const std::string& what);

/// An error with its diagnostics as text.
std::string explain(const Error& error);

}  // namespace pykc::differential
