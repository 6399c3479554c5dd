// What stands between brackets, of arrays, tuples and records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// One of the things between the brackets of `a[i, 1:n, None, ...]`.
struct IndexItem {
  enum class Kind : std::uint8_t { Position, Slice, NewAxis, Ellipsis };
  Kind kind;
  Value position;
  checked::ViewAxis slice;
  SourceRange range;
};

Value index(FunctionChecker& checker, const Value& array, std::vector<Value> indices, SourceRange range);
Value index_tuple(FunctionChecker& checker, const Value& tuple, const IndexItem& item, SourceRange range);
Value index_by_variable(FunctionChecker& checker, const Value& tuple, const Value& index, SourceRange range);
std::optional<std::vector<Value>> index_list(FunctionChecker& checker, const ast::Expr& index);
std::vector<Value> take_apart(FunctionChecker& checker, const Value& tuple);
std::vector<Value> all_elements(FunctionChecker& checker, const Value& tuple);
std::optional<std::vector<Value>> listed_arguments(FunctionChecker& checker, const ast::Call& call);
Value component(FunctionChecker& checker, const Value& tuple, std::size_t at, SourceRange range);
/// The same as what an expression gives: all elements of a tuple that is spelled out are evaluated, where one has an
/// effect.
Value chosen_component(FunctionChecker& checker, const Value& tuple, std::size_t at, SourceRange range);
const Expr* index_value(FunctionChecker& checker, const Value& array, const Value& index, int dimension);
const Expr* index_number(FunctionChecker& checker, const Value& index, bool is_looked_at = true);
void report_index_count(FunctionChecker& checker, const Value& array, int given, SourceRange range);
std::string name_of_array(const FunctionChecker& checker, const Expr& array);
bool require_length(FunctionChecker& checker, const Value& array, SourceRange range);
bool wraps_around(const FunctionChecker& checker, const Expr& array);
bool checks_bounds(const FunctionChecker& checker, const Expr& array);
int bounds_fault(FunctionChecker& checker, const Expr& array, SourceRange range);

}  // namespace pykc::checker
