// What lies in scratch and shared memory: slots of threads, local arrays, shared arrays.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* load_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread);
void store_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread, Value* value);
/// What the lanes of a warp have in a slot: a vector of integers as wide as they are in memory. Slots are padded, so that
/// lanes without a thread may be written; what is read there means nothing.
Value* load_lanes(CpuEmitter& emitter, std::int64_t slot, Value* first_thread);
void store_lanes(CpuEmitter& emitter, std::int64_t slot, Value* first_thread, Value* lanes);
Value* any_slot(CpuEmitter& emitter, std::int64_t slot);
Value* many_slot(CpuEmitter& emitter, std::int64_t slot);

Value* local_array(CpuEmitter& emitter, std::int64_t index);
Value* emit_shared_array(CpuEmitter& emitter, const Instruction& i);
Value* emit_launch_shared_bytes(CpuEmitter& emitter);
Value* emit_cluster_pointer(CpuEmitter& emitter, const Instruction& i);

}  // namespace pykc::codegen
