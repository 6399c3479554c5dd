// Names that are assigned anew: assignments that never meet make different variables, which may have different types.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/syntax/ast.h"

namespace pykc::checker {

/// A place where a name stands for another variable than its first one.
struct VersionedName {
  std::string_view name;
  SourceRange range;
  int version;  // from 1 on, by name
};

/// Two uses of a name are of one variable where one assignment may reach both. The first variable of a name is the
/// parameter of that name, or that of the first use in the text. Names that a function inside this one uses, and
/// annotated ones, stay one variable.
///
///     x = 1           # x
///     y[0] = x        # x
///     x = y[0] * 0.5  # version 1: nothing reads the 1 any more
///     y[1] = x        # version 1
std::vector<VersionedName> versions_of_names(const ast::FunctionDef& function);

}  // namespace pykc::checker
