// Views: parts of arrays, their dimensions in another order or shape.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Stride& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::View& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Transpose& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Reshape& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Reinterpret& node, checked::Type type);
Parts relaid(FunctionLowering& lowering, checked::Type from, const Parts& parts, checked::Type to);
Parts array_parts(checked::Type type, Instruction* address, const Parts& extents, const Parts& strides);
Parts extents_of(FunctionLowering& lowering, checked::Type array, const Parts& parts);
Parts strides_of(FunctionLowering& lowering, checked::Type array, const Parts& parts);

}  // namespace pykc::lowering
