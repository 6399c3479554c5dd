#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

void Body::append(decltype(checked::Stmt::node) node, SourceRange range) {
  if (!flow_.is_reachable || !suite_) return;  // nothing runs it
  checked::Stmt& stmt = session_.module().stmts.emplace_back();
  stmt.range = range;
  stmt.node = std::move(node);
  suite_->push_back(&stmt);
}

checked::Suite Body::suite(const ast::Suite& statements) {
  checked::Suite result;
  checked::Suite* const outer = suite_;
  suite_ = &result;
  for (const ast::StmtPtr& stmt : statements) {
    const bool was_reachable = flow_.is_reachable;
    statement(*stmt);
    // Where the side that a constant chose leaves, what follows belongs to the other side.
    const bool is_choice = stmt->as<ast::If>() && !(!result.empty() && result.back()->as<checked::If>());
    if (is_choice && was_reachable && !flow_.is_reachable) break;
  }
  suite_ = outer;
  return result;
}

void Body::statement(const ast::Stmt& stmt) {
  ++session_.depth;
  if (session_.depth > Session::kDeepest) {
    report(stmt.range, DiagnosticId::NestedTooDeeply);
  } else {
    std::visit([&](const auto& node) { check(node, stmt); }, stmt.node);
  }
  --session_.depth;
}

void Body::check(const ast::ExprStmt& node, const ast::Stmt& stmt) {
  if (node.value->as<ast::StringLiteral>() || node.value->as<ast::EllipsisLiteral>())
    return;  // a comment in quotes, or pass
  const auto* call = node.value->as<ast::Call>();
  const auto* method = call ? call->function->as<ast::Attribute>() : nullptr;
  if (call && !(method && method->name == "sync")) {  // a group's method is no entity by itself
    const Entity callee = opened(entity(*call->function));
    const auto* special = std::get_if<SpecialRef>(&callee);
    const auto* ufunc = std::get_if<UfuncRef>(&callee);
    if (ufunc && store_ufunc(*ufunc->row, *call, stmt.range)) return;
    if (special && special->special == Special::Print) return print(*call, stmt.range);
    if (special && special->special == Special::StaticAssert) return static_assert_(*call, stmt.range);
  }
  const int errors = session_.diagnostics(false).error_count();
  const Entity result = entity(*node.value);
  const Value value = std::holds_alternative<Value>(result) ? std::get<Value>(result) : Value{};
  if (!value.known()) {
    // A function without a result gives no value, and needs none here.
    if (session_.diagnostics(false).error_count() == errors) report_not_a_value(result, node.value->range);
    return;
  }
  const bool does_nothing = !call;
  if (does_nothing && session_.options().warnings) {
    auto warning = report(stmt.range, DiagnosticId::UnusedResult);
    const auto* compare = node.value->as<ast::Compare>();
    if (compare && compare->ops.front() == ast::CompareOp::Eq) warning.note("to assign, write `=`");
  }
  append(checked::Evaluate{value.expr}, stmt.range);
}

void Body::check(const ast::Assign& node, const ast::Stmt& stmt) {
  if (node.targets.size() == 1) {
    const ast::Expr& target = *node.targets.front();
    const auto* name = node.value->as<ast::Lambda>() ? target.as<ast::Name>() : nullptr;
    const std::optional<int> index = name ? local_index(name->id, target.range) : std::nullopt;
    if (index && locals_[static_cast<std::size_t>(*index)].decl->closure) return mark_defined(*index);
    return assign(target, value(*node.value), stmt.range);
  }
  const Value once = stored_once(value(*node.value), stmt.range);
  for (const ast::ExprPtr& target : node.targets) assign(*target, once, stmt.range);
}

void Body::check(const ast::AnnotatedAssign& node, const ast::Stmt& stmt) {
  if (!node.target->as<ast::Name>()) {
    report(node.target->range, DiagnosticId::AssignmentTarget).note("only a variable can be annotated");
    return;
  }
  if (node.value) assign(*node.target, value(*node.value), stmt.range);
}

void Body::check(const ast::AugmentedAssign& node, const ast::Stmt& stmt) {
  if (node.target->as<ast::Tuple>() || node.target->as<ast::List>()) {
    report(node.target->range, DiagnosticId::AssignmentTarget).note("`+=` and its kin change one variable or element");
    return;
  }
  const auto* attribute = node.target->as<ast::Attribute>();
  const bool is_subscript = node.target->as<ast::Subscript>() || (attribute && is_place_target(*attribute));
  Value old = is_subscript ? place(*node.target) : value(*node.target);
  const bool is_element = is_subscript && old.known() && !old.is_array();
  if (is_element) old = stable_element(old);
  const Value operand = value(*node.value);
  if (old.is_array()) return store_array(old, operand, node.op, stmt.range);
  const Value result = binary(node.op, old, operand, stmt.range);
  if (!is_element) return assign(*node.target, result, stmt.range);
  if (result.known()) store(old, result, stmt.range);
}

void Body::check(const ast::If& node, const ast::Stmt& stmt) {
  checked::If result;
  result.condition = condition(*node.condition);
  if (const auto* constant = result.condition ? result.condition->as<checked::Constant>() : nullptr) {
    // The other side is left out, whatever stands there.
    for (const checked::Stmt* chosen : suite(constant->bits != 0 ? node.then : node.otherwise))
      if (suite_) suite_->push_back(chosen);
    return;
  }
  const FlowState before = flow_;
  result.then = suite(node.then);
  FlowState after_then = std::move(flow_);
  flow_ = before;
  result.otherwise = suite(node.otherwise);
  FlowState after = std::move(flow_);
  flow_ = before;
  if (result.condition) append(std::move(result), stmt.range);
  after.meet(after_then);
  flow_ = std::move(after);
}

void Body::check(const ast::Break&, const ast::Stmt& stmt) {
  if (loops_.empty()) return;  // the parser has reported it
  append(checked::Break{}, stmt.range);
  loops_.back().on_break.meet(flow_);
  flow_.is_reachable = false;
}

void Body::check(const ast::Continue&, const ast::Stmt& stmt) {
  if (loops_.empty()) return;  // the parser has reported it
  append(checked::Continue{}, stmt.range);
  loops_.back().on_continue.meet(flow_);
  flow_.is_reachable = false;
}

void Body::check(const ast::Pass&, const ast::Stmt&) {}

void Body::check(const ast::Return& node, const ast::Stmt& stmt) {
  const bool gives_value = node.value && !node.value->as<ast::NoneLiteral>();
  checked::Return result{nullptr};
  const InferredType& wanted = specialization_->result;
  if (output_->is_kernel) {
    const bool is_told = function_->def->returns && !function_->def->returns->as<ast::NoneLiteral>();
    if (gives_value && !is_told)
      report(node.value->range, DiagnosticId::KernelReturnsValue).note("write results to an array: `out[i] = …`");
  } else if (gives_value) {
    const Value given = value(*node.value);
    if (given.known() && !outlives_function(given))
      report(node.value->range, DiagnosticId::ReturnsLocalArray).note("make the array in the caller, and pass it");
    else if (given.known() && wanted.known && wanted.type.kind != checked::Type::Kind::None)
      result.value = convert_result(given, wanted, node.value->range);
    else if (given.known() && given.type().kind == checked::Type::Kind::None)
      append(checked::Evaluate{given.expr}, stmt.range);
    else if (given.known() && wanted.known)
      report(node.value->range, DiagnosticId::ReturnTypes, "None", describe(given));
  } else if (wanted.known && wanted.type.kind != checked::Type::Kind::None) {
    report(stmt.range, DiagnosticId::ReturnTypes, checked::to_string(settled_type(wanted)), "None")
        .note("return a value on every path");
  }
  append(std::move(result), stmt.range);
  flow_.is_reachable = false;
}

/// Local memory of a function ends with it; that of its caller, which a parameter stands for, does not.
bool Body::outlives_function(const Value& value) const {
  if (value.is_tuple())
    return std::ranges::all_of(value.elements, [&](const Value& element) { return outlives_function(element); });
  if (!value.is_array() || value.type().space != ir::AddressSpace::Local) return true;
  const Expr& array = origin(*value.expr);
  return array.as<checked::VariableRef>() && is_own_memory(array);
}

const checked::Expr* Body::convert_result(const Value& given, const InferredType& wanted, SourceRange range) {
  InferredType joined = wanted;
  const bool is_stated = function_->result_type.has_value();
  if (!is_stated &&
      (!join_into(joined, inferred_type(given), *rules_) || settled_type(joined) != settled_type(wanted))) {
    report(range, DiagnosticId::ReturnTypes, checked::to_string(settled_type(wanted)), describe(given))
        .note("annotate the result, `-> f32`, or convert the values");
    return nullptr;
  }
  return convert_to(given, wanted, range).expr;
}

void Body::check(const ast::Assert& node, const ast::Stmt& stmt) {
  const Expr* test = condition(*node.condition);
  std::string message = "assert failed: " + std::string(scope_.file().text(node.condition->range));
  if (node.message) message += ": " + fault_message(*node.message);
  if (!test || !session_.options().asserts) return;
  append_check(test, std::move(message), {}, stmt.range);
}

void Body::check(const ast::Raise& node, const ast::Stmt& stmt) {
  std::string message = "raised";
  if (node.exception) {
    const auto* call = node.exception->as<ast::Call>();
    const ast::Expr& name = call ? *call->function : *node.exception;
    message = scope_.file().text(name.range);
    if (call && !call->arguments.empty()) message += ": " + fault_message(*call->arguments.front());
  }
  append_check(nullptr, std::move(message), {}, stmt.range);
  flow_.is_reachable = false;
}

int Body::add_fault(std::string message, SourceRange range) {
  const SourceFile::LineColumn place = scope_.file().line_column(range.begin);
  return session_.add_fault({std::move(message), scope_.file().name(), place.line, place.column});
}

std::string Body::fault_message(const ast::Expr& message) {
  if (const auto* text = message.as<ast::StringLiteral>()) return text->value;
  report(message.range, DiagnosticId::UnsupportedInKernel, "a message that is not a plain string")
      .note("write the text in quotes; print values before the check");
  return {};
}

void Body::check(const ast::With&, const ast::Stmt& stmt) {
  unsupported(stmt.range, "`with`", "a kernel holds no resources: leave it out");
}

/// The name stands for the function from here on; where it is used, closure() says with which variables.
void Body::check(const ast::FunctionDef& node, const ast::Stmt&) {
  const std::optional<int> index = local_index(node.name, node.name_range);
  if (!node.decorators.empty())
    unsupported(node.decorators.front()->range, "a decorator inside a function", "leave it out");
  if (!index) return;
  if (!locals_[static_cast<std::size_t>(*index)].decl->closure)
    report(node.name_range, DiagnosticId::FunctionRebound, node.name);
  mark_defined(*index);
}

void Body::check(const ast::ClassDef& node, const ast::Stmt&) {
  unsupported(node.name_range, "a class", "use arrays, scalars and tuples");
}

void Body::check(const ast::Import&, const ast::Stmt& stmt) {
  unsupported(stmt.range, "`import` inside a function", "import at the top of the file");
}

void Body::check(const ast::UnsupportedStmt& node, const ast::Stmt& stmt) {
  if (node.what.empty()) return;  // a syntax error
  static constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
      {"`try`", "nothing can be caught in a kernel: test with `if`, or `assert`"},
      {"`global`", "threads share what lies in arrays: pass one, and change its element: `atomic.add(counter, 0, 1)`"},
      {"`nonlocal`", "a function inside a function reads the variables around it; return what is new"},
      {"`del`", "a variable ends with its function"},
      {"`yield`", "return a tuple, or write to an array"},
  };
  const auto* row = std::ranges::find(kInstead, node.what, &std::pair<std::string_view, std::string_view>::first);
  unsupported(stmt.range, node.what, row == std::end(kInstead) ? "use assignments, `if` and loops" : row->second);
  for (const std::string& name : node.names)  // what follows from it is no second mistake
    if (const std::optional<int> local = local_index(name, stmt.range)) {
      flow_.definite.insert(*local);
      flow_.possible.insert(*local);
    }
}

// ---- print ----

void Body::print(const ast::Call& call, SourceRange range) {
  std::string separator = " ";
  for (const ast::Keyword& keyword : call.keywords) {
    const Entity given = entity(*keyword.value);
    const auto* text = std::get_if<TextRef>(&given);
    if (keyword.name == "sep" && text) {
      separator = text->text;
    } else if (!(keyword.name == "end" && text && text->text == "\n")) {
      report(keyword.name_range, DiagnosticId::UnknownKeyword, "`print`", keyword.name)
          .note("in a kernel `print` takes `sep=\"…\"`, and always ends the line");
    }
  }
  checked::Print result;
  for (const ast::ExprPtr& argument : call.arguments) {
    if (&argument != &call.arguments.front()) result.pieces.push_back({separator, nullptr});
    Entity given = entity(*argument);
    if (const auto* space = std::get_if<NamespaceRef>(&given)) given = along_axes(*space, argument->range);
    if (const auto* text = std::get_if<TextRef>(&given)) {
      result.pieces.push_back({text->text, nullptr});
      continue;
    }
    const Value value = std::holds_alternative<NoneRef>(given) ? Value{} : to_value(given, argument->range);
    if (std::holds_alternative<NoneRef>(given)) result.pieces.push_back({"None", nullptr});
    if (value.known() && value.type().is_static()) {
      report_not_a_value(given, argument->range);
    } else if (value.known() && value.is_array()) {
      report(argument->range, DiagnosticId::NotAScalar, "`print`", describe(value))
          .note("print its elements in a loop");
    } else if (value.known()) {
      print_value(value, result.pieces);
    }
  }
  append(std::move(result), range);
}

/// `print(threadIdx)` shows a tuple of its three parts.
Entity Body::along_axes(const NamespaceRef& space, SourceRange range) {
  std::vector<Value> parts;
  for (const std::string_view axis : {"x", "y", "z"}) {
    const NameEntry* entry = space.prefix.empty() ? nullptr : session_.names().find(space.prefix, axis);
    const auto* builtin = entry ? std::get_if<BuiltinId>(entry) : nullptr;
    if (!builtin || !is_property(*builtin)) return space;
    parts.push_back(property(*builtin, range));
  }
  return tree_.tuple(std::move(parts), range);
}

/// Whether a float is a whole number as `%g` writes it, so that it must be told from an integer: `1.0`.
const checked::Expr* Body::lacks_point(const Value& number) {
  const int digits = number.scalar() == ScalarType::F64 ? 15 : 6;
  const SourceRange range = number.range();
  const Value as_double = TreeBuilder::strong(tree_.cast(number.expr, ScalarType::F64));
  const Value limit = TreeBuilder::strong(tree_.real(std::pow(10.0, digits), ScalarType::F64, range));
  const Binding* function = session_.scope_of(kPrintingModule)->find("prints_as_whole");
  return call_specialized(*std::get<FunctionDecl*>(*function), {as_double, limit}, range).expr;
}

void Body::print_value(const Value& value, std::vector<checked::Print::Piece>& pieces) {
  const Value once = stored_once(value, value.range());
  if (value.is_scalar()) {
    pieces.push_back({"", once.expr});
    if (is_float(value.scalar())) pieces.push_back({"", lacks_point(once), checked::Print::Piece::Form::Point});
    return;
  }
  const std::vector<Value> elements = take_apart(once);
  if (value.is_complex()) {
    pieces.insert(pieces.end(), {{"(", nullptr},
                                 {"", elements[0].expr},
                                 {"", elements[1].expr, checked::Print::Piece::Form::Signed},
                                 {"j)", nullptr}});
    return;
  }
  pieces.push_back({(value.is_record() ? value.type().record->name : "") + "(", nullptr});
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) pieces.push_back({", ", nullptr});
    if (value.is_record()) pieces.push_back({value.type().record->fields[i].name + "=", nullptr});
    print_value(elements[i], pieces);
  }
  pieces.push_back({value.is_tuple() && elements.size() == 1 ? ",)" : ")", nullptr});
}

// ---- assignments as statements of the tree: check_assign.cpp decides, these append ----

void Body::store(const Value& element, const Value& value, SourceRange range) {
  const Value converted = convert_to(value, InferredType::of(element.type()), range);
  if (converted.known()) append(checked::StoreElement{element.expr, converted.expr}, range);
}

void Body::append_check(const Expr* condition, std::string message, std::vector<const Expr*> values,
                        SourceRange range) {
  append(checked::Check{condition, add_fault(std::move(message), range), std::move(values)}, range);
}

// ---- loops ----

/// A loop of so many turns, still without a body.
checked::ForRange Body::counted_loop(const Value& count, SourceRange range) {
  const auto number = [&](Int128 value) { return tree_.integer(value, ScalarType::I64, range); };
  const checked::Variable* counter = temporary(checked::Type::of(ScalarType::I64), range);
  return {counter, number(0), tree_.convert(count, ScalarType::I64), number(1), {}, {}};
}

void Body::check(const ast::While& node, const ast::Stmt& stmt) {
  enter_loop(node.body, nullptr);
  checked::While result;
  result.condition = condition(*node.condition);
  const bool is_endless = result.condition && result.condition->as<checked::Constant>() &&
                          result.condition->as<checked::Constant>()->bits != 0;
  FlowState exhausted = flow_;
  if (is_endless) exhausted.is_reachable = false;
  const FlowState before = flow_;
  result.body = suite(node.body);
  leave_loop(std::move(exhausted), node.otherwise, result.otherwise);
  const FlowState after = std::exchange(flow_, before);
  if (result.condition) append(std::move(result), stmt.range);
  flow_ = after;
}

}  // namespace pykc::checker
