#include "codegen/cpu/annotations.h"

#include <algorithm>

#include "codegen/cpu/passes/stop_polls.h"
#include "codegen/optimize.h"
#include "ir/walk.h"

namespace pykc::codegen {
namespace {

llvm::MDNode* property(const llvm::Instruction* latch, llvm::StringRef name, llvm::StringRef value = {}) {
  llvm::LLVMContext& context = latch->getContext();
  llvm::SmallVector<llvm::Metadata*> operands = {llvm::MDString::get(context, name)};
  if (!value.empty()) operands.push_back(llvm::MDString::get(context, value));
  return llvm::MDNode::get(context, operands);
}

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

std::string place_in_source(const ModuleState& state, const ir::Function& source, const Instruction* i) {
  const SourceFile& file = ir::source_of(state.source, source, i);
  const SourceRange range = i != nullptr ? i->range : source.range;
  return file.name() + ":" + std::to_string(file.line_column(range.begin).line);
}

/// The inliner hands the group on to all accesses of the callee, so it must have none that are not independent.
void annotate_call(CpuEmitter& emitter, llvm::CallInst* call, const ir::Function& callee) {
  if (!emitter.state.traits(callee).meets_itself) annotate(emitter, call, ir::AddressSpace::Global);
}

void annotate_loop(CpuEmitter& emitter, llvm::Instruction* latch, const Instruction& loop) {
  if (!llvm::isa<llvm::BranchInst>(latch)) return;
  const auto runs_threads = [](const Instruction* i) { return i->opcode == ir::Opcode::ThreadLoop; };
  llvm::SmallVector<llvm::Metadata*> properties = {
      property(latch, kPlaceInSource, place_in_source(emitter.state, emitter.source, &loop))};
  if (std::ranges::any_of(loop.blocks, [&](const ir::Block& b) { return ir::any_instruction(b, runs_threads); }))
    properties.push_back(property(latch, kPlain));
  set_loop_metadata(latch, properties);
}

/// Says of the loop that `latch` repeats that its turns' accesses are independent; asks for one vector a step, since
/// blocks are short (16 or 32 along x is common) and turns overlap in the pipeline anyway.
void mark_parallel(CpuEmitter& emitter, llvm::Instruction* latch) {
  llvm::LLVMContext& context = emitter.state.context;
  const auto text = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  const auto number = [&](llvm::StringRef name, llvm::ConstantInt* value) {
    return llvm::MDNode::get(context, {text(name), llvm::ConstantAsMetadata::get(value)});
  };
  set_loop_metadata(latch, {property(latch, kRunsThreads),
                            llvm::MDNode::get(context, {text("llvm.loop.parallel_accesses"), emitter.access_group}),
                            number("llvm.loop.interleave.count", emitter.builder.getInt32(1))});
}

/// It runs rarely, so neither vectors nor copies are made of it.
void mark_rare(llvm::Instruction* latch) {
  llvm::LLVMContext& context = latch->getContext();
  llvm::Metadata* never = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
  set_loop_metadata(latch,
                    {property(latch, kPlain), property(latch, kRunsThreads),
                     llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.vectorize.enable"), never})});
}

/// Loops around the turns gain nothing from being unrolled, and the copies take time to compile.
void mark_plain(llvm::Instruction* latch) { set_loop_metadata(latch, {property(latch, kPlain)}); }

void mark_plain_over_threads(llvm::Instruction* latch) {
  set_loop_metadata(latch, {property(latch, kPlain), property(latch, kRunsThreads)});
}

void mark_over_threads(llvm::Instruction* latch) { set_loop_metadata(latch, {property(latch, kRunsThreads)}); }

}  // namespace pykc::codegen
