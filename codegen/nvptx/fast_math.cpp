#include "codegen/nvptx/fast_math.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <numbers>

#include "codegen/emit/builtin.h"

namespace pykc::codegen {
Value* emit_math(NvptxEmitter& emitter, const Instruction& i, std::string_view name) {
  if (emitter.builder.getFastMathFlags().approxFunc() && i.type.is(ScalarType::F32))
    if (Value* approximation = approximate(emitter, i)) return approximation;
  return call_math_function(emitter, i, name);
}

Value* approximate(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* f32 = builder.getFloatTy();
  const auto run = [&](llvm::Intrinsic::ID id, Value* x) { return builder.CreateIntrinsic(id, {x}); };
  const auto times = [&](Value* x, double factor) { return builder.CreateFMul(x, llvm::ConstantFP::get(f32, factor)); };
  const auto exp2 = [&](Value* x) { return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx, {f32}, {x}); };
  const auto log2 = [&](Value* x) { return run(llvm::Intrinsic::nvvm_lg2_approx_f, x); };
  const auto divide = [&](Value* a, Value* b) {
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_div_approx_f, {a, b});
  };
  const auto sin = [&](Value* x) { return run(llvm::Intrinsic::nvvm_sin_approx_f, x); };
  const auto cos = [&](Value* x) { return run(llvm::Intrinsic::nvvm_cos_approx_f, x); };
  Value* x = emitter.operand(i, 0);
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
      return builder.CreateUnaryIntrinsic(llvm::Intrinsic::tanh, x);
    case BuiltinId::Pow:
    case BuiltinId::FastPow:
      return exp2(builder.CreateFMul(emitter.operand(i, 1), log2(x)));
    case BuiltinId::FastDivide:
      return divide(x, emitter.operand(i, 1));
    default:
      return nullptr;
  }
}

}  // namespace pykc::codegen
