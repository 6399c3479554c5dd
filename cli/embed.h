// What `pykc compile --emit header` and `--emit c` write: a C++ header with a function a kernel, and the artifacts as
// the data of a C file. include/pykc/embedded.h is what both stand on.
#pragma once

#include <string>
#include <vector>

#include "pykc/artifact.h"
#include "pykc/error.h"

namespace pykc::cli {

/// The C++ namespace for the kernels of a file: "kernels" of "src/kernels.pyk".
std::string embedded_namespace(const std::string& file);

/// What the kernels of a file are called in a program: those of two files that have one name, in two libraries perhaps,
/// are kept apart by what is written there.
struct EmbeddedName {
  std::string name_space;
  std::string identity;  // letters and digits, the same for the same sources and signatures
};

/// Gives every kernel a name of its own; generic kernels with several signatures have the same.
void make_names_unique(Artifact& artifact);

/// The header for what the artifact's kernels take, which is the same for every target. Fails where two signatures of
/// a kernel are the same in C++.
Result<std::string> embedded_header(const Artifact& artifact, const EmbeddedName& name);
std::string embedded_source(const std::vector<Artifact>& artifacts, const EmbeddedName& name);

}  // namespace pykc::cli
