// Atomic operations.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_atomic(Emitter& emitter, const Instruction& i);
Value* emit_compare_and_swap(Emitter& emitter, const Instruction& i);
Value* emit_atomic_load(Emitter& emitter, const Instruction& i);
void emit_atomic_store(Emitter& emitter, const Instruction& i);

/// What an atomic operation makes of the old value.
Value* combine(Emitter& emitter, ir::AtomicOp op, ScalarType type, Value* old, Value* value);

}  // namespace pykc::codegen
