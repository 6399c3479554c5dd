#include "codegen/nvptx/float8.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace pykc::codegen {

Value* convert_from_float8(Builder& builder, Value* bits, ScalarType type) {
  using namespace llvm::Intrinsic;
  const ID conversion = type == ScalarType::F8E4M3 ? nvvm_e4m3x2_to_f16x2_rn : nvvm_e5m2x2_to_f16x2_rn;
  Value* pair = builder.CreateIntrinsic(conversion, {builder.CreateZExt(bits, builder.getInt16Ty())});
  return builder.CreateFPExt(builder.CreateExtractElement(pair, std::uint64_t{0}), builder.getFloatTy());
}

Value* convert_to_float8(Builder& builder, Value* wide, ScalarType to) {
  using namespace llvm::Intrinsic;
  const ID conversion = to == ScalarType::F8E4M3 ? nvvm_ff_to_e4m3x2_rn : nvvm_ff_to_e5m2x2_rn;
  Value* upper = llvm::ConstantFP::get(wide->getType(), 0.0);
  return builder.CreateTrunc(builder.CreateIntrinsic(conversion, {upper, wide}), builder.getInt8Ty());
}

}  // namespace pykc::codegen
