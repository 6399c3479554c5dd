// Statements: a function for each kind of node.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

Outcome<Flow> run(Evaluator& evaluator, const ast::Suite& suite);
Outcome<Flow> run(Evaluator& evaluator, const ast::Stmt& stmt);

}  // namespace pykc::script
