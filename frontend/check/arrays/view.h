// Parts of arrays, arrays seen in another way, and their attributes and methods.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/check/arrays/index.h"
#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// The positions that a slice with constant bounds takes of a sequence: `count` of them, `step` apart.
struct Positions {
  Int128 start, step, count;
};

Positions positions_of(const checked::ViewAxis& slice, Int128 size);

std::optional<std::vector<IndexItem>> index_items(FunctionChecker& checker, const ast::Expr& index);
Value select(FunctionChecker& checker, const Value& array, const std::vector<IndexItem>& items, SourceRange range);
Entity array_attribute(FunctionChecker& checker, const Value& array, const ast::Attribute& node, SourceRange range);
Value measured(FunctionChecker& checker, const Value& array, std::string_view name, SourceRange range);
Entity call_method(FunctionChecker& checker, const MethodRef& method, const ast::Call& call, SourceRange range);

}  // namespace pykc::checker
