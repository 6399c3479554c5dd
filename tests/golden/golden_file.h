// A golden file: a .pyk source that says in its own comments what to run and what must come out.
//
//   # RUN: ast --function vecadd        the command; one of tokens ast checked ir cpu-ir llvm ptx check
//   …source…
//   # | Module                          the expected output, at the end of the file, compared line by line
//
// Options: --function NAME (only this function of the output), --target NAME, -O LEVEL,
// --sig "SIGNATURE" (may be repeated).
// `llvm` and `ptx` have no expected output but LLVM FileCheck's lines (`# CHECK: …`).
//
// `# RUN: check` expects exactly the diagnostics that are drawn below the lines of the source, with their notes:
//
//   x = y +
//   #      ^ error E0130: expected an expression, found the end of the line
//
// The `#` covers column 1, so a range that starts there is drawn as `#~~~` for four columns, and as `# error …` for
// one.
#pragma once

#include <string>
#include <vector>

#include "pykc/compiler.h"

namespace pykc::golden {

struct Run {
  std::string command;
  std::string function;
  CompileOptions options;
  std::string mistake;  // what is wrong with the RUN line; empty when nothing is
};

struct GoldenFile {
  std::string source;    // without the expected output
  std::string expected;  // the `# | ` lines, without their prefix
  Run run;
};

GoldenFile parse_golden_file(const std::string& text);
/// The file with other expected output.
std::string with_expected(const GoldenFile& file, const std::string& output);

/// The part of an outline or a dump that is about one function: its first line and what is indented below it.
std::string function_part(const std::string& output, const std::string& function);

/// The source without drawn diagnostics, and with these.
std::string without_drawings(const std::string& source);
std::string with_drawings(const std::string& source, const std::vector<Diagnostic>& diagnostics);

}  // namespace pykc::golden
