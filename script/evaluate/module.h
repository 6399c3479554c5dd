// Modules: the files of a program, run where they are first imported, and the libraries.
#pragma once

#include <optional>
#include <string_view>

#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// Runs the statements of the program's file; its names stay for calls.
Status run_main_module(Evaluator& evaluator);
/// A name of the program's file, or null.
const Value* find(const Evaluator& evaluator, std::string_view name);

Outcome<Value> import_module(Evaluator& evaluator, std::string_view name);
std::optional<Value> member_of(const ModuleValue& module, std::string_view name);
Outcome<Flow> run(Evaluator& evaluator, const ast::Import& node);

}  // namespace pykc::script
