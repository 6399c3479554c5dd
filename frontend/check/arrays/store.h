// Assignment to parts of arrays.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

const Expr& origin(const FunctionChecker& checker, const Expr& array);
bool is_unchanged_parameter(const FunctionChecker& checker, const Expr& array);
bool is_own_memory(const FunctionChecker& checker, const Expr& array);
bool may_overlap(const FunctionChecker& checker, const Value& target, const Value& source);
void store_array(FunctionChecker& checker, const Value& target, const Value& source, std::optional<ast::BinaryOp> op,
                 SourceRange range);
void over_elements(FunctionChecker& checker, const Value& array, SourceRange range,
                   const std::function<void(const std::vector<const Expr*>&)>& body);
void check_shapes(FunctionChecker& checker, const Value& target, const Value& source, bool may_repeat,
                  SourceRange range);
Value element_in_bounds(FunctionChecker& checker, const Value& array, const std::vector<const Expr*>& indices,
                        SourceRange range);

}  // namespace pykc::checker
