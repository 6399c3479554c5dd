// What loops need: the arguments of range, and which variables a loop may assign.
#pragma once

#include <array>
#include <optional>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

std::optional<std::array<Value, 3>> range_arguments(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Value in_range(FunctionChecker& checker, ast::CompareOp op, const Value& item, const ast::Call& call,
               SourceRange range);
bool runs_at_least_once(const std::array<Value, 3>& range);
void enter_loop(FunctionChecker& checker, const ast::Suite& body, const ast::Expr* target);
void leave_loop(FunctionChecker& checker, FlowState exhausted, const ast::Suite& otherwise,
                checked::Suite& otherwise_suite);
void mark_assigned(const FunctionChecker& checker, const ast::Suite& suite, LocalSet& set);

}  // namespace pykc::checker
