// The builtins that are one or a few special instructions of the GPU: barriers, fences, clocks, arithmetic.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* emit_target_builtin(NvptxEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
