// Complex numbers.
#pragma once

#include "frontend/check/function_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

struct Parts {
  const Expr* real;
  const Expr* imaginary;  // null: the number is real
};

Value part_of(FunctionChecker& checker, const Value& number);
Unified unify_parts(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range);
Value complex_binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                     SourceRange range);
Value complex_negate(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range);
Value conjugate(FunctionChecker& checker, const Value& operand, SourceRange range);
Value complex_magnitude(FunctionChecker& checker, const Value& operand, SourceRange range);
Value compare_complex(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                      SourceRange range);
Value to_complex(FunctionChecker& checker, const Value& number, ScalarType part, SourceRange range);
Entity call_complex(FunctionChecker& checker, const RecordRef& type, const ast::Call& call, SourceRange range);
Entity call_python_complex(FunctionChecker& checker, const ast::Call& call, SourceRange range);

}  // namespace pykc::checker
