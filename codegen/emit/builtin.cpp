// Builtins: by intrinsic, by the math library, or by hand. The rows that are the same by hand for both targets stand
// here; the thread's place, waiting and exchange between lanes are each target's own.
#include <llvm/IR/Intrinsics.h>

#include <numbers>

#include "base/float_bits.h"
#include "codegen/emit/emitter.h"
#include "ir/verify/instruction_rules.h"

namespace pykc::codegen {

Emitter::Value* Emitter::emit_builtin(const Instruction& i) {
  const Builtin& row = info(i.builtin);
  const Lowering& lowering = state_.target.kind == Target::Kind::Nvptx ? row.nvptx : row.cpu;
  switch (lowering.kind) {
    case Lowering::Kind::Math:
      return emit_math(i, lowering.name);
    case Lowering::Kind::Intrinsic:
      return emit_intrinsic(i, lowering.name);
    case Lowering::Kind::Nvvm:
      return emit_nvvm(i, lowering.name);
    case Lowering::Kind::Rounded:
      return emit_rounded(i, lowering);
    case Lowering::Kind::ByHand:
      if (const std::optional<LaunchCoordinate> coordinate = launch_coordinate(i.builtin))
        return emit_coordinate(*coordinate);
      if (Value* result = emit_shared_builtin(i)) return result;
      return emit_target_builtin(i);
    case Lowering::Kind::Bitcast:
    case Lowering::Kind::Library:
    case Lowering::Kind::Missing:
      break;
  }
  no_code_for(i.builtin);
}

void no_code_for(BuiltinId builtin) {
  const std::string_view name = info(builtin).name;
  llvm::reportFatalInternalError("no code for the builtin " + llvm::Twine(llvm::StringRef(name.data(), name.size())));
}

Emitter::Value* Emitter::emit_intrinsic(const Instruction& i, std::string_view name) {
  if (i.builtin == BuiltinId::Fma) return emit_fma(i);
  const ScalarType type = i.type.scalar;
  llvm::SmallVector<Value*> arguments;
  for (const Instruction* argument : i.operands) arguments.push_back(widen(value(argument), type));
  const llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(llvm::StringRef(name.data(), name.size()));
  return narrow(builder_.CreateIntrinsic(id, {arguments[0]->getType()}, arguments), type);
}

Emitter::Value* Emitter::emit_nvvm(const Instruction& i, std::string_view name) {
  const std::string full = std::string(name) + (i.type.is(ScalarType::F64) ? ".d" : ".f");
  return builder_.CreateIntrinsic(llvm::Intrinsic::lookupIntrinsicID(full), operands(i));
}

namespace {

/// A float constant of that value, of any type.
bool is_constant(const ir::Instruction& i, double value) {
  return i.opcode == ir::Opcode::Constant && float_from_bits(i.type.scalar, i.constant) == value;
}

}  // namespace

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

Emitter::Value* Emitter::emit_coordinate(LaunchCoordinate coordinate) {
  switch (coordinate.of) {
    case LaunchCoordinate::Of::ThreadIdx:
      return thread_index(coordinate.axis);
    case LaunchCoordinate::Of::BlockIdx:
      return block_index(coordinate.axis);
    case LaunchCoordinate::Of::BlockDim:
      return block_extent(coordinate.axis);
    case LaunchCoordinate::Of::GridDim:
      return grid_extent(coordinate.axis);
  }
  llvm_unreachable("every coordinate has a case");
}

/// The library has every function for f32 and f64; f16 and bf16 are computed in f32. A square is better as a product,
/// which is correctly rounded.
Emitter::Value* Emitter::emit_math(const Instruction& i, std::string_view name) {
  const ScalarType type = i.type.scalar;
  if (i.builtin == BuiltinId::Pow && is_constant(*i.operands[1], 2.0))
    return emit_rounded(ir::Opcode::Mul, type, operand(i, 0), operand(i, 0));
  llvm::SmallVector<Value*> arguments;
  for (const Instruction* argument : i.operands) {
    Value* one = value(argument);
    const bool is_small = is_float(argument->type.scalar) && size_in_bytes(argument->type.scalar) == 2;
    arguments.push_back(is_small ? widen_float(one) : one);
  }
  return narrow(builder_.CreateCall(state_.math_function(name, arguments[0]->getType()), arguments), type);
}

Emitter::Value* Emitter::emit_shared_builtin(const Instruction& i) {
  const auto type = [&] { return i.operands[0]->type.scalar; };
  const auto count = [&](Value* bits) { return builder_.CreateZExtOrTrunc(bits, builder_.getInt32Ty()); };
  const auto test = [&](unsigned classes) {
    // Wider, an f16 may be of another class; a bf16 may not.
    Value* tested = type() == ScalarType::BF16 ? widen(operand(i, 0), type()) : operand(i, 0);
    return builder_.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {tested->getType()},
                                    {tested, builder_.getInt32(classes)});
  };
  const auto scale = [&](double factor) {
    Value* wide = widen(operand(i, 0), type());
    return narrow(builder_.CreateFMul(wide, llvm::ConstantFP::get(wide->getType(), factor)), type());
  };
  const auto funnel = [&](llvm::Intrinsic::ID shift) {  // operands: the lower word, the upper word, the count
    return builder_.CreateIntrinsic(shift, {builder_.getInt32Ty()}, {operand(i, 1), operand(i, 0), operand(i, 2)});
  };
  const auto shifts_out = [&] { return builder_.CreateICmpUGE(operand(i, 2), builder_.getInt32(32)); };
  switch (i.builtin) {
    case BuiltinId::WarpSize:
      return constant_i64(32);
    case BuiltinId::Popc:
      return count(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, operand(i, 0)));
    case BuiltinId::Clz:
      return count(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, operand(i, 0), builder_.getFalse()));
    case BuiltinId::Ffs: {
      Value* trailing =
          count(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, operand(i, 0), builder_.getFalse()));
      return builder_.CreateSelect(builder_.CreateIsNull(operand(i, 0)), builder_.getInt32(0),
                                   builder_.CreateAdd(trailing, builder_.getInt32(1)));
    }
    case BuiltinId::Mulhi:
      return upper_half_of_product(type(), operand(i, 0), operand(i, 1));
    case BuiltinId::FunnelshiftL:
      return funnel(llvm::Intrinsic::fshl);
    case BuiltinId::FunnelshiftR:
      return funnel(llvm::Intrinsic::fshr);
    case BuiltinId::FunnelshiftLc:
      return builder_.CreateSelect(shifts_out(), operand(i, 0), funnel(llvm::Intrinsic::fshl));
    case BuiltinId::FunnelshiftRc:
      return builder_.CreateSelect(shifts_out(), operand(i, 1), funnel(llvm::Intrinsic::fshr));
    case BuiltinId::Likely:
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::expect, operand(i, 0), builder_.getTrue());
    case BuiltinId::Unlikely:
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::expect, operand(i, 0), builder_.getFalse());
    case BuiltinId::Abs:
      if (is_float(type()))
        return narrow(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, widen(operand(i, 0), type())), type());
      if (!is_signed_integer(type())) return operand(i, 0);
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, operand(i, 0), builder_.getFalse());
    case BuiltinId::Min:
      return minimum(type(), operand(i, 0), operand(i, 1));
    case BuiltinId::Max:
      return maximum(type(), operand(i, 0), operand(i, 1));
    case BuiltinId::Selp:
      return builder_.CreateSelect(operand(i, 0), operand(i, 1), operand(i, 2));
    case BuiltinId::PowInt:
      return integer_power(i);
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

Emitter::Value* Emitter::upper_half_of_product(ScalarType type, Value* a, Value* b) {
  const unsigned width = a->getType()->getIntegerBitWidth();
  llvm::Type* wide = builder_.getIntNTy(2 * width);
  const auto extend = [&](Value* value) { return builder_.CreateIntCast(value, wide, is_signed_integer(type)); };
  return builder_.CreateTrunc(builder_.CreateLShr(builder_.CreateMul(extend(a), extend(b)), width), a->getType());
}

Emitter::Value* Emitter::minimum(ScalarType type, Value* a, Value* b) {
  if (!is_float(type))
    return builder_.CreateBinaryIntrinsic(is_signed_integer(type) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a,
                                          b);
  return narrow(extreme(llvm::Intrinsic::minimumnum, widen(a, type), widen(b, type)), type);
}

Emitter::Value* Emitter::maximum(ScalarType type, Value* a, Value* b) {
  if (!is_float(type))
    return builder_.CreateBinaryIntrinsic(is_signed_integer(type) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a,
                                          b);
  return narrow(extreme(llvm::Intrinsic::maximumnum, widen(a, type), widen(b, type)), type);
}

/// In 64 bits, whatever the type: the low bits of a product depend on low bits alone. A negative power of x is 0
/// unless x is 1 or -1, whose powers repeat with the lowest bit of the exponent.
Emitter::Value* Emitter::integer_power(const Instruction& i) {
  const ScalarType type = i.type.scalar;
  llvm::Type* i64 = builder_.getInt64Ty();
  Value* base = builder_.CreateIntCast(operand(i, 0), i64, is_signed_integer(type));
  Value* exponent = builder_.CreateIntCast(operand(i, 1), i64, is_signed_integer(type));
  Value* is_unit = builder_.CreateICmpULE(builder_.CreateAdd(base, constant_i64(1)), constant_i64(2));
  Value* is_negative =
      is_signed_integer(type) ? builder_.CreateICmpSLT(exponent, constant_i64(0)) : builder_.getFalse();
  Value* steps = builder_.CreateSelect(is_negative, builder_.CreateAnd(exponent, constant_i64(1)), exponent);
  llvm::Function* power = state_.math_function("ipow", i64);
  Value* result = builder_.CreateCall(power, {base, steps});
  Value* is_zero =
      builder_.CreateAnd(is_negative, builder_.CreateOr(builder_.CreateNot(is_unit), builder_.CreateIsNull(base)));
  result = builder_.CreateSelect(is_zero, constant_i64(0), result);
  return builder_.CreateTrunc(result, type_of(type));
}

Emitter::Value* Emitter::print_argument(const Instruction& i, std::size_t n) {
  if (!i.operands[n]->type.is(ScalarType::Bool)) return operand(i, n);
  const std::string& format = source_.print_formats[static_cast<std::size_t>(i.index)].text;
  const bool is_point = ir::conversions_of(format)[n] == "%-s";
  return builder_.CreateSelect(operand(i, n), state_.text(is_point ? ".0" : "True"),
                               state_.text(is_point ? "" : "False"));
}

Emitter::Value* Emitter::evaluate(const LaunchExpression& expression) {
  llvm::SmallVector<Value*> stack;
  for (const LaunchExpression::Term& term : expression.terms) {
    if (Value* leaf = launch_leaf(term)) {
      stack.push_back(leaf);
    } else {
      Value* b = stack.pop_back_val();
      Value* a = stack.pop_back_val();
      stack.push_back(launch_operation(term.op, a, b));
    }
  }
  return stack.empty() ? constant_i64(0) : stack.back();
}

/// A number or an extent of the launch; null for an operation.
Emitter::Value* Emitter::launch_leaf(const LaunchExpression::Term& term) {
  using enum LaunchExpression::Op;
  switch (term.op) {
    case Constant:
      return constant_i64(term.constant);
    case BlockDimX:
      return block_extent(0);
    case BlockDimY:
      return block_extent(1);
    case BlockDimZ:
      return block_extent(2);
    case GridDimX:
      return grid_extent(0);
    case GridDimY:
      return grid_extent(1);
    case GridDimZ:
      return grid_extent(2);
    default:
      return nullptr;
  }
}

Emitter::Value* Emitter::launch_operation(LaunchExpression::Op op, Value* a, Value* b) {
  using enum LaunchExpression::Op;
  switch (op) {
    case Add:
      return builder_.CreateAdd(a, b);
    case Subtract:
      return builder_.CreateSub(a, b);
    case Multiply:
      return builder_.CreateMul(a, b);
    case FloorDivide:
      return floor_divide(a, b, true);
    case Modulo:
      return floor_modulo(a, b, true);
    case Minimum:
      return minimum(ScalarType::I64, a, b);
    default:
      return maximum(ScalarType::I64, a, b);
  }
}

/// Where the dynamic shared array `index` starts, in bytes after the first one. The sized arrays stand one after the
/// other, each rounded up to 16 bytes; those that take the launch's own bytes all start after the last of them.
Emitter::Value* Emitter::dynamic_offset(std::int64_t index) {
  const auto is_sized = [](const ir::ArrayStorage& array) {
    return array.is_dynamic && !array.dynamic_bytes.terms.empty();
  };
  const std::vector<ir::ArrayStorage>& arrays = source_.shared_arrays;
  const bool takes_the_rest = index == kAfterAllSized || !is_sized(arrays[static_cast<std::size_t>(index)]);
  const std::size_t end = takes_the_rest ? arrays.size() : static_cast<std::size_t>(index);
  Value* offset = constant_i64(0);
  for (std::size_t n = 0; n < end; ++n) {
    if (!is_sized(arrays[n])) continue;
    Value* bytes = builder_.CreateAdd(evaluate(arrays[n].dynamic_bytes), constant_i64(15));
    offset = builder_.CreateAdd(offset, builder_.CreateAnd(bytes, constant_i64(~std::int64_t{15})));
  }
  return offset;
}

}  // namespace pykc::codegen
