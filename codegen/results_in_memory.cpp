// A part that was cut from a long function may have thousands of results.
#include "codegen/results_in_memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace pykc::codegen {
namespace {

constexpr unsigned kMostInRegisters = 64;

llvm::StructType* many_results(const llvm::Function& function) {
  auto* results = llvm::dyn_cast<llvm::StructType>(function.getReturnType());
  const bool is_ours = !function.isDeclaration() && function.hasLocalLinkage();
  return is_ours && results != nullptr && results->getNumElements() > kMostInRegisters ? results : nullptr;
}

/// The function with one parameter more: where its results go. It stands where the old one stood, for the order of
/// functions tells who calls whom.
llvm::Function* with_place_of_results(llvm::Function& old) {
  llvm::Module& module = *old.getParent();
  llvm::SmallVector<llvm::Type*> types(old.getFunctionType()->params());
  types.push_back(llvm::PointerType::get(module.getContext(), module.getDataLayout().getAllocaAddrSpace()));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), types, false);
  llvm::Function* function = llvm::Function::Create(type, old.getLinkage(), old.getAddressSpace());
  module.getFunctionList().insert(old.getIterator(), function);
  function->takeName(&old);
  function->copyAttributesFrom(&old);
  function->setSubprogram(old.getSubprogram());
  old.setSubprogram(nullptr);
  function->splice(function->begin(), &old);
  for (llvm::Argument& argument : old.args()) {
    argument.replaceAllUsesWith(function->getArg(argument.getArgNo()));
    function->getArg(argument.getArgNo())->takeName(&argument);
  }
  return function;
}

/// The emitter builds what it returns by one insertvalue for each result.
void store_results(llvm::ReturnInst* from, llvm::StructType* results, llvm::Value* place) {
  std::vector<llvm::Value*> values(results->getNumElements());
  std::vector<llvm::Instruction*> chain = {from};
  llvm::Value* whole = from->getReturnValue();
  while (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(whole)) {
    if (llvm::Value*& value = values[insert->getIndices()[0]]; value == nullptr)
      value = insert->getInsertedValueOperand();
    chain.push_back(insert);
    whole = insert->getAggregateOperand();
  }
  llvm::IRBuilder<> builder(from);
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i] != nullptr && !llvm::isa<llvm::UndefValue>(values[i]))
      builder.CreateStore(values[i], builder.CreateStructGEP(results, place, i));
  builder.CreateRetVoid();
  for (llvm::Instruction* instruction : chain) instruction->eraseFromParent();
}

/// The emitter uses the call's value for its parts alone.
void load_results(llvm::CallInst* old, llvm::Function* callee, llvm::StructType* results) {
  llvm::BasicBlock& entry = old->getFunction()->getEntryBlock();
  llvm::Value* place = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(results);
  llvm::IRBuilder<> builder(old);
  llvm::SmallVector<llvm::Value*> arguments(old->args());
  arguments.push_back(place);
  llvm::CallInst* call = builder.CreateCall(callee, arguments);
  call->setAttributes(old->getAttributes());
  call->setCallingConv(old->getCallingConv());
  for (llvm::User* user : llvm::make_early_inc_range(old->users())) {
    auto* part = llvm::cast<llvm::ExtractValueInst>(user);
    llvm::Value* address = builder.CreateStructGEP(results, place, part->getIndices()[0]);
    part->replaceAllUsesWith(builder.CreateLoad(part->getType(), address));
    part->eraseFromParent();
  }
  old->eraseFromParent();
}

void pass_in_memory(llvm::Function& old, llvm::StructType* results) {
  llvm::Function* function = with_place_of_results(old);
  llvm::Value* place = function->getArg(function->arg_size() - 1);
  for (llvm::BasicBlock& block : *function)
    if (auto* from = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) store_results(from, results, place);
  for (llvm::User* user : llvm::make_early_inc_range(old.users()))
    load_results(llvm::cast<llvm::CallInst>(user), function, results);
  old.eraseFromParent();
}

}  // namespace

void pass_results_in_memory(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (llvm::StructType* results = many_results(function)) pass_in_memory(function, results);
}

}  // namespace pykc::codegen
