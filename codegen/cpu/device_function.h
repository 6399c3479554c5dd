// How a device function is called on the CPU. One that asks for its thread's place takes it as further arguments; one
// that may stop its thread says, by one more result, whether it has.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "codegen/emit/module_state.h"

namespace pykc::codegen {

/// A kernel, or a part of one that runs for a whole block: it has the kernel's slots, and its threads stop inside it.
inline bool runs_blocks(const ir::Function& source) {
  return source.is_kernel || source.part == ir::FunctionPart::OfBlock;
}

void append_place_types(const ModuleState& state, const ir::Function& source,
                        llvm::SmallVectorImpl<llvm::Type*>& types);
llvm::Type* device_result_type(const ModuleState& state, const ir::Function& source);

}  // namespace pykc::codegen
