// Exchange between the lanes of a warp.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* emit_shuffle(NvptxEmitter& emitter, const Instruction& i, llvm::Intrinsic::ID id);
Value* emit_match(NvptxEmitter& emitter, const Instruction& i);
Value* emit_reduction(NvptxEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
