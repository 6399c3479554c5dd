// Classes: records, enums and named tuples.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"

namespace pykc::checker {

Entity of_class(FunctionChecker& checker, ClassDecl& decl, SourceRange range);
Entity class_member(FunctionChecker& checker, const ClassDecl& decl, const std::string& name, SourceRange range);
Value member_value(FunctionChecker& checker, const MemberRef& member, SourceRange range);
Entity call_class(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range);
/// What `make` makes of the values of the fields, which are evaluated in the order of the arguments.
Entity made_of_fields(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range,
                      const std::function<Value(std::vector<Value>)>& make);
Entity make_named_tuple(FunctionChecker& checker, const ast::Call& call, SourceRange range);
std::optional<checked::Type> tuple_type(FunctionChecker& checker, const ClassDecl& decl, SourceRange range);

bool read_class(ModuleChecker& module, ClassDecl& decl);  // names/class.cpp

}  // namespace pykc::checker
