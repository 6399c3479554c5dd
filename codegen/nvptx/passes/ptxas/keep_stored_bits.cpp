#include "codegen/nvptx/passes/ptxas/keep_stored_bits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

constexpr unsigned kBytesOfWord = 4;
constexpr unsigned kFar = 4;  // operations on bits that LLVM may see through

/// What was loaded or passed has no type in PTX.
bool is_typed(const llvm::Value* real) { return !llvm::isa<llvm::LoadInst, llvm::Argument, llvm::Constant>(real); }

/// Whether the low bits of a value may be those of a float in its register.
bool has_bits_of_float(const llvm::Value* value, unsigned depth = 0) {
  if (value->getType()->isFloatingPointTy()) return is_typed(value);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == kFar) return false;
  switch (instruction->getOpcode()) {
    case llvm::Instruction::BitCast:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::Select:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return llvm::any_of(instruction->operands(),
                          [&](const llvm::Use& operand) { return has_bits_of_float(operand, depth + 1); });
    default:
      return false;
  }
}

llvm::Value* hidden_bits(llvm::Value* value, llvm::IRBuilder<>& builder) {
  return hidden(builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getScalarSizeInBits())), builder);
}

void store_words(llvm::StoreInst& store, llvm::Value* real) {
  llvm::IRBuilder<> builder(&store);
  llvm::Value* const address = store.getPointerOperand();
  const auto store_word = [&](llvm::Intrinsic::ID part, unsigned offset) {
    auto* word = llvm::cast<llvm::StoreInst>(store.clone());
    word->setOperand(0, builder.CreateIntrinsic(part, {real}));
    word->setOperand(1, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), address, offset));
    word->setAlignment(llvm::commonAlignment(store.getAlign(), offset));
    builder.Insert(word);
  };
  store_word(llvm::Intrinsic::nvvm_d2i_lo, 0);
  store_word(llvm::Intrinsic::nvvm_d2i_hi, kBytesOfWord);
  store.eraseFromParent();
}

bool is_split(const llvm::StoreInst& store, const llvm::DataLayout& layout) {
  return store.getAlign() < layout.getTypeStoreSize(store.getValueOperand()->getType()).getFixedValue();
}

void keep_bits_of_parts(llvm::StoreInst& store) {
  llvm::Value* value = store.getValueOperand();
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) value = cast->getOperand(0);
  if (value->getType()->isDoubleTy()) return store_words(store, value);
  llvm::IRBuilder<> builder(&store);
  store.setOperand(0, hidden_bits(value, builder));
}

/// A result or an argument is stored as well.
bool is_stored(const llvm::Instruction& value) {
  return llvm::any_of(value.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::StoreInst, llvm::InsertValueInst, llvm::ReturnInst, llvm::CallBase>(user);
  });
}

void keep_bits_of_part(llvm::TruncInst& part, const llvm::DataLayout& layout) {
  llvm::Value* const whole = part.getOperand(0);
  if (!layout.isLegalInteger(whole->getType()->getScalarSizeInBits()) || !is_stored(part)) return;
  llvm::IRBuilder<> builder(&part);
  part.setOperand(0, hidden_bits(whole, builder));
}

}  // namespace

void keep_stored_bits(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* part = llvm::dyn_cast<llvm::TruncInst>(&instruction)) {
        if (has_bits_of_float(part)) keep_bits_of_part(*part, layout);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (is_split(*store, layout) && has_bits_of_float(store->getValueOperand())) keep_bits_of_parts(*store);
      }
    }
}

}  // namespace pykc::codegen
