// Loads, stores and atomic operations.
#include "codegen/emitter.h"

namespace pykc::codegen {
namespace {

llvm::Align alignment_of(ScalarType type) { return llvm::Align(static_cast<std::uint64_t>(size_in_bytes(type))); }

}  // namespace

Emitter::Value* Emitter::load_element(Value* address, ir::Type pointer) {
  const ScalarType element = pointer.scalar;
  llvm::LoadInst* load =
      builder_.CreateAlignedLoad(memory_type(state_.context, element), address, alignment_of(element));
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
  return builder_.CreateInBoundsGEP(memory_type(state_.context, i.type.scalar), operand(i, 0), operand(i, 1));
}

Emitter::Value* Emitter::combine(ir::AtomicOp op, ScalarType type, Value* old, Value* value) {
  using enum ir::AtomicOp;
  const bool is_signed = is_signed_integer(type);
  llvm::Type* llvm_type = old->getType();
  const auto is_above = [&](Value* a, Value* b) {
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
    value = builder_.CreateFNeg(value);
  }
  const bool is_small_float = is_float(type) && size_in_bytes(type) == 2;
  const std::optional<llvm::AtomicRMWInst::BinOp> native = native_operation(op, type);
  if (!native || (is_small_float && op == ir::AtomicOp::Add && needs_wide_arithmetic(type)))
    return compare_exchange_loop(i, pointer);
  return builder_.CreateAtomicRMW(*native, address, value, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic,
                                  atomic_scope());
}

/// Reads the old value and tries to put the new one in its place, until no other thread came between. Stops as well
/// where the new value is the old one.
Emitter::Value* Emitter::compare_exchange_loop(const Instruction& i, ir::Type pointer) {
  const ScalarType type = pointer.scalar;
  Value* address = operand(i, 0);
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(8 * size_in_bytes(type)));
  llvm::LoadInst* first = builder_.CreateAlignedLoad(bits, address, alignment_of(type));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, atomic_scope());

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
  builder_.CreateCondBr(builder_.CreateICmpEQ(changed, old_bits), done, swap);
  builder_.SetInsertPoint(swap);
  Value* result =
      builder_.CreateAtomicCmpXchg(address, old_bits, changed, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic,
                                   llvm::AtomicOrdering::Monotonic, atomic_scope());
  old_bits->addIncoming(builder_.CreateExtractValue(result, 0), swap);
  builder_.CreateCondBr(builder_.CreateExtractValue(result, 1), done, attempt);
  builder_.SetInsertPoint(done);
  return old;
}

/// Floats are compared by their bits, as the hardware does.
Emitter::Value* Emitter::emit_compare_and_swap(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(8 * size_in_bytes(type)));
  Value* address = operand(i, 0);
  Value* expected = builder_.CreateBitCast(operand(i, 1), bits);
  Value* desired = builder_.CreateBitCast(operand(i, 2), bits);
  if (is_private(pointer.space)) {
    Value* old = builder_.CreateAlignedLoad(bits, address, alignment_of(type));
    Value* next = builder_.CreateSelect(builder_.CreateICmpEQ(old, expected), desired, old);
    builder_.CreateAlignedStore(next, address, alignment_of(type));
    return builder_.CreateBitCast(old, type_of(type));
  }
  Value* result =
      builder_.CreateAtomicCmpXchg(address, expected, desired, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic,
                                   llvm::AtomicOrdering::Monotonic, atomic_scope());
  return builder_.CreateBitCast(builder_.CreateExtractValue(result, 0), type_of(type));
}

}  // namespace pykc::codegen
