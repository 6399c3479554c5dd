// Calls.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

Outcome<Value> call(Evaluator& evaluator, const Value& callee, CallArguments arguments);
/// Calls as call() does; what fails inside of a function of the file remembers that it was called here.
Outcome<Value> call_from(Evaluator& evaluator, const ast::Call& node, const Value& callee, CallArguments arguments);

}  // namespace pykc::script
