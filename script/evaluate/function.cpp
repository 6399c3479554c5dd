// Definitions of functions: their defaults, prototypes and decorators.
#include "script/evaluate/function.h"

#include <utility>

#include "script/evaluate/call.h"
#include "script/evaluate/declarations.h"
#include "script/evaluate/variables.h"
#include "script/functions/prototypes.h"

namespace pykc::script {
namespace {

/// The texts of prototypes, one or a list: strings, names for them, or signatures without quotes.
Outcome<std::vector<std::string>> prototype_texts(Evaluator& evaluator, const ast::Expr& expr) {
  if (expr.as<ast::Name>() || expr.as<ast::StringLiteral>()) {
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(expr));
    if (const std::string* text = value.as<std::string>()) return std::vector<std::string>{*text};
    if (const std::vector<Value>* items = items_of(value)) {
      std::vector<std::string> texts;
      for (const Value& item : *items) {
        const std::string* text = item.as<std::string>();
        if (!text)
          return evaluator.located(fail(DiagnosticId::HostWrongType, "prototype", "a string", describe(item)),
                                   expr.range);
        texts.push_back(*text);
      }
      return texts;
    }
  }
  return std::vector<std::string>{std::string(evaluator.file().text(expr.range))};
}

Status add_prototypes(Evaluator& evaluator, const ast::Expr& expr, const ast::FunctionDef& definition,
                      bool takes_arrays, FunctionContext& context) {
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, prototype_texts(evaluator, expr));
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(Prototype prototype,
                     evaluator.located(takes_arrays ? parse_array_prototype(text) : parse_prototype(text), expr.range));
    const std::size_t declared = definition.parameters.size(), stated = prototype.parameters.size();
    if (declared != stated)
      return evaluator.located(fail(DiagnosticId::HostKernelArgumentCount, definition.name, declared, stated)
                                   .note("the prototype is `" + text + "`"),
                               expr.range);
    context.prototypes.push_back(std::move(prototype));
  }
  return Done{};
}

/// What the brackets of `@vectorize` and `@guvectorize` say.
Status read_prototypes(Evaluator& evaluator, const ast::FunctionDef& definition, FunctionValue::Kind kind,
                       FunctionContext& context) {
  const bool is_generalized = kind == FunctionValue::Kind::Generalized;
  for (const ast::ExprPtr& decorator : definition.decorators) {
    const auto* call = decorator->as<ast::Call>();
    if (is_generalized) {
      const bool has_axes = call && !call->arguments.empty();
      ASSIGN_OR_RETURN(const Value axes, has_axes ? evaluator.evaluate(*call->arguments.back()) : Value());
      if (!axes.is<std::string>())
        return evaluator.located(fail(DiagnosticId::HostWrongType, "layout` of `@guvectorize",
                                      "a string such as \"(n),()->(n)\", behind the prototypes", describe(axes)),
                                 decorator->range);
      context.axes = *axes.as<std::string>();
    }
    if (!call) continue;
    for (const ast::Keyword& keyword : call->keywords) {
      if (keyword.name != "target") continue;
      ASSIGN_OR_RETURN(const Value target, evaluator.evaluate(*keyword.value));
      RETURN_IF_FAILED(evaluator.located(check_target(target), keyword.value->range));
    }
    if (call->arguments.size() == (is_generalized ? 1U : 0U)) continue;
    for (const ast::Expr* expr : prototypes_of(*call->arguments.front()))
      RETURN_IF_FAILED(add_prototypes(evaluator, *expr, definition, is_generalized, context));
  }
  return Done{};
}

/// The function as its decorators leave it, those that mean something to the compiler aside.
Outcome<Value> decorated(Evaluator& evaluator, const ast::FunctionDef& definition, Value function) {
  if (function.as<FunctionValue>()->kind != FunctionValue::Kind::Host) return function;
  for (auto decorator = definition.decorators.rbegin(); decorator != definition.decorators.rend(); ++decorator) {
    if (is_known_decorator(*evaluator.frame->module->module, **decorator)) continue;
    ASSIGN_OR_RETURN(const Value callee, evaluator.evaluate(**decorator));
    ASSIGN_OR_RETURN(function,
                     evaluator.located(call(evaluator, callee, {{std::move(function)}, {}}), (*decorator)->range));
  }
  return function;
}

}  // namespace

Outcome<FunctionValue> define(Evaluator& evaluator, const ast::FunctionDef& definition, FunctionValue::Kind kind) {
  auto context = std::make_shared<FunctionContext>(evaluator.frame->environment);
  for (const ast::Parameter& parameter : definition.parameters) {
    if (!parameter.default_value) continue;
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*parameter.default_value));
    context->defaults.emplace(parameter.name, std::move(value));
  }
  const bool is_ufunc = kind == FunctionValue::Kind::Vectorized || kind == FunctionValue::Kind::Generalized;
  if (is_ufunc) RETURN_IF_FAILED(read_prototypes(evaluator, definition, kind, *context));
  const bool is_plain = !is_ufunc && !context->outer && context->defaults.empty();
  return FunctionValue{kind, &definition, evaluator.frame->module, is_plain ? nullptr : std::move(context)};
}

Outcome<Flow> run(Evaluator& evaluator, const ast::FunctionDef& node) {
  const FunctionValue::Kind kind = value_kind(*evaluator.frame->module->module, node);
  if (evaluator.frame->environment && kind != FunctionValue::Kind::Host)
    return fail(DiagnosticId::HostUnsupportedFeature, "functions for the device inside of others")
        .note("move it to the top level of the file");
  ASSIGN_OR_RETURN(FunctionValue function, define(evaluator, node, kind));
  ASSIGN_OR_RETURN(Value value, decorated(evaluator, node, Value(std::move(function))));
  set_variable(evaluator, node.name, std::move(value));
  return Flow::Next;
}

}  // namespace pykc::script
