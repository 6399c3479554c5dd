// The thread's place, out of special registers.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* thread_index(NvptxEmitter& emitter, int axis);
Value* block_index(NvptxEmitter& emitter, int axis);
Value* block_extent(NvptxEmitter& emitter, int axis);
Value* grid_extent(NvptxEmitter& emitter, int axis);

/// A special register that holds a u32 from `minimum` up to `end - 1`, as an i64.
Value* special_register(Builder& builder, llvm::Intrinsic::ID id, std::int64_t minimum, std::int64_t end);

}  // namespace pykc::codegen
