// What a CPU kernel tells the host: faults, lines of text, and what the sanitizer wants to know.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

void emit_fault(CpuEmitter& emitter, const Instruction& i);
void emit_print(CpuEmitter& emitter, const Instruction& i);
void emit_observe(CpuEmitter& emitter, const Instruction& i);
void emit_observe_meeting(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
