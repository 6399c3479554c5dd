// Statements: a function for each kind of node, and what is written into the tree.
#pragma once

#include <string>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

checked::Suite suite(FunctionChecker& checker, const ast::Suite& statements);
void check(FunctionChecker& checker, const ast::ExprStmt& node, const ast::Stmt& stmt);
void check(FunctionChecker& checker, const ast::With& node, const ast::Stmt& stmt);
void check(FunctionChecker& checker, const ast::ClassDef& node, const ast::Stmt& stmt);
void check(FunctionChecker& checker, const ast::UnsupportedStmt& node, const ast::Stmt& stmt);
void append(FunctionChecker& checker, decltype(checked::Stmt::node) node, SourceRange range);
int add_fault(FunctionChecker& checker, std::string message, SourceRange range);
void store(FunctionChecker& checker, const Value& element, const Value& value, SourceRange range);
/// Text as a fault's message has it: its braces are no places of values.
std::string literal(std::string_view text);
void append_check(FunctionChecker& checker, const Expr* condition, std::string message, std::vector<const Expr*> values,
                  SourceRange range);
checked::ForRange counted_loop(FunctionChecker& checker, const Value& count, SourceRange range);

}  // namespace pykc::checker
