// What names and attributes stand for.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity module_constant(FunctionChecker& checker, const ConstantDecl& constant);
Entity member(FunctionChecker& checker, const NamespaceRef& space, const ast::Attribute& attribute);
Entity resolve(FunctionChecker& checker, std::string_view name, SourceRange range);
Entity of_binding(FunctionChecker& checker, const Binding& binding, std::string_view name, SourceRange range);
Entity read_local(FunctionChecker& checker, int index, SourceRange range);
Value extent(FunctionChecker& checker, const Value& array, int dimension, SourceRange range);
std::optional<int> local_index(const FunctionChecker& checker, std::string_view name, SourceRange at);

}  // namespace pykc::checker
