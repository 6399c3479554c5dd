// The pipeline on one page: source → tokens → AST → checked AST → IR → Artifact. See pipeline.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace pykc::driver {

/// Reads a file, or explains why not.
Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path);

/// Looks a module up: the folder of `path` first, then the library built into the program ("pykc.reduce").
ImportResolver default_resolver(const std::string& path, const CompileOptions& options);

/// Compiles kernels of a program that is parsed already (for the script evaluator: one call a specialisation).
Result<Artifact> compile_kernels(const Program& program, const std::vector<KernelRequest>& requests,
                                 const CompileOptions& options);

}  // namespace pykc::driver
