// Atomics, accesses with hints, and inline PTX. Nobody else sees a thread's local arrays, and no target has atomics on
// them: there they are spelled out.
#include "frontend/lower/atomic.h"

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/record.h"
#include "frontend/lower/view.h"

namespace pykc::lowering {
namespace {

Parts with_ordering(Instruction* atomic, const checked::Ordering& ordering) {
  atomic->order = ordering.order;
  atomic->scope = ordering.scope;
  return {atomic};
}

Parts emit_foreign(FunctionLowering& lowering, ir::ForeignCode code, Parts operands) {
  Instruction* foreign = lowering.build.emit(Opcode::Foreign, {});
  foreign->operands = std::move(operands);
  foreign->index = static_cast<std::int64_t>(lowering.target.foreign_codes.size());
  Parts results;
  for (std::size_t i = 0; i < code.results.size(); ++i) {
    results.push_back(lowering.build.emit_typed(Opcode::Extract, ir::Type::of(code.results[i]), {foreign}));
    results.back()->index = static_cast<std::int64_t>(i);
  }
  lowering.target.foreign_codes.push_back(std::move(code));
  return results;
}

/// What an atomic leaves behind.
Instruction* combine(FunctionLowering& lowering, ir::AtomicOp op, Instruction* old, Instruction* value) {
  const auto constant = [&](std::int64_t number) { return lowering.build.constant_int(value->type.scalar, number); };
  switch (op) {
    case ir::AtomicOp::Add:
      return lowering.build.emit(Opcode::Add, {old, value});
    case ir::AtomicOp::Sub:
      return lowering.build.emit(Opcode::Sub, {old, value});
    case ir::AtomicOp::And:
      return lowering.build.emit(Opcode::And, {old, value});
    case ir::AtomicOp::Or:
      return lowering.build.emit(Opcode::Or, {old, value});
    case ir::AtomicOp::Xor:
      return lowering.build.emit(Opcode::Xor, {old, value});
    case ir::AtomicOp::Max:
      return lowering.build.builtin(BuiltinId::Max, value->type, {old, value});
    case ir::AtomicOp::Min:
      return lowering.build.builtin(BuiltinId::Min, value->type, {old, value});
    case ir::AtomicOp::Exchange:
      return value;
    case ir::AtomicOp::Increment:
      return lowering.build.select(lowering.build.emit(Opcode::Ge, {old, value}), constant(0),
                                   lowering.build.emit(Opcode::Add, {old, constant(1)}));
    case ir::AtomicOp::Decrement: {
      Instruction* is_outside = lowering.build.emit(Opcode::Gt, {old, value});
      Instruction* is_over =
          lowering.build.emit(Opcode::Or, {lowering.build.emit(Opcode::Eq, {old, constant(0)}), is_outside});
      return lowering.build.select(is_over, value, lowering.build.emit(Opcode::Sub, {old, constant(1)}));
    }
    case ir::AtomicOp::Raise:
      return lowering.build.select(lowering.build.emit(Opcode::Gt, {value, old}), value, old);
    case ir::AtomicOp::Lower:
      return lowering.build.select(lowering.build.emit(Opcode::Lt, {value, old}), value, old);
  }
  return value;
}

/// How compare-and-swap compares: a NaN equals itself, 0.0 does not equal -0.0.
Instruction* have_same_bits(FunctionLowering& lowering, Instruction* a, Instruction* b) {
  if (is_float(a->type.scalar)) {
    const int bytes = size_in_bytes(a->type.scalar);
    const ir::Type bits = ir::Type::of(bytes == 8 ? ScalarType::U64 : bytes == 4 ? ScalarType::U32 : ScalarType::U16);
    a = lowering.build.emit_typed(Opcode::Bitcast, bits, {a});
    b = lowering.build.emit_typed(Opcode::Bitcast, bits, {b});
  }
  return lowering.build.emit(Opcode::Eq, {a, b});
}

}  // namespace

Parts lower(FunctionLowering& lowering, const checked::Atomic& node, checked::Type) {
  Instruction* place = address(lowering, node.element);
  Instruction* value = scalar(lowering, node.value);
  if (place->type.space != ir::AddressSpace::Local)
    return with_ordering(lowering.build.atomic(node.op, place, value), node.ordering);
  Instruction* old = lowering.build.load(place);
  lowering.build.store(place, combine(lowering, node.op, old, value));
  return {old};
}

Parts lower(FunctionLowering& lowering, const checked::AtomicCompareAndSwap& node, checked::Type type) {
  Instruction* place = address(lowering, node.element);
  Instruction* expected = scalar(lowering, node.expected);
  Instruction* value = scalar(lowering, node.value);
  if (place->type.space != ir::AddressSpace::Local)
    return with_ordering(
        lowering.build.emit_typed(Opcode::AtomicCas, ir::Type::of(type->scalar), {place, expected, value}),
        node.ordering);
  Instruction* old = lowering.build.load(place);
  lowering.build.store(place, lowering.build.select(have_same_bits(lowering, old, expected), value, old));
  return {old};
}

Parts lower(FunctionLowering& lowering, const checked::Access& node, checked::Type type) {
  using Kind = checked::Access::Kind;
  constexpr Opcode kOpcodes[] = {Opcode::AtomicLoad, Opcode::AtomicStore, Opcode::HintedLoad, Opcode::HintedStore,
                                 Opcode::Prefetch};
  Instruction* place = address(lowering, node.element);
  Instruction* value = node.value == nullptr ? nullptr : scalar(lowering, node.value);
  const bool loads = node.kind == Kind::AtomicLoad || node.kind == Kind::HintedLoad;
  if (place->type.space == ir::AddressSpace::Local) {  // nothing to order, and no hint that would help
    if (loads) return {lowering.build.load(place)};
    if (value != nullptr) lowering.build.store(place, value);
    return {};
  }
  const Opcode opcode = kOpcodes[static_cast<std::size_t>(node.kind)];
  Instruction* access = loads              ? lowering.build.emit_typed(opcode, ir::Type::of(type->scalar), {place})
                        : value != nullptr ? lowering.build.emit(opcode, {place, value})
                                           : lowering.build.emit(opcode, {place});
  access->hint = node.hint;
  access->index = node.level;
  with_ordering(access, node.ordering);
  return loads ? Parts{access} : Parts{};
}

Parts lower(FunctionLowering& lowering, const checked::CopyAsync& node, checked::Type) {
  const auto place = [&](const checked::Expr* first) {
    const std::int64_t count = node.bytes / size_in_bytes(first->type->scalar);
    return address(lowering, *first->as<checked::Element>(), {count, node.stride_fault});
  };
  Instruction* to = place(node.to);
  lowering.build.emit(Opcode::CopyAsync, {to, place(node.from)})->index = node.bytes;
  return {};
}

Parts lower(FunctionLowering& lowering, const checked::IsAligned& node, checked::Type) {
  Instruction* result = lowering.build.emit(Opcode::IsAligned, {lower(lowering, node.array).front()});
  result->index = node.bytes;
  return {result};
}

/// Instructions of PTX take the address of an array that is an operand.
Parts lower(FunctionLowering& lowering, const checked::InlinePtx& node, checked::Type type) {
  Parts operands;
  for (const checked::ExprRef operand : node.operands) {
    const Parts parts = lower(lowering, operand);
    const bool is_array = operand->type.is_array();
    operands.insert(operands.end(), parts.begin(), is_array ? parts.begin() + 1 : parts.end());
  }
  ir::ForeignCode code{node.text, {}, false, node.is_tied};
  if (type.is_scalar()) code.results = {type->scalar};
  for (const checked::Type element : type->elements) code.results.push_back(element->scalar);
  return emit_foreign(lowering, std::move(code), std::move(operands));
}

Parts lower(FunctionLowering& lowering, const checked::TensorMap& node, checked::Type) {
  const checked::Type type = node.array->type;
  Parts array = lower(lowering, node.array);
  if (type->array.has_static_shape()) {  // what the type states, so that a view is seen to be none of a parameter
    const Parts extents = extents_of(lowering, type, array), strides = strides_of(lowering, type, array);
    array.insert(array.end(), extents.begin(), extents.end());
    array.insert(array.end(), strides.begin(), strides.end());
  }
  Instruction* map = lowering.build.emit_typed(Opcode::TensorMap, ir::Type::of(ScalarType::U64), {});
  map->operands = std::move(array);
  map->index = static_cast<std::int64_t>(lowering.target.tensor_maps.size());
  lowering.target.tensor_maps.push_back({node.box, node.swizzle, node.is_written});
  return {map};
}

/// An array as a launch passes it: its address, extents and strides.
Parts lower(FunctionLowering& lowering, const checked::CallExternal& node, checked::Type type) {
  Parts operands;
  for (const checked::ExprRef argument : node.arguments)
    for (Instruction* part : lower(lowering, argument)) operands.push_back(part);
  ir::ForeignCode code{node.symbol, {}, true};
  if (type.is_scalar()) code.results = {type->scalar};
  return emit_foreign(lowering, std::move(code), std::move(operands));
}

}  // namespace pykc::lowering
