#include "codegen/emit/atomic.h"

#include <optional>

#include "codegen/emit/arithmetic.h"
#include "codegen/emit/memory.h"

namespace pykc::codegen {
namespace {

llvm::AtomicOrdering ordering_of(ir::MemoryOrder order) {
  constexpr llvm::AtomicOrdering kOrderings[] = {llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Acquire,
                                                 llvm::AtomicOrdering::Release, llvm::AtomicOrdering::AcquireRelease,
                                                 llvm::AtomicOrdering::SequentiallyConsistent};
  return kOrderings[static_cast<std::size_t>(order)];
}

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

Value* emit_native_atomic(Emitter& emitter, const Instruction& i, llvm::AtomicRMWInst::BinOp operation, Value* value) {
  Builder& builder = emitter.builder;
  using enum ir::MemoryOrder;
  const llvm::SyncScope::ID scope = emitter.target->sync_scope(i.scope);
  const bool needs_fences = i.order != Relaxed && !emitter.target->keeps_order();
  if (needs_fences && i.order != Acquire)
    builder.CreateFence(i.order == SequentiallyConsistent ? llvm::AtomicOrdering::SequentiallyConsistent
                                                          : llvm::AtomicOrdering::Release,
                        scope);
  emitter.target->prepare_atomic(i);
  Value* old = builder.CreateAtomicRMW(operation, emitter.operand(i, 0), value, llvm::MaybeAlign(),
                                       needs_fences ? llvm::AtomicOrdering::Monotonic : ordering_of(i.order), scope);
  if (needs_fences && i.order != Release) builder.CreateFence(llvm::AtomicOrdering::Acquire, scope);
  return old;
}

Value* exchange_if_equal(Emitter& emitter, const Instruction& i, Value* address, Value* expected, Value* desired) {
  const llvm::AtomicOrdering success = ordering_of(i.order);
  return emitter.builder.CreateAtomicCmpXchg(address, expected, desired, llvm::MaybeAlign(), success,
                                             llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success),
                                             emitter.target->sync_scope(i.scope));
}

/// Where a value stands for an exchange: in a word of its own, or in a part of one, `shift` bits from its lowest.
struct Place {
  llvm::Type* word;
  Value* address;
  Value* shift;  // null where the word is the value's own
};

/// Where the target exchanges nothing so narrow, it is the word of 32 bits around the value.
Place place_of(Emitter& emitter, Value* address, ScalarType type) {
  if (size_in_bits(type) >= emitter.target->narrowest_exchange()) return {emitter.bits_type(type), address, nullptr};
  Builder& builder = emitter.builder;
  Value* aligned = builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {address->getType(), builder.getInt64Ty()},
                                           {address, builder.getInt64(~std::uint64_t{3})});
  Value* byte = builder.CreateAnd(builder.CreatePtrToInt(address, builder.getInt64Ty()), builder.getInt64(3));
  return {builder.getInt32Ty(), aligned, builder.CreateTrunc(builder.CreateShl(byte, 3), builder.getInt32Ty())};
}

Value* taken_out(Builder& builder, const Place& place, Value* word, llvm::Type* bits) {
  return place.shift == nullptr ? word : builder.CreateTrunc(builder.CreateLShr(word, place.shift), bits);
}

Value* put_in(Builder& builder, const Place& place, Value* word, Value* bits) {
  if (place.shift == nullptr) return bits;
  const auto all_ones = llvm::Constant::getAllOnesValue(bits->getType());
  Value* mask = builder.CreateShl(builder.CreateZExt(all_ones, place.word), place.shift);
  Value* shifted = builder.CreateShl(builder.CreateZExt(bits, place.word), place.shift);
  return builder.CreateOr(builder.CreateAnd(word, builder.CreateNot(mask)), shifted);
}

/// Reads the old value and tries to put the new one in its place, until no other thread came between. Stops as well
/// where the new value is the old one. One loop does for a part of a word, too, of which LLVM would make two.
/// `change`: the bits of the new value, of those of the old one.
template <typename Change>
Value* compare_exchange_loop(Emitter& emitter, const Instruction& i, ScalarType type, Change change) {
  Builder& builder = emitter.builder;
  llvm::Type* bits = emitter.bits_type(type);
  const Place place = place_of(emitter, emitter.operand(i, 0), type);
  Value* threads = emitter.target->begin_retries();
  llvm::LoadInst* first =
      builder.CreateAlignedLoad(place.word, place.address, llvm::Align(place.word->getScalarSizeInBits() / 8));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, emitter.target->sync_scope(i.scope));

  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* attempt = emitter.new_block("atomic");
  llvm::BasicBlock* swap = emitter.new_block("atomic.swap");
  llvm::BasicBlock* agree = emitter.new_block("atomic.agree");
  llvm::BasicBlock* done = emitter.new_block("atomic.end");
  builder.CreateBr(attempt);
  builder.SetInsertPoint(attempt);
  llvm::PHINode* word = builder.CreatePHI(place.word, 2);
  llvm::PHINode* has_won = builder.CreatePHI(builder.getInt1Ty(), 2);  // and waits for other threads
  Value* old_bits = taken_out(builder, place, word, bits);
  Value* changed = change(old_bits);
  // A relaxed change that changes nothing needs no write.
  const bool may_skip = i.order == ir::MemoryOrder::Relaxed;
  Value* is_done = may_skip ? builder.CreateOr(has_won, builder.CreateICmpEQ(changed, old_bits)) : has_won;
  builder.CreateCondBr(is_done, agree, swap);
  builder.SetInsertPoint(swap);
  Value* result = exchange_if_equal(emitter, i, place.address, word, put_in(builder, place, word, changed));
  Value* found = builder.CreateExtractValue(result, 0);
  Value* wins = builder.CreateExtractValue(result, 1);
  builder.CreateBr(agree);
  builder.SetInsertPoint(agree);
  llvm::PHINode* word_now = builder.CreatePHI(place.word, 2);
  llvm::PHINode* has_won_now = builder.CreatePHI(builder.getInt1Ty(), 2);
  word_now->addIncoming(word, attempt);
  word_now->addIncoming(found, swap);
  has_won_now->addIncoming(builder.getTrue(), attempt);
  has_won_now->addIncoming(wins, swap);
  word->addIncoming(first, before);
  word->addIncoming(word_now, agree);
  has_won->addIncoming(builder.getFalse(), before);
  has_won->addIncoming(has_won_now, agree);
  builder.CreateCondBr(emitter.target->any_retries(threads, builder.CreateNot(has_won_now)), attempt, done);
  builder.SetInsertPoint(done);
  return builder.CreateBitCast(taken_out(builder, place, word_now, bits), emitter.type_of(type));
}

}  // namespace

Value* combine(Emitter& emitter, ir::AtomicOp op, ScalarType type, Value* old, Value* value) {
  Builder& builder = emitter.builder;
  using enum ir::AtomicOp;
  const bool is_signed = is_signed_integer(type);
  llvm::Type* llvm_type = old->getType();
  const auto is_above = [&](Value* a, Value* b) {
    if (is_float(type)) return builder.CreateFCmpOGT(widen(emitter, a, type), widen(emitter, b, type));
    return is_signed ? builder.CreateICmpSGT(a, b) : builder.CreateICmpUGT(a, b);
  };
  const auto plus = [&](std::int64_t step) {
    return builder.CreateAdd(old, llvm::ConstantInt::getSigned(llvm_type, step));
  };
  switch (op) {
    case Add:
      return is_float(type) ? emit_float(emitter, ir::Opcode::Add, type, old, value) : builder.CreateAdd(old, value);
    case Sub:
      return is_float(type) ? emit_float(emitter, ir::Opcode::Sub, type, old, value) : builder.CreateSub(old, value);
    case Max:
      return maximum(emitter, type, old, value);
    case Min:
      return minimum(emitter, type, old, value);
    case And:
      return builder.CreateAnd(old, value);
    case Or:
      return builder.CreateOr(old, value);
    case Xor:
      return builder.CreateXor(old, value);
    case Exchange:
      return value;
    case Increment:
      return builder.CreateSelect(is_above(value, old), plus(1), llvm::Constant::getNullValue(llvm_type));
    case Decrement:
      return builder.CreateSelect(builder.CreateOr(builder.CreateIsNull(old), is_above(old, value)), value, plus(-1));
    case Raise:
      return builder.CreateSelect(is_above(value, old), value, old);
    case Lower:
      return builder.CreateSelect(is_above(old, value), value, old);
  }
  return value;
}

/// Where no other thread can come between, a plain read and write; not annotated, for the turns of a block's threads
/// may well meet at one address.
Value* emit_atomic(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  Value *address = emitter.operand(i, 0), *value = emitter.operand(i, 1);
  if (emitter.target->is_private(pointer.space)) {
    Value* old = builder.CreateAlignedLoad(emitter.type_of(type), address, alignment_of(type));
    builder.CreateAlignedStore(combine(emitter, i.atomic, type, old, value), address, alignment_of(type));
    return old;
  }
  ir::AtomicOp op = i.atomic;
  if (op == ir::AtomicOp::Sub && is_float(type)) {  // hardware only adds
    op = ir::AtomicOp::Add;
    value = negate_float(emitter, value, type);
  }
  const bool is_small_float = is_float(type) && size_in_bytes(type) == 2;
  const std::optional<llvm::AtomicRMWInst::BinOp> native = native_operation(op, type);
  const bool adds_by_hand = is_small_float && op == ir::AtomicOp::Add && emitter.target->needs_wide_arithmetic(type);
  if (native && !adds_by_hand && emitter.target->keeps_scope(i.scope) && emitter.target->has_atomic(*native, type))
    return emit_native_atomic(emitter, i, *native, value);
  return compare_exchange_loop(emitter, i, type, [&](Value* old_bits) {
    Value* old = builder.CreateBitCast(old_bits, emitter.type_of(type));
    return builder.CreateBitCast(combine(emitter, i.atomic, type, old, emitter.operand(i, 1)), emitter.bits_type(type));
  });
}

/// Floats are compared by their bits, as the hardware does.
Value* emit_compare_and_swap(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ir::Type pointer = i.operands[0]->type;
  const ScalarType type = pointer.scalar;
  llvm::Type* bits = emitter.bits_type(type);
  Value* address = emitter.operand(i, 0);
  Value* expected = builder.CreateBitCast(emitter.operand(i, 1), bits);
  Value* desired = builder.CreateBitCast(emitter.operand(i, 2), bits);
  if (emitter.target->is_private(pointer.space)) {
    Value* old = builder.CreateAlignedLoad(bits, address, alignment_of(type));
    Value* next = builder.CreateSelect(builder.CreateICmpEQ(old, expected), desired, old);
    builder.CreateAlignedStore(next, address, alignment_of(type));
    return builder.CreateBitCast(old, emitter.type_of(type));
  }
  if (size_in_bits(type) < emitter.target->narrowest_exchange())
    return compare_exchange_loop(emitter, i, type, [&](Value* old_bits) {
      return builder.CreateSelect(builder.CreateICmpEQ(old_bits, expected), desired, old_bits);
    });
  Value* result = exchange_if_equal(emitter, i, address, expected, desired);
  return builder.CreateBitCast(builder.CreateExtractValue(result, 0), emitter.type_of(type));
}

/// What is loaded is the integer of its bits: not every target loads floats in one step.
Value* emit_atomic_load(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ScalarType type = i.type.scalar;
  llvm::LoadInst* load = builder.CreateAlignedLoad(emitter.bits_type(type), emitter.operand(i, 0), alignment_of(type));
  if (!emitter.target->is_private(i.operands[0]->type.space))
    load->setAtomic(ordering_of(i.order), emitter.target->sync_scope(i.scope));
  return builder.CreateBitCast(load, emitter.type_of(type));
}

void emit_atomic_store(Emitter& emitter, const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  llvm::StoreInst* store = emitter.builder.CreateAlignedStore(emitter.bits_of(emitter.operand(i, 1)),
                                                              emitter.operand(i, 0), alignment_of(pointer.scalar));
  if (!emitter.target->is_private(pointer.space))
    store->setAtomic(ordering_of(i.order), emitter.target->sync_scope(i.scope));
}

}  // namespace pykc::codegen
