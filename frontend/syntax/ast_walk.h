// Walking the syntax tree: calls a function for every child of a node, so that an analysis names only the kinds that it
// cares about.
#pragma once

#include <type_traits>
#include <variant>

#include "frontend/syntax/ast.h"

namespace pykc::ast {

/// Calls `visit(const Expr&)` for each expression directly inside `expr`, in the order of the source.
template <typename Visit>
void for_each_child(const Expr& expr, Visit visit) {
  const auto one = [&](const ExprPtr& child) {
    if (child) visit(*child);
  };
  const auto all = [&](const std::vector<ExprPtr>& children) {
    for (const ExprPtr& child : children) one(child);
  };
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, FormattedString>) all(node.values), all(node.formats);
        if constexpr (std::is_same_v<T, Attribute> || std::is_same_v<T, Starred>) one(node.value);
        if constexpr (std::is_same_v<T, Subscript>) one(node.value), one(node.index);
        if constexpr (std::is_same_v<T, Slice>) one(node.lower), one(node.upper), one(node.step);
        if constexpr (std::is_same_v<T, Call>) {
          one(node.function);
          all(node.arguments);
          for (const Keyword& keyword : node.keywords) one(keyword.value);
        }
        if constexpr (std::is_same_v<T, Tuple> || std::is_same_v<T, List>) all(node.elements);
        if constexpr (std::is_same_v<T, Unary>) one(node.operand);
        if constexpr (std::is_same_v<T, Binary>) one(node.left), one(node.right);
        if constexpr (std::is_same_v<T, Logical>) all(node.operands);
        if constexpr (std::is_same_v<T, Compare>) one(node.first), all(node.rest);
        if constexpr (std::is_same_v<T, Conditional>) one(node.then), one(node.condition), one(node.otherwise);
        if constexpr (std::is_same_v<T, Lambda>) visit(body_of(node));
        if constexpr (std::is_same_v<T, Comprehension>) {
          one(node.element);
          for (const Comprehension::Clause& clause : node.clauses)
            one(clause.target), one(clause.iterable), all(clause.conditions);
        }
      },
      expr.node);
}

/// The elements of a tuple; of anything else, the expression alone.
inline std::vector<const Expr*> parts_of(const Expr& expr) {
  const auto* tuple = expr.as<Tuple>();
  if (!tuple) return {&expr};
  std::vector<const Expr*> parts;
  for (const ExprPtr& element : tuple->elements) parts.push_back(element.get());
  return parts;
}

/// Calls `visit(const Expr&)` for each expression directly in a statement; annotations are left out.
template <typename Visit>
void for_each_expression(const Stmt& stmt, Visit visit) {
  const auto one = [&](const ExprPtr& child) {
    if (child) visit(*child);
  };
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, ExprStmt> || std::is_same_v<T, Return>) one(node.value);
        if constexpr (std::is_same_v<T, Assign>) {
          one(node.value);
          for (const ExprPtr& target : node.targets) one(target);
        }
        if constexpr (std::is_same_v<T, AnnotatedAssign> || std::is_same_v<T, AugmentedAssign>)
          one(node.value), one(node.target);
        if constexpr (std::is_same_v<T, If> || std::is_same_v<T, While>) one(node.condition);
        if constexpr (std::is_same_v<T, For>) one(node.iterable), one(node.target);
        if constexpr (std::is_same_v<T, Assert>) one(node.condition), one(node.message);
        if constexpr (std::is_same_v<T, Raise>) one(node.exception);
        if constexpr (std::is_same_v<T, With>) one(node.context), one(node.target);
      },
      stmt.node);
}

/// Calls `visit(const Stmt&)` for each statement of the suites directly inside a statement (not of nested functions).
template <typename Visit>
void for_each_nested(const Stmt& stmt, Visit visit) {
  const auto all = [&](const Suite& suite) {
    for (const StmtPtr& child : suite) visit(*child);
  };
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, If>) all(node.then), all(node.otherwise);
        if constexpr (std::is_same_v<T, While> || std::is_same_v<T, For>) all(node.body), all(node.otherwise);
        if constexpr (std::is_same_v<T, With>) all(node.body);
      },
      stmt.node);
}

}  // namespace pykc::ast
