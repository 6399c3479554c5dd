// Visiting what stands directly below a node of the checked tree.
#pragma once

#include <type_traits>
#include <variant>

#include "frontend/checked/tree.h"

namespace pykc::checked {

namespace detail {

template <typename Visit>
struct OperandVisitor {
  Visit& visit;
  void all(const std::vector<ExprRef>& exprs) const {
    for (const ExprRef expr : exprs) visit(expr);
  }
  void operator()(const Constant&) const {}
  void operator()(const VariableRef&) const {}
  void operator()(const SharedArrayRef&) const {}
  void operator()(const LocalArrayRef&) const {}
  void operator()(const ConstantArrayRef&) const {}
  void operator()(const Binary& node) const { visit(node.left), visit(node.right); }
  void operator()(const Compare& node) const { visit(node.left), visit(node.right); }
  void operator()(const Logical& node) const { visit(node.left), visit(node.right); }
  void operator()(const Unary& node) const { visit(node.operand); }
  void operator()(const Cast& node) const { visit(node.operand); }
  void operator()(const Bitcast& node) const { visit(node.operand); }
  void operator()(const Conditional& node) const { visit(node.condition), visit(node.then), visit(node.otherwise); }
  void operator()(const Let& node) const { visit(node.value), visit(node.body); }
  void operator()(const Guarded& node) const { visit(node.condition), all(node.values), visit(node.body); }
  void operator()(const Element& node) const { visit(node.array), all(node.indices); }
  void operator()(const Field& node) const { visit(node.place); }
  void operator()(const FieldView& node) const { visit(node.array); }
  void operator()(const Extent& node) const { visit(node.array); }
  void operator()(const Stride& node) const { visit(node.array); }
  void operator()(const View& node) const {
    visit(node.array);
    for (const ViewAxis& axis : node.axes)
      for (const ExprRef bound : {axis.start, axis.stop, axis.step})
        if (bound != nullptr) visit(bound);
  }
  void operator()(const Transpose& node) const { visit(node.array); }
  void operator()(const Reshape& node) const { visit(node.array), all(node.extents); }
  void operator()(const Reinterpret& node) const { visit(node.array); }
  void operator()(const ClusterArray& node) const { visit(node.array), visit(node.rank); }
  void operator()(const TupleExpr& node) const { all(node.elements); }
  void operator()(const TupleElement& node) const { visit(node.tuple); }
  void operator()(const CallFunction& node) const { all(node.arguments); }
  void operator()(const CallBuiltin& node) const { all(node.arguments); }
  void operator()(const Atomic& node) const { visit(node.element), visit(node.value); }
  void operator()(const AtomicCompareAndSwap& node) const {
    visit(node.element), visit(node.expected), visit(node.value);
  }
  void operator()(const Access& node) const {
    visit(node.element);
    if (node.value != nullptr) visit(node.value);
  }
  void operator()(const CopyAsync& node) const { visit(node.to), visit(node.from); }
  void operator()(const IsAligned& node) const { visit(node.array); }
  void operator()(const InlinePtx& node) const { all(node.operands); }
  void operator()(const TensorMap& node) const { visit(node.array); }
  void operator()(const CallExternal& node) const { all(node.arguments); }
};

}  // namespace detail

/// Calls `visit` with each operand of the expression, in the order of evaluation.
template <typename Visit>
void for_each_operand(const Expr& expr, Visit visit) {
  std::visit(detail::OperandVisitor<Visit>{visit}, expr.node);
}

/// Calls `visit` with each expression and each suite that stands directly in the statement.
template <typename VisitExpr, typename VisitSuite>
void for_each_part(const Stmt& stmt, VisitExpr visit, VisitSuite visit_suite) {
  const auto visit_if = [&](ExprRef expr) {
    if (expr != nullptr) visit(expr);
  };
  if (const auto* node = stmt.as<Evaluate>()) visit(node->value);
  if (const auto* node = stmt.as<Assign>()) visit(node->value);
  if (const auto* node = stmt.as<StoreElement>()) visit(node->value), visit(node->element);
  if (const auto* node = stmt.as<If>()) visit(node->condition), visit_suite(node->then), visit_suite(node->otherwise);
  if (const auto* node = stmt.as<While>())
    visit(node->condition), visit_suite(node->body), visit_suite(node->otherwise);
  if (const auto* node = stmt.as<ForRange>())
    visit(node->start), visit(node->stop), visit(node->step), visit_suite(node->body), visit_suite(node->otherwise);
  if (const auto* node = stmt.as<Unrolled>()) {
    for (const Suite& turn : node->turns) visit_suite(turn);
    visit_suite(node->otherwise);
  }
  if (const auto* node = stmt.as<Return>()) visit_if(node->value);
  if (const auto* node = stmt.as<Check>()) {
    visit_if(node->condition);
    for (const ExprRef value : node->values) visit(value);
  }
  if (const auto* node = stmt.as<Print>())
    for (const Print::Piece& piece : node->pieces) visit_if(piece.value);
}

}  // namespace pykc::checked
