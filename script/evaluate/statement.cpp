#include "script/evaluate/statement.h"

#include <utility>
#include <variant>

#include "script/evaluate/assert.h"
#include "script/evaluate/assign.h"
#include "script/evaluate/class.h"
#include "script/evaluate/expression.h"
#include "script/evaluate/function.h"
#include "script/evaluate/module.h"
#include "script/evaluate/with.h"
#include "script/functions/format.h"
#include "script/functions/indexing.h"

namespace pykc::script {
namespace {

Outcome<Flow> run(Evaluator& evaluator, const ast::ExprStmt& node) {
  ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
  return Flow::Next;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::If& node) {
  ASSIGN_OR_RETURN(const bool holds, evaluate_truth(evaluator, *node.condition));
  return run(evaluator, holds ? node.then : node.otherwise);
}

Outcome<Flow> run(Evaluator& evaluator, const ast::While& node) {
  while (true) {
    ASSIGN_OR_RETURN(const bool holds, evaluate_truth(evaluator, *node.condition));
    if (!holds) return run(evaluator, node.otherwise);
    ASSIGN_OR_RETURN(const Flow flow, run(evaluator, node.body));
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
  }
}

Outcome<Flow> run(Evaluator& evaluator, const ast::For& node) {
  ASSIGN_OR_RETURN(Value iterable, evaluator.evaluate(*node.iterable));
  if (iterable.is<GeneratorValue>() || iterable.is<std::string>()) {
    ASSIGN_OR_RETURN(std::vector<Value> items, all_items(iterable));
    iterable = make_list(std::move(items));
  }
  for (std::int64_t i = 0;; ++i) {
    // A list may grow on the way.
    ASSIGN_OR_RETURN(const std::int64_t count, evaluator.located(item_count(iterable), node.iterable->range));
    if (i >= count) return run(evaluator, node.otherwise);
    ASSIGN_OR_RETURN(const Value item, item_at(iterable, i));
    RETURN_IF_FAILED(assign(evaluator, *node.target, item));
    ASSIGN_OR_RETURN(const Flow flow, run(evaluator, node.body));
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
  }
}

Outcome<Flow> run(Evaluator&, const ast::Break&) { return Flow::Break; }

Outcome<Flow> run(Evaluator&, const ast::Continue&) { return Flow::Continue; }

Outcome<Flow> run(Evaluator&, const ast::Pass&) { return Flow::Next; }

Outcome<Flow> run(Evaluator& evaluator, const ast::Return& node) {
  if (node.value) {
    ASSIGN_OR_RETURN(evaluator.frame->result, evaluator.evaluate(*node.value));
  }
  return Flow::Return;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::Raise& node) {
  const auto* call = node.exception ? node.exception->as<ast::Call>() : nullptr;
  std::string text =
      node.exception ? std::string(evaluator.file().text(node.exception->range)) : std::string("an exception");
  if (call && !call->arguments.empty()) {
    std::vector<Value> values;
    for (const ast::ExprPtr& argument : call->arguments) {
      ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*argument));
      values.push_back(std::move(value));
    }
    ASSIGN_OR_RETURN(const std::string message,
                     to_text(values.size() == 1 ? values.front() : make_tuple(std::move(values))));
    text = std::string(evaluator.file().text(call->function->range)) + ": " + message;
  }
  return fail(DiagnosticId::HostRaised, text);
}

Outcome<Flow> run(Evaluator&, const ast::UnsupportedStmt& node) {
  Failure failure = fail(DiagnosticId::HostUnsupportedFeature, node.what);
  if (node.what == "`del`") failure.notes.emplace_back("`x = None` lets go of a value");
  return failure;
}

}  // namespace

Outcome<Flow> run(Evaluator& evaluator, const ast::Suite& suite) {
  for (const ast::StmtPtr& stmt : suite) {
    ASSIGN_OR_RETURN(const Flow flow, run(evaluator, *stmt));
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::Stmt& stmt) {
  const auto run_it = [&](const auto& node) { return run(evaluator, node); };
  return evaluator.located(std::visit(run_it, stmt.node), stmt.range);
}

}  // namespace pykc::script
