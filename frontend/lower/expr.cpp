#include <algorithm>

#include "frontend/checked/walk.h"
#include "frontend/lower/function.h"

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

}  // namespace

Parts FunctionLowering::lower(checked::ExprRef expr) {
  const SourceRange outer = std::exchange(range_, expr->range);
  b_.set_range(range_);
  Parts parts = std::visit([&](const auto& node) { return lower(node, expr->type); }, expr->node);
  range_ = outer;
  b_.set_range(range_);
  return parts;
}

Parts FunctionLowering::lower(const checked::Constant& node, const checked::Type& type) {
  Instruction* constant = b_.constant_int(type.scalar, 0);
  constant->constant = node.bits;
  return {constant};
}

Parts FunctionLowering::lower(const checked::VariableRef& node, const checked::Type&) { return read(node.variable); }

Parts FunctionLowering::lower(const checked::Binary& node, const checked::Type&) {
  Instruction* left = scalar(node.left);
  Instruction* right = scalar(node.right);
  return {b_.emit(kBinary[static_cast<std::size_t>(node.op)], {left, right})};
}

Parts FunctionLowering::lower(const checked::Unary& node, const checked::Type&) {
  return {b_.emit(node.op == checked::UnaryOp::Negate ? Opcode::Neg : Opcode::Not, {scalar(node.operand)})};
}

Parts FunctionLowering::lower(const checked::Compare& node, const checked::Type&) {
  Instruction* left = scalar(node.left);
  Instruction* right = scalar(node.right);
  return {b_.emit(kCompare[static_cast<std::size_t>(node.op)], {left, right})};
}

Parts FunctionLowering::lower(const checked::Logical& node, const checked::Type& type) {
  Instruction* left = scalar(node.left);
  if (is_cheap(node.right)) return {b_.emit(node.is_and ? Opcode::And : Opcode::Or, {left, scalar(node.right)})};
  const auto decided = [&] { return Parts{b_.constant_int(ScalarType::Bool, node.is_and ? 0 : 1)}; };
  const auto undecided = [&] { return lower(node.right); };
  return node.is_and ? branch(left, type, undecided, decided) : branch(left, type, decided, undecided);
}

Parts FunctionLowering::lower(const checked::Conditional& node, const checked::Type& type) {
  Instruction* condition = scalar(node.condition);
  if (!is_cheap(node.then) || !is_cheap(node.otherwise))
    return branch(
        condition, type, [&] { return lower(node.then); }, [&] { return lower(node.otherwise); });
  Parts parts = lower(node.then);
  const Parts otherwise = lower(node.otherwise);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = b_.select(condition, parts[i], otherwise[i]);
  return parts;
}

template <typename Then, typename Otherwise>
Parts FunctionLowering::branch(Instruction* condition, const checked::Type& type, Then then, Otherwise otherwise) {
  std::vector<ir::Local*> locals;
  for (const PartInfo& part : parts_of(type)) locals.push_back(target_.create_local("either" + part.suffix, part.type));
  const auto fill = [&](ir::Block& block, auto& side) {
    b_.enter(block);
    const Parts values = side();
    for (std::size_t i = 0; i < locals.size(); ++i) b_.store_local(locals[i], values[i]);
    b_.leave();
  };
  Instruction* choice = b_.if_(condition);
  fill(choice->blocks[0], then);
  fill(choice->blocks[1], otherwise);
  Parts parts;
  for (ir::Local* local : locals) parts.push_back(b_.load_local(local));
  return parts;
}

Parts FunctionLowering::lower(const checked::Cast& node, const checked::Type& type) {
  if (type.is_array()) return relaid(node.operand->type, lower(node.operand), type);
  return {b_.emit_typed(Opcode::Cast, ir::Type::of(type.scalar), {scalar(node.operand)})};
}

Parts FunctionLowering::lower(const checked::Bitcast& node, const checked::Type& type) {
  return {b_.emit_typed(Opcode::Bitcast, ir::Type::of(type.scalar), {scalar(node.operand)})};
}

Parts FunctionLowering::lower(const checked::Let& node, const checked::Type&) {
  assign(node.variable, lower(node.value));
  return lower(node.body);
}

Parts FunctionLowering::lower(const checked::Guarded& node, const checked::Type&) {
  lower(checked::Check{node.condition, node.fault, node.values});
  return lower(node.body);
}

Parts FunctionLowering::lower(const checked::TupleExpr& node, const checked::Type&) {
  Parts parts;
  for (const checked::ExprRef element : node.elements) {
    const Parts values = lower(element);
    parts.insert(parts.end(), values.begin(), values.end());
  }
  return parts;
}

Parts FunctionLowering::lower(const checked::TupleElement& node, const checked::Type& type) {
  const Parts parts = lower(node.tuple);
  std::size_t first = 0;
  const std::vector<checked::Type> elements = checked::components(node.tuple->type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(node.index); ++i) first += parts_of(elements[i]).size();
  const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(parts_of(type).size())};
}

}  // namespace pykc::lowering
