// Source files as the command line names them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace pykc::cli {

/// Files as given; a folder stands for every .pyk file below it, in the order of their names.
Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths);
/// A file and what it imports, read and parsed.
Result<Program> load(const std::string& path, const CompileOptions& options);
/// Every error and warning that can be told without running the file: what `pykc check` prints.
std::vector<Diagnostic> check_file(const std::shared_ptr<const SourceFile>& file, const CompileOptions& options);

}  // namespace pykc::cli
