// Structured control flow and calls.
#pragma once

#include "codegen/emit/emitter.h"

namespace pykc::codegen {

void emit_if(Emitter& emitter, const Instruction& i);
void emit_loop(Emitter& emitter, const Instruction& i);
void emit_scope(Emitter& emitter, const Instruction& i);
Value* emit_call(Emitter& emitter, const Instruction& i);
Value* emit_external_call(Emitter& emitter, const Instruction& i);
Value* emit_extract(Emitter& emitter, const Instruction& i);
void create_return(Builder& builder, llvm::ArrayRef<Value*> results);

/// Runs `body(index)` for index = 0 … count-1 (i64), at least once, in an LLVM loop; gives its back edge's branch.
template <typename Body>
llvm::Instruction* counted_loop(Emitter& emitter, Value* count, const llvm::Twine& name, Body body) {
  Builder& builder = emitter.builder;
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* loop = emitter.new_block(name);
  llvm::BasicBlock* exit = emitter.new_block(name + ".end");
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(count->getType(), 2, name + ".index");
  index->addIncoming(llvm::ConstantInt::get(count->getType(), 0), before);
  body(index);
  Value* next = builder.CreateAdd(index, llvm::ConstantInt::get(count->getType(), 1), "", true, true);
  index->addIncoming(next, builder.GetInsertBlock());
  llvm::Instruction* latch = builder.CreateCondBr(builder.CreateICmpNE(next, count), loop, exit);
  builder.SetInsertPoint(exit);
  return latch;
}

/// Runs `body()` where `condition` holds.
template <typename Body>
void emit_when(Emitter& emitter, Value* condition, Body body) {
  llvm::BasicBlock* then = emitter.new_block("when");
  llvm::BasicBlock* after = emitter.new_block("after");
  emitter.builder.CreateCondBr(condition, then, after);
  emitter.builder.SetInsertPoint(then);
  body();
  emitter.branch_to(after);
  emitter.builder.SetInsertPoint(after);
}

}  // namespace pykc::codegen
