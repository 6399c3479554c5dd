// What the functions of a file are to host code.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "frontend/frontend.h"
#include "script/value.h"

namespace pykc::script {

/// How host code calls a function of that kind.
FunctionValue::Kind value_kind(FunctionKind kind);

/// Every name that the function assigns, its parameters included: its variables.
std::set<std::string, std::less<>> variables_of(const ast::FunctionDef& function);
/// Those that its clauses assign.
std::set<std::string, std::less<>> variables_of(const ast::Comprehension& comprehension);
/// What its body defines.
std::set<std::string, std::less<>> variables_of(const ast::ClassDef& definition);

}  // namespace pykc::script
