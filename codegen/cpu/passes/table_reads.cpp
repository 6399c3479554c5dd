#include "codegen/cpu/passes/table_reads.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace pykc::codegen {
namespace {

bool reads_table(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load == nullptr) return false;
  const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(load->getPointerOperand()));
  return table != nullptr && table->isConstant();
}

/// The groups of independent accesses: one a loop over threads. An instruction has one, or a list of several.
void collect_groups(const llvm::MDNode* node, llvm::SmallSetVector<llvm::Metadata*, 8>& groups) {
  if (node->getNumOperands() == 0) {
    groups.insert(const_cast<llvm::MDNode*>(node));
    return;
  }
  for (const llvm::MDOperand& group : node->operands()) groups.insert(group.get());
}

}  // namespace

llvm::PreservedAnalyses MarkTableReads::run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
  llvm::SmallSetVector<llvm::Metadata*, 8> groups;
  llvm::SmallVector<llvm::Instruction*> reads;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const llvm::MDNode* node = instruction.getMetadata(llvm::LLVMContext::MD_access_group))
      collect_groups(node, groups);
    if (reads_table(instruction)) reads.push_back(&instruction);
  }
  if (groups.empty()) return llvm::PreservedAnalyses::all();
  llvm::MDNode* all = groups.size() == 1 ? llvm::cast<llvm::MDNode>(groups[0])
                                         : llvm::MDNode::get(function.getContext(), groups.getArrayRef());
  for (llvm::Instruction* read : reads) read->setMetadata(llvm::LLVMContext::MD_access_group, all);
  return llvm::PreservedAnalyses::none();
}

}  // namespace pykc::codegen
