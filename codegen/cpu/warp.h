// What the lanes of a warp exchange, on a CPU.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* emit_exchange(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
