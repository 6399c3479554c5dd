// Floats of 8 bits, as the integers of their bits, to f32 and back, in integer arithmetic: where there is no
// instruction.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* widen_float8(Builder& builder, Value* bits, ScalarType type);

/// To the nearest, ties to even; what is too large becomes the largest number, and a NaN the one without a sign.
Value* narrow_float8(Builder& builder, Value* wide, ScalarType to);

}  // namespace pykc::codegen
