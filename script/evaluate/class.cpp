// Classes of host code, their objects and methods; records, enums and named tuples.
#include "script/evaluate/class.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/driver.h"
#include "script/evaluate/call.h"
#include "script/evaluate/statement.h"
#include "script/evaluate/variables.h"
#include "script/functions/functions.h"
#include "script/functions/records.h"

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

Status run_members(Evaluator& evaluator, const ast::ClassDef& node) {
  for (const ast::StmtPtr& stmt : node.body) {
    RETURN_IF_FAILED(evaluator.located(check_member(*stmt), stmt->range));
    RETURN_IF_FAILED(run(evaluator, *stmt));
  }
  return Done{};
}

Outcome<Value> define_class(Evaluator& evaluator, const ast::ClassDef& node) {
  if (!node.decorators.empty()) return wrong_class(evaluator, node);
  const std::shared_ptr<Environment> body = enter(evaluator, node, nullptr);
  evaluator.frame->environment = body;
  Status done = run_members(evaluator, node);
  evaluator.frame->environment = nullptr;
  auto type = std::make_shared<HostClass>(node.name, Names(std::make_move_iterator(body->variables.begin()),
                                                           std::make_move_iterator(body->variables.end())));
  body->variables.clear();
  for (auto& [name, member] : type->members)  // methods do not see the names of their class
    if (const auto* method = member.as<FunctionValue>(); method && method->context) method->context->outer = nullptr;
  RETURN_IF_FAILED(std::move(done));
  return Value(ClassValue{std::move(type)});
}

/// `x: f32` and `n: i64 = 0` in the body of a class.
Outcome<std::vector<NamedField>> annotated_fields(Evaluator& evaluator, const ast::ClassDef& node) {
  std::vector<NamedField> fields;
  for (const ast::StmtPtr& stmt : node.body) {
    const auto* annotated = stmt->as<ast::AnnotatedAssign>();
    const auto* name = annotated ? annotated->target->as<ast::Name>() : nullptr;
    if (!name) continue;
    NamedField& field = fields.emplace_back(NamedField{name->id, {}});
    if (!annotated->value) continue;
    ASSIGN_OR_RETURN(field.default_value, evaluator.evaluate(*annotated->value));
  }
  return fields;
}

/// "IntEnum" of `enum.IntEnum`.
std::string_view last_name(const ast::Expr& expr) {
  const auto* name = expr.as<ast::Name>();
  const auto* dotted = expr.as<ast::Attribute>();
  return name ? name->id : dotted ? dotted->name : std::string_view();
}

}  // namespace

Failure wrong_class(const Evaluator& evaluator, const ast::ClassDef& node) {
  Failure failure = fail(DiagnosticId::HostUnsupportedFeature, "the class `" + node.name + "` as it is written");
  if (node.decorators.empty() && !node.bases.empty())
    return std::move(failure).note(
        "a class has no bases, but for `NamedTuple`, `Enum` and `IntEnum`: let it hold an object of the other class");
  if (!node.decorators.empty())
    failure.notes.emplace_back(
        "write `__init__` for a class of host code, without a decorator; `@struct class` is a record that kernels "
        "take, too");
  for (Diagnostic& diagnostic :
       driver::check_source(evaluator.frame->module->module->file, evaluator.run.options().compile))
    if (diagnostic.severity == Severity::Error) failure.causes.push_back(std::move(diagnostic));
  return failure;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::ClassDef& node) {
  if (evaluator.frame->environment) return fail(DiagnosticId::HostUnsupportedFeature, "classes inside of functions");
  Scope& module = *evaluator.frame->module;
  if (!module.records) module.records = declared_records(evaluator.program, *module.module);
  if (const auto found = module.records->find(node.name); found != module.records->end()) {
    set_variable(evaluator, node.name, Value(TypeValue{TypeValue::Kind::Scalar, {}, found->second, &node}));
    return Flow::Next;
  }
  const std::string_view base = node.bases.empty() ? "object" : last_name(*node.bases.front());
  if (base == "NamedTuple") {
    ASSIGN_OR_RETURN(const std::vector<NamedField> fields, annotated_fields(evaluator, node));
    set_variable(evaluator, node.name, named_tuple_class(node.name, fields));
  }
  if (base == "object") {
    ASSIGN_OR_RETURN(Value type, define_class(evaluator, node));
    set_variable(evaluator, node.name, std::move(type));
  }
  const bool is_enum = base == "Enum" || base == "IntEnum";
  if (base != "object" && base != "NamedTuple" && !is_enum) module.unusable[node.name] = &node;  // its use tells why
  if (!is_enum) return Flow::Next;
  Scope& members = evaluator.enums.emplace_back();
  for (const ast::StmtPtr& stmt : node.body) {
    const auto* member = stmt->as<ast::Assign>();
    const auto* name = member && member->targets.size() == 1 ? member->targets.front()->as<ast::Name>() : nullptr;
    if (!name) continue;
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*member->value));
    members.names.insert_or_assign(name->id, std::move(value));
  }
  set_variable(evaluator, node.name, Value(ModuleValue{node.name, &members}));
  return Flow::Next;
}

Outcome<Value> make_instance(Evaluator& evaluator, const ClassValue& type, CallArguments arguments) {
  const Value object(InstanceValue{std::make_shared<Instance>(type.type)});
  evaluator.instances.push_back(object.as<InstanceValue>()->instance);
  if (type.type->members.contains("__init__")) {
    ASSIGN_OR_RETURN(const Value initialize, attribute(object, "__init__"));
    ASSIGN_OR_RETURN(const Value nothing, call(evaluator, initialize, std::move(arguments)));
  } else if (const std::size_t given = arguments.positional.size() + arguments.named.size(); given > 0) {
    return fail(DiagnosticId::HostTooManyArguments, "`" + type.type->name + "`", 0, given);
  }
  return object;
}

Outcome<Value> make_struct(Evaluator& evaluator, const TypeValue& type, CallArguments arguments) {
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
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*node->value));
    arguments.named.emplace_back(name->id, std::move(value));
  }
  return make_record(type.record, arguments);
}

}  // namespace pykc::script
