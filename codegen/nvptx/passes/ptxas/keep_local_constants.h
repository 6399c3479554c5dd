#pragma once

namespace llvm {
class Module;
}

namespace pykc::codegen {

/// A thread's arrays are filled with constants, -1 and 1.0 of f32 among them: ptxas 13.0, from its level 1 on, makes
/// choices between the constants of such arrays, and takes these two for one, as both mean that a comparison held. An
/// array of 1.0 beside one of indices that are -1 read as -1. The latter is hidden from it, see hidden.h.
void keep_local_constants(llvm::Module& module);

}  // namespace pykc::codegen
