#include <algorithm>

#include "script/evaluate/declarations.h"
#include "script/evaluate/evaluator.h"
#include "script/functions/format.h"
#include "script/functions/indexing.h"
#include "script/functions/operators.h"
#include "script/functions/records.h"
#include "stdlib/builtins.h"

namespace pykc::script {

Outcome<Evaluator::Flow> Evaluator::run(const ast::Suite& suite) {
  for (const ast::StmtPtr& stmt : suite) {
    ASSIGN_OR_RETURN(const Flow flow, run(*stmt));
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run(const ast::Stmt& stmt) {
  Outcome<Flow> flow = std::visit([this](const auto& node) { return run_node(node); }, stmt.node);
  if (!flow) return located(std::move(flow.failure()), stmt.range);
  return flow;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::ExprStmt& node) {
  ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Assign& node) {
  ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
  for (const ast::ExprPtr& target : node.targets) RETURN_IF_FAILED(assign(*target, value));
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::AnnotatedAssign& node) {
  if (!node.value) return Flow::Next;
  ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
  RETURN_IF_FAILED(assign(*node.target, value));
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::AugmentedAssign& node) {
  const auto* subscript = node.target->as<ast::Subscript>();
  if (const auto* target = node.target->as<ast::Attribute>()) {
    ASSIGN_OR_RETURN(const Value object, evaluate(*target->value));
    Outcome<Value> old = attribute(object, target->name);
    if (!old) return located(std::move(old.failure()), target->name_range);
    ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
    ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, *old, value));
    RETURN_IF_FAILED(set_attribute(object, target->name, result));
    return Flow::Next;
  }
  if (!subscript) {
    ASSIGN_OR_RETURN(const Value old, evaluate(*node.target));
    ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
    ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, old, value));
    RETURN_IF_FAILED(assign(*node.target, result));
    return Flow::Next;
  }
  // The object and the index are evaluated once.
  ASSIGN_OR_RETURN(const Value object, evaluate(*subscript->value));
  ASSIGN_OR_RETURN(const Value index, evaluate(*subscript->index));
  Outcome<Value> old = get_item(object, index);
  if (!old) return located(std::move(old.failure()), node.target->range);
  ASSIGN_OR_RETURN(const Value value, evaluate(*node.value));
  ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, *old, value));
  RETURN_IF_FAILED(set_item(object, index, result));
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::If& node) {
  ASSIGN_OR_RETURN(const bool holds, evaluate_truth(*node.condition));
  return run(holds ? node.then : node.otherwise);
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::While& node) {
  while (true) {
    ASSIGN_OR_RETURN(const bool holds, evaluate_truth(*node.condition));
    if (!holds) return run(node.otherwise);
    ASSIGN_OR_RETURN(const Flow flow, run(node.body));
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
  }
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::For& node) {
  ASSIGN_OR_RETURN(Value iterable, evaluate(*node.iterable));
  if (iterable.is<GeneratorValue>()) {
    ASSIGN_OR_RETURN(std::vector<Value> items, all_items(iterable));
    iterable = make_list(std::move(items));
  }
  for (std::int64_t i = 0;; ++i) {
    Outcome<std::int64_t> count = item_count(iterable);  // a list may grow on the way
    if (!count) return located(std::move(count.failure()), node.iterable->range);
    if (i >= *count) return run(node.otherwise);
    ASSIGN_OR_RETURN(const Value item, item_at(iterable, i));
    RETURN_IF_FAILED(assign(*node.target, item));
    ASSIGN_OR_RETURN(const Flow flow, run(node.body));
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
  }
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Break&) { return Flow::Break; }
Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Continue&) { return Flow::Continue; }
Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Pass&) { return Flow::Next; }

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Return& node) {
  if (node.value) {
    ASSIGN_OR_RETURN(frame_->result, evaluate(*node.value));
  }
  return Flow::Return;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Assert& node) {
  std::vector<std::string> notes;
  ASSIGN_OR_RETURN(const bool holds, evaluate_assertion(*node.condition, notes));
  if (holds) {
    held_.insert(&node);
    return Flow::Next;
  }
  std::string message;
  if (node.message) {
    ASSIGN_OR_RETURN(const Value value, evaluate(*node.message));
    ASSIGN_OR_RETURN(const std::string text, to_text(value));
    message = ": " + text;
  }
  Failure failure = fail(DiagnosticId::HostAssertFailed, message);
  failure.notes = std::move(notes);
  return located(std::move(failure), node.condition->range);
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Raise& node) {
  const auto* call = node.exception ? node.exception->as<ast::Call>() : nullptr;
  std::string text = node.exception ? std::string(file().text(node.exception->range)) : std::string("an exception");
  if (call && call->arguments.size() == 1) {
    ASSIGN_OR_RETURN(const Value value, evaluate(*call->arguments[0]));
    ASSIGN_OR_RETURN(const std::string message, to_text(value));
    text = std::string(file().text(call->function->range)) + ": " + message;
  }
  return fail(DiagnosticId::HostRaised, text);
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::With& node) {
  if (const ast::Call* call = call_of_raises(node)) return run_raises(*call, node.body);
  ASSIGN_OR_RETURN(const Value context, evaluate(*node.context));
  if (const auto* object = context.as<InstanceValue>()) return run_with(*object, node);
  if (context.is<StreamValue>() || context.is<DeviceValue>() || context.is<ContextValue>())
    return run_within(context, node);
  return fail(DiagnosticId::HostUnsupportedFeature, "`with` for " + describe(context))
      .note("it takes streams, devices, objects of a class with `__enter__` and `__exit__`, and `raises(…)` in tests");
}

Outcome<Evaluator::Flow> Evaluator::run_within(const Value& context, const ast::With& node) {
  if (node.target) RETURN_IF_FAILED(assign(*node.target, context));
  const std::shared_ptr<const Stream> before = session_.current_stream;
  const auto* stream = context.as<StreamValue>();
  if (stream) session_.current_stream = stream->stream;
  Outcome<Flow> flow = run(node.body);
  if (stream) session_.current_stream = before;
  const auto* other = context.as<ContextValue>();
  if (!flow || !other || !other->waits_for) return flow;
  ASSIGN_OR_RETURN(const Device device, session_.device());
  const Stream waited = other->waits_for->stream ? *other->waits_for->stream : device.default_stream();
  if (Result<void> done = waited.synchronize(); !done) return device_failure(done.error());
  return flow;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::FunctionDef& node) {
  const FunctionValue::Kind kind = value_kind(*frame_->module->module, node);
  if (frame_->environment && kind != FunctionValue::Kind::Host)
    return fail(DiagnosticId::HostUnsupportedFeature, "functions for the device inside of others")
        .note("move it to the top level of the file");
  ASSIGN_OR_RETURN(FunctionValue function, define(node, kind));
  ASSIGN_OR_RETURN(Value value, decorated(node, Value(std::move(function))));
  bind(node.name, std::move(value));
  return Flow::Next;
}

namespace {

/// The names of `x: f32` in the body of a class.
std::vector<std::string> annotated_names(const ast::ClassDef& node) {
  std::vector<std::string> names;
  for (const ast::StmtPtr& stmt : node.body) {
    const auto* field = stmt->as<ast::AnnotatedAssign>();
    const auto* name = field ? field->target->as<ast::Name>() : nullptr;
    if (name) names.push_back(name->id);
  }
  return names;
}

/// "IntEnum" of `enum.IntEnum`.
std::string_view last_name(const ast::Expr& expr) {
  const auto* name = expr.as<ast::Name>();
  const auto* dotted = expr.as<ast::Attribute>();
  return name ? name->id : dotted ? dotted->name : std::string_view();
}

}  // namespace

/// A record is a type. An enum is a module of integers, a named tuple makes tuples.
Outcome<Evaluator::Flow> Evaluator::run_node(const ast::ClassDef& node) {
  if (frame_->environment) return fail(DiagnosticId::HostUnsupportedFeature, "classes inside of functions");
  Scope& module = *frame_->module;
  if (!module.records) module.records = declared_records(program_, *module.module);
  if (const auto found = module.records->find(node.name); found != module.records->end()) {
    bind(node.name, Value(TypeValue{TypeValue::Kind::Scalar, {}, found->second, &node}));
    return Flow::Next;
  }
  const std::string_view base = node.bases.empty() ? "object" : last_name(*node.bases.front());
  if (base == "NamedTuple") bind(node.name, named_tuple_class(annotated_names(node)));
  if (base == "object") {
    ASSIGN_OR_RETURN(Value type, define_class(node));
    bind(node.name, std::move(type));
  }
  const bool is_enum = base == "Enum" || base == "IntEnum";
  if (base != "object" && base != "NamedTuple" && !is_enum) module.unusable[node.name] = &node;  // its use tells why
  if (!is_enum) return Flow::Next;
  Scope& members = enums_.emplace_back();
  for (const ast::StmtPtr& stmt : node.body) {
    const auto* member = stmt->as<ast::Assign>();
    const auto* name = member && member->targets.size() == 1 ? member->targets.front()->as<ast::Name>() : nullptr;
    if (!name) continue;
    ASSIGN_OR_RETURN(Value value, evaluate(*member->value));
    members.names.insert_or_assign(name->id, std::move(value));
  }
  bind(node.name, Value(ModuleValue{node.name, &members}));
  return Flow::Next;
}

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::UnsupportedStmt& node) {
  return fail(DiagnosticId::HostUnsupportedFeature, node.what);
}

// ---- assignment ----

void Evaluator::bind(std::string_view name, Value value) {
  Names& names = frame_->environment ? frame_->environment->names : frame_->module->names;
  names.insert_or_assign(std::string(name), std::move(value));
}

Status Evaluator::assign(const ast::Expr& target, const Value& value) {
  if (const auto* name = target.as<ast::Name>()) {
    bind(name->id, value);
    return Done{};
  }
  if (const auto* tuple = target.as<ast::Tuple>()) return assign_sequence(tuple->elements, value);
  if (const auto* list = target.as<ast::List>()) return assign_sequence(list->elements, value);
  if (const auto* attribute = target.as<ast::Attribute>()) {
    ASSIGN_OR_RETURN(const Value object, evaluate(*attribute->value));
    Status done = set_attribute(object, attribute->name, value);
    if (!done) return located(std::move(done.failure()), target.range);
    return done;
  }
  const auto* subscript = target.as<ast::Subscript>();
  if (!subscript) return located(fail(DiagnosticId::HostUnsupportedFeature, "this kind of assignment"), target.range);
  ASSIGN_OR_RETURN(const Value object, evaluate(*subscript->value));
  ASSIGN_OR_RETURN(const Value index, evaluate(*subscript->index));
  Status done = set_item(object, index, value);
  if (!done) return located(std::move(done.failure()), target.range);
  return done;
}

Status Evaluator::assign_sequence(const std::vector<ast::ExprPtr>& targets, const Value& value) {
  ASSIGN_OR_RETURN(const std::vector<Value> items, all_items(value));
  const auto is_starred = [](const ast::ExprPtr& target) { return target->as<ast::Starred>() != nullptr; };
  const auto starred = std::ranges::find_if(targets, is_starred);
  const bool fits = starred == targets.end() ? items.size() == targets.size() : items.size() + 1 >= targets.size();
  if (!fits) return fail(DiagnosticId::HostUnpackCount, items.size(), targets.size() - (starred != targets.end()));
  auto item = items.begin();
  for (const ast::ExprPtr& target : targets) {
    const auto* rest = target->as<ast::Starred>();
    if (!rest) {
      RETURN_IF_FAILED(assign(*target, *item++));
      continue;
    }
    const auto end = item + static_cast<std::ptrdiff_t>(items.size() + 1 - targets.size());
    RETURN_IF_FAILED(assign(*rest->value, make_list({item, end})));
    item = end;
  }
  return Done{};
}

Status Evaluator::set_attribute(const Value& object, std::string_view name, const Value& value) {
  if (has_records(object)) return set_field(**object.as<ArrayRef>(), name, value);
  const auto* instance = object.as<InstanceValue>();
  if (!instance) return fail(DiagnosticId::HostUnsupportedFeature, "assignments to attributes of " + describe(object));
  instance->instance->fields.insert_or_assign(std::string(name), value);
  return Done{};
}

// ---- imports ----

Outcome<Value> Evaluator::import_module(std::string_view name) {
  if (const ast::Module* module = program_.find(name)) {
    ASSIGN_OR_RETURN(Scope* const scope, run_module(*module));
    return Value(ModuleValue{std::string(name), scope});
  }
  if (const std::optional<Library> library = library_named(name)) return Value(LibraryValue{*library});
  if (is_importable(name)) return Value(ModuleValue{std::string(name), nullptr});  // its use is an error
  const std::string below = std::string(name) + ".";
  if (std::ranges::any_of(program_.imports, [&](const auto& imported) { return imported.name.starts_with(below); }))
    return Value(ModuleValue{std::string(name), nullptr});
  return unknown_module(name);
}

std::optional<Value> Evaluator::member_of(const ModuleValue& module, std::string_view name) {
  if (module.scope == nullptr) return std::nullopt;
  const auto member = module.scope->names.find(name);
  return member == module.scope->names.end() ? std::nullopt : std::optional(member->second);
}

Outcome<Value> Evaluator::import_member(std::string_view module, std::string_view name) {
  ASSIGN_OR_RETURN(const Value owner, import_module(module));
  const auto* file = owner.as<ModuleValue>();
  if (!file) {
    if (const std::string below = std::string(module) + "." + std::string(name); library_named(below))
      return import_module(below);
    return attribute(owner, name);
  }
  if (std::optional<Value> member = member_of(*file, name)) return *std::move(member);
  if (const std::string below = file->name + "." + std::string(name); program_.find(below)) return import_module(below);
  std::vector<std::string_view> known;
  if (file->scope != nullptr)
    for (const auto& [known_name, value] : file->scope->names) known.push_back(known_name);
  return fail(DiagnosticId::HostUnknownAttribute, describe(owner), name).suggest(nearest(name, known));
}

Status Evaluator::import_star(std::string_view module) {
  ASSIGN_OR_RETURN(const Value owner, import_module(module));
  if (const auto* library = owner.as<LibraryValue>()) frame_->module->star_imports.push_back(library->library);
  if (const auto* file = owner.as<ModuleValue>(); file && file->scope)
    for (const auto& [name, value] : file->scope->names) bind(name, value);
  return Done{};
}

namespace {

/// A name of `math`, which has no others than host code and kernels know, but for few.
bool is_misspelt(std::string_view module, std::string_view name, const Failure& failure) {
  return module == "math" && !failure.fix.empty() && find_builtin("math." + std::string(name)) == nullptr;
}

}  // namespace

Outcome<Evaluator::Flow> Evaluator::run_node(const ast::Import& node) {
  for (const ast::ImportAlias& alias : node.names) {
    if (node.is_from && alias.name == "*") {
      RETURN_IF_FAILED(import_star(node.module));
    } else if (node.is_from) {
      const std::string& bound = alias.as.empty() ? alias.name : alias.as;
      Outcome<Value> value = import_member(node.module, alias.name);
      if (value)
        bind(bound, *std::move(value));
      else if (is_importable(node.module) && !is_misspelt(node.module, alias.name, value.failure()))
        frame_->module->absent[bound] = node.module;  // kernels may have it
      else
        return located(std::move(value.failure()), alias.range);
    } else {
      const std::string first = alias.name.substr(0, alias.name.find('.'));
      const bool binds_first = alias.as.empty() || alias.as == first;  // `import numba.cuda` binds `numba`
      Outcome<Value> value = import_module(binds_first ? first : alias.name);
      if (!value) return located(std::move(value.failure()), alias.range);
      bind(binds_first ? first : alias.as, *std::move(value));
    }
  }
  return Flow::Next;
}

}  // namespace pykc::script
