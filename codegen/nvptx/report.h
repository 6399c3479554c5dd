// What a GPU thread tells the host: faults, through a record in global memory, and lines of text, through vprintf.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* fault_record(NvptxEmitter& emitter);
void emit_fault(NvptxEmitter& emitter, const Instruction& i);
void emit_print(NvptxEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
