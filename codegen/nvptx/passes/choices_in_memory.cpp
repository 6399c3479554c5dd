#include "codegen/nvptx/passes/choices_in_memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/NVPTXAddrSpace.h>

namespace pykc::codegen {
namespace {

constexpr std::size_t kFewest = 4;
constexpr std::uint64_t kAlignment = 16;

using Choices = llvm::SmallVector<llvm::SelectInst*>;

/// Those of a block by their condition.
llvm::MapVector<llvm::Value*, Choices> choices_of(llvm::BasicBlock& block) {
  llvm::MapVector<llvm::Value*, Choices> choices;
  for (llvm::Instruction& instruction : block)
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      if (select->getType()->isDoubleTy() && llvm::isa<llvm::ConstantFP>(select->getTrueValue()) &&
          llvm::isa<llvm::ConstantFP>(select->getFalseValue()))
        choices[select->getCondition()].push_back(select);
  return choices;
}

using Tables = llvm::DenseMap<llvm::Constant*, llvm::GlobalVariable*>;

/// Two rows, the second for where the condition holds; their length is even.
llvm::Constant* rows_of(const Choices& choices) {
  llvm::SmallVector<llvm::Constant*> rows[2];
  for (llvm::SelectInst* select : choices) {
    rows[0].push_back(llvm::cast<llvm::Constant>(select->getFalseValue()));
    rows[1].push_back(llvm::cast<llvm::Constant>(select->getTrueValue()));
  }
  if (choices.size() % 2 != 0)
    for (auto& row : rows) row.push_back(llvm::ConstantFP::get(choices[0]->getType(), 0));
  auto* type = llvm::ArrayType::get(choices[0]->getType(), rows[0].size());
  return llvm::ConstantArray::get(llvm::ArrayType::get(type, 2),
                                  {llvm::ConstantArray::get(type, rows[0]), llvm::ConstantArray::get(type, rows[1])});
}

llvm::GlobalVariable* table_of(llvm::Module& module, const Choices& choices, Tables& tables) {
  llvm::Constant* const rows = rows_of(choices);
  llvm::GlobalVariable*& table = tables[rows];
  if (table == nullptr) {
    table = new llvm::GlobalVariable(module, rows->getType(), true, llvm::GlobalValue::InternalLinkage, rows, "choices",
                                     nullptr, llvm::GlobalValue::NotThreadLocal, llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
    table->setAlignment(llvm::Align(kAlignment));
  }
  return table;
}

void replace(llvm::Module& module, const Choices& choices, Tables& tables) {
  llvm::GlobalVariable* const table = table_of(module, choices, tables);
  llvm::IRBuilder<> builder(choices.front());
  llvm::Type* const row_type = table->getValueType()->getArrayElementType();
  llvm::Value* const index = builder.CreateZExt(choices[0]->getCondition(), builder.getInt64Ty());
  llvm::Value* const row = builder.CreateInBoundsGEP(row_type, table, {index});
  for (const auto& [place, select] : llvm::enumerate(choices)) {
    llvm::LoadInst* const load =
        builder.CreateAlignedLoad(select->getType(), builder.CreateConstInBoundsGEP2_64(row_type, row, 0, place),
                                  llvm::Align(place % 2 == 0 ? kAlignment : sizeof(double)));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module.getContext(), {}));
    select->replaceAllUsesWith(load);
  }
  for (llvm::SelectInst* select : choices) select->eraseFromParent();
}

}  // namespace

void keep_choices_in_memory(llvm::Module& module) {
  Tables tables;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (const auto& [condition, choices] : choices_of(block))
        if (choices.size() >= kFewest) replace(module, choices, tables);
}

}  // namespace pykc::codegen
