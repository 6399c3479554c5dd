#include "script/evaluate/variables.h"

#include <algorithm>
#include <utility>

#include "script/evaluate/class.h"
#include "script/functions/functions.h"
#include "script/functions/instead.h"
#include "script/functions/libraries.h"
#include "stdlib/builtins.h"

namespace pykc::script {
namespace {

Failure unknown_name(const Evaluator& evaluator, std::string_view name) {
  if (is_kernel_name(name)) return fail(DiagnosticId::HostDeviceOnly, name);
  if (const auto type = evaluator.frame->module->unusable.find(name); type != evaluator.frame->module->unusable.end())
    return evaluator.located(wrong_class(evaluator, *type->second), type->second->name_range);
  const auto absent = evaluator.frame->module->absent.find(name);
  const bool is_absent = absent != evaluator.frame->module->absent.end();
  Failure failure = fail(DiagnosticId::HostUnknownName, name);
  if (is_absent) {
    failure.notes.push_back("it is imported from `" + absent->second + "`, which has no such name here");
    const std::string_view note = instead_of(*library_named(absent->second), name);
    failure.notes.emplace_back(note.empty() ? instead_of_anything() : note);
    return failure;
  }
  if (name == "np") failure.notes.push_back("write `import numpy as np` at the top of the file");
  if (name == "cuda") failure.notes.push_back("write `from numba import cuda` at the top of the file");
  if (const std::string_view note = instead_of(Library::Prelude, name); !note.empty()) failure.notes.emplace_back(note);
  if (!failure.notes.empty()) return failure;
  std::vector<std::string_view> known = function_names(Library::Prelude);
  for (const auto& [known_name, value] : evaluator.frame->module->names) known.push_back(known_name);
  for (const Environment* inner = evaluator.frame->environment.get(); inner; inner = inner->outer.get())
    for (const auto& [known_name, value] : inner->variables) known.push_back(known_name);
  failure.fix = nearest(name, known);
  return failure;
}

}  // namespace

Outcome<Value> look_up(Evaluator& evaluator, std::string_view name) {
  for (Environment* inner = evaluator.frame->environment.get(); inner; inner = inner->outer.get()) {
    if (const Value* const local = find(inner->variables, name)) return *local;
    if (std::ranges::find(*inner->assigned, name) != inner->assigned->end())
      return fail(DiagnosticId::HostUnassignedLocal, name);
  }
  if (const auto global = evaluator.frame->module->names.find(name); global != evaluator.frame->module->names.end())
    return global->second;
  Names& built_in = evaluator.frame->module->built_in;
  if (const auto found = built_in.find(name); found != built_in.end()) return found->second;
  // `from scipy.stats import norm` is not the `norm` of this language.
  const auto absent = evaluator.frame->module->absent.find(name);
  if (absent != evaluator.frame->module->absent.end() && !library_named(absent->second))
    return unknown_module(absent->second);
  for (const Library library : evaluator.frame->module->star_imports)
    if (Outcome<Value> member = attribute(Value(LibraryValue{library}), name))
      return built_in.emplace(name, *std::move(member)).first->second;
  if (name == "__file__") return Value(evaluator.file().name());
  if (name == "__name__") return Value(evaluator.frame->module == evaluator.main ? "__main__" : "imported");
  if (std::optional<Value> value = prelude_value(name)) return built_in.emplace(name, *std::move(value)).first->second;
  return unknown_name(evaluator, name);
}

void set_variable(Evaluator& evaluator, std::string_view name, Value value) {
  if (Environment* const environment = evaluator.frame->environment.get())
    assign(environment->variables, name, std::move(value));
  else
    evaluator.frame->module->names.insert_or_assign(std::string(name), std::move(value));
}

void leave(Evaluator& evaluator, std::shared_ptr<Environment> environment) {
  constexpr std::size_t kPruned = 1024;
  long own = 0;
  for (const auto& [name, value] : environment->variables) {
    const auto* function = value.as<FunctionValue>();
    const bool is_own = function && function->context && function->context->outer == environment;
    own += is_own && function->context.use_count() == 1 ? 1 : 0;
  }
  if (environment.use_count() == own + 1) return environment->clear();
  evaluator.kept.push_back(std::move(environment));
  if (evaluator.kept.size() % kPruned == 0)
    std::erase_if(evaluator.kept, [](const auto& kept) { return kept.expired(); });
}

}  // namespace pykc::script
