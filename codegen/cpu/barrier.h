// Where the threads of a block wait for one another, on a CPU.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

/// A WarpExchange of a barrier.
Value* emit_barrier(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
