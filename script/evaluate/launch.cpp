// The brackets of a launch, `kernel[blocks, threads]`. Of a kernel with `@autotune`, functions may stand in them: they
// are called with each of its configurations.
#include "script/evaluate/launch.h"

#include <algorithm>
#include <utility>

#include "frontend/syntax/ast_walk.h"
#include "script/evaluate/call.h"

namespace pykc::script {
namespace {

/// One of the things that stand in a launch's brackets, some of which a tuple may hold.
struct LaunchPart {
  const ast::Expr* expr;
  Value value;
  bool is_function() const { return value.is<FunctionValue>(); }
};

Outcome<std::vector<LaunchPart>> evaluate_launch_parts(Evaluator& evaluator, const ast::Expr& brackets) {
  std::vector<LaunchPart> parts;
  for (const ast::Expr* part : ast::parts_of(brackets)) {
    const auto* starred = part->as<ast::Starred>();
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(starred ? *starred->value : *part));
    const std::vector<Value>* items = items_of(value);
    if (starred && !items) return evaluator.located(fail(DiagnosticId::HostNotIterable, describe(value)), part->range);
    const bool is_all = part == &brackets && value.is<TupleValue>();  // `kernel[shape]`
    if (starred || is_all)
      for (const Value& item : *items) parts.push_back({part, item});
    else
      parts.push_back({part, value});
  }
  return parts;
}

Outcome<Value> call_part(Evaluator& evaluator, const LaunchPart& part, const Value& configuration) {
  const auto* lambda = part.expr->as<ast::Lambda>();
  if (lambda && lambda->function->parameters.size() != 1)
    return fail(DiagnosticId::HostLaunchConfiguration, "a lambda in it takes one parameter, the configuration")
        .suggest("lambda c: …");
  return call(evaluator, part.value, {{configuration}, {}});
}

/// With a configuration for the functions among the parts.
Outcome<LaunchShape> evaluate_shape(Evaluator& evaluator, const std::vector<LaunchPart>& parts,
                                    const Value& configuration) {
  LaunchShape shape;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LaunchPart& part = parts[i];
    Value value = part.value;
    if (part.is_function()) {
      ASSIGN_OR_RETURN(value, evaluator.located(call_part(evaluator, part, configuration), part.expr->range));
    }
    RETURN_IF_FAILED(evaluator.located(set_launch_part(i, value, shape), part.expr->range));
  }
  return shape;
}

}  // namespace

Outcome<Value> evaluate_launch(Evaluator& evaluator, const FunctionValue& kernel, const ast::Expr& brackets) {
  const std::string& name = kernel.definition->name;
  ASSIGN_OR_RETURN(const std::vector<LaunchPart> parts, evaluate_launch_parts(evaluator, brackets));
  if (parts.size() < 2 || parts.size() > 4)
    return evaluator.located(fail(DiagnosticId::HostLaunchConfiguration, "it needs a grid and a block")
                                 .suggest(name + "[blocks, threads](…)"),
                             brackets.range);
  ASSIGN_OR_RETURN(const std::vector<Configuration>* const listed,
                   evaluator.located(evaluator.launcher.configurations_of(kernel), brackets.range));
  const std::vector<Configuration>& configurations = *listed;
  LaunchValue launch{.kernel = kernel, .shapes = {}, .brackets = &brackets};
  const auto function = std::ranges::find_if(parts, &LaunchPart::is_function);
  if (function == parts.end()) {
    ASSIGN_OR_RETURN(LaunchShape shape, evaluate_shape(evaluator, parts, Value()));
    launch.shapes.push_back(std::move(shape));
  } else {
    if (configurations.empty())
      return evaluator.located(
          fail(DiagnosticId::HostLaunchConfiguration,
               "a function in it takes a configuration, and `" + name + "` has none to choose from")
              .note("`@autotune(configs=[config(TILE=16), config(TILE=32)])` above `@kernel` lists some"),
          function->expr->range);
    const auto used = std::make_shared<std::set<std::string>>();
    for (const Configuration& configuration : configurations) {
      const Value value(std::make_shared<const ConfigurationValue>(ConfigurationValue{configuration, name, used}));
      Outcome<LaunchShape> shape = evaluate_shape(evaluator, parts, value);
      if (!shape) return std::move(shape.failure()).note("for the configuration " + configuration.text());
      launch.shapes.push_back(*std::move(shape));
    }
    launch.used = *used;
  }
  RETURN_IF_FAILED(evaluator.located(check_use(launch, configurations), brackets.range));
  return Value(std::make_shared<const LaunchValue>(std::move(launch)));
}

}  // namespace pykc::script
