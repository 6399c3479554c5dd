// The approximations that the hardware has: what f32 functions become with fast math, and libdevice's fast functions.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* emit_math(NvptxEmitter& emitter, const Instruction& i, std::string_view name);
/// Null where there is none.
Value* approximate(NvptxEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
