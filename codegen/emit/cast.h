// Conversion between scalar types: integers wrap, floats saturate (NaN gives 0), what becomes a float is rounded once.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_cast(Emitter& emitter, const Instruction& i);

/// f64 to an f32 that rounds further as the f64 itself would: of the two neighbours the one whose last bit is set
/// stands for everything between them.
Value* round_to_odd(Builder& builder, Value* value);

/// What targets have for TargetLowering::widen_float, where they have nothing of their own.
Value* extend_float(Builder& builder, Value* value);

}  // namespace pykc::codegen
