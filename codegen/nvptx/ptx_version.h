#pragma once

#include "codegen/codegen.h"

namespace pykc::codegen {

/// The least version of PTX (85: 8.5) that has all instructions of the module's code; 0 where that version will do
/// which LLVM takes by itself, the lowest that knows the chip.
int least_ptx(const ir::Module& source, const Target& target, const Options& options);

}  // namespace pykc::codegen
