// Builtins: by intrinsic, by the math library, or by hand.
#pragma once

#include <string_view>

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Value* emit_builtin(Emitter& emitter, const Instruction& i);
/// By the math library, which has every function for f32 and f64.
Value* call_math_function(Emitter& emitter, const Instruction& i, std::string_view name);

/// What redux_sync_add and its kin put values together with.
ir::AtomicOp reduction_operator(BuiltinId builtin);

/// Ends the program: the builtin table says that the target has code for the row, and it has none.
[[noreturn]] void no_code_for(BuiltinId builtin);

}  // namespace pykc::codegen
