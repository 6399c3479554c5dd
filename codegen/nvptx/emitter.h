// The NVIDIA half of code generation: a thread of the IR is a thread of the GPU, so most of it is a matter of naming
// the right intrinsic of LLVM.
#pragma once

#include <memory>

#include "codegen/emit/emitter.h"
#include "ir/analysis/uniformity.h"

namespace pykc::codegen {

struct NvptxEmitter : Emitter {
  NvptxEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function);

  std::unique_ptr<ir::Uniformity> uniformity;  // made when the first barrier asks
};

}  // namespace pykc::codegen
