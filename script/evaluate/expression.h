// Expressions: a function for each kind of node, and lists of them.
#pragma once

#include <vector>

#include "script/evaluate/evaluator.h"

namespace pykc::script {

Outcome<bool> evaluate_truth(Evaluator& evaluator, const ast::Expr& expr);
/// The values of a call or a sequence; what stands behind a `*` comes item by item.
Outcome<std::vector<Value>> evaluate_items(Evaluator& evaluator, const std::vector<ast::ExprPtr>& exprs);
Outcome<CallArguments> evaluate_arguments(Evaluator& evaluator, const ast::Call& node);

}  // namespace pykc::script
