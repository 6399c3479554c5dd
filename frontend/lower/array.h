// Arrays: addresses of elements, reads, writes, extents, strides.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Element& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Extent& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::SharedArrayRef& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::LocalArrayRef& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::ClusterArray& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::ConstantArrayRef& node, checked::Type type);
Parts dynamic_array(FunctionLowering& lowering, const DynamicArray& array);
Instruction* extent(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension);
Instruction* stride(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension);
Instruction* times(FunctionLowering& lowering, Instruction* a, Instruction* b);
Instruction* address(FunctionLowering& lowering, const checked::Element& element);
/// Of elements that are copied together, neighbours in memory. A checked build tests the last, too.
struct Run {
  std::int64_t count = 1;
  int stride_fault = -1;
};
Instruction* address(FunctionLowering& lowering, const checked::Element& first, Run run);
Instruction* position(FunctionLowering& lowering, Instruction* written, checked::Type array, const Parts& parts,
                      int dimension, bool wraparound, int fault);
void stop_after_fault(FunctionLowering& lowering);
Instruction* no_wrap(FunctionLowering& lowering, Opcode opcode, Instruction* a, Instruction* b);

}  // namespace pykc::lowering
