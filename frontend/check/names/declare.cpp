// What each module declares: functions with their decorators, constants, imports.
#include "frontend/check/names/declare.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/decorators.h"

namespace pykc::checker {
namespace {

bool is_of_numba(std::string_view module) {
  const std::string_view package = module.substr(0, module.find('.'));
  return package == "numba" || package == "numbapro";  // its name of old
}

/// What Python's `math` has and kernels lack: an import of it is right, and host code may have it.
bool is_of_python_math(std::string_view name) {
  constexpr std::string_view kNames[] = {"comb",    "dist",    "factorial", "fmax",       "fmin", "fsum",
                                         "gcd",     "isqrt",   "lcm",       "perm",       "prod", "ulp",
                                         "signbit", "sumprod", "isnormal",  "issubnormal"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool imports_numba(const ast::Import& import) {
  if (import.is_from) return is_of_numba(import.module);
  return std::any_of(import.names.begin(), import.names.end(),
                     [](const ast::ImportAlias& alias) { return is_of_numba(alias.name); });
}

/// Reports kernels and device functions that share a name. Host functions may: they are bound when their definitions
/// are run.
void report_defined_twice(ModuleChecker& module, const Scope& scope) {
  std::map<std::string_view, const FunctionDecl*> defined;
  for (const FunctionDecl& function : module.functions) {
    const bool is_compiled = function.kind == FunctionDecl::Kind::Kernel || function.kind == FunctionDecl::Kind::Device;
    if (function.scope != &scope || !is_compiled) continue;
    const auto [earlier, is_new] = defined.emplace(function.def->name, &function);
    if (is_new) continue;
    module.told.report(scope.file(), function.def->name_range, DiagnosticId::DefinedTwice, function.def->name)
        .label(scope.file(), earlier->second->def->name_range, "first defined here")
        .note("give one of them another name");
  }
}

void declare_function(ModuleChecker& module, Scope& scope, const ast::FunctionDef& def) {
  FunctionDecl& function = module.functions.emplace_back();
  function.def = &def;
  function.scope = &scope;
  function.dialect = scope.dialect();
  scope.bind(def.name, &function);
}

void declare_target(ModuleChecker& module, Scope& scope, const ast::Expr& target, const ConstantDecl& prototype) {
  if (const auto* tuple = target.as<ast::Tuple>()) {
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
      ConstantDecl part = prototype;
      part.path.push_back(static_cast<int>(i));
      declare_target(module, scope, *tuple->elements[i], part);
    }
    return;
  }
  const auto* name = target.as<ast::Name>();
  if (!name) return;
  if (const Binding* earlier = scope.find(name->id))
    if (const auto* constant = std::get_if<ConstantDecl*>(earlier)) {
      (*constant)->assigned_again = {prototype.scope, target.range};
      return;
    }
  ConstantDecl& constant = module.constants.emplace_back(prototype);
  constant.name = name->id;
  constant.range = target.range;
  scope.bind(name->id, &constant);
}

void import_star(ModuleChecker& module, Scope& scope, const std::string& path) {
  if (const Scope* found = module.scope_of(path)) {
    for (const auto& [name, binding] : found->bindings())
      if (!name.starts_with("_")) scope.bind(name, binding);
  } else if (const std::string prefix = NameTable::prefix_of_module(path); !prefix.empty()) {
    scope.add_star_import(prefix);
  }
}

void import_name(ModuleChecker& module, Scope& scope, const std::string& path, const ast::ImportAlias& alias) {
  const std::string& bound = alias.as.empty() ? alias.name : alias.as;
  const Scope* const found = module.scope_of(path);
  if (const Binding* binding = found ? found->find(alias.name) : nullptr) {
    scope.bind(bound, *binding);
    return;
  }
  const std::string below = path + "." + alias.name;
  const bool is_builtin = below == kLibdeviceModule;  // the module has but a part of the functions of that name
  if (const Scope* submodule = is_builtin ? nullptr : module.scope_of(below)) {
    scope.bind(bound, NamespaceRef{"", submodule, below});
    return;
  }
  if (found) {
    auto diagnostic = module.told.report(scope.file(), alias.range, DiagnosticId::UnknownAttribute,
                                         "module " + as_code(path), alias.name);
    diagnostic.did_you_mean(nearest(alias.name, found->names()));
    return;
  }
  if (NameTable::is_known_module(below)) {
    scope.bind(bound, NamespaceRef{NameTable::prefix_of_module(below), nullptr});
    return;
  }
  if (!is_importable(path)) return;  // load_program has reported it
  if (!NameTable::is_known_module(path)) {
    scope.bind(bound, UnusableDecl{"imported from " + as_code(path), "", true});
    return;
  }
  const std::string prefix = NameTable::prefix_of_module(path);
  if (const NameEntry* entry = name_table().find(prefix, alias.name)) {
    if (const auto* space = std::get_if<Prefix>(entry))
      scope.bind(bound, NamespaceRef{space->path, nullptr});
    else
      scope.bind(bound, *entry);
    return;
  }
  const std::string_view near = nearest(alias.name, name_table().names_in(prefix));
  if (path == "math" && !is_of_python_math(alias.name)) {
    auto diagnostic =
        module.told.report(scope.file(), alias.range, DiagnosticId::UnknownAttribute, "module `math`", alias.name);
    diagnostic.did_you_mean(near);
  }
  scope.bind(bound, UnusableDecl{"imported from " + as_code(path), std::string(near)});
}

void declare_import(ModuleChecker& module, Scope& scope, const ast::Import& import) {
  for (const ast::ImportAlias& alias : import.names) {
    if (import.is_from) {
      alias.name == "*" ? import_star(module, scope, import.module) : import_name(module, scope, import.module, alias);
      continue;
    }
    // `import a.b` binds `a`; `import a.b as c` binds what a.b is.
    const std::string head = alias.name.substr(0, alias.name.find('.'));
    const bool renames = !alias.as.empty() && alias.as != head;
    const std::string& path = renames ? alias.name : head;
    const std::string& bound = renames ? alias.as : head;
    if (const Scope* found = module.scope_of(alias.name); found && (renames || head == alias.name))
      scope.bind(bound, NamespaceRef{"", found, alias.name});
    else if (NameTable::is_known_module(path))
      scope.bind(bound, NamespaceRef{NameTable::prefix_of_module(path), nullptr, path});
    else if (NameTable::is_host_module(path))
      scope.bind(bound, UnusableDecl{"a module of Python", "", true});
    else
      scope.bind(bound, NamespaceRef{"package " + head, nullptr, head});
  }
}

void declare(ModuleChecker& module, Scope& scope) {
  for (const ast::StmtPtr& stmt : scope.module().body) {
    if (const auto* function = stmt->as<ast::FunctionDef>()) {
      declare_function(module, scope, *function);
    } else if (const auto* assign = stmt->as<ast::Assign>()) {
      for (const ast::ExprPtr& target : assign->targets)
        declare_target(module, scope, *target, {.scope = &scope, .value = assign->value.get()});
    } else if (const auto* annotated = stmt->as<ast::AnnotatedAssign>(); annotated && annotated->value) {
      declare_target(module, scope, *annotated->target,
                     {.scope = &scope, .value = annotated->value.get(), .annotation = annotated->annotation.get()});
    } else if (const auto* augmented = stmt->as<ast::AugmentedAssign>()) {
      declare_target(module, scope, *augmented->target, {.scope = &scope, .value = augmented->value.get()});
    } else if (const auto* import = stmt->as<ast::Import>()) {
      declare_import(module, scope, *import);
    } else if (const auto* type = stmt->as<ast::ClassDef>()) {
      ClassDecl& decl = module.classes.emplace_back();
      decl.name = type->name;
      decl.def = type;
      decl.scope = &scope;
      decl.range = type->name_range;
      scope.bind(type->name, &decl);
    }
  }
  for (FunctionDecl& function : module.functions)
    if (function.scope == &scope) read_decorators(module, scope, function);
  report_defined_twice(module, scope);
}

}  // namespace

Scope::Scope(std::string name, const ast::Module* module) : name_(std::move(name)), module_(module) {
  for (const ast::StmtPtr& stmt : module->body)
    if (const auto* import = stmt->as<ast::Import>(); import && imports_numba(*import)) dialect_ = Dialect::Numba;
}

const Binding* Scope::find(std::string_view name) const {
  const auto found = bindings_.find(std::string(name));
  return found == bindings_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Scope::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, binding] : bindings_) names.push_back(name);
  return names;
}

void declare_modules(ModuleChecker& module, const Program& program) {
  for (const Program::Imported& imported : program.imports)
    declare(module, module.scopes.emplace_back(imported.name, imported.module.get()));
  Scope& main = module.scopes.emplace_back("", program.main.get());
  import_star(module, main, std::string(kConstantsModule));
  declare(module, main);
}

const Scope* ModuleChecker::scope_of(std::string_view module) const {
  for (const Scope& scope : scopes)
    if (scope.name() == module && !module.empty()) return &scope;
  return nullptr;
}

}  // namespace pykc::checker
