#include "frontend/lower/expr.h"

#include <algorithm>
#include <utility>

#include "frontend/checked/walk.h"
#include "frontend/lower/array.h"
#include "frontend/lower/atomic.h"
#include "frontend/lower/builtin.h"
#include "frontend/lower/function.h"
#include "frontend/lower/loop.h"
#include "frontend/lower/record.h"
#include "frontend/lower/stmt.h"
#include "frontend/lower/view.h"

namespace pykc::lowering {
namespace {

constexpr Opcode kBinary[] = {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Div, Opcode::FloorDiv, Opcode::Mod,
                              Opcode::And, Opcode::Or,  Opcode::Xor, Opcode::Shl, Opcode::Shr};
constexpr Opcode kCompare[] = {Opcode::Eq, Opcode::Ne, Opcode::Lt, Opcode::Le, Opcode::Gt, Opcode::Ge};

constexpr int kCheapNodes = 8;

bool is_cheap_node(const checked::Expr& expr) {
  if (const auto* call = expr.as<checked::CallBuiltin>()) {
    const Builtin& row = info(call->builtin);
    return row.effect != Effect::Barrier && row.effect != Effect::Warp && row.effect != Effect::Memory &&
           row.effect != Effect::Fence && row.nvptx.kind != Lowering::Kind::Math;
  }
  if (const auto* view = expr.as<checked::View>()) return view->bounds_fault < 0;
  return expr.as<checked::Element>() == nullptr && expr.as<checked::Field>() == nullptr &&
         expr.as<checked::Reshape>() == nullptr && expr.as<checked::CallFunction>() == nullptr &&
         expr.as<checked::Atomic>() == nullptr && expr.as<checked::AtomicCompareAndSwap>() == nullptr &&
         expr.as<checked::Access>() == nullptr && expr.as<checked::CopyAsync>() == nullptr &&
         expr.as<checked::InlinePtx>() == nullptr && expr.as<checked::CallExternal>() == nullptr &&
         expr.as<checked::Guarded>() == nullptr;
}

/// Whether to compute the value costs less than a branch around it. Only what has no effect and cannot fail.
bool is_cheap(const checked::Expr& expr, int& budget) {
  if (--budget < 0 || !is_cheap_node(expr)) return false;
  bool operands_are = true;
  checked::for_each_operand(expr, [&](checked::ExprRef o) { operands_are = operands_are && is_cheap(*o, budget); });
  return operands_are;
}

bool is_cheap(checked::ExprRef expr) {
  int budget = kCheapNodes;
  return is_cheap(*expr, budget);
}

/// Runs one of two ways to the same parts, as a branch over locals.
template <typename Then, typename Otherwise>
Parts branch(FunctionLowering& lowering, Instruction* condition, checked::Type type, Then then, Otherwise otherwise) {
  std::vector<ir::Local*> locals;
  for (const PartInfo& part : parts_of(type))
    locals.push_back(lowering.target.create_local("either" + part.suffix, part.type));
  const auto fill = [&](ir::Block& block, auto& side) {
    lowering.build.enter(block);
    const Parts values = side();
    for (std::size_t i = 0; i < locals.size(); ++i) lowering.build.store_local(locals[i], values[i]);
    lowering.build.leave();
  };
  Instruction* choice = lowering.build.if_(condition);
  fill(choice->blocks[0], then);
  fill(choice->blocks[1], otherwise);
  Parts parts;
  for (ir::Local* local : locals) parts.push_back(lowering.build.load_local(local));
  return parts;
}

}  // namespace

Parts lower(FunctionLowering& lowering, checked::ExprRef expr) {
  const SourceRange outer = std::exchange(lowering.range, expr->range);
  lowering.build.set_range(lowering.range);
  Parts parts = std::visit([&](const auto& node) { return lower(lowering, node, expr->type); }, expr->node);
  lowering.range = outer;
  lowering.build.set_range(lowering.range);
  return parts;
}

Parts lower(FunctionLowering& lowering, const checked::Constant& node, checked::Type type) {
  Instruction* constant = lowering.build.constant_int(type->scalar, 0);
  constant->constant = node.bits;
  return {constant};
}

Parts lower(FunctionLowering& lowering, const checked::VariableRef& node, checked::Type) {
  return read(lowering, node.variable);
}

Parts lower(FunctionLowering& lowering, const checked::Binary& node, checked::Type) {
  Instruction* left = scalar(lowering, node.left);
  Instruction* right = scalar(lowering, node.right);
  return {lowering.build.emit(kBinary[static_cast<std::size_t>(node.op)], {left, right})};
}

Parts lower(FunctionLowering& lowering, const checked::Unary& node, checked::Type) {
  return {lowering.build.emit(node.op == checked::UnaryOp::Negate ? Opcode::Neg : Opcode::Not,
                              {scalar(lowering, node.operand)})};
}

Parts lower(FunctionLowering& lowering, const checked::Compare& node, checked::Type) {
  Instruction* left = scalar(lowering, node.left);
  Instruction* right = scalar(lowering, node.right);
  return {lowering.build.emit(kCompare[static_cast<std::size_t>(node.op)], {left, right})};
}

Parts lower(FunctionLowering& lowering, const checked::Logical& node, checked::Type type) {
  Instruction* left = scalar(lowering, node.left);
  if (is_cheap(node.right))
    return {lowering.build.emit(node.is_and ? Opcode::And : Opcode::Or, {left, scalar(lowering, node.right)})};
  const auto decided = [&] { return Parts{lowering.build.constant_int(ScalarType::Bool, node.is_and ? 0 : 1)}; };
  const auto undecided = [&] { return lower(lowering, node.right); };
  return node.is_and ? branch(lowering, left, type, undecided, decided)
                     : branch(lowering, left, type, decided, undecided);
}

Parts lower(FunctionLowering& lowering, const checked::Conditional& node, checked::Type type) {
  Instruction* condition = scalar(lowering, node.condition);
  if (!is_cheap(node.then) || !is_cheap(node.otherwise))
    return branch(
        lowering, condition, type, [&] { return lower(lowering, node.then); },
        [&] { return lower(lowering, node.otherwise); });
  Parts parts = lower(lowering, node.then);
  const Parts otherwise = lower(lowering, node.otherwise);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = lowering.build.select(condition, parts[i], otherwise[i]);
  return parts;
}

Parts lower(FunctionLowering& lowering, const checked::Cast& node, checked::Type type) {
  if (type.is_array()) return relaid(lowering, node.operand->type, lower(lowering, node.operand), type);
  return {lowering.build.emit_typed(Opcode::Cast, ir::Type::of(type->scalar), {scalar(lowering, node.operand)})};
}

Parts lower(FunctionLowering& lowering, const checked::Bitcast& node, checked::Type type) {
  return {lowering.build.emit_typed(Opcode::Bitcast, ir::Type::of(type->scalar), {scalar(lowering, node.operand)})};
}

Parts lower(FunctionLowering& lowering, const checked::Let& node, checked::Type) {
  assign(lowering, node.variable, lower(lowering, node.value));
  return lower(lowering, node.body);
}

Parts lower(FunctionLowering& lowering, const checked::Guarded& node, checked::Type) {
  lower(lowering, checked::Check{node.condition, node.fault, node.values});
  return lower(lowering, node.body);
}

Parts lower(FunctionLowering& lowering, const checked::TupleExpr& node, checked::Type) {
  Parts parts;
  for (const checked::ExprRef element : node.elements) {
    const Parts values = lower(lowering, element);
    parts.insert(parts.end(), values.begin(), values.end());
  }
  return parts;
}

Parts lower(FunctionLowering& lowering, const checked::TupleElement& node, checked::Type type) {
  std::size_t first = 0;
  const checked::Type whole = node.tuple->type;
  for (std::size_t i = 0; i < static_cast<std::size_t>(node.index); ++i)
    first += (whole.is_record() ? parts_of(whole->record->fields[i]) : parts_of(whole->elements[i])).size();
  const std::size_t count = parts_of(type).size();
  if (const auto* variable = std::get_if<checked::VariableRef>(&node.tuple->node))
    return read(lowering, variable->variable, first, count);
  const Parts parts = lower(lowering, node.tuple);
  const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace pykc::lowering
