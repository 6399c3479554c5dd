// Arithmetic and comparison with the language's rules.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_arithmetic(Emitter& emitter, const Instruction& i);
Value* emit_negate(Emitter& emitter, const Instruction& i);
Value* emit_fma(Emitter& emitter, const Instruction& i);
Value* emit_compare(Emitter& emitter, const Instruction& i);

Value* floor_divide(Builder& builder, Value* a, Value* b, bool is_signed);
Value* floor_modulo(Builder& builder, Value* a, Value* b, bool is_signed);
Value* emit_float(Emitter& emitter, ir::Opcode opcode, ScalarType type, Value* a, Value* b);
Value* negate_float(Emitter& emitter, Value* value, ScalarType type);
Value* minimum(Emitter& emitter, ScalarType type, Value* a, Value* b);
Value* maximum(Emitter& emitter, ScalarType type, Value* a, Value* b);

/// f16 and bf16 as f32, where the target computes in it; all else as it is.
Value* widen(Emitter& emitter, Value* value, ScalarType type);
/// A value that may be wider than its type as the type.
Value* narrow(Emitter& emitter, Value* value, ScalarType type);

}  // namespace pykc::codegen
