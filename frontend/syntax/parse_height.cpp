#include <algorithm>

#include "frontend/syntax/parse.h"

namespace pykc {
namespace {

using namespace ast;  // this file is about nothing but its node types

int tallest(const ast::ExprPtr& expr) { return expr ? expr->height : 0; }
int tallest(const std::vector<ast::ExprPtr>& exprs) {
  int height = 0;
  for (const ast::ExprPtr& expr : exprs) height = std::max(height, tallest(expr));
  return height;
}
int tallest(const std::vector<Keyword>& keywords) {
  int height = 0;
  for (const Keyword& keyword : keywords) height = std::max(height, tallest(keyword.value));
  return height;
}
template <typename... Rest>
int tallest_of(const Rest&... children) {
  return std::max({0, tallest(children)...});
}

struct Children {
  int operator()(const FormattedString& n) const { return tallest_of(n.values, n.formats); }
  int operator()(const Attribute& n) const { return tallest_of(n.value); }
  int operator()(const Subscript& n) const { return tallest_of(n.value, n.index); }
  int operator()(const Slice& n) const { return tallest_of(n.lower, n.upper, n.step); }
  int operator()(const Call& n) const { return tallest_of(n.function, n.arguments, n.keywords); }
  int operator()(const Starred& n) const { return tallest_of(n.value); }
  int operator()(const Tuple& n) const { return tallest_of(n.elements); }
  int operator()(const List& n) const { return tallest_of(n.elements); }
  int operator()(const Unary& n) const { return tallest_of(n.operand); }
  int operator()(const Binary& n) const { return tallest_of(n.left, n.right); }
  int operator()(const Logical& n) const { return tallest_of(n.operands); }
  int operator()(const Compare& n) const { return tallest_of(n.first, n.rest); }
  int operator()(const Conditional& n) const { return tallest_of(n.condition, n.then, n.otherwise); }
  int operator()(const Comprehension& n) const {
    int height = n.element->height;
    for (const Comprehension::Clause& clause : n.clauses)
      height = std::max(height, tallest_of(clause.target, clause.iterable, clause.conditions));
    return height;
  }
  int operator()(const Lambda& n) const { return body_of(n).height; }
  // Leaves, one by one: a node kind that is forgotten here does not compile.
  int operator()(const IntLiteral&) const { return 0; }
  int operator()(const FloatLiteral&) const { return 0; }
  int operator()(const ImaginaryLiteral&) const { return 0; }
  int operator()(const BoolLiteral&) const { return 0; }
  int operator()(const StringLiteral&) const { return 0; }
  int operator()(const BytesLiteral&) const { return 0; }
  int operator()(const NoneLiteral&) const { return 0; }
  int operator()(const EllipsisLiteral&) const { return 0; }
  int operator()(const Name&) const { return 0; }
  int operator()(const Unsupported&) const { return 0; }
};

}  // namespace

int height_of(const decltype(Expr::node)& node) { return 1 + std::visit(Children{}, node); }

}  // namespace pykc
