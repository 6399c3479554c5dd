// The brackets of a launch, `kernel[blocks, threads]`. Of a kernel with `@autotune`, functions may stand in them: they
// are called with each of its configurations.
#include <algorithm>

#include "frontend/syntax/ast_walk.h"
#include "script/evaluate/evaluator.h"

namespace pykc::script {

Outcome<Value> Evaluator::evaluate_launch(const FunctionValue& kernel, const ast::Expr& brackets) {
  const std::string& name = kernel.definition->name;
  ASSIGN_OR_RETURN(const std::vector<LaunchPart> parts, evaluate_launch_parts(brackets));
  if (parts.size() < 2 || parts.size() > 4)
    return located(fail(DiagnosticId::HostLaunchConfiguration, "it needs a grid and a block")
                       .suggest(name + "[blocks, threads](…)"),
                   brackets.range);
  Outcome<const std::vector<Configuration>*> listed = launcher_.configurations_of(kernel);
  if (!listed) return located(std::move(listed.failure()), brackets.range);
  const std::vector<Configuration>& configurations = **listed;
  LaunchValue launch{.kernel = kernel, .shapes = {}, .brackets = &brackets};
  const auto function = std::ranges::find_if(parts, &LaunchPart::is_function);
  if (function == parts.end()) {
    ASSIGN_OR_RETURN(LaunchShape shape, evaluate_shape(parts, Value()));
    launch.shapes.push_back(std::move(shape));
  } else {
    if (configurations.empty())
      return located(fail(DiagnosticId::HostLaunchConfiguration,
                          "a function in it takes a configuration, and `" + name + "` has none to choose from")
                         .note("`@autotune(configs=[config(TILE=16), config(TILE=32)])` above `@kernel` lists some"),
                     function->expr->range);
    const auto used = std::make_shared<std::set<std::string>>();
    for (const Configuration& configuration : configurations) {
      const Value value(std::make_shared<const ConfigurationValue>(ConfigurationValue{configuration, name, used}));
      Outcome<LaunchShape> shape = evaluate_shape(parts, value);
      if (!shape) return std::move(shape.failure()).note("for the configuration " + configuration.text());
      launch.shapes.push_back(*std::move(shape));
    }
    launch.used = *used;
  }
  if (Status used = check_use(launch, configurations); !used) return located(std::move(used.failure()), brackets.range);
  return Value(std::make_shared<const LaunchValue>(std::move(launch)));
}

Outcome<std::vector<Evaluator::LaunchPart>> Evaluator::evaluate_launch_parts(const ast::Expr& brackets) {
  std::vector<LaunchPart> parts;
  for (const ast::Expr* part : ast::parts_of(brackets)) {
    const auto* starred = part->as<ast::Starred>();
    ASSIGN_OR_RETURN(const Value value, evaluate(starred ? *starred->value : *part));
    const std::vector<Value>* items = items_of(value);
    if (starred && !items) return located(fail(DiagnosticId::HostNotIterable, describe(value)), part->range);
    const bool is_all = part == &brackets && value.is<TupleValue>();  // `kernel[shape]`
    if (starred || is_all)
      for (const Value& item : *items) parts.push_back({part, item});
    else
      parts.push_back({part, value});
  }
  return parts;
}

Outcome<LaunchShape> Evaluator::evaluate_shape(const std::vector<LaunchPart>& parts, const Value& configuration) {
  LaunchShape shape;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LaunchPart& part = parts[i];
    const Outcome<Value> value = part.is_function() ? call_part(part, configuration) : Outcome<Value>(part.value);
    if (!value) return located(value.failure(), part.expr->range);
    if (Status set = set_launch_part(i, *value, shape); !set)
      return located(std::move(set.failure()), part.expr->range);
  }
  return shape;
}

Outcome<Value> Evaluator::call_part(const LaunchPart& part, const Value& configuration) {
  const auto* lambda = part.expr->as<ast::Lambda>();
  if (lambda && lambda->function->parameters.size() != 1)
    return fail(DiagnosticId::HostLaunchConfiguration, "a lambda in it takes one parameter, the configuration")
        .suggest("lambda c: …");
  return call(part.value, {{configuration}, {}});
}

}  // namespace pykc::script
