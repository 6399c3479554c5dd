// Loads, stores and atomic operations.
#include "codegen/emit/emitter.h"

namespace pykc::codegen {
namespace {

llvm::Align alignment_of(ScalarType type) { return llvm::Align(static_cast<std::uint64_t>(size_in_bytes(type))); }

llvm::AtomicOrdering ordering_of(ir::MemoryOrder order) {
  constexpr llvm::AtomicOrdering kOrderings[] = {llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Acquire,
                                                 llvm::AtomicOrdering::Release, llvm::AtomicOrdering::AcquireRelease,
                                                 llvm::AtomicOrdering::SequentiallyConsistent};
  return kOrderings[static_cast<std::size_t>(order)];
}

}  // namespace

Emitter::Value* Emitter::load_element(Value* address, ir::Type pointer) {
  const ScalarType element = pointer.scalar;
  llvm::LoadInst* load =
      builder_.CreateAlignedLoad(memory_type(state_.context, element, state_.types), address, alignment_of(element));
  annotate(load, pointer.space);
  if (pointer.space == ir::AddressSpace::Parameter)  // nobody writes what was passed by value
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(state_.context, {}));
  return element == ScalarType::Bool ? builder_.CreateIsNotNull(load) : load;
}

void Emitter::store_element(Value* value, Value* address, ir::Type pointer) {
  const ScalarType element = pointer.scalar;
  if (element == ScalarType::Bool) value = builder_.CreateZExt(value, builder_.getInt8Ty());
  annotate(builder_.CreateAlignedStore(value, address, alignment_of(element)), pointer.space);
}

Emitter::Value* Emitter::emit_element(const Instruction& i) {
  return builder_.CreateInBoundsGEP(memory_type(state_.context, i.type.scalar, state_.types), operand(i, 0),
                                    operand(i, 1));
}

Emitter::Value* Emitter::combine(ir::AtomicOp op, ScalarType type, Value* old, Value* value) {
  using enum ir::AtomicOp;
  const bool is_signed = is_signed_integer(type);
  llvm::Type* llvm_type = old->getType();
  const auto is_above = [&](Value* a, Value* b) {
    if (is_float(type)) return builder_.CreateFCmpOGT(a, b);
    return is_signed ? builder_.CreateICmpSGT(a, b) : builder_.CreateICmpUGT(a, b);
  };
  const auto plus = [&](std::int64_t step) {
    return builder_.CreateAdd(old, llvm::ConstantInt::getSigned(llvm_type, step));
  };
  switch (op) {
    case Add:
      return is_float(type) ? emit_rounded(ir::Opcode::Add, type, old, value) : builder_.CreateAdd(old, value);
    case Sub:
      return is_float(type) ? emit_rounded(ir::Opcode::Sub, type, old, value) : builder_.CreateSub(old, value);
    case Max:
      return maximum(type, old, value);
    case Min:
      return minimum(type, old, value);
    case And:
      return builder_.CreateAnd(old, value);
    case Or:
      return builder_.CreateOr(old, value);
    case Xor:
      return builder_.CreateXor(old, value);
    case Exchange:
      return value;
    case Increment:
      return builder_.CreateSelect(is_above(value, old), plus(1), llvm::Constant::getNullValue(llvm_type));
    case Decrement:
      return builder_.CreateSelect(builder_.CreateOr(builder_.CreateIsNull(old), is_above(old, value)), value,
                                   plus(-1));
    case Raise:
      return builder_.CreateSelect(is_above(value, old), value, old);
    case Lower:
      return builder_.CreateSelect(is_above(old, value), value, old);
  }
  return value;
}

namespace {

/// The operation of LLVM's atomicrmw that does the same; none where a loop of compare and swap has to.
std::optional<llvm::AtomicRMWInst::BinOp> native_operation(ir::AtomicOp op, ScalarType type) {
  using enum ir::AtomicOp;
  using Native = llvm::AtomicRMWInst;
  const bool is_signed = is_signed_integer(type);
  const bool is_real = is_float(type);
  switch (op) {
    case Add:
      return is_real ? Native::FAdd : Native::Add;
    case Sub:
      return is_real ? Native::FSub : Native::Sub;
    case And:
      return Native::And;
    case Or:
      return Native::Or;
    case Xor:
      return Native::Xor;
    case Exchange:
      return Native::Xchg;
    case Max:
      if (is_real) return std::nullopt;
      return is_signed ? Native::Max : Native::UMax;
    case Min:
      if (is_real) return std::nullopt;
      return is_signed ? Native::Min : Native::UMin;
    // LLVM's wrap compares unsigned.
    case Increment:
      if (is_signed) return std::nullopt;
      return Native::UIncWrap;
    case Decrement:
      if (is_signed) return std::nullopt;
      return Native::UDecWrap;
    case Raise:
    case Lower:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

/// Where no other thread can come between, a plain read and write; not annotated, for the turns of a block's threads
/// may well meet at one address.
Emitter::Value* Emitter::emit_atomic(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  Value *address = operand(i, 0), *value = operand(i, 1);
  if (is_private(pointer.space)) {
    Value* old = builder_.CreateAlignedLoad(type_of(type), address, alignment_of(type));
    builder_.CreateAlignedStore(combine(i.atomic, type, old, value), address, alignment_of(type));
    return old;
  }
  ir::AtomicOp op = i.atomic;
  if (op == ir::AtomicOp::Sub && is_float(type)) {  // hardware only adds
    op = ir::AtomicOp::Add;
    value = negate_float(value, type);
  }
  const bool is_small_float = is_float(type) && size_in_bytes(type) == 2;
  const std::optional<llvm::AtomicRMWInst::BinOp> native = native_operation(op, type);
  const bool adds_by_hand = is_small_float && op == ir::AtomicOp::Add && needs_wide_arithmetic(type);
  if (!native || adds_by_hand || !keeps_scope(i.scope)) return compare_exchange_loop(i, pointer);
  return emit_native_atomic(i, *native, value);
}

Emitter::Value* Emitter::emit_native_atomic(const Instruction& i, llvm::AtomicRMWInst::BinOp operation, Value* value) {
  using enum ir::MemoryOrder;
  const llvm::SyncScope::ID scope = sync_scope(i.scope);
  const bool needs_fences = i.order != Relaxed && !keeps_order();
  if (needs_fences && i.order != Acquire)
    builder_.CreateFence(i.order == SequentiallyConsistent ? llvm::AtomicOrdering::SequentiallyConsistent
                                                           : llvm::AtomicOrdering::Release,
                         scope);
  prepare_atomic(i);
  Value* old = builder_.CreateAtomicRMW(operation, operand(i, 0), value, llvm::MaybeAlign(),
                                        needs_fences ? llvm::AtomicOrdering::Monotonic : ordering_of(i.order), scope);
  if (needs_fences && i.order != Release) builder_.CreateFence(llvm::AtomicOrdering::Acquire, scope);
  return old;
}

Emitter::Value* Emitter::exchange_if_equal(const Instruction& i, Value* address, Value* expected, Value* desired) {
  const llvm::AtomicOrdering success = ordering_of(i.order);
  return builder_.CreateAtomicCmpXchg(address, expected, desired, llvm::MaybeAlign(), success,
                                      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success),
                                      sync_scope(i.scope));
}

/// Reads the old value and tries to put the new one in its place, until no other thread came between. Stops as well
/// where the new value is the old one.
Emitter::Value* Emitter::compare_exchange_loop(const Instruction& i, ir::Type pointer) {
  const ScalarType type = pointer.scalar;
  Value* address = operand(i, 0);
  llvm::Type* bits = bits_type(type);
  llvm::LoadInst* first = builder_.CreateAlignedLoad(bits, address, alignment_of(type));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, sync_scope(i.scope));

  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* attempt = new_block("atomic");
  llvm::BasicBlock* swap = new_block("atomic.swap");
  llvm::BasicBlock* done = new_block("atomic.end");
  builder_.CreateBr(attempt);
  builder_.SetInsertPoint(attempt);
  llvm::PHINode* old_bits = builder_.CreatePHI(bits, 2);
  old_bits->addIncoming(first, before);
  Value* old = builder_.CreateBitCast(old_bits, type_of(type));
  Value* changed = builder_.CreateBitCast(combine(i.atomic, type, old, operand(i, 1)), bits);
  // A relaxed change that changes nothing needs no write.
  const bool may_skip = i.order == ir::MemoryOrder::Relaxed;
  Value* is_done = may_skip ? builder_.CreateICmpEQ(changed, old_bits) : builder_.getFalse();
  builder_.CreateCondBr(is_done, done, swap);
  builder_.SetInsertPoint(swap);
  Value* result = exchange_if_equal(i, address, old_bits, changed);
  old_bits->addIncoming(builder_.CreateExtractValue(result, 0), swap);
  builder_.CreateCondBr(builder_.CreateExtractValue(result, 1), done, attempt);
  builder_.SetInsertPoint(done);
  return old;
}

/// Floats are compared by their bits, as the hardware does.
Emitter::Value* Emitter::emit_compare_and_swap(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  llvm::Type* bits = bits_type(type);
  Value* address = operand(i, 0);
  Value* expected = builder_.CreateBitCast(operand(i, 1), bits);
  Value* desired = builder_.CreateBitCast(operand(i, 2), bits);
  if (is_private(pointer.space)) {
    Value* old = builder_.CreateAlignedLoad(bits, address, alignment_of(type));
    Value* next = builder_.CreateSelect(builder_.CreateICmpEQ(old, expected), desired, old);
    builder_.CreateAlignedStore(next, address, alignment_of(type));
    return builder_.CreateBitCast(old, type_of(type));
  }
  Value* result = exchange_if_equal(i, address, expected, desired);
  return builder_.CreateBitCast(builder_.CreateExtractValue(result, 0), type_of(type));
}

/// As the integer of its bits: not every target loads floats in one step.
Emitter::Value* Emitter::emit_atomic_load(const Instruction& i) {
  const ScalarType type = i.type.scalar;
  llvm::LoadInst* load = builder_.CreateAlignedLoad(bits_type(type), operand(i, 0), alignment_of(type));
  if (!is_private(i.operands[0]->type.space)) load->setAtomic(ordering_of(i.order), sync_scope(i.scope));
  return builder_.CreateBitCast(load, type_of(type));
}

void Emitter::emit_atomic_store(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  llvm::StoreInst* store =
      builder_.CreateAlignedStore(bits_of(operand(i, 1)), operand(i, 0), alignment_of(pointer.scalar));
  if (!is_private(pointer.space)) store->setAtomic(ordering_of(i.order), sync_scope(i.scope));
}

void Emitter::copy_elements(const Instruction& i) {
  const ir::Type to = i.operands[0]->type, from = i.operands[1]->type;
  llvm::Type* type = memory_type(state_.context, to.scalar, state_.types);
  for (std::int64_t n = 0; n < i.index / size_in_bytes(to.scalar); ++n) {
    const auto element = [&](std::size_t side) {
      return builder_.CreateInBoundsGEP(type, operand(i, side), constant_i64(n));
    };
    store_element(load_element(element(1), from), element(0), to);
  }
}

}  // namespace pykc::codegen
