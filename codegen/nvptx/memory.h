// Memory as only a GPU has it: shared memory, scopes of atomics, advice to the caches, copies that go on while the
// thread does, and PTX from the source itself.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Value* emit_shared_array(NvptxEmitter& emitter, const Instruction& i);
Value* emit_launch_shared_bytes(NvptxEmitter& emitter);
Value* emit_cluster_pointer(NvptxEmitter& emitter, const Instruction& i);

llvm::SyncScope::ID sync_scope(NvptxEmitter& emitter, ir::MemoryScope scope);
void prepare_atomic(NvptxEmitter& emitter, const Instruction& i);
Value* emit_hinted_load(NvptxEmitter& emitter, const Instruction& i);
void emit_hinted_store(NvptxEmitter& emitter, const Instruction& i);
void emit_prefetch(NvptxEmitter& emitter, const Instruction& i);
void emit_copy_async(NvptxEmitter& emitter, const Instruction& i);
Value* emit_inline_ptx(NvptxEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
