// What the lanes of a warp exchange, on a CPU.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

inline constexpr std::int64_t kLanes = 32;

Value* emit_exchange(CpuEmitter& emitter, const Instruction& i);
/// Argument `n` of a WarpExchange for a thread.
Value* exchange_argument(CpuEmitter& emitter, const Instruction& i, std::size_t n, Value* thread);
/// Whether a thread takes part in it.
Value* is_active(CpuEmitter& emitter, const Instruction& i, Value* thread);

}  // namespace pykc::codegen
