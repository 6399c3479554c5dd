// The brackets of a launch.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// `kernel[blocks, threads]`, before its call.
Outcome<Value> evaluate_launch(Evaluator& evaluator, const FunctionValue& kernel, const ast::Expr& brackets);

}  // namespace pykc::script
