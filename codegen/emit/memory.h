// Loads, stores, and where variables and local arrays lie.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

inline llvm::Align alignment_of(ScalarType type) {
  return llvm::Align(static_cast<std::uint64_t>(size_in_bytes(type)));
}

/// What an address is a multiple of; 1 in a packed record.
llvm::Align alignment_at(const Instruction& address);
Value* load_element(Emitter& emitter, const Instruction& address);
void store_element(Emitter& emitter, Value* value, const Instruction& address);
Value* emit_element(Emitter& emitter, const Instruction& i);
Value* emit_is_aligned(Emitter& emitter, const Instruction& i);
/// A CopyAsync as plain loads and stores.
void copy_elements(Emitter& emitter, const Instruction& i);
llvm::AllocaInst* storage_of(Emitter& emitter, const ir::Local* local);
/// A local array on the stack.
Value* stack_array(Emitter& emitter, std::int64_t index);

}  // namespace pykc::codegen
