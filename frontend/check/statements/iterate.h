// What a `for` goes through.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// What a `for` goes through.
struct Iteration {
  bool is_unrolled = false;
  std::vector<Value> turns;                         // unrolled: the items
  std::array<Value, 3> range;                       // else: start, stop and step of what is counted,
  bool counts_itself = false;                       // which are the items,
  std::function<Value(const Value& counter)> item;  // or give them
};

void check(FunctionChecker& checker, const ast::For& node, const ast::Stmt& stmt);
std::optional<LanguageFunction> language_function_of(FunctionChecker& checker, const ast::Call& call);
std::optional<Iteration> iteration(FunctionChecker& checker, const ast::Expr& iterable);
const LocalSet& assigned_in(FunctionChecker& checker, const ast::For& node);
void bind_target(FunctionChecker& checker, const ast::Expr& target, const Value& item, const LocalSet& assigned,
                 bool keeps);
void unbind_target(FunctionChecker& checker, const ast::Expr& target);
const std::vector<ast::ExprPtr>* targets_of(const ast::Expr& target);

}  // namespace pykc::checker
