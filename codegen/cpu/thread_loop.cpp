// The threads of a block: ThreadLoops, and what loops of the IR that are made of them may assume.
#include <algorithm>
#include <unordered_set>

#include "codegen/cpu/emitter.h"
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

CpuEmitter::Value* CpuEmitter::emit_split(const Instruction& i) {
  switch (i.opcode) {
    case ir::Opcode::ThreadLoop:
      emit_thread_loop(i);
      return nullptr;
    case ir::Opcode::SlotLoad:
      return load_slot(i.index, thread_number_);
    case ir::Opcode::SlotStore:
      store_slot(i.index, thread_number_, operand(i, 0));
      return nullptr;
    case ir::Opcode::SlotAny:
      return any_slot(i.index);
    case ir::Opcode::SlotMany:
      return many_slot(i.index);
    default:
      return emit_exchange(i);
  }
}

void CpuEmitter::emit_thread_loop(const Instruction& i) {
  access_group_ = llvm::MDNode::getDistinct(state_.context, {});
  if (asks_for_index(i.blocks[0]))
    emit_rows(i);
  else
    emit_line(i);
  access_group_ = nullptr;
  thread_number_ = nullptr;
}

/// Whether a turn depends on more of the thread's place than its number in the block.
bool CpuEmitter::asks_for_index(const ir::Block& body) const {
  return ir::any_instruction(body, [&](const Instruction* i) {
    if (i->opcode == ir::Opcode::Call) return state_.traits(*i->callee).asks_for_place;
    return i->opcode == ir::Opcode::Fault || ir::has_builtin_effect(i, Effect::Thread);
  });
}

/// All threads of the block in one loop.
void CpuEmitter::emit_line(const Instruction& i) {
  mark_parallel(counted_loop(threads_, "thread", [&](Value* number) {
    thread_index_ = {};
    thread_number_ = number;
    emit_turn(i);
  }));
}

void CpuEmitter::emit_rows(const Instruction& i) {
  const RowGuards guards(source_, i.blocks[0]);
  mark_plain(counted_loop(block_extents_[2], "z", [&](Value* z) {
    mark_plain(counted_loop(block_extents_[1], "y", [&](Value* y) {
      thread_index_ = {nullptr, y, z};
      if (guards.comparisons().empty())
        emit_row(i, constant_i64(0), block_extents_[0]);
      else
        emit_segments(i, guards);
    }));
  }));
}

/// The turns of the threads with `begin` <= x < `end`.
void CpuEmitter::emit_row(const Instruction& i, Value* begin, Value* end) {
  Value* row = builder_.CreateMul(thread_index_[2], block_extents_[1], "", true, true);
  row = builder_.CreateAdd(row, thread_index_[1], "", true, true);
  Value* first = builder_.CreateMul(row, block_extents_[0], "", true, true);
  Value* count = builder_.CreateSub(end, begin, "", true, true);
  mark_parallel(counted_loop(count, "x", [&](Value* index) {
    thread_index_[0] = builder_.CreateAdd(begin, index, "", true, true);
    thread_number_ = builder_.CreateAdd(first, thread_index_[0], "", true, true);
    emit_turn(i);
  }));
}

/// A row, cut where one of the guards changes: `begin` goes from one such place to the next. The places are computed in
/// front of that loop, so that those which are the same for all rows of the block are computed once.
void CpuEmitter::emit_segments(const Instruction& i, const RowGuards& guards) {
  const auto cuts =
      llvm::map_to_vector(guards.comparisons(), [&](const Instruction* guard) { return find_cut(*guard, guards); });
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* segment = new_block("segment");
  llvm::BasicBlock* done = new_block("row.done");
  builder_.CreateBr(segment);
  builder_.SetInsertPoint(segment);
  llvm::PHINode* begin = builder_.CreatePHI(builder_.getInt64Ty(), 2, "begin");
  begin->addIncoming(constant_i64(0), before);
  Value* end = block_extents_[0];
  std::unordered_map<const Instruction*, Value*> outcomes;
  for (const Cut& cut : cuts) {
    outcomes[cut.comparison] = outcome_at(begin, cut);
    end = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, change_after(begin, cut));
  }
  fix_values(std::move(outcomes));
  emit_row(i, begin, end);
  fix_values({});
  begin->addIncoming(end, builder_.GetInsertBlock());
  llvm::Instruction* latch = builder_.CreateCondBr(builder_.CreateICmpSLT(end, block_extents_[0]), segment, done);
  mark_plain(latch);
  builder_.SetInsertPoint(done);
}

namespace {

bool is_equality(const ir::Instruction* comparison) {
  return comparison->opcode == ir::Opcode::Eq || comparison->opcode == ir::Opcode::Ne;
}

}  // namespace

CpuEmitter::Value* CpuEmitter::outcome_at(Value* x, const Cut& cut) {
  if (!is_equality(cut.comparison)) return builder_.CreateXor(cut.base, builder_.CreateICmpUGE(x, cut.place));
  Value* is_equal = builder_.CreateOr(cut.base, builder_.CreateICmpEQ(x, cut.place));
  return cut.comparison->opcode == ir::Opcode::Eq ? is_equal : builder_.CreateNot(is_equal);
}

/// The first thread after the one at `x` for which the comparison comes out differently; the largest number for none.
CpuEmitter::Value* CpuEmitter::change_after(Value* x, const Cut& cut) {
  Value* change = builder_.CreateSelect(builder_.CreateICmpULT(x, cut.place), cut.place, constant_i64(-1));
  if (!is_equality(cut.comparison)) return change;
  Value* next = builder_.CreateAdd(x, constant_i64(1), "", true, true);
  return builder_.CreateSelect(builder_.CreateICmpEQ(x, cut.place), next, change);
}

/// What an instruction of the loop's body is for thread 0 of the row.
CpuEmitter::Value* CpuEmitter::first_value(const Instruction* i, const RowGuards& guards) {
  if (!guards.is_in_body(i)) return value(i);
  for (const Instruction* operand : i->operands) first_value(operand, guards);
  thread_index_[0] = constant_i64(0);
  set_value(i, emit(*i));
  return value(i);
}

/// By how much a value grows from one thread to the next.
CpuEmitter::Value* CpuEmitter::slope_of(const Instruction* i, const RowGuards& guards) {
  if (guards.is_constant(i)) return constant_i64(0);
  if (i->opcode == ir::Opcode::Builtin) return constant_i64(1);  // threadIdx.x
  const auto slope = [&](std::size_t n) { return slope_of(i->operands[n], guards); };
  if (i->opcode == ir::Opcode::Add) return builder_.CreateAdd(slope(0), slope(1));
  if (i->opcode == ir::Opcode::Sub) return builder_.CreateSub(slope(0), slope(1));
  const std::size_t factor = guards.is_constant(i->operands[0]) ? 0 : 1;
  return builder_.CreateMul(slope(1 - factor), operand(*i, factor));
}

/// The difference of the operands grows by a constant, which RowGuards has found to be no giant. Where the difference
/// might overflow it saturates: then it does not come to 0 within a row either way.
CpuEmitter::Cut CpuEmitter::find_cut(const Instruction& comparison, const RowGuards& guards) {
  using enum ir::Opcode;
  Value* first_outcome = first_value(&comparison, guards);
  const auto minus = [&](Value* a, Value* b) {
    return guards.is_small(comparison) ? builder_.CreateNSWSub(a, b)
                                       : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, a, b);
  };
  Value *zero = constant_i64(0), *one = constant_i64(1), *never = constant_i64(-1);
  Value* difference = minus(operand(comparison, 0), operand(comparison, 1));
  Value* slope = builder_.CreateSub(slope_of(comparison.operands[0], guards), slope_of(comparison.operands[1], guards));
  Value* grows = builder_.CreateICmpSGT(slope, zero);
  Value* stays = builder_.CreateIsNull(slope);
  Value* step = builder_.CreateSelect(stays, one,
                                      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, slope, builder_.getFalse()));
  if (is_equality(&comparison)) {
    // Towards 0, which it must hit.
    Value* distance = builder_.CreateSelect(grows, minus(zero, difference), difference);
    Value* hits = builder_.CreateAnd(builder_.CreateICmpSGE(distance, zero),
                                     builder_.CreateIsNull(builder_.CreateURem(distance, step)));
    hits = builder_.CreateAnd(hits, builder_.CreateNot(stays));
    return {&comparison, builder_.CreateSelect(hits, builder_.CreateUDiv(distance, step), never),
            builder_.CreateAnd(stays, builder_.CreateIsNull(difference))};
  }
  // Past the limit: below it the outcome is one, from it on the other.
  Value* limit = comparison.opcode == Lt || comparison.opcode == Ge ? zero : one;
  Value* distance = builder_.CreateSelect(grows, minus(minus(limit, one), difference), minus(difference, limit));
  Value* place = builder_.CreateAdd(builder_.CreateUDiv(distance, step), one);
  Value* changes = builder_.CreateAnd(builder_.CreateICmpSGE(distance, zero), builder_.CreateNot(stays));
  return {&comparison, builder_.CreateSelect(changes, place, never), first_outcome};
}

void CpuEmitter::emit_turn(const Instruction& i) {
  turn_end_ = new_block("turn.done");
  start_turn(i.blocks[0]);
  emit_block(i.blocks[0]);
  branch_to(turn_end_);
  builder_.SetInsertPoint(turn_end_);
  turn_end_ = nullptr;
}

/// Variables and arrays that are private to a turn hold nothing of the turn before: said so, they keep no turn waiting.
void CpuEmitter::start_turn(const ir::Block& body) {
  std::unordered_set<const void*> seen;
  ir::for_each_instruction(body, [&](const Instruction* i) {
    if (i->local != nullptr && !block_locals_.contains(i->local) && seen.insert(i->local).second)
      builder_.CreateStore(llvm::Constant::getNullValue(type_of(i->local->type)), local(i->local));
    if (i->opcode != ir::Opcode::LocalArray) return;
    const ir::ArrayStorage& array = source_.local_arrays[static_cast<std::size_t>(i->index)];
    if (!is_in_scratch(array) && seen.insert(&array).second) builder_.CreateLifetimeStart(local_array(i->index));
  });
}

void CpuEmitter::collect_block_locals(const ir::Block& block) {
  for (const Instruction* i : block.instructions) {
    if (i->local != nullptr) block_locals_.insert(i->local);
    if (i->opcode == ir::Opcode::ThreadLoop) continue;
    for (const ir::Block& inner : i->blocks) collect_block_locals(inner);
  }
}

void CpuEmitter::annotate_loop(llvm::Instruction* latch, const Instruction& loop) {
  const auto runs_threads = [](const Instruction* i) { return i->opcode == ir::Opcode::ThreadLoop; };
  if (std::ranges::any_of(loop.blocks, [&](const ir::Block& b) { return ir::any_instruction(b, runs_threads); }))
    mark_plain(latch);
}

/// Says of the loop that `latch` repeats that its turns' accesses are independent; asks for one vector a step, since
/// blocks are short (16 or 32 along x is common) and turns overlap in the pipeline anyway.
void CpuEmitter::mark_parallel(llvm::Instruction* latch) {
  llvm::LLVMContext& context = state_.context;
  const auto text = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  set_loop_metadata(latch, {llvm::MDNode::get(context, {text("llvm.loop.parallel_accesses"), access_group_}),
                            llvm::MDNode::get(context, {text("llvm.loop.interleave.count"),
                                                        llvm::ConstantAsMetadata::get(builder_.getInt32(1))})});
}

/// Loops around the turns gain nothing from being unrolled, and the copies take time to compile.
void CpuEmitter::mark_plain(llvm::Instruction* latch) {
  llvm::MDString* name = llvm::MDString::get(state_.context, "llvm.loop.unroll.disable");
  set_loop_metadata(latch, {llvm::MDNode::get(state_.context, {name})});
}

void CpuEmitter::annotate(llvm::Instruction* access, ir::AddressSpace space) const {
  if (access_group_ != nullptr && space != ir::AddressSpace::Local)
    access->setMetadata(llvm::LLVMContext::MD_access_group, access_group_);
}

/// The inliner hands the group on to all accesses of the callee, so it must have none that are not independent.
void CpuEmitter::annotate_call(llvm::CallInst* call, const ir::Function& callee) const {
  if (!state_.traits(callee).meets_itself) annotate(call, ir::AddressSpace::Global);
}

}  // namespace pykc::codegen
