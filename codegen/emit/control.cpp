// Structured control flow and calls.
#include <cstddef>

#include "codegen/emit/emitter.h"
#include "codegen/libraries.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {

llvm::BasicBlock* Emitter::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(state_.context, name, &function_);
}

void Emitter::branch_to(llvm::BasicBlock* block) {
  if (builder_.GetInsertBlock()->getTerminator() == nullptr) builder_.CreateBr(block);
}

void Emitter::emit_if(const Instruction& i) {
  llvm::BasicBlock* then = new_block("then");
  llvm::BasicBlock* after = new_block("after");
  llvm::BasicBlock* otherwise = i.blocks[1].empty() ? after : new_block("else");
  builder_.CreateCondBr(operand(i, 0), then, otherwise);
  builder_.SetInsertPoint(then);
  emit_block(i.blocks[0]);
  branch_to(after);
  if (otherwise != after) {
    builder_.SetInsertPoint(otherwise);
    emit_block(i.blocks[1]);
    branch_to(after);
  }
  builder_.SetInsertPoint(after);
}

void Emitter::emit_loop(const Instruction& i) {
  llvm::BasicBlock* body = new_block("loop");
  llvm::BasicBlock* continuing = new_block("continuing");
  llvm::BasicBlock* exit = new_block("loop.end");
  regions_[&i] = {exit, continuing};
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  emit_block(i.blocks[0]);
  branch_to(continuing);
  builder_.SetInsertPoint(continuing);
  emit_block(i.blocks[1]);
  branch_to(body);
  annotate_loop(builder_.GetInsertBlock()->getTerminator(), i);
  builder_.SetInsertPoint(exit);
}

void Emitter::emit_scope(const Instruction& i) {
  llvm::BasicBlock* exit = new_block("scope.end");
  regions_[&i] = {exit, nullptr};
  emit_block(i.blocks[0]);
  branch_to(exit);
  builder_.SetInsertPoint(exit);
}

Emitter::Value* Emitter::emit_call(const Instruction& i) {
  llvm::SmallVector<Value*> arguments = operands(i);
  add_hidden_arguments(*i.callee, arguments);
  llvm::CallInst* call = builder_.CreateCall(state_.functions.at(i.callee), arguments);
  if (state_.traits(*i.callee).waits) call->setConvergent();
  annotate_call(call, *i.callee);
  return call;
}

/// By C's convention, in which a pointer is one of the generic address space. It may hold a barrier.
Emitter::Value* Emitter::emit_external_call(const Instruction& i) {
  const ir::ForeignCode& code = source_.foreign_codes[static_cast<std::size_t>(i.index)];
  llvm::SmallVector<Value*> arguments = operands(i);
  llvm::SmallVector<llvm::Type*> types;
  for (Value*& argument : arguments) {
    if (argument->getType()->isPointerTy())
      argument = builder_.CreateAddrSpaceCast(argument, llvm::PointerType::get(state_.context, 0));
    types.push_back(argument->getType());
  }
  llvm::Type* result = code.results.empty() ? builder_.getVoidTy() : type_of(code.results.front());
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* callee = llvm::cast<llvm::Function>(state_.module.getOrInsertFunction(code.text, type).getCallee());
  callee->addFnAttr(kExternal);
  llvm::CallInst* call = builder_.CreateCall(type, callee, arguments);
  call->setConvergent();
  return call;
}

void Emitter::create_return(llvm::ArrayRef<Value*> results) {
  if (results.empty())
    builder_.CreateRetVoid();
  else if (results.size() == 1)
    builder_.CreateRet(results[0]);
  else
    builder_.CreateAggregateRet(results.data(), static_cast<unsigned>(results.size()));
}

Emitter::Value* Emitter::any_fault() {
  Value* address =
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), fault_record(), offsetof(abi::FaultRecord, claimed));
  llvm::LoadInst* claimed = builder_.CreateAlignedLoad(builder_.getInt32Ty(), address, llvm::Align(4));
  claimed->setAtomic(llvm::AtomicOrdering::Monotonic, sync_scope(ir::MemoryScope::Device));
  return builder_.CreateIsNotNull(claimed);
}

Emitter::Value* Emitter::emit_extract(const Instruction& i) {
  const Instruction& from = *i.operands[0];
  const std::size_t results = from.opcode == ir::Opcode::Foreign
                                  ? source_.foreign_codes[static_cast<std::size_t>(from.index)].results.size()
                                  : from.callee->results.size();
  Value* part = results == 1 ? value(&from) : builder_.CreateExtractValue(value(&from), static_cast<unsigned>(i.index));
  return builder_.CreateBitCast(part, type_of(i.type));  // PTX gives f16 as its bits
}

}  // namespace pykc::codegen
