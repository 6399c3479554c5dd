// What a file says to the compiler in comments:
//
//   # pykc: checked                    compile this file's kernels with bounds checks
//   # pykc: sanitize                   watch this file's kernels while they run on the CPU device
//   # pykc: ignore[W0505, W0507]       no such warning about this line
//   # noqa: W0505                      the same, as other linters spell it; `# noqa` alone: no warning at all
//   # pykc: ignore-file[W0505]         no such warning about this file
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace pykc {

struct Token;

struct Directives {
  struct Silence {
    int line;          // 0: the whole file
    std::string code;  // "": every warning
  };
  bool checked = false, sanitize = false;
  std::vector<Silence> silences;
};

/// Reads the comments of a file; one that means nothing is reported.
Directives read_directives(const SourceFile& file, const std::vector<Token>& tokens, Diagnostics& diagnostics);

/// Keeps what the comments silence out of the reports to come.
void apply(const Directives& directives, const SourceFile& file, Diagnostics& diagnostics);

}  // namespace pykc
