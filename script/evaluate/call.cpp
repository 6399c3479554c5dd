#include "script/evaluate/call.h"

#include <algorithm>
#include <utility>

#include "frontend/program/function_kind.h"
#include "script/evaluate/class.h"
#include "script/evaluate/statement.h"
#include "script/evaluate/variables.h"
#include "script/functions/functions.h"
#include "script/functions/prototypes.h"

namespace pykc::script {
namespace {

Outcome<Variables> bind_parameters(const FunctionValue& function, CallArguments arguments) {
  const std::vector<ast::Parameter>& parameters = function.definition->parameters;
  const std::string& name = function.definition->name;
  const auto plain_end = std::find_if(parameters.begin(), parameters.end(),
                                      [](const auto& p) { return p.is_variadic || p.is_keyword_only; });
  const auto plain = static_cast<std::size_t>(plain_end - parameters.begin());
  Variables locals;
  locals.reserve(parameters.size());
  if (plain_end != parameters.end() && plain_end->is_variadic) {
    std::vector<Value> rest;
    while (arguments.positional.size() > plain + rest.size()) rest.push_back(arguments.positional[plain + rest.size()]);
    arguments.positional.resize(std::min(plain, arguments.positional.size()));
    locals.emplace_back(plain_end->name, make_tuple(std::move(rest)));
  }
  if (arguments.positional.size() > plain)
    return fail(DiagnosticId::HostTooManyArguments, "`" + name + "`", plain, arguments.positional.size());
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    locals.emplace_back(parameters[i].name, std::move(arguments.positional[i]));
  for (auto& [keyword, value] : arguments.named) {
    const auto is_it = [&keyword = keyword](const ast::Parameter& parameter) {
      return parameter.name == keyword && !parameter.is_variadic;
    };
    if (std::none_of(parameters.begin(), parameters.end(), is_it)) {
      std::vector<std::string_view> known;
      for (const ast::Parameter& parameter : parameters) known.push_back(parameter.name);
      return fail(DiagnosticId::HostUnknownKeyword, name, keyword).suggest(nearest(keyword, known));
    }
    if (find(locals, keyword)) return fail(DiagnosticId::HostRepeatedArgument, name, keyword);
    locals.emplace_back(keyword, std::move(value));
  }
  for (const ast::Parameter& parameter : parameters) {
    if (find(locals, parameter.name)) continue;
    const bool has_default = function.context && function.context->defaults.contains(parameter.name);
    if (!has_default) return fail(DiagnosticId::HostMissingArgument, name, parameter.name);
    locals.emplace_back(parameter.name, function.context->defaults.at(parameter.name));
  }
  return locals;
}

Outcome<Value> call_function(Evaluator& evaluator, const FunctionValue& function, CallArguments arguments) {
  if (evaluator.is_too_deep()) return fail(DiagnosticId::HostRecursionTooDeep);
  const ast::FunctionDef& definition = *function.definition;
  const std::shared_ptr<FunctionContext> context = function.context;
  evaluator.called.insert(&definition);
  if (context && !context->self.is<None>()) arguments.positional.insert(arguments.positional.begin(), context->self);
  ASSIGN_OR_RETURN(Variables locals, bind_parameters(function, std::move(arguments)));

  Frame frame{.module = function.module,
              .environment = enter(evaluator, definition, context ? context->outer : nullptr)};
  frame.environment->variables = std::move(locals);
  Frame* const caller = std::exchange(evaluator.frame, &frame);
  Outcome<Flow> flow = run(evaluator, definition.body);
  evaluator.frame = caller;
  leave(evaluator, std::move(frame.environment));
  RETURN_IF_FAILED(std::move(flow));
  return std::move(frame.result);
}

Outcome<Value> call_compiled(Evaluator& evaluator, const FunctionValue& function, CallArguments arguments) {
  ASSIGN_OR_RETURN(Variables bound, bind_parameters(function, std::move(arguments)));
  std::vector<Value> values;
  for (const ast::Parameter& parameter : function.definition->parameters)
    values.push_back(*find(bound, parameter.name));
  return evaluator.launcher.call_compiled(function, values);
}

/// CuPy's launch, `kernel(grid, block, (x, y), shared_mem=0, stream=None)`.
Outcome<Value> launch_raw(Evaluator& evaluator, const FunctionValue& kernel, const CallArguments& arguments) {
  const std::vector<Value>& given = arguments.positional;
  const std::vector<Value>* passed = given.size() == 3 ? items_of(given[2]) : nullptr;
  if (!passed)
    return fail(DiagnosticId::HostKernelWithoutLaunch, kernel.definition->name)
        .suggest(kernel.definition->name + "((blocks,), (threads,), (x, y))");
  LaunchShape shape;
  for (std::size_t i = 0; i < 2; ++i) RETURN_IF_FAILED(set_launch_part(i, given[i], shape));
  for (const auto& [name, value] : arguments.named) {
    if (name != "stream" && name != "shared_mem")
      return fail(DiagnosticId::HostUnknownKeyword, kernel.definition->name, name)
          .suggest(nearest(name, {"stream", "shared_mem"}));
    RETURN_IF_FAILED(set_launch_part(name == "stream" ? 2 : 3, value, shape));
  }
  return evaluator.launcher.launch(LaunchValue{.kernel = kernel, .shapes = {std::move(shape)}}, {*passed, {}});
}

/// `vectorize([…])(f)`
Outcome<Value> call_decorator(const DecoratorValue& decorator, const CallArguments& arguments) {
  if (!arguments.named.empty())
    return fail(DiagnosticId::HostUnknownKeyword, "decorator", arguments.named.front().first)
        .note("the call before makes the decorator, and takes its options: `@fuse(kernel_name=\"f\")`");
  if (arguments.positional.size() != 1) return fail(DiagnosticId::HostMissingArgument, "decorator", "function");
  return decorate(decorator, arguments.positional.front());
}

}  // namespace

Outcome<Value> call(Evaluator& evaluator, const Value& callee, CallArguments arguments) {
  if (const auto* builtin = callee.as<BuiltinValue>())
    return call_builtin(evaluator.run, *builtin, std::move(arguments));
  if (const auto* type = callee.as<TypeValue>(); type && type->definition)
    return make_struct(evaluator, *type, std::move(arguments));
  if (const auto* type = callee.as<TypeValue>()) return call_type(*type, arguments);
  if (const auto* type = callee.as<ClassValue>()) return make_instance(evaluator, *type, std::move(arguments));
  if (callee.is<InstanceValue>()) {
    ASSIGN_OR_RETURN(const Value method, attribute(callee, "__call__"));
    return call(evaluator, method, std::move(arguments));
  }
  if (const auto* launch = callee.as<std::shared_ptr<const LaunchValue>>())
    return evaluator.launcher.launch(**launch, arguments);
  if (const auto* decorator = callee.as<DecoratorValue>()) return call_decorator(*decorator, arguments);
  const auto* function = callee.as<FunctionValue>();
  if (!function) return fail(DiagnosticId::HostNotCallable, describe(callee));
  switch (function->kind) {
    case FunctionValue::Kind::Generalized:
      return evaluator.launcher.generalize(*function, arguments);
    case FunctionValue::Kind::Reduction:
      return evaluator.launcher.reduce(*function, arguments);
    case FunctionValue::Kind::Kernel:
      if (is_raw_kernel(*function->module->module, *function->definition))
        return launch_raw(evaluator, *function, arguments);
      return fail(DiagnosticId::HostKernelWithoutLaunch, function->definition->name)
          .suggest(function->definition->name + "[blocks, threads](…)");
    case FunctionValue::Kind::Vectorized:
      return evaluator.launcher.map(*function, arguments);
    case FunctionValue::Kind::Compiled:
      return call_compiled(evaluator, *function, std::move(arguments));
    default:
      return call_function(evaluator, *function, std::move(arguments));
  }
}

Outcome<Value> call_from(Evaluator& evaluator, const ast::Call& node, const Value& callee, CallArguments arguments) {
  constexpr std::size_t kMostCallers = 8;  // that a message lists
  Outcome<Value> result = call(evaluator, callee, std::move(arguments));
  if (!result && result.failure().file && result.failure().callers.size() < kMostCallers)
    result.failure().callers.push_back({&evaluator.file(), node.function->range});
  return result;
}

}  // namespace pykc::script
