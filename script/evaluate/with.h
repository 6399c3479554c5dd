// `with`.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

Outcome<Flow> run(Evaluator& evaluator, const ast::With& node);

}  // namespace pykc::script
