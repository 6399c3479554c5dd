// What of a module becomes code together: all of it, or for the CPU one or a few kernels, on all cores.
#pragma once

#include <vector>

#include "codegen/codegen.h"
#include "ir/module.h"

namespace pykc::codegen {

struct Part {
  bool is_first = true;                             // and has the constants that the host fills
  std::vector<const ir::Function*> functions = {};  // with all that they call, in the module's order
};

std::vector<Part> whole(const ir::Module& source);

/// As many as it saves time to compile side by side, at least one. The same ones on every machine: so the code is the
/// same, too.
std::vector<Part> parts_of(const ir::Module& source, const Target& target, const Options& options);

}  // namespace pykc::codegen
