// The rows that are the same by hand for both targets stand here; the thread's place, waiting and exchange between
// lanes are each target's own.
#include "codegen/emit/builtin.h"

#include <numbers>

#include "base/float_bits.h"
#include "codegen/emit/arithmetic.h"
#include "codegen/emit/launch.h"

namespace pykc::codegen {
namespace {

/// A float constant of that value, of any type.
bool is_constant(const ir::Instruction& i, double value) {
  return i.opcode == ir::Opcode::Constant && float_from_bits(i.type.scalar, i.constant) == value;
}

Value* emit_intrinsic(Emitter& emitter, const Instruction& i, std::string_view name) {
  if (i.builtin == BuiltinId::Fma) return emit_fma(emitter, i);
  const ScalarType type = i.type.scalar;
  llvm::SmallVector<Value*> arguments;
  for (const Instruction* argument : i.operands) arguments.push_back(widen(emitter, emitter.value(argument), type));
  const llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(llvm::StringRef(name.data(), name.size()));
  return narrow(emitter, emitter.builder.CreateIntrinsic(id, {arguments[0]->getType()}, arguments), type);
}

Value* emit_nvvm(Emitter& emitter, const Instruction& i, std::string_view name) {
  const std::string full = std::string(name) + (i.type.is(ScalarType::F64) ? ".d" : ".f");
  return emitter.builder.CreateIntrinsic(llvm::Intrinsic::lookupIntrinsicID(full), emitter.operands(i));
}

Value* upper_half_of_product(Builder& builder, ScalarType type, Value* a, Value* b) {
  const unsigned width = a->getType()->getIntegerBitWidth();
  llvm::Type* wide = builder.getIntNTy(2 * width);
  const auto extend = [&](Value* value) { return builder.CreateIntCast(value, wide, is_signed_integer(type)); };
  return builder.CreateTrunc(builder.CreateLShr(builder.CreateMul(extend(a), extend(b)), width), a->getType());
}

/// In 64 bits, whatever the type: the low bits of a product depend on low bits alone. A negative power of x is 0
/// unless x is 1 or -1, whose powers repeat with the lowest bit of the exponent.
Value* integer_power(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ScalarType type = i.type.scalar;
  llvm::Type* i64 = builder.getInt64Ty();
  Value* base = builder.CreateIntCast(emitter.operand(i, 0), i64, is_signed_integer(type));
  Value* exponent = builder.CreateIntCast(emitter.operand(i, 1), i64, is_signed_integer(type));
  Value* is_unit = builder.CreateICmpULE(builder.CreateAdd(base, emitter.constant_i64(1)), emitter.constant_i64(2));
  Value* is_negative =
      is_signed_integer(type) ? builder.CreateICmpSLT(exponent, emitter.constant_i64(0)) : builder.getFalse();
  Value* steps = builder.CreateSelect(is_negative, builder.CreateAnd(exponent, emitter.constant_i64(1)), exponent);
  llvm::Function* power = emitter.state.math_function("ipow", i64);
  Value* result = builder.CreateCall(power, {base, steps});
  Value* is_zero =
      builder.CreateAnd(is_negative, builder.CreateOr(builder.CreateNot(is_unit), builder.CreateIsNull(base)));
  result = builder.CreateSelect(is_zero, emitter.constant_i64(0), result);
  return builder.CreateTrunc(result, emitter.type_of(type));
}

/// The ByHand rows that are the same everywhere; null for others.
Value* emit_shared_builtin(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const auto type = [&] { return i.operands[0]->type.scalar; };
  const auto count = [&](Value* bits) { return builder.CreateZExtOrTrunc(bits, builder.getInt32Ty()); };
  const auto test = [&](unsigned classes) {
    // Wider, an f16 may be of another class; a bf16 may not.
    Value* tested = type() == ScalarType::BF16 ? widen(emitter, emitter.operand(i, 0), type()) : emitter.operand(i, 0);
    return builder.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {tested->getType()},
                                   {tested, builder.getInt32(classes)});
  };
  const auto scale = [&](double factor) {
    Value* wide = widen(emitter, emitter.operand(i, 0), type());
    return narrow(emitter, builder.CreateFMul(wide, llvm::ConstantFP::get(wide->getType(), factor)), type());
  };
  const auto funnel = [&](llvm::Intrinsic::ID shift) {  // operands: the lower word, the upper word, the count
    return builder.CreateIntrinsic(shift, {builder.getInt32Ty()},
                                   {emitter.operand(i, 1), emitter.operand(i, 0), emitter.operand(i, 2)});
  };
  const auto shifts_out = [&] { return builder.CreateICmpUGE(emitter.operand(i, 2), builder.getInt32(32)); };
  switch (i.builtin) {
    case BuiltinId::WarpSize:
      return emitter.constant_i64(32);
    case BuiltinId::Popc:
      return count(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, emitter.operand(i, 0)));
    case BuiltinId::Clz:
      return count(builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, emitter.operand(i, 0), builder.getFalse()));
    case BuiltinId::Ffs: {
      Value* trailing =
          count(builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, emitter.operand(i, 0), builder.getFalse()));
      return builder.CreateSelect(builder.CreateIsNull(emitter.operand(i, 0)), builder.getInt32(0),
                                  builder.CreateAdd(trailing, builder.getInt32(1)));
    }
    case BuiltinId::Mulhi:
      return upper_half_of_product(builder, type(), emitter.operand(i, 0), emitter.operand(i, 1));
    case BuiltinId::FunnelshiftL:
      return funnel(llvm::Intrinsic::fshl);
    case BuiltinId::FunnelshiftR:
      return funnel(llvm::Intrinsic::fshr);
    case BuiltinId::FunnelshiftLc:
      return builder.CreateSelect(shifts_out(), emitter.operand(i, 0), funnel(llvm::Intrinsic::fshl));
    case BuiltinId::FunnelshiftRc:
      return builder.CreateSelect(shifts_out(), emitter.operand(i, 1), funnel(llvm::Intrinsic::fshr));
    case BuiltinId::Likely:
      return builder.CreateBinaryIntrinsic(llvm::Intrinsic::expect, emitter.operand(i, 0), builder.getTrue());
    case BuiltinId::Unlikely:
      return builder.CreateBinaryIntrinsic(llvm::Intrinsic::expect, emitter.operand(i, 0), builder.getFalse());
    case BuiltinId::Abs:
      if (is_float(type()))
        return narrow(
            emitter, builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, widen(emitter, emitter.operand(i, 0), type())),
            type());
      if (!is_signed_integer(type())) return emitter.operand(i, 0);
      return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, emitter.operand(i, 0), builder.getFalse());
    case BuiltinId::Min:
      return minimum(emitter, type(), emitter.operand(i, 0), emitter.operand(i, 1));
    case BuiltinId::Max:
      return maximum(emitter, type(), emitter.operand(i, 0), emitter.operand(i, 1));
    case BuiltinId::Selp:
      return builder.CreateSelect(emitter.operand(i, 0), emitter.operand(i, 1), emitter.operand(i, 2));
    case BuiltinId::PowInt:
      return integer_power(emitter, i);
    case BuiltinId::Isnan:
      return test(llvm::fcNan);
    case BuiltinId::Isinf:
      return test(llvm::fcInf);
    case BuiltinId::Isfinite:
      return test(llvm::fcFinite);
    case BuiltinId::Degrees:
      return scale(180 / std::numbers::pi);
    case BuiltinId::Radians:
      return scale(std::numbers::pi / 180);
    default:
      return nullptr;
  }
}

}  // namespace

Value* emit_builtin(Emitter& emitter, const Instruction& i) {
  const Builtin& row = info(i.builtin);
  const Lowering& lowering = emitter.state.target.kind == Target::Kind::Nvptx ? row.nvptx : row.cpu;
  switch (lowering.kind) {
    case Lowering::Kind::Math:
      return emitter.target->emit_math(i, lowering.name);
    case Lowering::Kind::Intrinsic:
      return emit_intrinsic(emitter, i, lowering.name);
    case Lowering::Kind::Nvvm:
      return emit_nvvm(emitter, i, lowering.name);
    case Lowering::Kind::Rounded:
      return emitter.target->emit_rounded(i, lowering);
    case Lowering::Kind::ByHand:
      if (const std::optional<LaunchCoordinate> coordinate = launch_coordinate(i.builtin))
        return emit_coordinate(emitter, *coordinate);
      if (Value* result = emit_shared_builtin(emitter, i)) return result;
      return emitter.target->emit_target_builtin(i);
    case Lowering::Kind::Bitcast:
    case Lowering::Kind::Library:
    case Lowering::Kind::Missing:
      break;
  }
  no_code_for(i.builtin);
}

/// The library has every function for f32 and f64; f16 and bf16 are computed in f32. A square is better as a product,
/// which is correctly rounded.
Value* call_math_function(Emitter& emitter, const Instruction& i, std::string_view name) {
  const ScalarType type = i.type.scalar;
  if (i.builtin == BuiltinId::Pow && is_constant(*i.operands[1], 2.0))
    return emit_float(emitter, ir::Opcode::Mul, type, emitter.operand(i, 0), emitter.operand(i, 0));
  llvm::SmallVector<Value*> arguments;
  for (const Instruction* argument : i.operands) {
    Value* one = emitter.value(argument);
    const bool is_small = is_float(argument->type.scalar) && size_in_bytes(argument->type.scalar) == 2;
    arguments.push_back(is_small ? emitter.target->widen_float(one) : one);
  }
  return narrow(
      emitter, emitter.builder.CreateCall(emitter.state.math_function(name, arguments[0]->getType()), arguments), type);
}

ir::AtomicOp reduction_operator(BuiltinId builtin) {
  switch (builtin) {
    case BuiltinId::ReduxSyncAdd:
      return ir::AtomicOp::Add;
    case BuiltinId::ReduxSyncMin:
      return ir::AtomicOp::Min;
    case BuiltinId::ReduxSyncMax:
      return ir::AtomicOp::Max;
    case BuiltinId::ReduxSyncAnd:
      return ir::AtomicOp::And;
    case BuiltinId::ReduxSyncOr:
      return ir::AtomicOp::Or;
    case BuiltinId::ReduxSyncXor:
      return ir::AtomicOp::Xor;
    default:
      no_code_for(builtin);
  }
}

void no_code_for(BuiltinId builtin) {
  const std::string_view name = info(builtin).name;
  llvm::reportFatalInternalError("no code for the builtin " + llvm::Twine(llvm::StringRef(name.data(), name.size())));
}

}  // namespace pykc::codegen
