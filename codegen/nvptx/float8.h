// Floats of 8 bits by the instructions of sm_89 and later, which convert two at a time, by way of f16.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* convert_from_float8(Builder& builder, Value* bits, ScalarType type);
Value* convert_to_float8(Builder& builder, Value* wide, ScalarType to);

}  // namespace pykc::codegen
