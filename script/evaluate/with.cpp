// `with`: for streams and devices, for objects of a class, and for `raises` in tests.
#include "script/evaluate/with.h"

#include <utility>

#include "script/evaluate/assign.h"
#include "script/evaluate/call.h"
#include "script/evaluate/expression.h"
#include "script/evaluate/statement.h"
#include "script/functions/functions.h"

namespace pykc::script {
namespace {

/// All that is told of a failure.
std::string text_of(const Failure& failure, const SourceFile& file) {
  std::string text;
  for (const Diagnostic& diagnostic : to_diagnostics(failure, file)) {
    text += diagnostic.message + '\n';
    for (const std::string& note : diagnostic.notes) text += note + '\n';
  }
  return text;
}

/// `with raises("index 5 is out of bounds"):`
const ast::Call* call_of_raises(const ast::With& node) {
  const auto* call = node.target ? nullptr : node.context->as<ast::Call>();
  const auto* name = call ? call->function->as<ast::Name>() : nullptr;
  return name && name->id == "raises" ? call : nullptr;
}

/// The suite must fail, with a text that holds what the call names.
Outcome<Flow> run_raises(Evaluator& evaluator, const ast::Call& call, const ast::Suite& body) {
  ASSIGN_OR_RETURN(const CallArguments arguments, evaluate_arguments(evaluator, call));
  const std::string* expected =
      arguments.positional.size() == 1 && arguments.named.empty() ? arguments.positional[0].as<std::string>() : nullptr;
  if (!expected) return evaluator.located(fail(DiagnosticId::HostRaisesArgument), call.function->range);
  Outcome<Flow> flow = run(evaluator, body);
  if (flow) return evaluator.located(fail(DiagnosticId::HostNothingRaised, *expected), call.function->range);
  if (flow.failure().id == DiagnosticId::HostTestSkipped) return flow;
  if (text_of(flow.failure(), evaluator.file()).find(*expected) != std::string::npos) return Flow::Next;
  return std::move(flow.failure()).note("`raises` expected an error with the text \"" + *expected + "\"");
}

/// An error in the body ends the program, so `__exit__` is told of none.
Outcome<Flow> run_with(Evaluator& evaluator, const Value& context, const ast::With& node) {
  ASSIGN_OR_RETURN(const Value enter, evaluator.located(attribute(context, "__enter__"), node.context->range));
  ASSIGN_OR_RETURN(const Value exit, evaluator.located(attribute(context, "__exit__"), node.context->range));
  ASSIGN_OR_RETURN(const Value entered, call(evaluator, enter, {}));
  if (node.target) RETURN_IF_FAILED(assign(evaluator, *node.target, entered));
  ASSIGN_OR_RETURN(const Flow flow, run(evaluator, node.body));
  Value result = std::exchange(evaluator.frame->result, {});
  ASSIGN_OR_RETURN(const Value done, call(evaluator, exit, {{Value(), Value(), Value()}, {}}));
  evaluator.frame->result = std::move(result);
  return flow;
}

/// A context that is built in: a stream, a device, or one of ContextValue.
Outcome<Flow> run_within(Evaluator& evaluator, const Value& context, const ast::With& node) {
  if (node.target) RETURN_IF_FAILED(assign(evaluator, *node.target, context));
  const std::shared_ptr<const Stream> before = evaluator.run.streams.current;
  const auto* stream = context.as<StreamValue>();
  if (stream) evaluator.run.streams.current = stream->stream;
  Outcome<Flow> flow = run(evaluator, node.body);
  if (stream) evaluator.run.streams.current = before;
  const auto* other = context.as<ContextValue>();
  if (!flow || !other || !other->waits_for) return flow;
  ASSIGN_OR_RETURN(const Device device, evaluator.run.device());
  const Stream waited = other->waits_for->stream ? *other->waits_for->stream : device.default_stream();
  RETURN_IF_FAILED(outcome_of(waited.synchronize()));
  return flow;
}

}  // namespace

Outcome<Flow> run(Evaluator& evaluator, const ast::With& node) {
  if (const ast::Call* call = call_of_raises(node)) return run_raises(evaluator, *call, node.body);
  ASSIGN_OR_RETURN(const Value context, evaluator.evaluate(*node.context));
  if (context.is<InstanceValue>()) return run_with(evaluator, context, node);
  if (context.is<StreamValue>() || context.is<DeviceValue>() || context.is<ContextValue>())
    return run_within(evaluator, context, node);
  return fail(DiagnosticId::HostUnsupportedFeature, "`with` for " + describe(context))
      .note("it takes streams, devices, objects of a class with `__enter__` and `__exit__`, and `raises(…)` in tests");
}

}  // namespace pykc::script
