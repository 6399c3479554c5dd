// f16 and bf16 on a CPU: computed in f32. bf16 is converted by hand, as the integer it is, and LLVM sees no arithmetic
// on it: the processors' own instructions take subnormal numbers for 0. From f64 there is no instruction that rounds
// once.
#include <llvm/MC/MCSubtargetInfo.h>

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

bool CpuEmitter::converts_half() const { return state_.machine.getMCSubtargetInfo()->checkFeatures("+f16c"); }

CpuEmitter::Value* CpuEmitter::widen_float(Value* value) {
  if (!value->getType()->isHalfTy() || converts_half()) return Emitter::widen_float(value);
  llvm::FunctionType* type = llvm::FunctionType::get(builder_.getFloatTy(), {builder_.getInt16Ty()}, false);
  return builder_.CreateCall(state_.library_function("__pykc_from_half", type),
                             {builder_.CreateBitCast(value, builder_.getInt16Ty())});
}

CpuEmitter::Value* CpuEmitter::narrow_float(Value* wide, ScalarType to) {
  if (wide->getType()->isDoubleTy()) wide = round_to_odd(wide);
  if (to == ScalarType::BF16) return round_to_bf16(wide);
  if (converts_half()) return builder_.CreateFPTrunc(wide, type_of(to));
  llvm::FunctionType* type = llvm::FunctionType::get(builder_.getInt16Ty(), {builder_.getFloatTy()}, false);
  return builder_.CreateBitCast(builder_.CreateCall(state_.library_function("__pykc_to_half", type), {wide}),
                                type_of(to));
}

CpuEmitter::Value* CpuEmitter::hidden_half(Value* single) {
  return converts_half() ? Emitter::hidden_half(single) : narrow_float(single, ScalarType::F16);
}

/// f64 to an f32 that rounds further as the f64 itself would: of the two neighbours the one whose last bit is set
/// stands for everything between them.
CpuEmitter::Value* CpuEmitter::round_to_odd(Value* value) {
  llvm::Type* i32 = builder_.getInt32Ty();
  Value* nearest = builder_.CreateFPTrunc(value, builder_.getFloatTy());
  Value* back = builder_.CreateFPExt(nearest, builder_.getDoubleTy());
  Value* bits = builder_.CreateBitCast(nearest, i32);
  Value* is_even = builder_.CreateIsNull(builder_.CreateAnd(bits, builder_.getInt32(1)));
  Value* is_off = builder_.CreateAnd(builder_.CreateFCmpONE(back, value), is_even);
  Value* size = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* is_beyond = builder_.CreateFCmpOGT(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back), size);
  Value* neighbour =
      builder_.CreateAdd(bits, builder_.CreateSelect(is_beyond, builder_.getInt32(~0U), builder_.getInt32(1)));
  return builder_.CreateBitCast(builder_.CreateSelect(is_off, neighbour, bits), builder_.getFloatTy());
}

/// f32 to bf16, which is its upper half: adds just under half a step, and one more where the kept part is odd.
CpuEmitter::Value* CpuEmitter::round_to_bf16(Value* value) {
  Value* bits = builder_.CreateBitCast(value, builder_.getInt32Ty());
  Value* odd = builder_.CreateAnd(builder_.CreateLShr(bits, 16), builder_.getInt32(1));
  Value* rounded = builder_.CreateAdd(bits, builder_.CreateAdd(odd, builder_.getInt32(0x7fff)));
  Value* quiet = builder_.CreateOr(bits, builder_.getInt32(0x400000));
  Value* chosen = builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), quiet, rounded);
  return builder_.CreateTrunc(builder_.CreateLShr(chosen, 16), builder_.getInt16Ty());
}

}  // namespace pykc::codegen
