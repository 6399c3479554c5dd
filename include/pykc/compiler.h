// The compiler: source text in, Artifact or diagnostics out.
//
//   pykc::CompileOptions options;
//   options.target = "sm_90";                       // or "cpu", or "" for the default
//   auto artifact = pykc::compile_file("vecadd.pyk", options);
//   if (!artifact)
//     for (const pykc::Diagnostic& d : artifact.error().diagnostics) std::cerr << to_text(d);
//
// Threads: compile() may be called from many threads at once; it keeps no state between calls. On a thread with less
// than 2 MiB of stack left, it and the `import` it calls run on a thread of their own, while the caller waits.
//
// Memory: where there is none left, a compilation gives ErrorCode::OutOfMemory, and may be tried again. What it held
// goes back to the process, but for what LLVM held when it failed within it: LLVM is not made to be left in the middle.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pykc/artifact.h"
#include "pykc/error.h"
#include "pykc/limits.h"
#include "pykc/sanitize.h"

namespace [[gnu::visibility("default")]] pykc {

class Source;

/// What to produce. Everything before Code stops the pipeline early, for people and tests.
enum class Emit : std::uint8_t { Tokens, Ast, Checked, Ir, CpuIr, Llvm, Assembly, Code };

/// A number or a type that a program passes to a source by name: {"TILE", 32}, {"T", pykc::ScalarType::F32}.
struct Constant {
  std::string name;
  std::variant<bool, std::int64_t, std::uint64_t, double, ScalarType> value;

  Constant(std::string of, ScalarType type) : name(std::move(of)), value(type) {}
  template <typename T>
  requires std::is_arithmetic_v<T> Constant(std::string of, T number) : name(std::move(of)) {
    if constexpr (std::is_same_v<T, bool>)
      value = number;
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>)
      value = static_cast<std::int64_t>(number);
    else
      value = static_cast<std::uint64_t>(number);
  }
  /// The value as a source spells it: "32", "True", "f32".
  std::string text() const;
};

struct CompileOptions {
  std::string target = {};  // "sm_75" … "sm_121", "cpu", "cpu:NAME"; "" means "sm_80"
  int optimization = 3;
  bool fast_math = false;
  bool asserts = true;   // false: `assert` in kernels is compiled out
  bool checked = false;  // true: an index out of bounds stops the kernel with an error
  /// What kernels look for while they run on the CPU device; of it, a GPU knows `bounds`.
  Sanitize sanitize = {};
  /// A GPU's target, "sm_90": kernels for the CPU device count there what they would cost such a GPU, and have their
  /// PTX for it with them (pykc/costs.h). Then nothing is sanitized but `bounds`.
  std::string costs_for = {};
  bool contract = true;    // false: a*b + c is never fused
  bool line_info = false;  // true: .loc directives in PTX, and IR beside it where costs are counted
  /// Kernels whose parameters are not annotated, with their types: "saxpy(f32, f32[:], f32[:])". Without any, every
  /// kernel that is annotated is compiled; with some, those named here and no others.
  std::vector<std::string> signatures = {};
  /// Module constants and names of types that the source has without defining them. A number is a literal, as if it
  /// were written in the source; the source must not assign the name, and modules that it imports do not see it.
  std::vector<Constant> constants = {};
  /// Linked in this order: what one calls, a later one defines. The CPU device takes LLVM bitcode alone.
  std::vector<Library> libraries = {};
  /// Finds `from NAME import …` modules; returns the source (source.h), or an error with ErrorCode::NotFound where
  /// there is none of that name, which may then be one of the library that is built in; any other error, or exception,
  /// is told where the import stands. A source without a name of its own is shown as NAME.pyk. Empty: the folder of the
  /// file, then the library. A text that was compiled under no name of a file has no folder.
  std::function<Result<Source>(std::string_view module_name)> import = {};
  /// compile() and compile_file() look the artifact up on disk, and put it there unless there were warnings, which a
  /// later compilation would not tell: in PYKC_CACHE_DIR, else ~/.cache/pykc. PYKC_CACHE=off has the same effect as
  /// false.
  bool cache = true;
  bool warnings = true;
  bool warnings_are_errors = false;
  std::vector<std::string> silenced_warnings = {};  // by code: "W0505"
  /// What the compilation may take; empty: CompileLimits(), or CompileLimits::strict() where the source is untrusted.
  std::optional<CompileLimits> limits = {};
  /// The source is a stranger's: indices are checked whatever `checked` says; there is no PTX in it, no function of a
  /// library (`@extern`, `libraries`), and no other file but what `import` gives and the library that is built in;
  /// nothing is looked for in the cache, or put there. What its kernels do with the arrays that they are given, and
  /// how long they run, is the launch's to limit.
  bool untrusted = false;

  const CompileLimits& effective_limits() const;
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

/// Compiles to what the command line shows with --emit.
Result<CompileOutput> compile_to(Emit emit, std::string_view source, const CompileOptions& options,
                                 std::string_view file_name);

/// "0.1.0" (version.h has the header's, as macros), LLVM's version, the math library's name.
std::string version();
std::string llvm_version();
std::string math_library();

}  // namespace pykc
