// Assignments.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

Status assign(Evaluator& evaluator, const ast::Expr& target, const Value& value);
Outcome<Flow> run(Evaluator& evaluator, const ast::Assign& node);
Outcome<Flow> run(Evaluator& evaluator, const ast::AnnotatedAssign& node);
Outcome<Flow> run(Evaluator& evaluator, const ast::AugmentedAssign& node);

}  // namespace pykc::script
