// What lies in scratch and shared memory: slots of threads, local arrays, shared arrays.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* load_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread);
void store_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread, Value* value);
Value* any_slot(CpuEmitter& emitter, std::int64_t slot);
Value* many_slot(CpuEmitter& emitter, std::int64_t slot);

Value* local_array(CpuEmitter& emitter, std::int64_t index);
Value* emit_shared_array(CpuEmitter& emitter, const Instruction& i);
Value* emit_launch_shared_bytes(CpuEmitter& emitter);
Value* emit_cluster_pointer(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
