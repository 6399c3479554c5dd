// Views: parts of arrays, their dimensions in another order or shape.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, const checked::Stride& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::View& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Transpose& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Reshape& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Reinterpret& node, const checked::Type& type);
Parts relaid(FunctionLowering& lowering, const checked::Type& from, const Parts& parts, const checked::Type& to);
Parts array_parts(const checked::Type& type, Instruction* address, const Parts& extents, const Parts& strides);
Parts extents_of(FunctionLowering& lowering, const checked::Type& array, const Parts& parts);
Parts strides_of(FunctionLowering& lowering, const checked::Type& array, const Parts& parts);

}  // namespace pykc::lowering
