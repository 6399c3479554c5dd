// Definitions of functions.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// The function with the values of its defaults and the variables around it.
Outcome<FunctionValue> define(Evaluator& evaluator, const ast::FunctionDef& definition, FunctionValue::Kind kind);
Outcome<Flow> run(Evaluator& evaluator, const ast::FunctionDef& node);

}  // namespace pykc::script
