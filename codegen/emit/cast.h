// Conversion between scalar types: integers wrap, floats saturate (NaN gives 0), what becomes a float is rounded once.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_cast(Emitter& emitter, const Instruction& i);

/// What targets have for TargetLowering::widen_float, where they have nothing of their own.
Value* extend_float(Builder& builder, Value* value);

}  // namespace pykc::codegen
