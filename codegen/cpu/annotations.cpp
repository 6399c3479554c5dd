#include "codegen/cpu/annotations.h"

#include <algorithm>

#include "ir/walk.h"

namespace pykc::codegen {
namespace {

void set_loop_metadata(llvm::Instruction* latch, llvm::ArrayRef<llvm::Metadata*> properties) {
  llvm::SmallVector<llvm::Metadata*> operands = {nullptr};  // a loop's node names itself first
  operands.append(properties.begin(), properties.end());
  llvm::MDNode* loop = llvm::MDNode::getDistinct(latch->getContext(), operands);
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

void annotate(CpuEmitter& emitter, llvm::Instruction* access, ir::AddressSpace space) {
  if (emitter.access_group != nullptr && space != ir::AddressSpace::Local)
    access->setMetadata(llvm::LLVMContext::MD_access_group, emitter.access_group);
}

/// The inliner hands the group on to all accesses of the callee, so it must have none that are not independent.
void annotate_call(CpuEmitter& emitter, llvm::CallInst* call, const ir::Function& callee) {
  if (!emitter.state.traits(callee).meets_itself) annotate(emitter, call, ir::AddressSpace::Global);
}

void annotate_loop(llvm::Instruction* latch, const Instruction& loop) {
  const auto runs_threads = [](const Instruction* i) { return i->opcode == ir::Opcode::ThreadLoop; };
  if (std::ranges::any_of(loop.blocks, [&](const ir::Block& b) { return ir::any_instruction(b, runs_threads); }))
    mark_plain(latch);
}

/// Says of the loop that `latch` repeats that its turns' accesses are independent; asks for one vector a step, since
/// blocks are short (16 or 32 along x is common) and turns overlap in the pipeline anyway.
void mark_parallel(CpuEmitter& emitter, llvm::Instruction* latch) {
  llvm::LLVMContext& context = emitter.state.context;
  const auto text = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  set_loop_metadata(latch, {llvm::MDNode::get(context, {text("llvm.loop.parallel_accesses"), emitter.access_group}),
                            llvm::MDNode::get(context, {text("llvm.loop.interleave.count"),
                                                        llvm::ConstantAsMetadata::get(emitter.builder.getInt32(1))})});
}

/// Loops around the turns gain nothing from being unrolled, and the copies take time to compile.
void mark_plain(llvm::Instruction* latch) {
  llvm::MDString* name = llvm::MDString::get(latch->getContext(), "llvm.loop.unroll.disable");
  set_loop_metadata(latch, {llvm::MDNode::get(latch->getContext(), {name})});
}

}  // namespace pykc::codegen
