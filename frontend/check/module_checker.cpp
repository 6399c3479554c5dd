#include "frontend/check/module_checker.h"

#include "base/budget.h"

#include "frontend/check/arrays/array.h"
#include "frontend/check/names/declare.h"
#include "frontend/check/requests.h"
#include "frontend/check/specialize.h"
#include "frontend/check/symbols.h"

namespace pykc::checker {
namespace {

/// Every `const.array` of the main module is there for the host, whatever the kernels use; of imported modules, those
/// that they use.
void declare_host_constants(ModuleChecker& module) {
  for (std::size_t i = 0; i < module.constants.size(); ++i) {
    ConstantDecl& decl = module.constants[i];
    FunctionChecker checker(module, *decl.scope);
    if (decl.scope != &module.scopes.back() || !is_host_constant(checker, decl)) continue;
    const auto* ref = std::get_if<TableRef>(&constant(module, decl));
    if (ref && !decl.assigned_again) constant_array(module, ref->table);
  }
}

/// Keeps what the kernels reach, callees before callers.
void finish_module(ModuleChecker& module) {
  std::vector<Specialization*> reached;
  const auto reach = [&](Specialization* specialization) {
    if (!specialization->is_needed) reached.push_back(specialization);
    specialization->is_needed = true;
  };
  for (Specialization* specialization : module.finished)
    if (specialization->function->is_kernel && !specialization->is_only_checked) reach(specialization);
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Specialization* callee : reached[i]->callees) reach(callee);
  if (module.options.bounds_checks)
    module.output.stop_fault =
        add_fault(module, {"stopped, since another thread has faulted", module.output.name, 0, 0});
  std::unordered_map<const checked::Function*, const checked::Function*> moved;
  for (Specialization* specialization : module.finished) {
    if (!specialization->is_needed) continue;
    module.output.functions.push_back(std::move(*specialization->function));
    moved[specialization->function] = &module.output.functions.back();
  }
  for (checked::Expr& expr : module.output.exprs)
    if (auto* call = std::get_if<checked::CallFunction>(&expr.node)) call->callee = moved[call->callee];
}

checked::Module run(ModuleChecker& module, const std::vector<KernelRequest>& requests) {
  module.output.source = module.program.main->file;
  module.output.name = module.program.main->file->name();
  for (const Program::Imported& imported : module.program.imports)
    apply(imported.module->directives, *imported.module->file, module.told);
  apply(module.program.main->directives, *module.program.main->file, module.told);
  declare_modules(module, module.program);
  declare_host_constants(module);
  if (requests.empty())
    check_all_kernels(module);
  else
    for (const KernelRequest& request : requests) check_request(module, request);
  finish_module(module);
  return std::move(module.output);
}

}  // namespace

ModuleChecker::ModuleChecker(const Program& program, const CheckOptions& options, Diagnostics& diagnostics)
    : program(program), options(options), told(diagnostics) {
  trial_diagnostics.set_muted(true);
  reserve_symbols_of_code(*this);
}

bool may_leave_language(const ModuleChecker& module, const Scope& scope) {
  return !module.options.untrusted || scope.file().origin().is_built_in;
}

Table* add_table(ModuleChecker& module, Table table) {
  if (Budget* const budget = Budget::current()) budget->look();  // one may be of megabytes
  for (Table& known : module.tables)
    if (!known.host && !table.host && known.type == table.type && known.bytes == table.bytes) return &known;
  module.tables.push_back(std::move(table));
  return &module.tables.back();
}

int constant_array(ModuleChecker& module, const Table* table) {
  const auto [entry, is_new] =
      module.constant_arrays.try_emplace(table, static_cast<int>(module.output.constant_arrays.size()));
  if (!is_new) return entry->second;
  const std::string name = table->name.empty() ? std::string(kUnnamedTable) : table->name;
  const std::string no_elements(static_cast<std::size_t>(size_in_bytes(table->type.element)), '\0');
  module.output.constant_arrays.push_back(
      {name, table->type, table->bytes.empty() ? no_elements : table->bytes, table->host});
  return entry->second;
}

int add_fault(ModuleChecker& module, FaultSite site) {
  module.output.faults.push_back(std::move(site));
  return static_cast<int>(module.output.faults.size()) - 1;
}

void ModuleChecker::release_scratch(std::size_t mark) {
  while (scratch.size() > mark) scratch.pop_back();
}

}  // namespace pykc::checker

namespace pykc {

checked::Module check(const Program& program, const std::vector<KernelRequest>& requests, const CheckOptions& options,
                      Diagnostics& diagnostics) {
  checker::ModuleChecker module(program, options, diagnostics);
  return checker::run(module, requests);
}

}  // namespace pykc
