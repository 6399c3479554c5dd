// `assert`.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// Where it fails, notes tell the values that it compared.
Outcome<Flow> run(Evaluator& evaluator, const ast::Assert& node);

}  // namespace pykc::script
