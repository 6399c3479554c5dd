#include <algorithm>

#include "script/evaluate/declarations.h"
#include "script/evaluate/evaluator.h"
#include "script/functions/records.h"

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
  if (const auto* type = callee.as<ClassValue>()) return make_instance(*type, std::move(arguments));
  if (callee.is<InstanceValue>()) {
    ASSIGN_OR_RETURN(const Value method, attribute(callee, "__call__"));
    return call(method, std::move(arguments));
  }
  if (const auto* launch = callee.as<std::shared_ptr<const LaunchValue>>())
    return launcher_.launch(**launch, arguments);
  if (const auto* decorator = callee.as<DecoratorValue>()) return call_decorator(*decorator, arguments);
  const auto* function = callee.as<FunctionValue>();
  if (!function) return fail(DiagnosticId::HostNotCallable, describe(callee));
  switch (function->kind) {
    case FunctionValue::Kind::Generalized:
      return launcher_.generalize(*function, arguments);
    case FunctionValue::Kind::Reduction:
      return launcher_.reduce(*function, arguments);
    case FunctionValue::Kind::Kernel:
      if (is_raw_kernel(*function->module->module, *function->definition)) return launch_raw(*function, arguments);
      return fail(DiagnosticId::HostKernelWithoutLaunch, function->definition->name)
          .suggest(function->definition->name + "[blocks, threads](…)");
    case FunctionValue::Kind::Vectorized:
      return launcher_.map(*function, arguments);
    case FunctionValue::Kind::Compiled:
      return call_compiled(*function, std::move(arguments));
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
  const auto plain_end = std::find_if(parameters.begin(), parameters.end(),
                                      [](const auto& p) { return p.is_variadic || p.is_keyword_only; });
  const auto plain = static_cast<std::size_t>(plain_end - parameters.begin());
  Names locals;
  if (plain_end != parameters.end() && plain_end->is_variadic) {
    std::vector<Value> rest;
    while (arguments.positional.size() > plain + rest.size()) rest.push_back(arguments.positional[plain + rest.size()]);
    arguments.positional.resize(std::min(plain, arguments.positional.size()));
    locals.emplace(plain_end->name, make_tuple(std::move(rest)));
  }
  if (arguments.positional.size() > plain)
    return fail(DiagnosticId::HostTooManyArguments, "`" + name + "`", plain, arguments.positional.size());
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    locals.emplace(parameters[i].name, std::move(arguments.positional[i]));
  for (auto& [keyword, value] : arguments.named) {
    const auto is_it = [&keyword = keyword](const ast::Parameter& parameter) {
      return parameter.name == keyword && !parameter.is_variadic;
    };
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
    const bool has_default = function.context && function.context->defaults.contains(parameter.name);
    if (!has_default) return fail(DiagnosticId::HostMissingArgument, name, parameter.name);
    locals.emplace(parameter.name, function.context->defaults.at(parameter.name));
  }
  return locals;
}

Outcome<FunctionValue> Evaluator::define(const ast::FunctionDef& definition, FunctionValue::Kind kind) {
  auto context = std::make_shared<FunctionContext>(frame_->environment);
  for (const ast::Parameter& parameter : definition.parameters) {
    if (!parameter.default_value) continue;
    ASSIGN_OR_RETURN(Value value, evaluate(*parameter.default_value));
    context->defaults.emplace(parameter.name, std::move(value));
  }
  const bool is_ufunc = kind == FunctionValue::Kind::Vectorized || kind == FunctionValue::Kind::Generalized;
  if (is_ufunc) RETURN_IF_FAILED(read_prototypes(definition, kind, *context));
  const bool is_plain = !is_ufunc && !context->outer && context->defaults.empty();
  return FunctionValue{kind, &definition, frame_->module, is_plain ? nullptr : std::move(context)};
}

/// The texts of prototypes, one or a list: strings, names for them, or signatures without quotes.
Outcome<std::vector<std::string>> Evaluator::prototype_texts(const ast::Expr& expr) {
  if (expr.as<ast::Name>() || expr.as<ast::StringLiteral>()) {
    ASSIGN_OR_RETURN(const Value value, evaluate(expr));
    if (const std::string* text = value.as<std::string>()) return std::vector<std::string>{*text};
    if (const std::vector<Value>* items = items_of(value)) {
      std::vector<std::string> texts;
      for (const Value& item : *items) {
        const std::string* text = item.as<std::string>();
        if (!text)
          return located(fail(DiagnosticId::HostWrongType, "prototype", "a string", describe(item)), expr.range);
        texts.push_back(*text);
      }
      return texts;
    }
  }
  return std::vector<std::string>{std::string(file().text(expr.range))};
}

Status Evaluator::add_prototypes(const ast::Expr& expr, const ast::FunctionDef& definition, bool takes_arrays,
                                 FunctionContext& context) {
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, prototype_texts(expr));
  for (const std::string& text : texts) {
    Outcome<Prototype> prototype = takes_arrays ? parse_array_prototype(text) : parse_prototype(text);
    if (!prototype) return located(std::move(prototype.failure()), expr.range);
    const std::size_t declared = definition.parameters.size(), stated = prototype->parameters.size();
    if (declared != stated)
      return located(fail(DiagnosticId::HostKernelArgumentCount, definition.name, declared, stated)
                         .note("the prototype is `" + text + "`"),
                     expr.range);
    context.prototypes.push_back(*std::move(prototype));
  }
  return Done{};
}

/// What the brackets of `@vectorize` and `@guvectorize` say.
Status Evaluator::read_prototypes(const ast::FunctionDef& definition, FunctionValue::Kind kind,
                                  FunctionContext& context) {
  const bool is_generalized = kind == FunctionValue::Kind::Generalized;
  for (const ast::ExprPtr& decorator : definition.decorators) {
    const auto* call = decorator->as<ast::Call>();
    if (is_generalized) {
      Outcome<Value> axes = call && !call->arguments.empty() ? evaluate(*call->arguments.back()) : Value();
      if (!axes) return std::move(axes.failure());
      if (!axes->is<std::string>())
        return located(fail(DiagnosticId::HostWrongType, "layout` of `@guvectorize",
                            "a string such as \"(n),()->(n)\", behind the prototypes", describe(*axes)),
                       decorator->range);
      context.axes = *axes->as<std::string>();
    }
    if (!call) continue;
    for (const ast::Keyword& keyword : call->keywords) {
      if (keyword.name != "target") continue;
      ASSIGN_OR_RETURN(const Value target, evaluate(*keyword.value));
      if (Status known = check_target(target); !known) return located(std::move(known.failure()), keyword.value->range);
    }
    if (call->arguments.size() == (is_generalized ? 1U : 0U)) continue;
    for (const ast::Expr* expr : prototypes_of(*call->arguments.front()))
      RETURN_IF_FAILED(add_prototypes(*expr, definition, is_generalized, context));
  }
  return Done{};
}

/// `vectorize([…])(f)`
Outcome<Value> Evaluator::call_decorator(const DecoratorValue& decorator, const CallArguments& arguments) {
  if (!arguments.named.empty())
    return fail(DiagnosticId::HostUnknownKeyword, "decorator", arguments.named.front().first)
        .note("the call before makes the decorator, and takes its options: `@fuse(kernel_name=\"f\")`");
  if (arguments.positional.size() != 1) return fail(DiagnosticId::HostMissingArgument, "decorator", "function");
  return decorate(decorator, arguments.positional.front());
}

/// CuPy's launch, `kernel(grid, block, (x, y), shared_mem=0, stream=None)`.
Outcome<Value> Evaluator::launch_raw(const FunctionValue& kernel, const CallArguments& arguments) {
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
  return launcher_.launch(LaunchValue{.kernel = kernel, .shapes = {std::move(shape)}}, {*passed, {}});
}

Outcome<Value> Evaluator::call_compiled(const FunctionValue& function, CallArguments arguments) {
  ASSIGN_OR_RETURN(Names bound, bind_parameters(function, std::move(arguments)));
  std::vector<Value> values;
  for (const ast::Parameter& parameter : function.definition->parameters) values.push_back(bound.at(parameter.name));
  return launcher_.call_compiled(function, values);
}

Outcome<Value> Evaluator::decorated(const ast::FunctionDef& definition, Value function) {
  if (function.as<FunctionValue>()->kind != FunctionValue::Kind::Host) return function;
  for (auto decorator = definition.decorators.rbegin(); decorator != definition.decorators.rend(); ++decorator) {
    if (is_known_decorator(*frame_->module->module, **decorator)) continue;
    ASSIGN_OR_RETURN(const Value callee, evaluate(**decorator));
    Outcome<Value> result = call(callee, {{std::move(function)}, {}});
    if (!result) return located(std::move(result.failure()), (*decorator)->range);
    function = *std::move(result);
  }
  return function;
}

Outcome<Value> Evaluator::call_function(const FunctionValue& function, CallArguments arguments) {
  RETURN_IF_FAILED(check_stack());
  const ast::FunctionDef& definition = *function.definition;
  const std::shared_ptr<FunctionContext> context = function.context;
  called_.insert(&definition);
  if (context && !context->self.is<None>()) arguments.positional.insert(arguments.positional.begin(), context->self);
  ASSIGN_OR_RETURN(Names locals, bind_parameters(function, std::move(arguments)));

  Frame frame{.module = function.module, .environment = enter(definition, context ? context->outer : nullptr)};
  frame.environment->names = std::move(locals);
  Frame* const caller = std::exchange(frame_, &frame);
  Outcome<Flow> flow = run(definition.body);
  frame_ = caller;
  leave(std::move(frame.environment));
  if (flow) return std::move(frame.result);
  return std::move(flow.failure());
}

void Evaluator::leave(std::shared_ptr<Environment> environment) {
  constexpr std::size_t kPruned = 1024;
  long own = 0;
  for (const auto& [name, value] : environment->names) {
    const auto* function = value.as<FunctionValue>();
    const bool is_own = function && function->context && function->context->outer == environment;
    own += is_own && function->context.use_count() == 1 ? 1 : 0;
  }
  if (environment.use_count() == own + 1) return environment->clear();
  kept_.push_back(std::move(environment));
  if (kept_.size() % kPruned == 0) std::erase_if(kept_, [](const auto& kept) { return kept.expired(); });
}

Evaluator::~Evaluator() {
  for (const std::weak_ptr<Environment>& kept : kept_)
    if (const std::shared_ptr<Environment> environment = kept.lock()) environment->clear();
  for (const std::weak_ptr<Instance>& made : instances_)
    if (const std::shared_ptr<Instance> instance = made.lock()) instance->clear();
}

}  // namespace pykc::script
