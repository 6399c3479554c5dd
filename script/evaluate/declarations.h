// What the functions of a file are to host code.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.h"
#include "script/values/value.h"

namespace pykc::script {

/// How host code calls a function of the module.
FunctionValue::Kind value_kind(const ast::Module& module, const ast::FunctionDef& function);

/// The prototypes that `@vectorize` is given: strings, or signatures without quotes; one, or a list.
std::vector<const ast::Expr*> prototypes_of(const ast::Expr& argument);

/// Every name that the function assigns, its parameters included: its variables.
std::set<std::string, std::less<>> variables_of(const ast::FunctionDef& function);
/// Those that its clauses assign.
std::set<std::string, std::less<>> variables_of(const ast::Comprehension& comprehension);
/// What its body defines.
std::set<std::string, std::less<>> variables_of(const ast::ClassDef& definition);

}  // namespace pykc::script
