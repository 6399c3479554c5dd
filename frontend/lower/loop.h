// Loops, and what leaves them.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

void lower(FunctionLowering& lowering, const checked::While& node);
void lower(FunctionLowering& lowering, const checked::ForRange& node);
void lower(FunctionLowering& lowering, const checked::Unrolled& node);
void lower(FunctionLowering& lowering, const checked::Break& node);
void lower(FunctionLowering& lowering, const checked::Continue& node);

}  // namespace pykc::lowering
