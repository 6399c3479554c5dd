#include "frontend/check/statements/statement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/language_function.h"
#include "frontend/check/calls/ufunc.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/iterate.h"
#include "frontend/check/statements/loop.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"
#include "pykc/kernel_abi.h"

namespace pykc::checker {
namespace {

void check(FunctionChecker& checker, const ast::Assign& node, const ast::Stmt& stmt) {
  if (node.targets.size() == 1) {
    const ast::Expr& target = *node.targets.front();
    const auto* name = node.value->as<ast::Lambda>() ? target.as<ast::Name>() : nullptr;
    const std::optional<int> index = name ? local_index(checker, name->id, target.range) : std::nullopt;
    if (index && checker.locals[static_cast<std::size_t>(*index)].decl->closure) return mark_defined(checker, *index);
    const Value value = checker.value(*node.value);
    assign(checker, target, value, stmt.range);
    return note_numbers(checker, target, value);
  }
  const Value once = kept_for(checker, node.targets, checker.value(*node.value), stmt.range);
  for (const ast::ExprPtr& target : node.targets) assign(checker, *target, once, stmt.range);
}

void check(FunctionChecker& checker, const ast::AnnotatedAssign& node, const ast::Stmt& stmt) {
  if (!node.target->as<ast::Name>()) {
    checker.report(node.target->range, DiagnosticId::AssignmentTarget).note("only a variable can be annotated");
    return;
  }
  if (node.value) assign(checker, *node.target, checker.value(*node.value), stmt.range);
}

void check(FunctionChecker& checker, const ast::AugmentedAssign& node, const ast::Stmt& stmt) {
  if (node.target->as<ast::Tuple>() || node.target->as<ast::List>()) {
    checker.report(node.target->range, DiagnosticId::AssignmentTarget)
        .note("`+=` and its kin change one variable or element");
    return;
  }
  const auto* attribute = node.target->as<ast::Attribute>();
  const bool is_subscript = node.target->as<ast::Subscript>() || (attribute && is_place_target(*attribute));
  Value old = is_subscript ? place(checker, *node.target) : checker.value(*node.target);
  const bool is_element = is_subscript && old.known() && !old.is_array();
  if (is_element) old = stable_element(checker, old);
  if (is_subscript && old.is_array()) old = stable_part(checker, old);
  const Value operand = checker.value(*node.value);
  if (old.is_array()) return store_array(checker, old, operand, node.op, stmt.range);
  const Value result = binary(checker, node.op, old, operand, stmt.range);
  if (!is_element) return assign(checker, *node.target, result, stmt.range);
  if (result.known()) store(checker, old, result, stmt.range);
}

void check(FunctionChecker& checker, const ast::If& node, const ast::Stmt& stmt) {
  checked::If result;
  result.condition = condition(checker, *node.condition);
  if (const auto* constant = result.condition ? result.condition->as<checked::Constant>() : nullptr) {
    // The other side is left out, whatever stands there.
    for (const checked::Stmt* chosen : suite(checker, constant->bits != 0 ? node.then : node.otherwise))
      if (checker.suite) checker.suite->push_back(chosen);
    return;
  }
  const FlowState before = checker.flow;
  result.then = suite(checker, node.then);
  FlowState after_then = std::move(checker.flow);
  checker.flow = before;
  result.otherwise = suite(checker, node.otherwise);
  FlowState after = std::move(checker.flow);
  checker.flow = before;
  if (result.condition) append(checker, std::move(result), stmt.range);
  after.meet(after_then);
  checker.flow = std::move(after);
}

void check(FunctionChecker& checker, const ast::Break&, const ast::Stmt& stmt) {
  if (checker.loops.empty()) return;  // the parser has reported it
  append(checker, checked::Break{}, stmt.range);
  checker.loops.back().on_break.meet(checker.flow);
  checker.flow.is_reachable = false;
}

void check(FunctionChecker& checker, const ast::Continue&, const ast::Stmt& stmt) {
  if (checker.loops.empty()) return;  // the parser has reported it
  append(checker, checked::Continue{}, stmt.range);
  checker.loops.back().on_continue.meet(checker.flow);
  checker.flow.is_reachable = false;
}

void check(FunctionChecker&, const ast::Pass&, const ast::Stmt&) {}

/// Local memory of a function ends with it; that of its caller, which a parameter stands for, does not.
bool outlives_function(const FunctionChecker& checker, const Value& value) {
  if (value.is_tuple())
    return std::ranges::all_of(value.elements,
                               [&](const Value& element) { return outlives_function(checker, element); });
  if (!value.is_array() || value.type()->space != ir::AddressSpace::Local) return true;
  const Expr& array = origin(checker, *value.expr);
  return array.as<checked::VariableRef>() && is_own_memory(checker, array);
}

const checked::Expr* convert_result(FunctionChecker& checker, const Value& given, const InferredType& wanted,
                                    SourceRange range) {
  InferredType joined = wanted;
  const bool is_stated = checker.function->result_type.has_value();
  if (!is_stated &&
      (!join_into(joined, inferred_type(given), *checker.rules, checker.types) || joined.type != wanted.type)) {
    checker.report(range, DiagnosticId::ReturnTypes, checked::to_string(wanted.type), describe(given))
        .note("annotate the result, `-> f32`, or convert the values");
    return nullptr;
  }
  return convert_to(checker, given, wanted, range).expr;
}

void check(FunctionChecker& checker, const ast::Return& node, const ast::Stmt& stmt) {
  const bool gives_value = node.value && !node.value->as<ast::NoneLiteral>();
  checked::Return result{nullptr};
  const InferredType& wanted = checker.specialization->result;
  if (checker.output->is_kernel) {
    const bool is_told = checker.function->def->returns && !checker.function->def->returns->as<ast::NoneLiteral>();
    if (gives_value && !is_told)
      checker.report(node.value->range, DiagnosticId::KernelReturnsValue)
          .note("write results to an array: `out[i] = …`");
  } else if (gives_value) {
    const Value given = checker.value(*node.value);
    if (given.known() && !outlives_function(checker, given))
      checker.report(node.value->range, DiagnosticId::ReturnsLocalArray)
          .note("make the array in the caller, and pass it");
    else if (given.known() && wanted.known && !wanted.type.is_none())
      result.value = convert_result(checker, given, wanted, node.value->range);
    else if (given.known() && given.type().is_none())
      append(checker, checked::Evaluate{given.expr}, stmt.range);
    else if (given.known() && wanted.known)
      checker.report(node.value->range, DiagnosticId::ReturnTypes, "None", describe(given));
  } else if (wanted.known && !wanted.type.is_none()) {
    checker.report(stmt.range, DiagnosticId::ReturnTypes, checked::to_string(wanted.type), "None")
        .note("return a value on every path");
  }
  append(checker, std::move(result), stmt.range);
  checker.flow.is_reachable = false;
}

// ---- what a fault says ----

/// Text with the places of values in it, "{0}" and so on (abi::FaultRecord).
struct FaultMessage {
  std::string text;
  std::vector<const Expr*> values;
};

/// The place of a number that the device reports, which is a float's bits where it is one.
void add_value(FunctionChecker& checker, const Value& value, FaultMessage& message) {
  if (message.values.size() == abi::kFaultValues) {
    unsupported(checker, value.range(), "a message of more than nine numbers", "`print` the others before it");
    return;
  }
  message.text += '{' + std::to_string(message.values.size());
  if (is_float(value.scalar())) message.text += value.scalar() == ScalarType::F64 ? 'd' : 'f';
  if (value.scalar() == ScalarType::Bool) message.text += 'b';
  if (value.scalar() == ScalarType::U64) message.text += 'u';
  message.text += '}';
  message.values.push_back(value.expr);
}

/// Text that is spelled out, a number, or an f-string of these. QUOTED: as Python shows it within a tuple.
void add_to_message(FunctionChecker& checker, const ast::Expr& node, FaultMessage& message, bool quoted = false) {
  const auto* formatted = node.as<ast::FormattedString>();
  if (formatted && std::ranges::none_of(formatted->formats, [](const ast::ExprPtr& format) { return bool(format); })) {
    message.text += literal(formatted->parts.front());
    for (std::size_t i = 0; i < formatted->values.size(); ++i) {
      const char conversion = formatted->conversions[i];
      add_to_message(checker, *formatted->values[i], message, conversion == 'r' || conversion == 'a');
      message.text += literal(formatted->parts[i + 1]);
    }
    return;
  }
  if (!formatted) {
    const Entity given = checker.entity(node);
    if (const auto* text = std::get_if<TextRef>(&given)) {
      message.text += literal(quoted ? '\'' + text->text + '\'' : text->text);
      return;
    }
    const auto* value = std::get_if<Value>(&given);
    if (std::holds_alternative<Unknown>(given) || (value && !value->known())) return;
    if (value && value->is_scalar() && !value->type().is_static()) return add_value(checker, *value, message);
  }
  unsupported(
      checker, node.range, "a message that is neither text nor a number",
      "write the text in quotes, numbers behind it or in an f-string without formats; print the rest before it");
}

/// Several as Python shows an exception's.
void add_arguments(FunctionChecker& checker, const std::vector<ast::ExprPtr>& arguments, FaultMessage& message) {
  if (arguments.size() == 1) return add_to_message(checker, *arguments.front(), message);
  message.text += '(';
  for (const ast::ExprPtr& argument : arguments) {
    if (&argument != &arguments.front()) message.text += ", ";
    add_to_message(checker, *argument, message, true);
  }
  message.text += ')';
}

void check(FunctionChecker& checker, const ast::Assert& node, const ast::Stmt& stmt) {
  const Expr* test = condition(checker, *node.condition);
  FaultMessage message{"assert failed: " + literal(checker.scope.file().text(node.condition->range)), {}};
  if (node.message) {
    message.text += ": ";
    add_to_message(checker, *node.message, message);
  }
  if (!test || !checker.module.options.asserts) return;
  append_check(checker, test, std::move(message.text), std::move(message.values), stmt.range);
}

/// One of Python's exceptions, or a class made of one; what modules that host code uses have cannot be known.
void check_exception(FunctionChecker& checker, const ast::Expr& name) {
  const auto* plain = name.as<ast::Name>();
  if (name.as<ast::Attribute>()) return;
  const Binding* bound = plain ? checker.scope.find(plain->id) : nullptr;
  if (const auto* made = bound ? std::get_if<ClassDecl*>(bound) : nullptr) {
    ClassDecl& decl = **made;
    if (!read_class(checker.module, decl) || decl.kind == ClassDecl::Kind::Exception) return;
    if (decl.kind == ClassDecl::Kind::Unusable && !decl.def->bases.empty()) return;
    checker.report(name.range, DiagnosticId::RaisesNoException)
        .note("make the class of one: " + as_code("class " + decl.name + "(Exception):"));
    return;
  }
  const Entity given = checker.entity(name);
  const auto* function = std::get_if<LanguageFunctionRef>(&given);
  if (std::holds_alternative<Unknown>(given) || (function && function->id == LanguageFunction::Exception)) return;
  checker.report(name.range, DiagnosticId::RaisesNoException)
      .note("this is " + describe(given) + ": " + as_code("raise ValueError(…)"));
}

void check(FunctionChecker& checker, const ast::Raise& node, const ast::Stmt& stmt) {
  FaultMessage message{"raised", {}};
  if (node.exception) {
    const auto* call = node.exception->as<ast::Call>();
    const ast::Expr& name = call ? *call->function : *node.exception;
    check_exception(checker, name);
    message.text = checker.scope.file().text(name.range);
    if (call && !call->arguments.empty()) {
      message.text += ": ";
      add_arguments(checker, call->arguments, message);
    }
  }
  append_check(checker, nullptr, std::move(message.text), std::move(message.values), stmt.range);
  checker.flow.is_reachable = false;
}

/// The name stands for the function from here on; where it is used, closure() says with which variables.
void check(FunctionChecker& checker, const ast::FunctionDef& node, const ast::Stmt&) {
  const std::optional<int> index = local_index(checker, node.name, node.name_range);
  if (!node.decorators.empty())
    unsupported(checker, node.decorators.front()->range, "a decorator inside a function", "leave it out");
  if (!index) return;
  if (!checker.locals[static_cast<std::size_t>(*index)].decl->closure)
    checker.report(node.name_range, DiagnosticId::FunctionRebound, node.name);
  mark_defined(checker, *index);
}

void check(FunctionChecker& checker, const ast::Import&, const ast::Stmt& stmt) {
  unsupported(checker, stmt.range, "`import` inside a function", "import at the top of the file");
}

void check(FunctionChecker& checker, const ast::While& node, const ast::Stmt& stmt) {
  enter_loop(checker, node.body, nullptr);
  checked::While result;
  result.condition = condition(checker, *node.condition);
  const bool is_endless = result.condition && result.condition->as<checked::Constant>() &&
                          result.condition->as<checked::Constant>()->bits != 0;
  FlowState exhausted = checker.flow;
  if (is_endless) exhausted.is_reachable = false;
  const FlowState before = checker.flow;
  result.body = suite(checker, node.body);
  leave_loop(checker, std::move(exhausted), node.otherwise, result.otherwise);
  const FlowState after = std::exchange(checker.flow, before);
  if (result.condition) append(checker, std::move(result), stmt.range);
  checker.flow = after;
}

void statement(FunctionChecker& checker, const ast::Stmt& stmt) {
  stand_at(checker.scope.file(), stmt.range);
  ++checker.module.depth;
  if (checker.module.depth > kDeepest) {
    checker.report(stmt.range, DiagnosticId::NestedTooDeeply);
  } else {
    std::visit([&](const auto& node) { check(checker, node, stmt); }, stmt.node);
  }
  --checker.module.depth;
}

/// Whether a float is a whole number as `%g` writes it, so that it must be told from an integer: `1.0`.
const checked::Expr* lacks_point(FunctionChecker& checker, const Value& number) {
  const int digits = number.scalar() == ScalarType::F64 ? 15 : 6;
  const SourceRange range = number.range();
  const Value as_double = TreeBuilder::strong(checker.tree.cast(number.expr, ScalarType::F64));
  const Value limit = TreeBuilder::strong(checker.tree.real(std::pow(10.0, digits), ScalarType::F64, range));
  const Binding* function = checker.module.scope_of(kPrintingModule)->find("prints_as_whole");
  return call_specialized(checker, *std::get<FunctionDecl*>(*function), {as_double, limit}, range).expr;
}

void print_value(FunctionChecker& checker, const Value& value, std::vector<checked::Print::Piece>& pieces) {
  const Value once = stored_once(checker, value, value.range());
  const bool has_six_decimals = checker.function->dialect == Dialect::Numba;
  if (value.is_scalar()) {
    pieces.push_back({.value = once.expr, .has_six_decimals = has_six_decimals && is_float(value.scalar())});
    if (is_float(value.scalar()) && !has_six_decimals)
      pieces.push_back({"", lacks_point(checker, once), checked::Print::Piece::Form::Point});
    return;
  }
  const std::vector<Value> elements = take_apart(checker, once);
  if (value.is_complex()) {
    pieces.insert(pieces.end(), {{"(", nullptr},
                                 {.value = elements[0].expr, .has_six_decimals = has_six_decimals},
                                 {"", elements[1].expr, checked::Print::Piece::Form::Signed, has_six_decimals},
                                 {"j)", nullptr}});
    return;
  }
  pieces.push_back({(value.is_record() ? value.type()->record->name : "") + "(", nullptr});
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) pieces.push_back({", ", nullptr});
    if (value.is_record()) pieces.push_back({value.type()->record->fields[i].name + "=", nullptr});
    print_value(checker, elements[i], pieces);
  }
  pieces.push_back({value.is_tuple() && elements.size() == 1 ? ",)" : ")", nullptr});
}

// ---- print ----
void print(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  std::string separator = " ";
  for (const ast::Keyword& keyword : call.keywords) {
    const Entity given = checker.entity(*keyword.value);
    const auto* text = std::get_if<TextRef>(&given);
    if (keyword.name == "sep" && text) {
      separator = text->text;
    } else if (!(keyword.name == "end" && text && text->text == "\n")) {
      checker.report(keyword.name_range, DiagnosticId::UnknownKeyword, "`print`", keyword.name)
          .note("in a kernel `print` takes `sep=\"…\"`, and always ends the line");
    }
  }
  checked::Print result;
  for (const ast::ExprPtr& argument : call.arguments) {
    if (&argument != &call.arguments.front()) result.pieces.push_back({separator, nullptr});
    Entity given = checker.entity(*argument);
    if (const auto* text = std::get_if<TextRef>(&given)) {
      result.pieces.push_back({text->text, nullptr});
      continue;
    }
    const Value value = std::holds_alternative<NoneRef>(given) ? Value{} : to_value(checker, given, argument->range);
    if (std::holds_alternative<NoneRef>(given)) result.pieces.push_back({"None", nullptr});
    if (value.known() && value.type().is_static()) {
      report_not_a_value(checker, given, argument->range);
    } else if (value.known() && value.is_array()) {
      checker.report(argument->range, DiagnosticId::NotAScalar, "`print`", describe(value))
          .note("print its elements in a loop");
    } else if (value.known() && value.is_text()) {
      unsupported(checker, argument->range, "`print` of text that is not spelled out there",
                  "print what it stands for, or its index");
    } else if (value.known()) {
      print_value(checker, value, result.pieces);
    }
  }
  append(checker, std::move(result), range);
}

}  // namespace

void append(FunctionChecker& checker, decltype(checked::Stmt::node) node, SourceRange range) {
  if (!checker.flow.is_reachable || !checker.suite) return;  // nothing runs it
  checked::Stmt& stmt = checker.module.output.stmts.emplace_back();
  stmt.range = range;
  stmt.node = std::move(node);
  checker.suite->push_back(&stmt);
}

checked::Suite suite(FunctionChecker& checker, const ast::Suite& statements) {
  checked::Suite result;
  checked::Suite* const outer = checker.suite;
  checker.suite = &result;
  for (const ast::StmtPtr& stmt : statements) {
    const bool was_reachable = checker.flow.is_reachable;
    statement(checker, *stmt);
    // Where the side that a constant chose leaves, what follows belongs to the other side.
    const bool is_choice = stmt->as<ast::If>() && !(!result.empty() && result.back()->as<checked::If>());
    if (is_choice && was_reachable && !checker.flow.is_reachable) break;
  }
  checker.suite = outer;
  return result;
}

void check(FunctionChecker& checker, const ast::ExprStmt& node, const ast::Stmt& stmt) {
  if (node.value->as<ast::StringLiteral>() || node.value->as<ast::EllipsisLiteral>())
    return;  // a comment in quotes, or pass
  const auto* call = node.value->as<ast::Call>();
  const auto* method = call ? call->function->as<ast::Attribute>() : nullptr;
  if (call && !(method && method->name == "sync")) {  // a group's method is no entity by itself
    const Entity callee = opened(checker, checker.entity(*call->function));
    const auto* named = std::get_if<LanguageFunctionRef>(&callee);
    const auto* ufunc = std::get_if<UfuncRef>(&callee);
    if (ufunc && store_ufunc(checker, *ufunc->row, *call, stmt.range)) return;
    if (named && named->id == LanguageFunction::Print) return print(checker, *call, stmt.range);
    if (named && named->id == LanguageFunction::StaticAssert) return static_assert_(checker, *call, stmt.range);
  }
  const int errors = checker.module.diagnostics(false).error_count();
  const Entity result = checker.entity(*node.value);
  const Value value = std::holds_alternative<Value>(result) ? std::get<Value>(result) : Value{};
  if (!value.known()) {
    // A function without a result gives no value, and needs none here.
    if (checker.module.diagnostics(false).error_count() == errors)
      report_not_a_value(checker, result, node.value->range);
    return;
  }
  const bool does_nothing = !call;
  if (does_nothing && checker.module.options.warnings) {
    auto warning = checker.report(stmt.range, DiagnosticId::UnusedResult);
    const auto* compare = node.value->as<ast::Compare>();
    if (compare && compare->ops.front() == ast::CompareOp::Eq) warning.note("to assign, write `=`");
    const auto* sign = node.value->as<ast::Unary>();
    const auto* twice = sign ? sign->operand->as<ast::Unary>() : nullptr;
    if (twice && twice->op == sign->op && (sign->op == ast::UnaryOp::Plus || sign->op == ast::UnaryOp::Negate))
      warning.note(sign->op == ast::UnaryOp::Plus ? "to add, write `+= 1` behind the name"
                                                  : "to subtract, write `-= 1` behind the name");
  }
  append(checker, checked::Evaluate{value.expr}, stmt.range);
}

int add_fault(FunctionChecker& checker, std::string message, SourceRange range) {
  const SourceFile::LineColumn place = checker.scope.file().line_column(range.begin);
  return add_fault(checker.module, {std::move(message), checker.scope.file().name(), place.line, place.column});
}

void check(FunctionChecker& checker, const ast::With&, const ast::Stmt& stmt) {
  unsupported(checker, stmt.range, "`with`", "a kernel holds no resources: leave it out");
}

void check(FunctionChecker& checker, const ast::ClassDef& node, const ast::Stmt&) {
  unsupported(checker, node.name_range, "a class", "use arrays, scalars and tuples");
}

void check(FunctionChecker& checker, const ast::UnsupportedStmt& node, const ast::Stmt& stmt) {
  if (node.what.empty()) return;  // a syntax error
  const bool assigns = std::ranges::any_of(
      node.names, [&](const std::string& name) { return local_index(checker, name, stmt.range).has_value(); });
  if (node.what == "`global`" && !assigns) return;
  static constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
      {"`try`", "nothing can be caught in a kernel: test with `if`, or `assert`"},
      {"`global`", "threads share what lies in arrays: pass one, and change its element: `atomic.add(counter, 0, 1)`"},
      {"`nonlocal`", "a function inside a function reads the variables around it; return what is new"},
      {"`del`", "a variable ends with its function"},
  };
  const auto* row = std::ranges::find(kInstead, node.what, &std::pair<std::string_view, std::string_view>::first);
  unsupported(checker, stmt.range, node.what,
              row == std::end(kInstead) ? "use assignments, `if` and loops" : row->second);
  if (!checker.output) return;                // only the names of a generic function are checked: nothing flows
  for (const std::string& name : node.names)  // what follows from it is no second mistake
    if (const std::optional<int> local = local_index(checker, name, stmt.range)) {
      checker.flow.definite.insert(*local);
      checker.flow.possible.insert(*local);
    }
}

// ---- assignments as statements of the tree: statements/assign.cpp decides, these append ----
void store(FunctionChecker& checker, const Value& element, const Value& value, SourceRange range) {
  const Value converted = convert_to(checker, value, InferredType::of(element.type()), range);
  if (converted.known()) append(checker, checked::StoreElement{element.expr, converted.expr}, range);
}

std::string literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '{' ? 2 : 1, c);
  return escaped;
}

void append_check(FunctionChecker& checker, const Expr* condition, std::string message, std::vector<const Expr*> values,
                  SourceRange range) {
  append(checker, checked::Check{condition, add_fault(checker, std::move(message), range), std::move(values)}, range);
}

// ---- loops ----

/// A loop of so many turns, still without a body.
checked::ForRange counted_loop(FunctionChecker& checker, const Value& count, SourceRange range) {
  const auto number = [&](Int128 value) { return checker.tree.integer(value, ScalarType::I64, range); };
  const checked::Variable* counter = temporary(checker, checked::Type::of(ScalarType::I64), range);
  return {counter, number(0), checker.tree.convert(count, ScalarType::I64), number(1), {}, {}};
}

}  // namespace pykc::checker
