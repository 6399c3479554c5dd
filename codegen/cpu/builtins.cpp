#include "codegen/cpu/builtins.h"

#include "codegen/emit/builtin.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

Value* lane_mask(CpuEmitter& emitter, BuiltinId builtin) {
  Builder& builder = emitter.builder;
  Value* lane =
      builder.CreateAnd(builder.CreateTrunc(emitter.thread_number, builder.getInt32Ty()), builder.getInt32(31));
  Value* own = builder.CreateShl(builder.getInt32(1), lane);
  Value* below = builder.CreateSub(own, builder.getInt32(1));
  switch (builtin) {
    case BuiltinId::LanemaskLt:
      return below;
    case BuiltinId::LanemaskLe:
      return builder.CreateOr(below, own);
    case BuiltinId::LanemaskEq:
      return own;
    case BuiltinId::LanemaskGe:
      return builder.CreateNot(below);
    default:
      return builder.CreateNot(builder.CreateOr(below, own));
  }
}

Value* permute_bytes(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* i64 = builder.getInt64Ty();
  const auto extend = [&](std::size_t n) { return builder.CreateZExt(emitter.operand(i, n), i64); };
  Value* bytes = builder.CreateOr(builder.CreateShl(extend(1), 32), extend(0));
  Value* selector = extend(2);
  Value* result = emitter.constant_i64(0);
  for (std::uint64_t n = 0; n < 4; ++n) {
    Value* index = builder.CreateAnd(builder.CreateLShr(selector, 4 * n), emitter.constant_i64(7));
    Value* byte = builder.CreateLShr(bytes, builder.CreateShl(index, 3));
    result = builder.CreateOr(result, builder.CreateShl(builder.CreateAnd(byte, emitter.constant_i64(0xff)), 8 * n));
  }
  return builder.CreateTrunc(result, builder.getInt32Ty());
}

/// Operand 2 plus the products of the parts of operand 0, of `width` bits each, and as many bytes of operand 1.
Value* dot_product(CpuEmitter& emitter, const Instruction& i, unsigned width, unsigned first) {
  Builder& builder = emitter.builder;
  const bool is_signed = i.type.is(ScalarType::I32);
  llvm::Type* i32 = builder.getInt32Ty();
  const auto part = [&](Value* word, unsigned index, unsigned bits) {
    return builder.CreateIntCast(
        builder.CreateTrunc(builder.CreateLShr(word, std::uint64_t{index} * bits), builder.getIntNTy(bits)), i32,
        is_signed);
  };
  Value* sum = emitter.operand(i, 2);
  for (unsigned n = 0; n < 32 / width; ++n)
    sum = builder.CreateAdd(
        sum, builder.CreateMul(part(emitter.operand(i, 0), n, width), part(emitter.operand(i, 1), first + n, 8)));
  return sum;
}

}  // namespace

llvm::CallInst* call_runtime(CpuEmitter& emitter, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<Value*> arguments) {
  const auto types = llvm::map_to_vector(arguments, [](const Value* argument) { return argument->getType(); });
  return emitter.builder.CreateCall(
      emitter.state.module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
}

Value* ask_runtime(CpuEmitter& emitter, llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  llvm::CallInst* call = call_runtime(emitter, name, result, arguments);
  llvm::Function& function = *call->getCalledFunction();
  function.setDoesNotAccessMemory();
  function.setDoesNotThrow();
  function.setWillReturn();
  function.setSpeculatable();  // out of loops over threads
  return call;
}

Value* emit_target_builtin(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  switch (i.builtin) {
    case BuiltinId::LaneId:
      return builder.CreateAnd(emitter.thread_number, emitter.constant_i64(31));
    case BuiltinId::LanemaskLt:
    case BuiltinId::LanemaskLe:
    case BuiltinId::LanemaskEq:
    case BuiltinId::LanemaskGe:
    case BuiltinId::LanemaskGt:
      return lane_mask(emitter, i.builtin);
    case BuiltinId::FastDivide:
      return builder.CreateFDiv(emitter.operand(i, 0), emitter.operand(i, 1));
    case BuiltinId::BytePerm:
      return permute_bytes(emitter, i);
    case BuiltinId::Dp4a:
      return dot_product(emitter, i, 8, 0);
    case BuiltinId::Dp2aLo:
      return dot_product(emitter, i, 16, 0);
    case BuiltinId::Dp2aHi:
      return dot_product(emitter, i, 16, 2);
    case BuiltinId::Clock:
    case BuiltinId::Clock64:
      return builder.CreateTrunc(builder.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}),
                                 emitter.type_of(i.type));
    case BuiltinId::Globaltimer:
      return call_runtime(emitter, abi::kNanosecondsSymbol, builder.getInt64Ty(), {});
    case BuiltinId::GridSync:
      call_runtime(emitter, abi::kGridSyncSymbol, builder.getVoidTy(), {});
      return nullptr;
    case BuiltinId::WaitTurn:
      call_runtime(emitter, abi::kWaitTurnSymbol, builder.getVoidTy(), {});
      return nullptr;
    case BuiltinId::ClusterRank:
      return ask_runtime(emitter, abi::kClusterRankSymbol, builder.getInt64Ty(), {});
    case BuiltinId::ClusterBlocks:
      return ask_runtime(emitter, abi::kClusterBlocksSymbol, builder.getInt64Ty(), {});
    case BuiltinId::Threadfence:
    case BuiltinId::ThreadfenceSystem:
      builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
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

void emit_prefetch(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  builder.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {emitter.operand(i, 0)->getType()},
      {emitter.operand(i, 0), builder.getInt32(0), builder.getInt32(i.index == 1 ? 3 : 2), builder.getInt32(1)});
}

/// LLVM 22 gives NaN for a NaN beside a number, where the processor has AVX-512 and it knows that one operand is no NaN
/// and orders the operands by their zeros. So the zeros are ordered here: of two equal numbers only zeros differ in
/// bits.
Value* extreme(Builder& builder, llvm::Intrinsic::ID id, Value* a, Value* b) {
  llvm::FastMathFlags flags = builder.getFastMathFlags();
  flags.setNoSignedZeros();
  Value* number = builder.CreateBinaryIntrinsic(id, a, b, flags);
  llvm::Type* bits = builder.getIntNTy(a->getType()->getScalarSizeInBits());
  const auto operation = id == llvm::Intrinsic::minimumnum ? llvm::Instruction::Or : llvm::Instruction::And;
  Value* zero = builder.CreateBinOp(operation, builder.CreateBitCast(a, bits), builder.CreateBitCast(b, bits));
  return builder.CreateSelect(builder.CreateFCmpOEQ(a, b), builder.CreateBitCast(zero, a->getType()), number);
}

}  // namespace pykc::codegen
