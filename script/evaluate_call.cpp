#include <algorithm>

#include "script/declarations.h"
#include "script/evaluator.h"
#include "script/records.h"

namespace pykc::script {

Outcome<Scope*> Evaluator::run_module(const ast::Module& module) {
  std::unique_ptr<Scope>& scope = scopes_[&module];
  if (scope) return scope.get();
  scope = std::make_unique<Scope>();
  scope->module = &module;
  if (&module == program_.main.get()) main_ = scope.get();
  Frame frame{.module = scope.get()};
  Frame* const caller = std::exchange(frame_, &frame);
  Outcome<Flow> flow = run(module.body);
  frame_ = caller;
  if (!flow) return std::move(flow.failure());
  return scope.get();
}

Status Evaluator::run_main_module() {
  ASSIGN_OR_RETURN(main_, run_module(*program_.main));
  return Done{};
}

const Value* Evaluator::find(std::string_view name) const {
  const auto found = main_->names.find(name);
  return found == main_->names.end() ? nullptr : &found->second;
}

Outcome<Value> Evaluator::call(const Value& callee, CallArguments arguments) {
  if (const auto* builtin = callee.as<BuiltinValue>()) return call_builtin(session_, *builtin, std::move(arguments));
  if (const auto* type = callee.as<TypeValue>(); type && type->definition)
    return make_struct(*type, std::move(arguments));
  if (const auto* type = callee.as<TypeValue>()) return call_type(*type, arguments);
  if (const auto* launch = callee.as<std::shared_ptr<const LaunchValue>>())
    return launcher_.launch(**launch, arguments);
  const auto* function = callee.as<FunctionValue>();
  if (!function) return fail(DiagnosticId::HostNotCallable, describe(callee));
  switch (function->kind) {
    case FunctionValue::Kind::Kernel:
      return fail(DiagnosticId::HostKernelWithoutLaunch, function->definition->name)
          .suggest(function->definition->name + "[blocks, threads](…)");
    case FunctionValue::Kind::Vectorized:
      return launcher_.map(*function, arguments);
    default:
      return call_function(*function, std::move(arguments));
  }
}

/// `Particle(x, y)`, with the defaults of the class.
Outcome<Value> Evaluator::make_struct(const TypeValue& type, CallArguments arguments) {
  const std::vector<RecordField>& fields = type.record->fields;
  for (const ast::StmtPtr& stmt : type.definition->body) {
    const auto* node = stmt->as<ast::AnnotatedAssign>();
    const auto* name = node ? node->target->as<ast::Name>() : nullptr;
    if (!name) continue;
    const auto index = static_cast<std::size_t>(type.record->find(name->id) - fields.data());
    const bool is_named = std::any_of(arguments.named.begin(), arguments.named.end(),
                                      [&](const auto& argument) { return argument.first == name->id; });
    if (index < arguments.positional.size() || is_named) continue;
    if (!node->value) return fail(DiagnosticId::HostMissingArgument, type.record->name, name->id);
    ASSIGN_OR_RETURN(Value value, evaluate(*node->value));
    arguments.named.emplace_back(name->id, std::move(value));
  }
  return make_record(type.record, arguments);
}

Outcome<Value> Evaluator::call_from(const ast::Call& node, const Value& callee, CallArguments arguments) {
  constexpr std::size_t kMostCallers = 8;  // that a message lists
  Outcome<Value> result = call(callee, std::move(arguments));
  if (!result && result.failure().file && result.failure().callers.size() < kMostCallers)
    result.failure().callers.push_back({&file(), node.function->range});
  return result;
}

Outcome<Names> Evaluator::bind_parameters(const FunctionValue& function, CallArguments arguments) {
  const std::vector<ast::Parameter>& parameters = function.definition->parameters;
  const std::string& name = function.definition->name;
  const auto variadic = std::find_if(parameters.begin(), parameters.end(), [](const auto& p) { return p.is_variadic; });
  const auto plain = static_cast<std::size_t>(variadic - parameters.begin());
  Names locals;
  if (variadic != parameters.end()) {
    std::vector<Value> rest;
    while (arguments.positional.size() > plain + rest.size()) rest.push_back(arguments.positional[plain + rest.size()]);
    arguments.positional.resize(std::min(plain, arguments.positional.size()));
    locals.emplace(variadic->name, make_tuple(std::move(rest)));
  }
  if (arguments.positional.size() > parameters.size())
    return fail(DiagnosticId::HostTooManyArguments, "`" + name + "`", parameters.size(), arguments.positional.size());
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    locals.emplace(parameters[i].name, std::move(arguments.positional[i]));
  for (auto& [keyword, value] : arguments.named) {
    const auto is_it = [&keyword = keyword](const ast::Parameter& parameter) { return parameter.name == keyword; };
    if (std::none_of(parameters.begin(), parameters.end(), is_it)) {
      std::vector<std::string_view> known;
      for (const ast::Parameter& parameter : parameters) known.push_back(parameter.name);
      return fail(DiagnosticId::HostUnknownKeyword, name, keyword).suggest(nearest(keyword, known));
    }
    if (!locals.emplace(keyword, std::move(value)).second)
      return fail(DiagnosticId::HostRepeatedArgument, name, keyword);
  }
  for (const ast::Parameter& parameter : parameters) {
    if (locals.contains(parameter.name)) continue;
    if (!parameter.default_value) return fail(DiagnosticId::HostMissingArgument, name, parameter.name);
    ASSIGN_OR_RETURN(Value value, evaluate(*parameter.default_value));
    locals.emplace(parameter.name, std::move(value));
  }
  return locals;
}

Outcome<Value> Evaluator::call_function(const FunctionValue& function, CallArguments arguments) {
  RETURN_IF_FAILED(check_stack());
  const ast::FunctionDef& definition = *function.definition;
  const auto [variables, is_new] = variables_.try_emplace(&definition);
  if (is_new) variables->second = variables_of(definition);
  called_.insert(&definition);

  // Defaults belong to the file of the function, and may name its constants.
  Frame frame{.module = function.module};
  Frame* const caller = std::exchange(frame_, &frame);
  Outcome<Names> locals = bind_parameters(function, std::move(arguments));
  Outcome<Flow> flow = Flow::Next;
  if (locals) {
    frame.variables = &variables->second;
    frame.locals = *std::move(locals);
    flow = run(definition.body);
  }
  frame_ = caller;
  if (!locals) return std::move(locals.failure());
  if (flow) return std::move(frame.result);
  return std::move(flow.failure());
}

}  // namespace pykc::script
