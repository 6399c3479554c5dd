#include "script/evaluate/module.h"

#include <algorithm>
#include <utility>

#include "script/evaluate/statement.h"
#include "script/evaluate/variables.h"
#include "script/functions/functions.h"
#include "script/functions/libraries.h"
#include "stdlib/builtins.h"

namespace pykc::script {
namespace {

Outcome<Scope*> run_module(Evaluator& evaluator, const ast::Module& module) {
  std::unique_ptr<Scope>& scope = evaluator.scopes[&module];
  if (scope) return scope.get();
  scope = std::make_unique<Scope>();
  scope->module = &module;
  if (&module == evaluator.program.main.get()) evaluator.main = scope.get();
  Frame frame{.module = scope.get()};
  Frame* const caller = std::exchange(evaluator.frame, &frame);
  Outcome<Flow> flow = run(evaluator, module.body);
  evaluator.frame = caller;
  RETURN_IF_FAILED(std::move(flow));
  return scope.get();
}

Outcome<Value> import_member(Evaluator& evaluator, std::string_view module, std::string_view name) {
  ASSIGN_OR_RETURN(const Value owner, import_module(evaluator, module));
  const auto* file = owner.as<ModuleValue>();
  if (!file) {
    if (const std::string below = std::string(module) + "." + std::string(name); library_named(below))
      return import_module(evaluator, below);
    return attribute(owner, name);
  }
  if (std::optional<Value> member = member_of(*file, name)) return *std::move(member);
  if (const std::string below = file->name + "." + std::string(name); evaluator.program.find(below))
    return import_module(evaluator, below);
  std::vector<std::string_view> known;
  if (file->scope != nullptr)
    for (const auto& [known_name, value] : file->scope->names) known.push_back(known_name);
  return fail(DiagnosticId::HostUnknownAttribute, describe(owner), name).suggest(nearest(name, known));
}

Status import_star(Evaluator& evaluator, std::string_view module) {
  ASSIGN_OR_RETURN(const Value owner, import_module(evaluator, module));
  if (const auto* library = owner.as<LibraryValue>()) {
    evaluator.frame->module->star_imports.push_back(library->library);
    evaluator.frame->module->built_in.clear();
  }
  if (const auto* file = owner.as<ModuleValue>(); file && file->scope)
    for (const auto& [name, value] : file->scope->names) set_variable(evaluator, name, value);
  return Done{};
}

/// Remembers what kernels may have, and host code has not.
void note_absent(Scope& scope, const std::string& name, const std::string& module) {
  scope.absent[name] = module;
  scope.built_in.erase(name);
}

/// A name of `math`, which has no others than host code and kernels know, but for few.
bool is_misspelt(std::string_view module, std::string_view name, const Failure& failure) {
  return module == "math" && !failure.fix.empty() && find_builtin("math." + std::string(name)) == nullptr;
}

}  // namespace

Status run_main_module(Evaluator& evaluator) {
  ASSIGN_OR_RETURN(evaluator.main, run_module(evaluator, *evaluator.program.main));
  return Done{};
}

const Value* find(const Evaluator& evaluator, std::string_view name) {
  const auto found = evaluator.main->names.find(name);
  return found == evaluator.main->names.end() ? nullptr : &found->second;
}

Outcome<Value> import_module(Evaluator& evaluator, std::string_view name) {
  if (const ast::Module* module = evaluator.program.find(name)) {
    ASSIGN_OR_RETURN(Scope* const scope, run_module(evaluator, *module));
    return Value(ModuleValue{std::string(name), scope});
  }
  if (const std::optional<Library> library = library_named(name)) return Value(LibraryValue{*library});
  if (is_importable(name)) return Value(ModuleValue{std::string(name), nullptr});  // its use is an error
  const std::string below = std::string(name) + ".";
  if (std::ranges::any_of(evaluator.program.imports,
                          [&](const auto& imported) { return imported.name.starts_with(below); }))
    return Value(ModuleValue{std::string(name), nullptr});
  return unknown_module(name);
}

std::optional<Value> member_of(const ModuleValue& module, std::string_view name) {
  if (module.scope == nullptr) return std::nullopt;
  const auto member = module.scope->names.find(name);
  return member == module.scope->names.end() ? std::nullopt : std::optional(member->second);
}

Outcome<Flow> run(Evaluator& evaluator, const ast::Import& node) {
  for (const ast::ImportAlias& alias : node.names) {
    if (node.is_from && alias.name == "*") {
      RETURN_IF_FAILED(import_star(evaluator, node.module));
    } else if (node.is_from) {
      const std::string& bound = alias.as.empty() ? alias.name : alias.as;
      Outcome<Value> value = import_member(evaluator, node.module, alias.name);
      if (value)
        set_variable(evaluator, bound, *std::move(value));
      else if (is_importable(node.module) && !is_misspelt(node.module, alias.name, value.failure()))
        note_absent(*evaluator.frame->module, bound, node.module);
      else
        return evaluator.located(std::move(value.failure()), alias.range);
    } else {
      const std::string first = alias.name.substr(0, alias.name.find('.'));
      const bool binds_first = alias.as.empty() || alias.as == first;  // `import numba.cuda` binds `numba`
      ASSIGN_OR_RETURN(Value value,
                       evaluator.located(import_module(evaluator, binds_first ? first : alias.name), alias.range));
      set_variable(evaluator, binds_first ? first : alias.as, std::move(value));
    }
  }
  return Flow::Next;
}

}  // namespace pykc::script
