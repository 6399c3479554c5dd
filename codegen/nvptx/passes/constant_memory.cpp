#include "codegen/nvptx/passes/constant_memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/NVPTXAddrSpace.h>

namespace pykc::codegen {
namespace {

constexpr unsigned kBitsOfHalf = 32;
constexpr std::uint64_t kRoom = 49152;  // of the 64 KB that all modules of a program share

bool is_arithmetic(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::fma;
  return instruction.getOpcode() == llvm::Instruction::FAdd || instruction.getOpcode() == llvm::Instruction::FSub ||
         instruction.getOpcode() == llvm::Instruction::FMul;
}

/// Whether the constant is more than an immediate can hold, which is the upper half.
bool is_wide(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant != nullptr && constant->getType()->isDoubleTy() &&
         constant->getValueAPF().bitcastToAPInt().countr_zero() < kBitsOfHalf;
}

/// Operands by the constant that they are.
using Uses = llvm::MapVector<llvm::Constant*, llvm::SmallVector<llvm::Use*>>;

Uses wide_constants(llvm::Module& module) {
  Uses uses;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (is_arithmetic(instruction))
        for (llvm::Use& operand : instruction.operands())
          if (is_wide(operand.get())) uses[llvm::cast<llvm::Constant>(operand.get())].push_back(&operand);
  return uses;
}

/// Bytes that the program's own arrays take in constant memory.
std::uint64_t room_of_arrays(const llvm::Module& module) {
  std::uint64_t bytes = 0;
  for (const llvm::GlobalVariable& global : module.globals())
    if (global.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_CONST)
      bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  return bytes;
}

}  // namespace

void keep_constants_in_memory(llvm::Module& module) {
  const Uses uses = wide_constants(module);
  std::uint64_t room = room_of_arrays(module);
  for (const auto& [constant, operands] : uses) {
    room += sizeof(double);
    if (room > kRoom) return;
    auto* memory = new llvm::GlobalVariable(module, constant->getType(), true, llvm::GlobalValue::InternalLinkage,
                                            constant, "constant", nullptr, llvm::GlobalValue::NotThreadLocal,
                                            llvm::NVPTXAS::ADDRESS_SPACE_CONST);
    memory->setExternallyInitialized(true);  // else LLVM puts the number back in its place
    for (llvm::Use* operand : operands) {
      llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(operand->getUser()));
      operand->set(builder.CreateLoad(constant->getType(), memory));
    }
  }
}

}  // namespace pykc::codegen
