// Records: their fields, and elements that are records.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Field& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::FieldView& node, checked::Type type);
Instruction* address(FunctionLowering& lowering, checked::ExprRef place);
Instruction* element_pointer(FunctionLowering& lowering, Instruction* base, Instruction* index,
                             const ElementType& type);
Parts load(FunctionLowering& lowering, Instruction* address, checked::Type type);
void store(FunctionLowering& lowering, Instruction* address, checked::Type type, const Parts& values);

}  // namespace pykc::lowering
