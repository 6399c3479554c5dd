#include "codegen/nvptx/passes/ptxas/hidden.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <tuple>

namespace pykc::codegen {
namespace {

constexpr const char* kPermuteWord = "prmt.b32 $0, $1, 0, 0x3210;";
constexpr const char* kPermuteTwoWords =
    "{ .reg .b32 %low, %high; mov.b64 {%low, %high}, $1; prmt.b32 %low, %low, 0, 0x3210; "
    "prmt.b32 %high, %high, 0, 0x3210; mov.b64 $0, {%low, %high}; }";
constexpr const char* kPermuteHalf =
    "{ .reg .b32 %word; cvt.u32.u16 %word, $1; prmt.b32 %word, %word, 0, 0x3210; cvt.u16.u32 $0, %word; }";

/// In text: of LLVM's own permutation it knows that nothing changes, and drops it where a part of the result is used.
llvm::Value* permuted(llvm::Value* value, const char* text, const char* constraints, llvm::IRBuilder<>& builder) {
  llvm::Type* type = value->getType();
  return builder.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), text, constraints,
                                                 /*hasSideEffects=*/false),
                            {value});
}

}  // namespace

llvm::Value* hidden(llvm::Value* value, llvm::IRBuilder<>& builder) {
  llvm::Type* type = value->getType();
  const unsigned width = type->getIntegerBitWidth();
  if (width > 64) return value;
  const auto [register_width, text, constraints] = width <= 16   ? std::tuple(16, kPermuteHalf, "=h,h")
                                                   : width <= 32 ? std::tuple(32, kPermuteWord, "=r,r")
                                                                 : std::tuple(64, kPermuteTwoWords, "=l,l");
  llvm::Value* in_register = builder.CreateZExt(value, builder.getIntNTy(register_width));
  return builder.CreateTrunc(permuted(in_register, text, constraints, builder), type);
}

void hide(llvm::Instruction& instruction) {
  const llvm::SmallVector<llvm::Use*> uses(llvm::make_pointer_range(instruction.uses()));
  llvm::IRBuilder<> builder(instruction.getNextNode());
  llvm::Type* type = instruction.getType();
  llvm::Value* bits = builder.CreateBitCast(&instruction, builder.getIntNTy(type->getScalarSizeInBits()));
  llvm::Value* result = builder.CreateBitCast(hidden(bits, builder), type);
  for (llvm::Use* use : uses) use->set(result);
}

}  // namespace pykc::codegen
