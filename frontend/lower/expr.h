// Expressions, from the checked tree to IR.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, checked::ExprRef expr);
inline Instruction* scalar(FunctionLowering& lowering, checked::ExprRef expr) { return lower(lowering, expr).front(); }
Parts lower(FunctionLowering& lowering, const checked::Constant& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::VariableRef& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Binary& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Unary& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Compare& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Logical& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Conditional& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Cast& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Bitcast& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Let& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::Guarded& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::TupleExpr& node, const checked::Type& type);
Parts lower(FunctionLowering& lowering, const checked::TupleElement& node, const checked::Type& type);

}  // namespace pykc::lowering
