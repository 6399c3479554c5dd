// Atomics, accesses with hints, and inline PTX. Nobody else sees a thread's local arrays, and no target has atomics on
// them: there they are spelled out.
#include "frontend/lower/function.h"

namespace pykc::lowering {

namespace {

Parts with_ordering(Instruction* atomic, const checked::Ordering& ordering) {
  atomic->order = ordering.order;
  atomic->scope = ordering.scope;
  return {atomic};
}

}  // namespace

Parts FunctionLowering::lower(const checked::Atomic& node, const checked::Type&) {
  Instruction* place = address(node.element);
  Instruction* value = scalar(node.value);
  if (place->type.space != ir::AddressSpace::Local)
    return with_ordering(b_.atomic(node.op, place, value), node.ordering);
  Instruction* old = b_.load(place);
  b_.store(place, combine(node.op, old, value));
  return {old};
}

Parts FunctionLowering::lower(const checked::AtomicCompareAndSwap& node, const checked::Type& type) {
  Instruction* place = address(node.element);
  Instruction* expected = scalar(node.expected);
  Instruction* value = scalar(node.value);
  if (place->type.space != ir::AddressSpace::Local)
    return with_ordering(b_.emit_typed(Opcode::AtomicCas, ir::Type::of(type.scalar), {place, expected, value}),
                         node.ordering);
  Instruction* old = b_.load(place);
  b_.store(place, b_.select(have_same_bits(old, expected), value, old));
  return {old};
}

Parts FunctionLowering::lower(const checked::Access& node, const checked::Type& type) {
  using Kind = checked::Access::Kind;
  constexpr Opcode kOpcodes[] = {Opcode::AtomicLoad, Opcode::AtomicStore, Opcode::HintedLoad, Opcode::HintedStore,
                                 Opcode::Prefetch};
  Instruction* place = address(node.element);
  Instruction* value = node.value == nullptr ? nullptr : scalar(node.value);
  const bool loads = node.kind == Kind::AtomicLoad || node.kind == Kind::HintedLoad;
  if (place->type.space == ir::AddressSpace::Local) {  // nothing to order, and no hint that would help
    if (loads) return {b_.load(place)};
    if (value != nullptr) b_.store(place, value);
    return {};
  }
  const Opcode opcode = kOpcodes[static_cast<std::size_t>(node.kind)];
  Instruction* access = loads              ? b_.emit_typed(opcode, ir::Type::of(type.scalar), {place})
                        : value != nullptr ? b_.emit(opcode, {place, value})
                                           : b_.emit(opcode, {place});
  access->hint = node.hint;
  access->index = node.level;
  with_ordering(access, node.ordering);
  return loads ? Parts{access} : Parts{};
}

Parts FunctionLowering::lower(const checked::CopyAsync& node, const checked::Type&) {
  Instruction* to = address(node.to);
  b_.emit(Opcode::CopyAsync, {to, address(node.from)})->index = node.bytes;
  return {};
}

/// Of an array, its address.
Parts FunctionLowering::lower(const checked::InlinePtx& node, const checked::Type& type) {
  Parts operands;
  for (const checked::ExprRef operand : node.operands) operands.push_back(lower(operand).front());
  ir::ForeignCode code{node.text, {}};
  if (type.is_scalar()) code.results = {type.scalar};
  for (const checked::Type& element : type.elements) code.results.push_back(element.scalar);
  return emit_foreign(std::move(code), std::move(operands));
}

/// An array as a launch passes it: its address, extents and strides.
Parts FunctionLowering::lower(const checked::CallExternal& node, const checked::Type& type) {
  Parts operands;
  for (const checked::ExprRef argument : node.arguments)
    for (Instruction* part : lower(argument)) operands.push_back(part);
  ir::ForeignCode code{node.symbol, {}, true};
  if (type.is_scalar()) code.results = {type.scalar};
  return emit_foreign(std::move(code), std::move(operands));
}

Parts FunctionLowering::emit_foreign(ir::ForeignCode code, Parts operands) {
  Instruction* foreign = b_.emit(Opcode::Foreign, {});
  foreign->operands = std::move(operands);
  foreign->index = static_cast<std::int64_t>(target_.foreign_codes.size());
  Parts results;
  for (std::size_t i = 0; i < code.results.size(); ++i) {
    results.push_back(b_.emit_typed(Opcode::Extract, ir::Type::of(code.results[i]), {foreign}));
    results.back()->index = static_cast<std::int64_t>(i);
  }
  target_.foreign_codes.push_back(std::move(code));
  return results;
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
    const int bytes = size_in_bytes(a->type.scalar);
    const ir::Type bits = ir::Type::of(bytes == 8 ? ScalarType::U64 : bytes == 4 ? ScalarType::U32 : ScalarType::U16);
    a = b_.emit_typed(Opcode::Bitcast, bits, {a});
    b = b_.emit_typed(Opcode::Bitcast, bits, {b});
  }
  return b_.emit(Opcode::Eq, {a, b});
}

}  // namespace pykc::lowering
