// What a CPU kernel tells the host: faults, and lines of text.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

void emit_fault(CpuEmitter& emitter, const Instruction& i);
void emit_print(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
