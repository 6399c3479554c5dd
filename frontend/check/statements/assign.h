// Assignment to variables, fields and several targets at once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

const checked::Variable* temporary(FunctionChecker& checker, checked::Type type, SourceRange range);
void assign(FunctionChecker& checker, const ast::Expr& target, const Value& value, SourceRange range);
void assign_local(FunctionChecker& checker, int index, const Value& value, SourceRange range);
std::optional<std::vector<Value>> parts_for(FunctionChecker& checker, const std::vector<ast::ExprPtr>& targets,
                                            const Value& tuple);
Value place(FunctionChecker& checker, const ast::Expr& target);
Value stable_element(FunctionChecker& checker, const Value& element);
Value stable_part(FunctionChecker& checker, const Value& array);
bool require_writable(FunctionChecker& checker, const Value& place, SourceRange range);
Value stored_once(FunctionChecker& checker, const Value& value, SourceRange range);
/// The value as it is now, whatever is assigned next.
Value kept_apart(FunctionChecker& checker, const Value& value, SourceRange range);
/// The same for these targets: for a variable that stands for an element, that element.
Value kept_for(FunctionChecker& checker, std::span<const ast::ExprPtr> targets, const Value& value, SourceRange range);
const checked::Variable* variable_of(FunctionChecker& checker, Local& local);
/// Remembers the integers that the only assignment of a variable gives it, one or a tuple: it can be a shape.
void note_numbers(FunctionChecker& checker, const ast::Expr& target, const Value& value);
void mark_defined(FunctionChecker& checker, int index);

}  // namespace pykc::checker
