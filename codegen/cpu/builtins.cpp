// The builtins that a CPU has no single instruction for, and the thread's place.
#include <llvm/IR/Intrinsics.h>

#include "codegen/cpu/emitter.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {

CpuEmitter::Value* CpuEmitter::emit_target_builtin(const Instruction& i) {
  switch (i.builtin) {
    case BuiltinId::LaneId:
      return builder_.CreateAnd(thread_number_, constant_i64(31));
    case BuiltinId::LanemaskLt:
    case BuiltinId::LanemaskLe:
    case BuiltinId::LanemaskEq:
    case BuiltinId::LanemaskGe:
    case BuiltinId::LanemaskGt:
      return lane_mask(i.builtin);
    case BuiltinId::FastDivide:
      return builder_.CreateFDiv(operand(i, 0), operand(i, 1));
    case BuiltinId::BytePerm:
      return permute_bytes(i);
    case BuiltinId::Dp4a:
      return dot_product(i, 8, 0);
    case BuiltinId::Dp2aLo:
      return dot_product(i, 16, 0);
    case BuiltinId::Dp2aHi:
      return dot_product(i, 16, 2);
    case BuiltinId::Clock:
    case BuiltinId::Clock64:
      return builder_.CreateTrunc(builder_.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}), type_of(i.type));
    case BuiltinId::Globaltimer:
      return builder_.CreateCall(state_.module.getOrInsertFunction(
          abi::kNanosecondsSymbol, llvm::FunctionType::get(builder_.getInt64Ty(), false)));
    case BuiltinId::GridSync:
      builder_.CreateCall(state_.module.getOrInsertFunction(abi::kGridSyncSymbol,
                                                            llvm::FunctionType::get(builder_.getVoidTy(), false)));
      return nullptr;
    case BuiltinId::Threadfence:
    case BuiltinId::ThreadfenceSystem:
      builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return nullptr;
    case BuiltinId::ThreadfenceBlock:   // a block runs on one thread, which sees its own writes
    case BuiltinId::MemcpyAsyncCommit:  // copies to shared memory are done when they are started
    case BuiltinId::MemcpyAsyncWait:
    case BuiltinId::Nanosleep:
    case BuiltinId::Breakpoint:
      return nullptr;
    default:
      no_code_for(i.builtin);
  }
}

void CpuEmitter::emit_prefetch(const Instruction& i) {
  builder_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {operand(i, 0)->getType()},
      {operand(i, 0), builder_.getInt32(0), builder_.getInt32(i.index == 1 ? 3 : 2), builder_.getInt32(1)});
}

/// LLVM 22 gives NaN for a NaN beside a number, where the processor has AVX-512 and it knows that one operand is no NaN
/// and orders the operands by their zeros. So the zeros are ordered here: of two equal numbers only zeros differ in
/// bits.
CpuEmitter::Value* CpuEmitter::extreme(llvm::Intrinsic::ID id, Value* a, Value* b) {
  llvm::FastMathFlags flags = builder_.getFastMathFlags();
  flags.setNoSignedZeros();
  Value* number = builder_.CreateBinaryIntrinsic(id, a, b, flags);
  llvm::Type* bits = builder_.getIntNTy(a->getType()->getScalarSizeInBits());
  const auto operation = id == llvm::Intrinsic::minimumnum ? llvm::Instruction::Or : llvm::Instruction::And;
  Value* zero = builder_.CreateBinOp(operation, builder_.CreateBitCast(a, bits), builder_.CreateBitCast(b, bits));
  return builder_.CreateSelect(builder_.CreateFCmpOEQ(a, b), builder_.CreateBitCast(zero, a->getType()), number);
}

CpuEmitter::Value* CpuEmitter::lane_mask(BuiltinId builtin) {
  Value* lane = builder_.CreateAnd(builder_.CreateTrunc(thread_number_, builder_.getInt32Ty()), builder_.getInt32(31));
  Value* own = builder_.CreateShl(builder_.getInt32(1), lane);
  Value* below = builder_.CreateSub(own, builder_.getInt32(1));
  switch (builtin) {
    case BuiltinId::LanemaskLt:
      return below;
    case BuiltinId::LanemaskLe:
      return builder_.CreateOr(below, own);
    case BuiltinId::LanemaskEq:
      return own;
    case BuiltinId::LanemaskGe:
      return builder_.CreateNot(below);
    default:
      return builder_.CreateNot(builder_.CreateOr(below, own));
  }
}

CpuEmitter::Value* CpuEmitter::permute_bytes(const Instruction& i) {
  llvm::Type* i64 = builder_.getInt64Ty();
  const auto extend = [&](std::size_t n) { return builder_.CreateZExt(operand(i, n), i64); };
  Value* bytes = builder_.CreateOr(builder_.CreateShl(extend(1), 32), extend(0));
  Value* selector = extend(2);
  Value* result = constant_i64(0);
  for (std::uint64_t n = 0; n < 4; ++n) {
    Value* index = builder_.CreateAnd(builder_.CreateLShr(selector, 4 * n), constant_i64(7));
    Value* byte = builder_.CreateLShr(bytes, builder_.CreateShl(index, 3));
    result = builder_.CreateOr(result, builder_.CreateShl(builder_.CreateAnd(byte, constant_i64(0xff)), 8 * n));
  }
  return builder_.CreateTrunc(result, builder_.getInt32Ty());
}

/// Operand 2 plus the products of the parts of operand 0, of `width` bits each, and as many bytes of operand 1.
CpuEmitter::Value* CpuEmitter::dot_product(const Instruction& i, unsigned width, unsigned first) {
  const bool is_signed = i.type.is(ScalarType::I32);
  llvm::Type* i32 = builder_.getInt32Ty();
  const auto part = [&](Value* word, unsigned index, unsigned bits) {
    return builder_.CreateIntCast(
        builder_.CreateTrunc(builder_.CreateLShr(word, std::uint64_t{index} * bits), builder_.getIntNTy(bits)), i32,
        is_signed);
  };
  Value* sum = operand(i, 2);
  for (unsigned n = 0; n < 32 / width; ++n)
    sum = builder_.CreateAdd(sum, builder_.CreateMul(part(operand(i, 0), n, width), part(operand(i, 1), first + n, 8)));
  return sum;
}

}  // namespace pykc::codegen
