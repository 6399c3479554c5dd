#include "frontend/check/expressions/tree.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/float_bits.h"
#include "frontend/check/names/names.h"
#include "frontend/checked/walk.h"
#include "ir/evaluate/evaluate.h"
#include "stdlib/builtins.h"

namespace pykc::checker {

using checked::BinaryOp;
using checked::CompareOp;
using checked::Expr;
using checked::UnaryOp;

namespace {

constexpr ir::Opcode kBinaryOpcodes[] = {ir::Opcode::Add,      ir::Opcode::Sub, ir::Opcode::Mul, ir::Opcode::Div,
                                         ir::Opcode::FloorDiv, ir::Opcode::Mod, ir::Opcode::And, ir::Opcode::Or,
                                         ir::Opcode::Xor,      ir::Opcode::Shl, ir::Opcode::Shr};
static_assert(std::size(kBinaryOpcodes) == static_cast<std::size_t>(BinaryOp::Shr) + 1);
constexpr ir::Opcode kUnaryOpcodes[] = {ir::Opcode::Neg, ir::Opcode::Not, ir::Opcode::Not};
constexpr ir::Opcode kCompareOpcodes[] = {ir::Opcode::Eq, ir::Opcode::Ne, ir::Opcode::Lt,
                                          ir::Opcode::Le, ir::Opcode::Gt, ir::Opcode::Ge};

std::optional<ir::Scalar> constant_of(const Expr* expr) {
  const auto* constant = expr->as<checked::Constant>();
  if (!constant) return std::nullopt;
  return ir::Scalar{expr->type->scalar, constant->bits};
}

/// Text that is spelled out: constants.
bool is_spelled_text(const Expr& expr) {
  const auto* record = expr.type.is_record() && is_text(expr.type->record) ? expr.as<checked::TupleExpr>() : nullptr;
  const auto* characters = record ? record->elements.front()->as<checked::TupleExpr>() : nullptr;
  return characters &&
         std::ranges::all_of(characters->elements, [](const auto& c) { return c->template as<checked::Constant>(); });
}

}  // namespace

Int128 integer_of(const Expr& expr) {
  const std::uint64_t bits = expr.as<checked::Constant>()->bits;
  if (expr.type->scalar == ScalarType::U64) return static_cast<Int128>(bits);
  return ir::integer_from_bits(expr.type->scalar, bits);
}

double real_of(const Expr& expr) {
  if (is_float(expr.type->scalar)) return float_from_bits(expr.type->scalar, expr.as<checked::Constant>()->bits);
  return static_cast<double>(integer_of(expr));
}

bool is_simple(const Expr& expr) {
  if (is_spelled_text(expr)) return true;
  if (const auto* element = expr.as<checked::TupleElement>()) return is_simple(*element->tuple);
  if (const auto* view = expr.as<checked::FieldView>()) return is_simple(*view->array);
  if (const auto* cast = expr.as<checked::Cast>()) return is_simple(*cast->operand);
  if (const auto* call = expr.as<checked::CallBuiltin>()) return call->arguments.empty() && is_property(call->builtin);
  if (const auto* extent = expr.as<checked::Extent>()) return is_simple(*extent->array);
  if (const auto* stride = expr.as<checked::Stride>()) return is_simple(*stride->array);
  return expr.as<checked::Constant>() || expr.as<checked::VariableRef>() || expr.as<checked::SharedArrayRef>() ||
         expr.as<checked::LocalArrayRef>() || expr.as<checked::ConstantArrayRef>();
}

bool has_effects(const Expr& expr) {
  if (const auto* call = expr.as<checked::CallBuiltin>(); call && info(call->builtin).effect >= Effect::Warp)
    return true;
  if (expr.as<checked::CallFunction>() || expr.as<checked::CallExternal>() || expr.as<checked::InlinePtx>() ||
      expr.as<checked::Atomic>() || expr.as<checked::AtomicCompareAndSwap>() || expr.as<checked::Access>() ||
      expr.as<checked::CopyAsync>())
    return true;
  bool found = false;
  checked::for_each_operand(expr, [&](const Expr* operand) { found = found || has_effects(*operand); });
  return found;
}

bool literals_fit(const Expr& weak, ScalarType type) {
  if (const auto* choice = weak.as<checked::Conditional>())
    return literals_fit(*choice->then, type) && literals_fit(*choice->otherwise, type);
  if (weak.as<checked::Constant>()) return is_wide_enough(integer_of(weak), type);
  return type == weak.type->scalar;
}

const Expr* TreeBuilder::bits(ScalarType type, std::uint64_t bits, SourceRange range) {
  return scalar(type, range, checked::Constant{bits});
}

const Expr* TreeBuilder::integer(Int128 value, ScalarType type, SourceRange range) {
  return bits(type, ir::wrap_into(type, static_cast<std::uint64_t>(value)), range);
}

const Expr* TreeBuilder::real(double value, ScalarType type, SourceRange range) {
  return bits(type, float_to_bits(type, value), range);
}

const Expr* TreeBuilder::zero(checked::Type type, SourceRange range) {
  if (type.is_scalar()) return bits(type->scalar, 0, range);
  checked::TupleExpr tuple;
  for (const checked::Type element : types_.components(type)) tuple.elements.push_back(zero(element, range));
  return make(type, range, std::move(tuple));
}

Value TreeBuilder::weak_integer(Int128 value, SourceRange range) {
  return {integer(value, type_of_literal(value), range), Weak::Int, {}};
}

Value TreeBuilder::weak_real(double value, SourceRange range) {
  return {real(value, ScalarType::F64, range), Weak::Float, {}};
}

Value TreeBuilder::tuple(std::vector<Value> elements, SourceRange range, std::vector<std::string> names) {
  std::vector<checked::Type> types;
  checked::TupleExpr node;
  for (const Value& element : elements) {
    if (!element.known()) return {};
    types.push_back(element.type());
    node.elements.push_back(element.expr);
  }
  return {make(types_.tuple(std::move(types), std::move(names)), range, std::move(node)), Weak::No,
          std::move(elements)};
}

const Expr* TreeBuilder::fold(ir::Opcode opcode, ScalarType result, std::initializer_list<const Expr*> operands,
                              SourceRange range) {
  std::array<ir::Scalar, 2> scalars;
  std::size_t count = 0;
  for (const Expr* operand : operands) {
    const std::optional<ir::Scalar> scalar = constant_of(operand);
    if (!scalar) return nullptr;
    scalars[count++] = *scalar;
  }
  const std::optional<std::uint64_t> folded = ir::evaluate(opcode, result, std::span(scalars.data(), count));
  return folded ? bits(result, *folded, range) : nullptr;
}

const Expr* TreeBuilder::cast(const Expr* expr, ScalarType to) {
  if (expr->type->scalar == to) return expr;
  if (const Expr* folded = fold(ir::Opcode::Cast, to, {expr}, expr->range)) return folded;
  return scalar(to, expr->range, checked::Cast{expr});
}

const Expr* TreeBuilder::convert(const Value& value, ScalarType to) {
  const bool retypes = value.weak == Weak::Int || (value.weak == Weak::Float && is_float(to));
  return retypes ? retype(value.expr, to) : cast(value.expr, to);
}

const Expr* TreeBuilder::retype(const Expr* weak, ScalarType to) {
  if (weak->type->scalar == to) return weak;
  const bool computes = weak->as<checked::Binary>() || weak->as<checked::Unary>();
  if (computes && is_float(to) && size_in_bytes(to) < size_in_bytes(ScalarType::F32))
    return cast(retype(weak, ScalarType::F32), to);  // which may hold what a narrower one does not
  if (const auto* node = weak->as<checked::Binary>())
    return binary(node->op, retype(node->left, to), retype(node->right, to), weak->range);
  if (const auto* node = weak->as<checked::Unary>()) return unary(node->op, retype(node->operand, to), weak->range);
  if (const auto* node = weak->as<checked::Conditional>())
    return conditional(node->condition, retype(node->then, to), retype(node->otherwise, to));
  if (const auto* node = weak->as<checked::Cast>()) return cast(node->operand, to);
  return cast(weak, to);
}

const Expr* TreeBuilder::binary(BinaryOp op, const Expr* left, const Expr* right, SourceRange range) {
  const ScalarType type = left->type->scalar;
  if (const Expr* folded = fold(kBinaryOpcodes[static_cast<std::size_t>(op)], type, {left, right}, range))
    return folded;
  return scalar(type, range, checked::Binary{op, left, right});
}

const Expr* TreeBuilder::unary(UnaryOp op, const Expr* operand, SourceRange range) {
  const ScalarType type = operand->type->scalar;
  if (const Expr* folded = fold(kUnaryOpcodes[static_cast<std::size_t>(op)], type, {operand}, range)) return folded;
  return scalar(type, range, checked::Unary{op, operand});
}

const Expr* TreeBuilder::compare(CompareOp op, const Expr* left, const Expr* right, SourceRange range) {
  const ir::Opcode opcode = kCompareOpcodes[static_cast<std::size_t>(op)];
  if (const Expr* folded = fold(opcode, ScalarType::Bool, {left, right}, range)) return folded;
  return scalar(ScalarType::Bool, range, checked::Compare{op, left, right});
}

const Expr* TreeBuilder::logical(bool is_and, std::vector<const Expr*> operands) {
  while (operands.size() > 1) {
    std::vector<const Expr*> halved;
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2)
      halved.push_back(logical(is_and, operands[i], operands[i + 1], join(operands[i]->range, operands[i + 1]->range)));
    if (operands.size() % 2 == 1) halved.push_back(operands.back());
    operands = std::move(halved);
  }
  return operands.front();
}

const Expr* TreeBuilder::logical(bool is_and, const Expr* left, const Expr* right, SourceRange range) {
  if (const auto* known = left->as<checked::Constant>()) return (known->bits != 0) == is_and ? right : left;
  return scalar(ScalarType::Bool, range, checked::Logical{is_and, left, right});
}

const Expr* TreeBuilder::conditional(const Expr* condition, const Expr* then, const Expr* otherwise) {
  if (const auto* known = condition->as<checked::Constant>()) return known->bits != 0 ? then : otherwise;
  const bool is_first = then->range.begin <= otherwise->range.begin;  // not of `a and b`, which is b where a holds
  const SourceRange range = is_first ? join(then->range, otherwise->range) : join(otherwise->range, then->range);
  return make(then->type, range, checked::Conditional{condition, then, otherwise});
}

const Expr* TreeBuilder::builtin(BuiltinId id, ScalarType result, std::vector<const Expr*> arguments,
                                 SourceRange range) {
  std::vector<ir::Scalar> constants;
  for (const Expr* argument : arguments)
    if (const std::optional<ir::Scalar> constant = constant_of(argument)) constants.push_back(*constant);
  if (!arguments.empty() && constants.size() == arguments.size())
    if (const std::optional<std::uint64_t> folded = ir::evaluate(id, constants)) return bits(result, *folded, range);
  return scalar(result, range, checked::CallBuiltin{id, std::move(arguments)});
}

}  // namespace pykc::checker
