// Names that are assigned anew: where all that follows sees the new value alone, the name stands for another variable
// from there on, which may have another type.
#pragma once

#include <set>

#include "frontend/syntax/ast.h"

namespace pykc::checker {

/// The statements `x = …` from which on x is another variable. All uses of x lie in one suite, in which these
/// statements stand themselves, behind another such assignment or the parameter x: so the order of the text is that of
/// execution. Names that a function inside this one uses, and annotated ones, stay one variable.
std::set<const ast::Stmt*> statements_of_new_versions(const ast::FunctionDef& function);

}  // namespace pykc::checker
