// Expressions, from the checked tree to IR.
#pragma once

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts lower(FunctionLowering& lowering, checked::ExprRef expr);
inline Instruction* scalar(FunctionLowering& lowering, checked::ExprRef expr) { return lower(lowering, expr).front(); }
Parts lower(FunctionLowering& lowering, const checked::Constant& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::VariableRef& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Binary& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Unary& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Compare& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Logical& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Conditional& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Cast& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Bitcast& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Let& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::Guarded& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::TupleExpr& node, checked::Type type);
Parts lower(FunctionLowering& lowering, const checked::TupleElement& node, checked::Type type);

}  // namespace pykc::lowering
