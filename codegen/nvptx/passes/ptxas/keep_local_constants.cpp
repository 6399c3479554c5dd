#include "codegen/nvptx/passes/ptxas/keep_local_constants.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

constexpr unsigned kBitsOfWord = 32;
constexpr std::uint64_t kOne = 0x3f800000;
constexpr std::uint64_t kMinusOne = 0xffffffff;

llvm::SmallVector<llvm::StoreInst*> constants_in_local_memory(llvm::Function& function) {
  llvm::SmallVector<llvm::StoreInst*> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && llvm::isa<llvm::Constant>(store->getValueOperand()) &&
        store->getValueOperand()->getType()->getScalarSizeInBits() == kBitsOfWord &&
        llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand())))
      stores.push_back(store);
  }
  return stores;
}

bool is_word(const llvm::Constant* constant, std::uint64_t word) {
  if (const auto* integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant)) return integer->getZExtValue() == word;
  const auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return real != nullptr && real->getValueAPF().bitcastToAPInt() == word;
}

unsigned lanes_of(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

const llvm::Constant* lane_of(const llvm::Constant* constant, unsigned lane) {
  return constant->getType()->isVectorTy() ? constant->getAggregateElement(lane) : constant;
}

bool has_word(const llvm::StoreInst* store, std::uint64_t word) {
  const auto* constant = llvm::cast<llvm::Constant>(store->getValueOperand());
  return llvm::any_of(llvm::seq(lanes_of(constant->getType())),
                      [&](unsigned lane) { return is_word(lane_of(constant, lane), word); });
}

void hide_minus_one(llvm::StoreInst& store) {
  auto* constant = llvm::cast<llvm::Constant>(store.getValueOperand());
  llvm::IRBuilder<> builder(&store);
  llvm::Value* const word = builder.CreateBitCast(
      hidden(builder.getInt32(static_cast<std::uint32_t>(kMinusOne)), builder), constant->getType()->getScalarType());
  llvm::Value* value = constant->getType()->isVectorTy() ? constant : word;
  if (constant->getType()->isVectorTy())
    for (const unsigned lane : llvm::seq(lanes_of(constant->getType())))
      if (is_word(lane_of(constant, lane), kMinusOne)) value = builder.CreateInsertElement(value, word, lane);
  store.setOperand(0, value);
}

}  // namespace

void keep_local_constants(llvm::Module& module) {
  for (llvm::Function& function : module) {
    const llvm::SmallVector<llvm::StoreInst*> stores = constants_in_local_memory(function);
    if (llvm::none_of(stores, [](const llvm::StoreInst* store) { return has_word(store, kOne); })) continue;
    for (llvm::StoreInst* store : stores)
      if (has_word(store, kMinusOne)) hide_minus_one(*store);
  }
}

}  // namespace pykc::codegen
