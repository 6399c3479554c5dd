// What names and attributes stand for: variables first, then the module, then its star imports, then the prelude.
#include "frontend/check/names/resolve.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "frontend/check/arrays/array.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/class.h"
#include "frontend/check/specialize.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"
#include "frontend/check/types/generic.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

/// Whether anybody reads what is said beside an error.
bool is_told(const FunctionChecker& checker) { return !checker.is_trial && !checker.module.told.is_full(); }

/// What the name is called here, or else the name that is spelled most like it.
void suggest(const FunctionChecker& checker, Diagnostics::Builder diagnostic, std::string_view name,
             const std::vector<std::string_view>& known) {
  if (!is_told(checker)) return;
  const Advice advice = foreign_name(name, name_table());
  if (!advice.note.empty()) diagnostic.note(advice.note);
  if (!advice.write.empty()) diagnostic.fix(advice.write);
  if (advice.is_empty()) diagnostic.did_you_mean(nearest(name, known));
}

std::vector<std::string_view> visible_names(const FunctionChecker& checker) {
  if (!is_told(checker)) return {};
  std::vector<std::string_view> names = checker.scope.names();
  for (const Local& local : checker.locals) names.push_back(local.decl->name);
  for (const std::string_view name : name_table().names_in("")) names.push_back(name);
  for (const std::string& prefix : checker.scope.star_imports())
    for (const std::string_view name : name_table().names_in(prefix)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<SourceRange> assigned_in(const ast::Expr& target, std::string_view name) {
  const auto* one = target.as<ast::Name>();
  if (one && one->id == name) return target.range;
  std::optional<SourceRange> found;
  if (target.as<ast::Tuple>() || target.as<ast::List>())
    ast::for_each_child(target, [&](const ast::Expr& part) { found = found ? found : assigned_in(part, name); });
  return found;
}

/// Where a statement assigns or defines the name, itself or in its suites.
std::optional<SourceRange> bound_in(const ast::Stmt& stmt, std::string_view name) {
  std::optional<SourceRange> found;
  if (const auto* function = stmt.as<ast::FunctionDef>(); function && function->name == name)
    return function->name_range;
  if (const auto* type = stmt.as<ast::ClassDef>(); type && type->name == name) return type->name_range;
  if (const auto* assign = stmt.as<ast::Assign>())
    for (const ast::ExprPtr& target : assign->targets) found = found ? found : assigned_in(*target, name);
  if (const auto* annotated = stmt.as<ast::AnnotatedAssign>(); annotated && annotated->value)
    found = assigned_in(*annotated->target, name);
  if (const auto* loop = stmt.as<ast::For>()) found = assigned_in(*loop->target, name);
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { found = found ? found : bound_in(child, name); });
  return found;
}

void report_unknown(FunctionChecker& checker, std::string_view name, SourceRange range) {
  auto diagnostic = checker.report(range, DiagnosticId::UnknownName, name);
  std::optional<SourceRange> place;
  if (is_told(checker))
    for (const ast::StmtPtr& stmt : checker.scope.module().body)
      if (!place && !stmt->as<ast::Assign>()) place = bound_in(*stmt, name);
  if (!place) return suggest(checker, std::move(diagnostic), name, visible_names(checker));
  diagnostic.label(checker.scope.file(), *place, "only here, within an `if` or a loop")
      .note(
          "kernels know what a module assigns and defines at its top level; a choice is an expression there: "
          "`N = 16 if SMALL else 32`");
}

Entity of_entry(FunctionChecker& checker, const NameEntry& entry, SourceRange range) {
  if (const auto* builtin = std::get_if<BuiltinId>(&entry)) return BuiltinRef{*builtin};
  if (const auto* typed = std::get_if<TypedBuiltin>(&entry)) return BuiltinRef{typed->id, typed->type};
  if (const auto* function = std::get_if<LibdeviceFunction>(&entry))
    return FunctionRef{*std::get_if<FunctionDecl*>(checker.module.scope_of(kLibdeviceModule)->find(function->name))};
  if (const auto* named = std::get_if<LanguageFunction>(&entry)) return LanguageFunctionRef{*named};
  if (const auto* ufunc = std::get_if<const Ufunc*>(&entry)) return UfuncRef{*ufunc};
  if (const auto* reduction = std::get_if<const Reduction*>(&entry)) return ReductionRef{*reduction};
  if (const auto* type = std::get_if<ElementType>(&entry)) {
    if (type->is(ScalarType::F64) && checker.specialization) checker.specialization->mentions_double = true;
    return TypeRef{*type};
  }
  if (const auto* number = std::get_if<double>(&entry)) return checker.tree.weak_real(*number, range);
  if (const auto* module = std::get_if<LibraryModule>(&entry))
    return NamespaceRef{"", checker.module.scope_of(module->name), std::string(module->name)};
  return NamespaceRef{std::get_if<Prefix>(&entry)->path, nullptr};
}

/// What stands before the dot of an attribute: "`cuda`" of `cuda.syncthread`.
std::string owner_in_text(const SourceFile& file, SourceRange attribute) {
  const std::string_view before = file.text({0, attribute.begin});
  if (!before.ends_with('.')) return "the prelude";
  std::size_t begin = before.size() - 1;
  const auto is_part = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  while (begin > 0 && is_part(before[begin - 1])) --begin;
  return as_code(before.substr(begin, before.size() - 1 - begin));
}

/// A value that a name stands for, as if it were written where the name is.
Value placed(FunctionChecker& checker, const Value& value, SourceRange range) {
  if (!value.known()) return {};
  return {checker.tree.make(value.type(), range, value.expr->node), value.weak, value.elements};
}

bool has_no_zero(checked::Type type) {
  return type.is_array() || type.is_static() || std::any_of(type->elements.begin(), type->elements.end(), has_no_zero);
}

void report_unassigned(FunctionChecker& checker, Local& local, SourceRange range) {
  const auto index = static_cast<int>(&local - checker.locals.data());
  if (!checker.flow.possible.contains(index)) {
    auto diagnostic = checker.report(range, DiagnosticId::UsedBeforeAssigned, local.decl->name);
    diagnostic.label(checker.scope.file(), local.decl->range,
                     "assigned here, which makes it a variable of the function");
    checker.flow.definite.insert(index);  // once is enough
    checker.flow.possible.insert(index);
    return;
  }
  if (local.decl->closure || has_no_zero(local.type.type)) {
    checker.report(range, DiagnosticId::MaybeUnassignedArray, local.decl->name)
        .label(checker.scope.file(), local.decl->range, "assigned here, on some paths only");
    return;
  }
  if (!local.needs_zero && checker.module.options.warnings) {
    checker.report(range, DiagnosticId::MaybeUnassigned, local.decl->name)
        .label(checker.scope.file(), local.decl->range, "assigned here, on some paths only")
        .note("where no path has assigned it, it is 0");
  }
  local.needs_zero = true;
}

bool is_constant_value(const checked::Expr& expr) {
  if (const auto* tuple = expr.as<checked::TupleExpr>())
    return std::all_of(tuple->elements.begin(), tuple->elements.end(),
                       [](const checked::Expr* element) { return is_constant_value(*element); });
  return expr.as<checked::Constant>() || expr.as<checked::ConstantArrayRef>();
}

}  // namespace

std::optional<int> local_index(const FunctionChecker& checker, std::string_view name, SourceRange at) {
  return checker.function ? checker.function->locals.find(name, at) : std::nullopt;
}

Entity resolve(FunctionChecker& checker, std::string_view name, SourceRange range) {
  if (const std::optional<int> local = local_index(checker, name, range)) return read_local(checker, *local, range);
  if (const Binding* binding = checker.scope.find(name)) return of_binding(checker, *binding, name, range);
  for (const std::string& prefix : checker.scope.star_imports())
    if (const NameEntry* entry = name_table().find(prefix, name)) return of_entry(checker, *entry, range);
  if (const NameEntry* entry = name_table().find("", name)) return of_entry(checker, *entry, range);
  report_unknown(checker, name, range);
  return Unknown{};
}

Entity of_binding(FunctionChecker& checker, const Binding& binding, std::string_view name, SourceRange range) {
  if (const auto* function = std::get_if<FunctionDecl*>(&binding)) return FunctionRef{*function};
  if (const auto* space = std::get_if<NamespaceRef>(&binding)) return *space;
  if (const auto* entry = std::get_if<NameEntry>(&binding)) return of_entry(checker, *entry, range);
  if (const auto* type = std::get_if<ClassDecl*>(&binding)) return of_class(checker, **type, range);
  if (const auto* unusable = std::get_if<UnusableDecl>(&binding)) {
    auto diagnostic =
        checker.report(range, DiagnosticId::UnsupportedInKernel, as_code(name) + ", " + unusable->what + ",");
    const Advice advice = foreign_name(name, name_table());
    if (advice.write.empty() && !advice.note.empty())
      diagnostic.note(advice.note);
    else if (!unusable->near.empty())
      diagnostic.note("did you mean " + as_code(unusable->near) + "?");
    return Unknown{};
  }
  ConstantDecl& constant = **std::get_if<ConstantDecl*>(&binding);
  if (constant.assigned_again) {
    checker.report(range, DiagnosticId::ConstantAssignedTwice, name)
        .label(constant.assigned_again->scope->file(), constant.assigned_again->range, "assigned again here")
        .note("give each constant a name of its own, or pass the value to the kernel");
    return Unknown{};
  }
  Entity entity = checker::constant(checker.module, constant);
  if (auto* value = std::get_if<Value>(&entity); value && value->is_scalar() && value->is_constant()) {
    value->expr =
        checker.tree.bits(value->scalar(), value->expr->as<checked::Constant>()->bits, range);  // placed where used
  }
  return entity;
}

Entity member(FunctionChecker& checker, const NamespaceRef& space, const ast::Attribute& attribute) {
  const std::string_view name = attribute.name;
  const SourceRange range = attribute.name_range;
  if (!space.path.empty()) {
    const std::string path = space.path + "." + std::string(name);
    if (const Scope* submodule = checker.module.scope_of(path)) return NamespaceRef{"", submodule, path};
  }
  if (space.module) {
    if (const Binding* binding = space.module->find(name)) return of_binding(checker, *binding, name, range);
    const std::string_view module = checker.scope.file().text(attribute.value->range);  // as it is called here
    suggest_member(checker.report(range, DiagnosticId::UnknownAttribute, "module " + as_code(module), name), name,
                   space.module->names());
    return Unknown{};
  }
  const NameEntry* entry = name_table().find(space.prefix, name);
  if (!entry && space.prefix.empty()) entry = name_table().find("numba.cuda", name);  // and no name of the prelude
  const auto* named = entry ? std::get_if<LanguageFunction>(entry) : nullptr;
  const bool is_for_modules = named && info(*named).kind == LanguageFunctionKind::ModuleFunction;
  if (entry && !(checker.function && is_for_modules)) return of_entry(checker, *entry, range);
  const std::string& owner_name = space.path.empty() ? space.prefix : space.path;
  if (const std::string_view note = space.prefix == "numpy" ? host_only_numpy(name) : ""; !note.empty()) {
    checker
        .report(range, DiagnosticId::UnsupportedInKernel,
                as_code("np." + std::string(name)) + ", which works on whole arrays,")
        .note(std::string(note));
    return Unknown{};
  }
  const std::string owner = owner_name.empty() ? owner_in_text(checker.scope.file(), range) : as_code(owner_name);
  const auto known = is_told(checker) ? name_table().names_in(space.prefix) : std::vector<std::string_view>();
  auto diagnostic = checker.report(range, DiagnosticId::UnknownAttribute, owner, name);
  if (space.prefix.empty())
    suggest(checker, diagnostic, name, known);
  else
    suggest_member(diagnostic, name, known);
  return Unknown{};
}

Entity read_local(FunctionChecker& checker, int index, SourceRange range) {
  Local& local = checker.locals[static_cast<std::size_t>(index)];
  const auto read_now = [&](const Value& value) {
    const Value read = as_of_now(checker, placed(checker, value, range), range);
    return read.known() ? Entity(read) : Entity(Unknown{});
  };
  if (local.bound) return read_now(*local.bound);
  if (checker.is_trial) {
    const bool is_noted = checker.site < 0 || (!local.readers.empty() && local.readers.back() == checker.site);
    if (!is_noted) local.readers.push_back(checker.site);
    if (!local.type.known && !local.decl->closure) return Unknown{};
  } else if (checker.flow.is_reachable && !checker.flow.definite.contains(index)) {
    report_unassigned(checker, local, range);
    if (!checker.flow.possible.contains(index)) return Unknown{};
  }
  if (local.decl->closure) {
    const Value function = closure(checker, *local.decl->closure, range);
    return function.known() ? Entity(function) : Entity(Unknown{});
  }
  if (!local.type.known) return Unknown{};  // its assignments are wrong, and have been reported
  if (local.alias) return read_now(TreeBuilder::strong(local.alias));
  const bool is_element = checker.specialization->record_references.contains(index);
  const checked::Variable* variable = checker.is_trial ? nullptr : variable_of(checker, local);
  const Expr* expr = checker.tree.make(local.type.type, range, checked::VariableRef{variable});
  if (is_element) return referenced(checker, TreeBuilder::strong(expr), range);
  const bool is_reference = local.decl->is_parameter && expr->type.is_array() && expr->type->array.rank() == 0 &&
                            expr->type->array.element.is_record();
  if (is_reference && changes_parameter(checker.module, *checker.function, static_cast<std::size_t>(index)))
    return referenced(checker, TreeBuilder::strong(expr), range);
  return Value{expr, weakness(local.type), {}};
}

/// The value of a module's `NAME = …`.
Entity module_constant(FunctionChecker& checker, const ConstantDecl& constant) {
  if (is_host_constant(checker, constant)) return host_constant(checker, constant, *constant.value->as<ast::Call>());
  Entity result = checker.entity(*constant.value);
  for (const int index : constant.path) {
    const auto* tuple = std::get_if<Value>(&result);
    const bool has_element = tuple && tuple->is_tuple() && index < static_cast<int>(tuple->type()->elements.size());
    if (!has_element) {
      if (!std::holds_alternative<Unknown>(result))
        checker.report(constant.range, DiagnosticId::NotConstant, as_code(constant.name));
      return Unknown{};
    }
    Value element = take_apart(checker, *tuple)[static_cast<std::size_t>(index)];
    result = std::move(element);
  }
  const auto* value = std::get_if<Value>(&result);
  if (!value || !value->known()) return value ? Entity(Unknown{}) : result;
  if (!is_constant_value(*value->expr)) {
    checker.report(constant.value->range, DiagnosticId::NotConstant, as_code(constant.name) + ", which a kernel uses,");
    return Unknown{};
  }
  if (!constant.annotation) return result;
  const std::optional<checked::Type> stated = annotation(checker, *constant.annotation);
  if (!stated) return Unknown{};
  return convert_to(checker, *value, InferredType::of(*stated), constant.value->range);
}

Value extent(FunctionChecker& checker, const Value& array, int dimension, SourceRange range) {
  const std::int64_t known = array.type()->array.extents[static_cast<std::size_t>(dimension)];
  if (known != ArrayType::kDynamic) return checker.tree.weak_integer(known, range);
  require_length(checker, array, range);
  return TreeBuilder::strong(checker.tree.scalar(ScalarType::I64, range, checked::Extent{array.expr, dimension}));
}

}  // namespace pykc::checker
