// The compiler: source text in, Artifact or diagnostics out.
//
//   pykc::CompileOptions options;
//   options.target = "sm_90";                       // or "cpu", or "" for the default
//   auto artifact = pykc::compile_file("vecadd.pyk", options);
//   if (!artifact)
//     for (const pykc::Diagnostic& d : artifact.error().diagnostics) std::cerr << to_text(d);
//
// Threads: compile() may be called from many threads at once; it keeps no state between calls.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/artifact.h"
#include "pykc/error.h"

namespace pykc {

/// What to produce. Everything before Code stops the pipeline early, for people and tests.
enum class Emit : std::uint8_t { Tokens, Ast, Checked, Ir, CpuIr, Llvm, Assembly, Code };

struct CompileOptions {
  std::string target = {};  // "sm_75" … "sm_121", "cpu", "cpu:NAME"; "" means "sm_80"
  int optimization = 3;
  bool fast_math = false;
  bool asserts = true;     // false: `assert` in kernels is compiled out
  bool checked = false;    // true: an index out of bounds stops the kernel with an error
  bool contract = true;    // false: a*b + c is never fused
  bool line_info = false;  // true: .loc directives in PTX
  /// Kernels whose parameters are not annotated, with their types: "saxpy(f32, f32[:], f32[:])". Without any, every
  /// kernel that is annotated is compiled; with some, those named here and no others.
  std::vector<std::string> signatures = {};
  /// Finds `from NAME import …` modules; returns the source text or an error. Empty: the folder of the file, then the
  /// library that is built in.
  std::function<Result<std::string>(std::string_view module_name)> import = {};
  /// compile() and compile_file() look the artifact up on disk, and put it there unless there were warnings, which a
  /// later compilation would not tell: in PYKC_CACHE_DIR, else ~/.cache/pykc. PYKC_CACHE=off has the same effect as
  /// false.
  bool cache = true;
  bool warnings = true;
  bool warnings_are_errors = false;
  std::vector<std::string> silenced_warnings = {};  // by code: "W0505"
};

struct PhaseTime {
  std::string phase;
  double milliseconds = 0;
};

struct CompileOutput {
  Artifact artifact = {};  // filled for Emit::Code
  std::string text = {};   // filled for every other Emit
  std::vector<Diagnostic> warnings = {};
  std::vector<PhaseTime> times = {};
};

Result<Artifact> compile(std::string_view source, const CompileOptions& options = {},
                         std::string_view file_name = "<memory>");
Result<Artifact> compile_file(const std::string& path, const CompileOptions& options = {});

/// The same with everything that the command line shows.
Result<CompileOutput> compile_to(Emit emit, std::string_view source, const CompileOptions& options,
                                 std::string_view file_name);

/// "0.1.0", LLVM's version, the math library's name.
std::string version();
std::string llvm_version();
std::string math_library();

}  // namespace pykc
