// A diagnostic as plain data: what is wrong, where, why, and what to write instead.
//
// Every error and warning of the compiler reaches a host program as a list of these. Nothing here
// points into the compiler: the text and the places are resolved, so a Diagnostic outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] pykc {

enum class Severity : std::uint8_t { Note, Warning, Error };

/// A place in a source file. Lines and columns count from 1; a column counts Unicode code points.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;          // one past the last column of the range
  std::string source_line;     // the text of `line`, without its newline
  int source_line_column = 1;  // the column of its first character: above 1 where a very long line was cut
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// A second place that explains the first ("`x` became an i64 here").
struct DiagnosticLabel {
  SourcePlace place;
  std::string text;
};

struct Diagnostic {
  std::string code;  // stable: "E0203"; `pykc explain E0203` tells more
  Severity severity = Severity::Error;
  std::string message;
  SourcePlace place;
  std::vector<DiagnosticLabel> labels;
  std::vector<std::string> notes;
  std::string fix;  // what to write instead; empty where nobody can know
};

/// The diagnostic as a person reads it: message, source line, caret, notes.
/// `color` adds ANSI colours.
std::string to_text(const Diagnostic& diagnostic, bool color = false);

/// All of them as one JSON array (for editors and other programs).
std::string to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace pykc
