// Arrays of constants: operators, functions, parts and methods.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

bool has_table(const FunctionChecker& checker, std::span<const Entity> operands);
Value constant_at(FunctionChecker& checker, const Table& table, std::int64_t index, SourceRange range);
bool append_constant(FunctionChecker& checker, const Value& value, const ElementType& type, std::string& bytes,
                     SourceRange range);
void report_too_many_constants(FunctionChecker& checker, SourceRange range);
Entity constant_binary(FunctionChecker& checker, ast::BinaryOp op, const Entity& left, const Entity& right,
                       SourceRange range);
Entity constant_unary(FunctionChecker& checker, ast::UnaryOp op, const Entity& operand, SourceRange range);
Entity constant_compare(FunctionChecker& checker, ast::CompareOp op, const Entity& left, const Entity& right,
                        SourceRange range);
Entity constant_ufunc(FunctionChecker& checker, const Ufunc& ufunc, std::span<const Entity> operands,
                      SourceRange range);
Entity index_constants(FunctionChecker& checker, const Table& table, const ast::Expr& index, SourceRange range);
Entity constant_attribute(FunctionChecker& checker, const Table& table, const ast::Attribute& node, SourceRange range);
Entity converted_constants(FunctionChecker& checker, const Table& table, const ElementType& type, SourceRange range);
Entity call_constant_method(FunctionChecker& checker, const Table& table, const ast::Call& call, SourceRange range);

}  // namespace pykc::checker
