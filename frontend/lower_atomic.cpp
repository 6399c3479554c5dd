// Atomics. Nobody else sees a thread's local arrays, and no target has atomics on them: there they are spelled out.
#include "frontend/lower_function.h"

namespace pykc::lowering {

Parts FunctionLowering::lower(const checked::Atomic& node, const checked::Type&) {
  Instruction* place = address(node.element);
  Instruction* value = scalar(node.value);
  if (place->type.space != ir::AddressSpace::Local) return {b_.atomic(node.op, place, value)};
  Instruction* old = b_.load(place);
  b_.store(place, combine(node.op, old, value));
  return {old};
}

Parts FunctionLowering::lower(const checked::AtomicCompareAndSwap& node, const checked::Type& type) {
  Instruction* place = address(node.element);
  Instruction* expected = scalar(node.expected);
  Instruction* value = scalar(node.value);
  if (place->type.space != ir::AddressSpace::Local)
    return {b_.emit_typed(Opcode::AtomicCas, ir::Type::of(type.scalar), {place, expected, value})};
  Instruction* old = b_.load(place);
  b_.store(place, b_.select(have_same_bits(old, expected), value, old));
  return {old};
}

/// What an atomic leaves behind.
Instruction* FunctionLowering::combine(ir::AtomicOp op, Instruction* old, Instruction* value) {
  const auto constant = [&](std::int64_t number) { return b_.constant_int(value->type.scalar, number); };
  switch (op) {
    case ir::AtomicOp::Add:
      return b_.emit(Opcode::Add, {old, value});
    case ir::AtomicOp::Sub:
      return b_.emit(Opcode::Sub, {old, value});
    case ir::AtomicOp::And:
      return b_.emit(Opcode::And, {old, value});
    case ir::AtomicOp::Or:
      return b_.emit(Opcode::Or, {old, value});
    case ir::AtomicOp::Xor:
      return b_.emit(Opcode::Xor, {old, value});
    case ir::AtomicOp::Max:
      return b_.builtin(BuiltinId::Max, value->type, {old, value});
    case ir::AtomicOp::Min:
      return b_.builtin(BuiltinId::Min, value->type, {old, value});
    case ir::AtomicOp::Exchange:
      return value;
    case ir::AtomicOp::Increment:
      return b_.select(b_.emit(Opcode::Ge, {old, value}), constant(0), b_.emit(Opcode::Add, {old, constant(1)}));
    case ir::AtomicOp::Decrement: {
      Instruction* is_outside = b_.emit(Opcode::Gt, {old, value});
      Instruction* is_over = b_.emit(Opcode::Or, {b_.emit(Opcode::Eq, {old, constant(0)}), is_outside});
      return b_.select(is_over, value, b_.emit(Opcode::Sub, {old, constant(1)}));
    }
  }
  return value;
}

/// How compare-and-swap compares: a NaN equals itself, 0.0 does not equal -0.0.
Instruction* FunctionLowering::have_same_bits(Instruction* a, Instruction* b) {
  if (is_float(a->type.scalar)) {
    const ir::Type bits = ir::Type::of(size_in_bytes(a->type.scalar) == 8 ? ScalarType::U64 : ScalarType::U32);
    a = b_.emit_typed(Opcode::Bitcast, bits, {a});
    b = b_.emit_typed(Opcode::Bitcast, bits, {b});
  }
  return b_.emit(Opcode::Eq, {a, b});
}

}  // namespace pykc::lowering
