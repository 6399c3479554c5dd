// Statements.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

void lower(FunctionLowering& lowering, const checked::Suite& suite);
void lower(FunctionLowering& lowering, const checked::Stmt& stmt);
void lower(FunctionLowering& lowering, const checked::Evaluate& node);
void lower(FunctionLowering& lowering, const checked::Assign& node);
void lower(FunctionLowering& lowering, const checked::StoreElement& node);
void lower(FunctionLowering& lowering, const checked::If& node);
void lower(FunctionLowering& lowering, const checked::Return& node);
void lower(FunctionLowering& lowering, const checked::Check& node);
void lower(FunctionLowering& lowering, const checked::Print& node);
void lower_into(FunctionLowering& lowering, ir::Block& block, const checked::Suite& suite);

}  // namespace pykc::lowering
