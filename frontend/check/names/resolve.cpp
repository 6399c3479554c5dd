// What names and attributes stand for: variables first, then the module, then its star imports, then the prelude.
#include <algorithm>
#include <cctype>

#include "frontend/check/function_checker.h"
#include "frontend/check/names/advice.h"

namespace pykc::checker {

std::optional<int> Body::local_index(std::string_view name, SourceRange at) const {
  return function_ ? function_->locals.find(name, at) : std::nullopt;
}

Entity Body::resolve(std::string_view name, SourceRange range) {
  if (const std::optional<int> local = local_index(name, range)) return read_local(*local, range);
  if (const Binding* binding = scope_.find(name)) return of_binding(*binding, name, range);
  for (const std::string& prefix : scope_.star_imports())
    if (const NameEntry* entry = session_.names().find(prefix, name)) return of_entry(*entry, range);
  if (const NameEntry* entry = session_.names().find("", name)) return of_entry(*entry, range);
  suggest(report(range, DiagnosticId::UnknownName, name), name, visible_names());
  return Unknown{};
}

/// What the name is called here, or else the name that is spelled most like it.
void Body::suggest(Diagnostics::Builder diagnostic, std::string_view name,
                   const std::vector<std::string_view>& known) const {
  if (is_trial_) return;
  const Advice advice = foreign_name(name, session_.names());
  if (!advice.note.empty()) diagnostic.note(advice.note);
  if (!advice.write.empty()) diagnostic.fix(advice.write);
  if (!advice.is_empty()) return;
  if (const std::string_view near = nearest(name, known); !near.empty())
    diagnostic.note("did you mean `" + std::string(near) + "`?").fix(std::string(near));
}

std::vector<std::string_view> Body::visible_names() const {
  if (is_trial_) return {};
  std::vector<std::string_view> names = scope_.names();
  for (const Local& local : locals_) names.push_back(local.decl->name);
  for (const std::string_view name : session_.names().names_in("")) names.push_back(name);
  for (const std::string& prefix : scope_.star_imports())
    for (const std::string_view name : session_.names().names_in(prefix)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Entity Body::of_binding(const Binding& binding, std::string_view name, SourceRange range) {
  if (const auto* function = std::get_if<FunctionDecl*>(&binding)) return FunctionRef{*function};
  if (const auto* space = std::get_if<NamespaceRef>(&binding)) return *space;
  if (const auto* entry = std::get_if<NameEntry>(&binding)) return of_entry(*entry, range);
  if (const auto* type = std::get_if<ClassDecl*>(&binding)) return of_class(**type, range);
  if (const auto* unusable = std::get_if<UnusableDecl>(&binding)) {
    auto diagnostic =
        report(range, DiagnosticId::UnsupportedInKernel, "`" + std::string(name) + "`, " + unusable->what + ",");
    if (!unusable->near.empty()) diagnostic.note("did you mean `" + unusable->near + "`?");
    return Unknown{};
  }
  ConstantDecl& constant = **std::get_if<ConstantDecl*>(&binding);
  if (constant.assigned_again) {
    report(range, DiagnosticId::ConstantAssignedTwice, name)
        .label(constant.assigned_again->scope->file(), constant.assigned_again->range, "assigned again here")
        .note("give each constant a name of its own, or pass the value to the kernel");
    return Unknown{};
  }
  Entity entity = session_.constant(constant);
  if (auto* value = std::get_if<Value>(&entity); value && value->is_scalar() && value->is_constant()) {
    value->expr = tree_.bits(value->scalar(), value->expr->as<checked::Constant>()->bits, range);  // placed where used
  }
  return entity;
}

Entity Body::of_entry(const NameEntry& entry, SourceRange range) {
  if (const auto* builtin = std::get_if<BuiltinId>(&entry)) return BuiltinRef{*builtin};
  if (const auto* typed = std::get_if<TypedBuiltin>(&entry)) return BuiltinRef{typed->id, typed->type};
  if (const auto* function = std::get_if<LibdeviceFunction>(&entry))
    return FunctionRef{*std::get_if<FunctionDecl*>(session_.scope_of(kLibdeviceModule)->find(function->name))};
  if (const auto* special = std::get_if<Special>(&entry)) return SpecialRef{*special};
  if (const auto* ufunc = std::get_if<const Ufunc*>(&entry)) return UfuncRef{*ufunc};
  if (const auto* reduction = std::get_if<const Reduction*>(&entry)) return ReductionRef{*reduction};
  if (const auto* type = std::get_if<ElementType>(&entry)) {
    if (type->is(ScalarType::F64) && specialization_) specialization_->mentions_double = true;
    return TypeRef{*type};
  }
  if (const auto* number = std::get_if<double>(&entry)) return tree_.weak_real(*number, range);
  if (const auto* module = std::get_if<LibraryModule>(&entry))
    return NamespaceRef{"", session_.scope_of(module->name), std::string(module->name)};
  return NamespaceRef{std::get_if<Prefix>(&entry)->path, nullptr};
}

namespace {

/// What stands before the dot of an attribute: "`cuda`" of `cuda.syncthread`.
std::string owner_in_text(const SourceFile& file, SourceRange attribute) {
  const std::string_view before = file.text({0, attribute.begin});
  if (!before.ends_with('.')) return "the prelude";
  std::size_t begin = before.size() - 1;
  const auto is_part = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  while (begin > 0 && is_part(before[begin - 1])) --begin;
  return "`" + std::string(before.substr(begin, before.size() - 1 - begin)) + "`";
}

}  // namespace

Entity Body::member(const NamespaceRef& space, std::string_view name, SourceRange range) {
  if (!space.path.empty()) {
    const std::string path = space.path + "." + std::string(name);
    if (const Scope* submodule = session_.scope_of(path)) return NamespaceRef{"", submodule, path};
  }
  if (space.module) {
    if (const Binding* binding = space.module->find(name)) return of_binding(*binding, name, range);
    suggest_member(report(range, DiagnosticId::UnknownAttribute, "module `" + space.module->name() + "`", name), name,
                   space.module->names());
    return Unknown{};
  }
  const NameEntry* entry = session_.names().find(space.prefix, name);
  const auto* special = entry ? std::get_if<Special>(entry) : nullptr;
  const bool is_for_modules = special && *special >= Special::NumpyZeros && *special <= Special::NumpyEye;
  if (entry && !(function_ && is_for_modules)) return of_entry(*entry, range);
  const std::string& owner_name = space.path.empty() ? space.prefix : space.path;
  if (const std::string_view note = space.prefix == "numpy" ? host_only_numpy(name) : ""; !note.empty()) {
    report(range, DiagnosticId::UnsupportedInKernel, "`np." + std::string(name) + "`, which works on whole arrays,")
        .note(std::string(note));
    return Unknown{};
  }
  const std::string owner = owner_name.empty() ? owner_in_text(scope_.file(), range) : "`" + owner_name + "`";
  const auto known = is_trial_ ? std::vector<std::string_view>() : session_.names().names_in(space.prefix);
  auto diagnostic = report(range, DiagnosticId::UnknownAttribute, owner, name);
  if (space.prefix.empty())
    suggest(diagnostic, name, known);
  else
    suggest_member(diagnostic, name, known);
  return Unknown{};
}

/// The same value, as if it were written there.
Value Body::placed(const Value& value, SourceRange range) {
  if (!value.known()) return {};
  return {tree_.make(value.type(), range, value.expr->node), value.weak, value.elements};
}

Entity Body::read_local(int index, SourceRange range) {
  Local& local = locals_[static_cast<std::size_t>(index)];
  const auto read_now = [&](const Value& value) {
    const Value read = as_of_now(placed(value, range), range);
    return read.known() ? Entity(read) : Entity(Unknown{});
  };
  if (local.bound) return read_now(*local.bound);
  if (is_trial_) {
    const bool is_noted = site_ < 0 || (!local.readers.empty() && local.readers.back() == site_);
    if (!is_noted) local.readers.push_back(site_);
    if (!local.type.known && !local.decl->closure) return Unknown{};
  } else if (flow_.is_reachable && !flow_.definite.contains(index)) {
    report_unassigned(local, range);
    if (!flow_.possible.contains(index)) return Unknown{};
  }
  if (local.decl->closure) {
    const Value function = closure(*local.decl->closure, range);
    return function.known() ? Entity(function) : Entity(Unknown{});
  }
  if (!local.type.known) return Unknown{};  // its assignments are wrong, and have been reported
  if (local.alias) return read_now(TreeBuilder::strong(local.alias));
  const checked::Variable* variable = is_trial_ ? nullptr : variable_of(local);
  const Expr* expr = tree_.make(settled_type(local.type), range, checked::VariableRef{variable});
  const bool is_reference = local.decl->is_parameter && expr->type.is_array() && expr->type.array.rank() == 0 &&
                            expr->type.array.element.is_record();
  if (is_reference && session_.changes_parameter(*function_, static_cast<std::size_t>(index)))
    return Body::index(TreeBuilder::strong(expr), {}, range);
  return Value{expr, weakness(local.type), {}};
}

namespace {

bool has_no_zero(const checked::Type& type) {
  return type.is_array() || type.is_static() || std::any_of(type.elements.begin(), type.elements.end(), has_no_zero);
}

}  // namespace

void Body::report_unassigned(Local& local, SourceRange range) {
  const auto index = static_cast<int>(&local - locals_.data());
  if (!flow_.possible.contains(index)) {
    auto diagnostic = report(range, DiagnosticId::UsedBeforeAssigned, local.decl->name);
    diagnostic.label(scope_.file(), local.decl->range, "assigned here, which makes it a variable of the function");
    flow_.definite.insert(index);  // once is enough
    flow_.possible.insert(index);
    return;
  }
  if (local.decl->closure || has_no_zero(settled_type(local.type))) {
    report(range, DiagnosticId::MaybeUnassignedArray, local.decl->name)
        .label(scope_.file(), local.decl->range, "assigned here, on some paths only");
    return;
  }
  if (!local.needs_zero && session_.options().warnings) {
    report(range, DiagnosticId::MaybeUnassigned, local.decl->name)
        .label(scope_.file(), local.decl->range, "assigned here, on some paths only")
        .note("where no path has assigned it, it is 0");
  }
  local.needs_zero = true;
}

namespace {

bool is_constant_value(const checked::Expr& expr) {
  if (const auto* tuple = expr.as<checked::TupleExpr>())
    return std::all_of(tuple->elements.begin(), tuple->elements.end(),
                       [](const checked::Expr* element) { return is_constant_value(*element); });
  return expr.as<checked::Constant>() || expr.as<checked::ConstantArrayRef>();
}

}  // namespace

/// The value of a module's `NAME = …`.
Entity Body::module_constant(const ConstantDecl& constant) {
  if (is_host_constant(constant)) return host_constant(constant, *constant.value->as<ast::Call>());
  Entity result = entity(*constant.value);
  for (const int index : constant.path) {
    const auto* tuple = std::get_if<Value>(&result);
    const bool has_element = tuple && tuple->is_tuple() && index < static_cast<int>(tuple->type().elements.size());
    if (!has_element) {
      if (!std::holds_alternative<Unknown>(result))
        report(constant.range, DiagnosticId::NotConstant, "`" + constant.name + "`");
      return Unknown{};
    }
    Value element = take_apart(*tuple)[static_cast<std::size_t>(index)];
    result = std::move(element);
  }
  const auto* value = std::get_if<Value>(&result);
  if (!value || !value->known()) return value ? Entity(Unknown{}) : result;
  if (!is_constant_value(*value->expr)) {
    report(constant.value->range, DiagnosticId::NotConstant, "`" + constant.name + "`, which a kernel uses,");
    return Unknown{};
  }
  if (!constant.annotation) return result;
  const std::optional<checked::Type> stated = annotation(*constant.annotation);
  if (!stated) return Unknown{};
  return convert_to(*value, InferredType::of(*stated), constant.value->range);
}

Value Body::extent(const Value& array, int dimension, SourceRange range) {
  const std::int64_t known = array.type().array.extents[static_cast<std::size_t>(dimension)];
  if (known != ArrayType::kDynamic) return tree_.weak_integer(known, range);
  return TreeBuilder::strong(tree_.scalar(ScalarType::I64, range, checked::Extent{array.expr, dimension}));
}

}  // namespace pykc::checker
