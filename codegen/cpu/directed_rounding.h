// Arithmetic that says how it rounds.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* emit_rounded(CpuEmitter& emitter, const Instruction& i, const Lowering& lowering);

}  // namespace pykc::codegen
