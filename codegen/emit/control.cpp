#include "codegen/emit/control.h"

#include "codegen/libraries.h"

namespace pykc::codegen {
void emit_if(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::BasicBlock* then = emitter.new_block("then");
  llvm::BasicBlock* after = emitter.new_block("after");
  llvm::BasicBlock* otherwise = i.blocks[1].empty() ? after : emitter.new_block("else");
  builder.CreateCondBr(emitter.operand(i, 0), then, otherwise);
  builder.SetInsertPoint(then);
  emit_block(emitter, i.blocks[0]);
  emitter.branch_to(after);
  if (otherwise != after) {
    builder.SetInsertPoint(otherwise);
    emit_block(emitter, i.blocks[1]);
    emitter.branch_to(after);
  }
  builder.SetInsertPoint(after);
}

void emit_loop(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::BasicBlock* body = emitter.new_block("loop");
  llvm::BasicBlock* continuing = emitter.new_block("continuing");
  llvm::BasicBlock* exit = emitter.new_block("loop.end");
  emitter.regions[&i] = {exit, continuing};
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  emit_block(emitter, i.blocks[0]);
  emitter.branch_to(continuing);
  builder.SetInsertPoint(continuing);
  emit_block(emitter, i.blocks[1]);
  emitter.branch_to(body);
  emitter.target->annotate_loop(builder.GetInsertBlock()->getTerminator(), i);
  builder.SetInsertPoint(exit);
}

void emit_scope(Emitter& emitter, const Instruction& i) {
  llvm::BasicBlock* exit = emitter.new_block("scope.end");
  emitter.regions[&i] = {exit, nullptr};
  emit_block(emitter, i.blocks[0]);
  emitter.branch_to(exit);
  emitter.builder.SetInsertPoint(exit);
}

Value* emit_call(Emitter& emitter, const Instruction& i) {
  llvm::SmallVector<Value*> arguments = emitter.operands(i);
  emitter.target->add_hidden_arguments(*i.callee, arguments);
  llvm::CallInst* call = emitter.builder.CreateCall(emitter.state.functions.at(i.callee), arguments);
  if (emitter.state.traits(*i.callee).waits) call->setConvergent();
  return emitter.target->finish_call(i, call);
}

/// By C's convention, in which a pointer is one of the generic address space. It may hold a barrier.
Value* emit_external_call(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ir::ForeignCode& code = emitter.source.foreign_codes[static_cast<std::size_t>(i.index)];
  llvm::SmallVector<Value*> arguments = emitter.operands(i);
  llvm::SmallVector<llvm::Type*> types;
  for (Value*& argument : arguments) {
    if (argument->getType()->isPointerTy())
      argument = builder.CreateAddrSpaceCast(argument, llvm::PointerType::get(emitter.state.context, 0));
    types.push_back(argument->getType());
  }
  llvm::Type* result = code.results.empty() ? builder.getVoidTy() : emitter.type_of(code.results.front());
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* callee = llvm::cast<llvm::Function>(emitter.state.module.getOrInsertFunction(code.text, type).getCallee());
  callee->addFnAttr(kExternal);
  llvm::CallInst* call = builder.CreateCall(type, callee, arguments);
  call->setConvergent();
  return call;
}

Value* emit_extract(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const Instruction& from = *i.operands[0];
  const std::size_t results = from.opcode == ir::Opcode::Foreign
                                  ? emitter.source.foreign_codes[static_cast<std::size_t>(from.index)].results.size()
                                  : from.callee->results.size();
  Value* part = results == 1 ? emitter.value(&from)
                             : builder.CreateExtractValue(emitter.value(&from), static_cast<unsigned>(i.index));
  return builder.CreateBitCast(part, emitter.type_of(i.type));  // PTX gives f16 as its bits
}

void create_return(Builder& builder, llvm::ArrayRef<Value*> results) {
  if (results.empty())
    builder.CreateRetVoid();
  else if (results.size() == 1)
    builder.CreateRet(results[0]);
  else
    builder.CreateAggregateRet(results.data(), static_cast<unsigned>(results.size()));
}

}  // namespace pykc::codegen
