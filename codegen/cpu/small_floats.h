// f16 and bf16 on a CPU: computed in f32. bf16 is converted by hand, as the integer it is, and LLVM sees no arithmetic
// on it: the processors' own instructions take subnormal numbers for 0. From f64 there is no instruction that rounds
// once.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* widen_float(CpuEmitter& emitter, Value* value);
Value* narrow_float(CpuEmitter& emitter, Value* wide, ScalarType to);

}  // namespace pykc::codegen
