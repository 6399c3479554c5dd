// The pipeline on one page (pipeline.cpp): source → tokens → AST → checked AST → IR → Artifact.
//
// include/pykc/compiler.h is the door for everybody outside; this header serves those who hold a parsed program
// already (the evaluator of host functions, which compiles one specialisation at a time).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/frontend.h"
#include "pykc/compiler.h"
#include "pykc/error.h"
#include "pykc/source.h"

namespace pykc::driver {

/// Reads a file, or explains why not.
Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path);

std::shared_ptr<const SourceFile> source_file(const Source& source);

/// 16 digits and letters, the same for the same text.
std::string digest(std::string_view text);

/// A text without the white space that all its lines but the first begin with, and that white space; where the first
/// line opens a block, without what is not the block's own.
struct Dedented {
  std::string text;
  std::string indentation;
};
Dedented dedent(const std::string& text);

/// Would the lexer read it as a name, and as nothing else?
bool is_name(const std::string& text);

/// The text of the module that defines `constants`, or which of them cannot be one.
Result<std::string> constants_text(const std::vector<Constant>& constants);

/// What the imports of a file mean.
struct Imports {
  /// Looks for modules: asks options.import if given; else in the folder of the file, or that around its package,
  /// unless the file is "<…>", a text's name; then in the built-in library ("pykc.reduce"). Links out of the folder are
  /// not followed. A module that is there and cannot be read is an error: another must not take its place.
  ImportResolver resolver;
  /// The package that the file stands in, "lib.sub": of its folder and those around it that have an `__init__.pyk`, as
  /// pytest has it. Empty without, and where options.import finds the modules.
  std::string package;
};
Imports imports_of(const std::string& path, const CompileOptions& options);

/// Parses a source, its constants and what it imports; an error has all that is wrong with their syntax.
Result<Program> load_source(const Source& source, const CompileOptions& options);

/// Compiles the requested kernels of a program that was parsed without an error, its constants included. `warnings`,
/// where given, receives what is worth telling though the compilation succeeded.
Result<Artifact> compile_kernels(const Program& program, const std::vector<KernelRequest>& requests,
                                 const CompileOptions& options, std::vector<Diagnostic>* warnings = nullptr);

/// A kernel that counts what its launches do (ir/instrument/count_operations.h), with every index checked.
struct CountingKernel {
  Artifact artifact;
  int axes = 1;                   // of the grid that the kernel looks at: it asks for blockIdx.x, .y or .z
  bool has_foreign_code = false;  // PTX or functions of libraries, in which nothing is counted
};
Result<CountingKernel> compile_counting(const Program& program, const KernelRequest& request,
                                        const CompileOptions& options);

/// Everything that can be said about a file without running it: what `pykc check` prints.
std::vector<Diagnostic> check_source(std::shared_ptr<const SourceFile> file, const CompileOptions& options);

}  // namespace pykc::driver
