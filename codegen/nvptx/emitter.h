// The NVIDIA half of code generation: a thread of the IR is a thread of the GPU, so most of it is a matter of naming
// the right intrinsic of LLVM.
#pragma once

#include <memory>

#include "codegen/emit/emitter.h"
#include "ir/analysis/uniformity.h"

namespace pykc::codegen {

struct NvptxEmitter : Emitter {
  NvptxEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function);

  /// Whether ptxas lets the threads of a warp meet before each aligned barrier, however they come. It does so without
  /// optimisation; the other form fails there, since parts of a warp that come apart, in a loop, may pass it at
  /// different turns (ptxas 13.0).
  bool meets_at_aligned_barriers() const { return state.options.optimization == 0; }

  std::unique_ptr<ir::Uniformity> uniformity;  // made when the first barrier asks
};

}  // namespace pykc::codegen
