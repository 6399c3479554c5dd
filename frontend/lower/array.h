// Arrays: addresses of elements, reads, writes, extents, strides.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Element& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Extent& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::SharedArrayRef& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::LocalArrayRef& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::ConstantArrayRef& node, checked::Type type);
Parts dynamic_array(FunctionLowering& lowering, const DynamicArray& array);
Instruction* extent(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension);
Instruction* stride(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension);
Instruction* times(FunctionLowering& lowering, Instruction* a, Instruction* b);
Instruction* address(FunctionLowering& lowering, const checked::Element& element);
Instruction* position(FunctionLowering& lowering, Instruction* written, checked::Type array, const Parts& parts,
                      int dimension, bool wraparound, int fault);
void stop_after_fault(FunctionLowering& lowering);
Instruction* no_wrap(FunctionLowering& lowering, Opcode opcode, Instruction* a, Instruction* b);

}  // namespace pykc::lowering
