// The approximations that the hardware has: what f32 functions become with fast math, and libdevice's fast functions.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <numbers>

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

Emitter::Value* NvptxEmitter::emit_math(const Instruction& i, std::string_view name) {
  if (builder_.getFastMathFlags().approxFunc() && i.type.is(ScalarType::F32))
    if (Value* approximation = approximate(i)) return approximation;
  return Emitter::emit_math(i, name);
}

NvptxEmitter::Value* NvptxEmitter::approximate(const Instruction& i) {
  llvm::Type* f32 = builder_.getFloatTy();
  const auto run = [&](llvm::Intrinsic::ID id, Value* x) { return builder_.CreateIntrinsic(id, {x}); };
  const auto times = [&](Value* x, double factor) {
    return builder_.CreateFMul(x, llvm::ConstantFP::get(f32, factor));
  };
  const auto exp2 = [&](Value* x) { return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx, {f32}, {x}); };
  const auto log2 = [&](Value* x) { return run(llvm::Intrinsic::nvvm_lg2_approx_f, x); };
  const auto divide = [&](Value* a, Value* b) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_div_approx_f, {a, b});
  };
  const auto sin = [&](Value* x) { return run(llvm::Intrinsic::nvvm_sin_approx_f, x); };
  const auto cos = [&](Value* x) { return run(llvm::Intrinsic::nvvm_cos_approx_f, x); };
  Value* x = operand(i, 0);
  switch (i.builtin) {
    case BuiltinId::Sin:
    case BuiltinId::FastSin:
      return sin(x);
    case BuiltinId::Cos:
    case BuiltinId::FastCos:
      return cos(x);
    case BuiltinId::Tan:
    case BuiltinId::FastTan:
      return divide(sin(x), cos(x));
    case BuiltinId::Exp:
    case BuiltinId::FastExp:
      return exp2(times(x, std::numbers::log2e));
    case BuiltinId::Exp2:
      return exp2(x);
    case BuiltinId::Exp10:
    case BuiltinId::FastExp10:
      return exp2(times(x, std::numbers::ln10 / std::numbers::ln2));
    case BuiltinId::Log:
    case BuiltinId::FastLog:
      return times(log2(x), std::numbers::ln2);
    case BuiltinId::Log2:
    case BuiltinId::FastLog2:
      return log2(x);
    case BuiltinId::Log10:
    case BuiltinId::FastLog10:
      return times(log2(x), std::numbers::ln2 / std::numbers::ln10);
    case BuiltinId::Rsqrt:
      return run(llvm::Intrinsic::nvvm_rsqrt_approx_f, x);
    case BuiltinId::Tanh:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::tanh, x);
    case BuiltinId::Pow:
    case BuiltinId::FastPow:
      return exp2(builder_.CreateFMul(operand(i, 1), log2(x)));
    case BuiltinId::FastDivide:
      return divide(x, operand(i, 1));
    default:
      return nullptr;
  }
}

}  // namespace pykc::codegen
