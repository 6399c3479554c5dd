#include "codegen/cpu/small_floats.h"

#include <llvm/MC/MCSubtargetInfo.h>

#include "codegen/emit/cast.h"

namespace pykc::codegen {
namespace {

/// Whether the processor has instructions for f16 to f32 and back.
bool converts_half(CpuEmitter& emitter) { return emitter.state.machine.getMCSubtargetInfo()->checkFeatures("+f16c"); }

/// f32 to bf16, which is its upper half: adds just under half a step, and one more where the kept part is odd.
Value* round_to_bf16(Builder& builder, Value* value) {
  Value* bits = builder.CreateBitCast(value, builder.getInt32Ty());
  Value* odd = builder.CreateAnd(builder.CreateLShr(bits, 16), builder.getInt32(1));
  Value* rounded = builder.CreateAdd(bits, builder.CreateAdd(odd, builder.getInt32(0x7fff)));
  Value* quiet = builder.CreateOr(bits, builder.getInt32(0x400000));
  Value* chosen = builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  return builder.CreateTrunc(builder.CreateLShr(chosen, 16), builder.getInt16Ty());
}

}  // namespace

Value* widen_float(CpuEmitter& emitter, Value* value) {
  Builder& builder = emitter.builder;
  if (!value->getType()->isHalfTy() || converts_half(emitter)) return extend_float(builder, value);
  llvm::FunctionType* type = llvm::FunctionType::get(builder.getFloatTy(), {builder.getInt16Ty()}, false);
  return builder.CreateCall(emitter.state.library_function("__pykc_from_half", type),
                            {builder.CreateBitCast(value, builder.getInt16Ty())});
}

Value* narrow_float(CpuEmitter& emitter, Value* wide, ScalarType to) {
  Builder& builder = emitter.builder;
  if (wide->getType()->isDoubleTy()) wide = round_to_odd(builder, wide);
  if (to == ScalarType::BF16) return round_to_bf16(builder, wide);
  if (converts_half(emitter)) return builder.CreateFPTrunc(wide, emitter.type_of(to));
  llvm::FunctionType* type = llvm::FunctionType::get(builder.getInt16Ty(), {builder.getFloatTy()}, false);
  return builder.CreateBitCast(builder.CreateCall(emitter.state.library_function("__pykc_to_half", type), {wide}),
                               emitter.type_of(to));
}

}  // namespace pykc::codegen
