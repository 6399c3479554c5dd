// Classes of host code: their objects, methods, and `with`.
#include <algorithm>
#include <iterator>

#include "driver/driver.h"
#include "script/evaluate/evaluator.h"

namespace pykc::script {
namespace {

/// The methods with two underscores on both sides that host code calls by itself.
constexpr std::string_view kSpecialMethods[] = {"__init__", "__call__", "__enter__", "__exit__"};

bool is_unknown_special(std::string_view name) {
  return name.starts_with("__") && name.ends_with("__") &&
         std::ranges::find(kSpecialMethods, name) == std::end(kSpecialMethods);
}

/// What a class's body may hold: methods, and values that all objects share.
Status check_member(const ast::Stmt& stmt) {
  const auto* function = stmt.as<ast::FunctionDef>();
  if (function && is_unknown_special(function->name))
    return fail(DiagnosticId::HostUnsupportedFeature, "the method `" + function->name + "`")
        .note("of these names it calls `__init__`, `__call__`, `__enter__` and `__exit__`");
  if (function && !function->decorators.empty())
    return fail(DiagnosticId::HostUnsupportedFeature, "decorators of methods")
        .note("a function of the file can do what a static method does");
  const bool is_known = function || stmt.as<ast::Assign>() || stmt.as<ast::AnnotatedAssign>() || stmt.as<ast::Pass>() ||
                        stmt.as<ast::ExprStmt>();
  if (!is_known) return fail(DiagnosticId::HostUnsupportedFeature, "this statement in a class");
  return Done{};
}

}  // namespace

/// A class with a decorator is a record; where it is none, the compiler knows why.
Failure Evaluator::wrong_class(const ast::ClassDef& node) const {
  Failure failure = fail(DiagnosticId::HostUnsupportedFeature, "the class `" + node.name + "` as it is written");
  if (node.decorators.empty() && !node.bases.empty())
    return std::move(failure).note(
        "a class has no bases, but for `NamedTuple`, `Enum` and `IntEnum`: let it hold an object of the other class");
  if (!node.decorators.empty())
    failure.notes.emplace_back(
        "write `__init__` for a class of host code, without a decorator; `@struct class` is a record that kernels "
        "take, too");
  for (Diagnostic& diagnostic : driver::check_source(frame_->module->module->file, session_.options().compile))
    if (diagnostic.severity == Severity::Error) failure.causes.push_back(std::move(diagnostic));
  return failure;
}

Outcome<Value> Evaluator::define_class(const ast::ClassDef& node) {
  if (!node.decorators.empty()) return wrong_class(node);
  const std::shared_ptr<Environment> body = enter(node, nullptr);
  frame_->environment = body;
  Status done = Done{};
  for (auto stmt = node.body.begin(); done && stmt != node.body.end(); ++stmt) {
    done = check_member(**stmt);
    if (!done) {
      done = located(std::move(done.failure()), (*stmt)->range);
    } else if (Outcome<Flow> flow = run(**stmt); !flow) {
      done = std::move(flow.failure());
    }
  }
  frame_->environment = nullptr;
  auto type = std::make_shared<HostClass>(node.name, std::move(body->names));
  for (auto& [name, member] : type->members)  // methods do not see the names of their class
    if (const auto* method = member.as<FunctionValue>(); method && method->context) method->context->outer = nullptr;
  if (!done) return std::move(done.failure());
  return Value(ClassValue{std::move(type)});
}

Outcome<Value> Evaluator::make_instance(const ClassValue& type, CallArguments arguments) {
  const Value object(InstanceValue{std::make_shared<Instance>(type.type)});
  instances_.push_back(object.as<InstanceValue>()->instance);
  if (type.type->members.contains("__init__")) {
    ASSIGN_OR_RETURN(const Value initialize, attribute(object, "__init__"));
    ASSIGN_OR_RETURN(const Value nothing, call(initialize, std::move(arguments)));
  } else if (const std::size_t given = arguments.positional.size() + arguments.named.size(); given > 0) {
    return fail(DiagnosticId::HostTooManyArguments, "`" + type.type->name + "`", 0, given);
  }
  return object;
}

/// An error in the body ends the program, so `__exit__` is told of none.
Outcome<Evaluator::Flow> Evaluator::run_with(const InstanceValue& context, const ast::With& node) {
  Outcome<Value> enter = attribute(Value(context), "__enter__"), exit = attribute(Value(context), "__exit__");
  if (!enter || !exit) return located(std::move((!enter ? enter : exit).failure()), node.context->range);
  ASSIGN_OR_RETURN(const Value entered, call(*enter, {}));
  if (node.target) RETURN_IF_FAILED(assign(*node.target, entered));
  ASSIGN_OR_RETURN(const Flow flow, run(node.body));
  Value result = std::exchange(frame_->result, {});
  ASSIGN_OR_RETURN(const Value done, call(*exit, {{Value(), Value(), Value()}, {}}));
  frame_->result = std::move(result);
  return flow;
}

}  // namespace pykc::script
