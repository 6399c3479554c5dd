#include "codegen/cpu/thread_loop.h"

#include <algorithm>
#include <unordered_set>

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/guards.h"
#include "codegen/cpu/storage.h"
#include "codegen/emit/control.h"
#include "codegen/emit/memory.h"
#include "ir/walk.h"

namespace pykc::codegen {
namespace {

/// Where the outcome of a comparison changes along a row.
struct Cut {
  const Instruction* comparison;
  Value* place;  // the first thread with another outcome than thread 0; of Eq and Ne, where the operands are equal.
                 // The largest number for none
  Value* base;   // the outcome for thread 0; of Eq and Ne, whether the operands are equal everywhere
};

/// How much of a thread's place in its block a turn depends on.
enum class Place : std::uint8_t { Number, NumberAndX, Whole };

Place place_asked_for(CpuEmitter& emitter, const ir::Block& body) {
  Place asked = Place::Number;
  ir::for_each_instruction(body, [&](const Instruction* i) {
    if (i->opcode == ir::Opcode::Call ? emitter.state.traits(*i->callee).asks_for_place
                                      : i->opcode == ir::Opcode::Fault)
      asked = Place::Whole;
    else if (ir::has_builtin_effect(i, Effect::Thread))
      asked =
          std::max(asked, ir::slope_of_thread_index(i, 0) == ir::Slope::exactly(1) ? Place::NumberAndX : Place::Whole);
  });
  return asked;
}

/// Variables and arrays that are private to a turn hold nothing of the turn before: said so, they keep no turn waiting.
void start_turn(CpuEmitter& emitter, const ir::Block& body) {
  Builder& builder = emitter.builder;
  std::unordered_set<const void*> seen;
  ir::for_each_instruction(body, [&](const Instruction* i) {
    if (i->local != nullptr && !emitter.block_locals.contains(i->local) && seen.insert(i->local).second)
      builder.CreateStore(llvm::Constant::getNullValue(emitter.type_of(i->local->type)), storage_of(emitter, i->local));
    if (i->opcode != ir::Opcode::LocalArray) return;
    const ir::ArrayStorage& array = emitter.source.local_arrays[static_cast<std::size_t>(i->index)];
    if (!is_in_scratch(array) && seen.insert(&array).second)
      builder.CreateLifetimeStart(local_array(emitter, i->index));
  });
}

void emit_turn(CpuEmitter& emitter, const Instruction& i) {
  emitter.turn_end = emitter.new_block("turn.done");
  start_turn(emitter, i.blocks[0]);
  emit_block(emitter, i.blocks[0]);
  emitter.branch_to(emitter.turn_end);
  emitter.builder.SetInsertPoint(emitter.turn_end);
  emitter.turn_end = nullptr;
}

/// Whether other warps may run in the midst of a turn: then it is none that goes with others.
bool may_wait(const ir::Block& body) {
  return ir::any_instruction(body, [](const Instruction* i) {
    return ir::is_wait_turn(i) || (i->opcode == ir::Opcode::Call && i->callee->runs_warps_apart);
  });
}

void mark_turns(CpuEmitter& emitter, llvm::Instruction* latch) {
  if (emitter.access_group != nullptr)
    mark_parallel(emitter, latch);
  else
    mark_plain_over_threads(latch);
}

/// Whether vectors are made of turns.
bool makes_vectors(const CpuEmitter& emitter) {
  return emitter.access_group != nullptr && emitter.state.options.optimization >= 2 && !emitter.source.is_watched;
}

/// All threads in one loop.
void emit_line(CpuEmitter& emitter, const Instruction& i) {
  llvm::Instruction* latch = loop_over_threads(emitter, "thread", [&](Value* number) {
    emitter.thread_index = {};
    emitter.thread_number = number;
    emit_turn(emitter, i);
  });
  mark_turns(emitter, latch);
}

/// The turns of the threads with `begin` <= x < `end`.
void emit_row(CpuEmitter& emitter, const Instruction& i, Value* begin, Value* end, bool is_for_edges = false) {
  Builder& builder = emitter.builder;
  Value* row = builder.CreateMul(emitter.thread_index[2], emitter.block_extents[1], "", true, true);
  row = builder.CreateAdd(row, emitter.thread_index[1], "", true, true);
  Value* first = builder.CreateMul(row, emitter.block_extents[0], "", true, true);
  Value* count = builder.CreateSub(end, begin, "", true, true);
  emit_when(emitter, builder.CreateICmpSLT(begin, end), [&] {
    llvm::Instruction* latch = counted_loop(emitter, count, "x", [&](Value* index) {
      emitter.thread_index[0] = builder.CreateAdd(begin, index, "", true, true);
      emitter.thread_number = builder.CreateAdd(first, emitter.thread_index[0], "", true, true);
      emit_turn(emitter, i);
    });
    if (is_for_edges)
      mark_rare(latch);
    else
      mark_turns(emitter, latch);
  });
}

bool is_equality(const ir::Instruction* comparison) {
  return comparison->opcode == ir::Opcode::Eq || comparison->opcode == ir::Opcode::Ne;
}

Value* outcome_at(Builder& builder, Value* x, const Cut& cut) {
  if (!is_equality(cut.comparison)) return builder.CreateXor(cut.base, builder.CreateICmpUGE(x, cut.place));
  Value* is_equal = builder.CreateOr(cut.base, builder.CreateICmpEQ(x, cut.place));
  return cut.comparison->opcode == ir::Opcode::Eq ? is_equal : builder.CreateNot(is_equal);
}

/// The first thread after the one at `x` for which the comparison comes out differently; the largest number for none.
Value* change_after(CpuEmitter& emitter, Value* x, const Cut& cut) {
  Builder& builder = emitter.builder;
  Value* change = builder.CreateSelect(builder.CreateICmpULT(x, cut.place), cut.place, emitter.constant_i64(-1));
  if (!is_equality(cut.comparison)) return change;
  Value* next = builder.CreateAdd(x, emitter.constant_i64(1), "", true, true);
  return builder.CreateSelect(builder.CreateICmpEQ(x, cut.place), next, change);
}

using Seen = std::unordered_set<const Instruction*>;

/// What an instruction of the loop's body is for thread 0 of the row; within a segment, for all of its threads.
Value* first_value(CpuEmitter& emitter, const Instruction* i, const RowGuards& guards, Seen& seen) {
  if (!guards.is_in_body(i)) return emitter.value(i);
  if (!seen.insert(i).second) return emitter.values.at(i);
  if (const auto fixed = emitter.fixed.find(i); fixed != emitter.fixed.end()) return emitter.values[i] = fixed->second;
  for (const Instruction* operand : i->operands) first_value(emitter, operand, guards, seen);
  emitter.thread_index[0] = emitter.constant_i64(0);
  return emitter.values[i] = emit(emitter, *i);
}

using Slopes = std::unordered_map<const Instruction*, Value*>;

/// By how much a value grows from one thread to the next: in code what ir::Slopes knows of it in bounds. Sums share
/// their terms, so each is computed once.
Value* slope_of(CpuEmitter& emitter, const Instruction* i, const RowGuards& guards, Slopes& known) {
  if (const auto found = known.find(i); found != known.end()) return found->second;
  Builder& builder = emitter.builder;
  const auto slope = [&](std::size_t n) { return slope_of(emitter, i->operands[n], guards, known); };
  const auto compute = [&]() -> Value* {
    if (guards.is_constant(i)) return emitter.constant_i64(0);
    switch (i->opcode) {
      case ir::Opcode::Builtin:
        return emitter.constant_i64(1);  // threadIdx.x
      case ir::Opcode::Add:
        return builder.CreateAdd(slope(0), slope(1));
      case ir::Opcode::Sub:
        return builder.CreateSub(slope(0), slope(1));
      case ir::Opcode::Mul: {
        const std::size_t factor = guards.is_constant(i->operands[0]) ? 0 : 1;
        return builder.CreateMul(slope(1 - factor), emitter.operand(*i, factor));
      }
      default:
        llvm::reportFatalInternalError("a guard's operand has a slope that nothing here computes");
    }
  };
  return known[i] = compute();
}

/// `i < n` and its like: for the threads below a place it comes out in one way, from there on in the other.
Cut find_cut_of_steps(CpuEmitter& emitter, const Instruction& comparison, const RowGuards& guards) {
  Builder& builder = emitter.builder;
  using enum ir::Opcode;
  Seen seen;
  for (const Instruction* operand : comparison.operands) first_value(emitter, operand, guards, seen);
  const bool is_mirrored = guards.is_constant(comparison.operands[0]);  // `n > i`, which is `i < n`
  Value* moving = emitter.operand(comparison, is_mirrored ? 1 : 0);
  Value* limit = emitter.operand(comparison, is_mirrored ? 0 : 1);
  Value* place = builder.CreateNSWSub(limit, moving);
  const bool includes_limit = (comparison.opcode == Le || comparison.opcode == Gt) != is_mirrored;
  if (includes_limit) place = builder.CreateNSWAdd(place, emitter.constant_i64(1));
  const bool holds_below = (comparison.opcode == Lt || comparison.opcode == Le) != is_mirrored;
  return {&comparison, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, place, emitter.constant_i64(0)),
          builder.getInt1(holds_below)};
}

/// The difference of the operands grows by a constant, which RowGuards has found to be no giant. Where the difference
/// might overflow it saturates: then it does not come to 0 within a row either way.
Cut find_cut(CpuEmitter& emitter, const Instruction& comparison, const RowGuards& guards) {
  if (guards.goes_by_one(comparison) && guards.is_small(comparison) && !is_equality(&comparison))
    return find_cut_of_steps(emitter, comparison, guards);
  Builder& builder = emitter.builder;
  using enum ir::Opcode;
  Seen seen;
  Slopes slopes;
  Value* first_outcome = first_value(emitter, &comparison, guards, seen);
  const auto minus = [&](Value* a, Value* b) {
    return guards.is_small(comparison) ? builder.CreateNSWSub(a, b)
                                       : builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, a, b);
  };
  Value *zero = emitter.constant_i64(0), *one = emitter.constant_i64(1), *never = emitter.constant_i64(-1);
  Value* difference = minus(emitter.operand(comparison, 0), emitter.operand(comparison, 1));
  Value* slope = builder.CreateSub(slope_of(emitter, comparison.operands[0], guards, slopes),
                                   slope_of(emitter, comparison.operands[1], guards, slopes));
  Value* grows = builder.CreateICmpSGT(slope, zero);
  Value* stays = builder.CreateIsNull(slope);
  Value* step =
      builder.CreateSelect(stays, one, builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, slope, builder.getFalse()));
  if (is_equality(&comparison)) {
    // Towards 0, which it must hit.
    Value* distance = builder.CreateSelect(grows, minus(zero, difference), difference);
    Value* hits = builder.CreateAnd(builder.CreateICmpSGE(distance, zero),
                                    builder.CreateIsNull(builder.CreateURem(distance, step)));
    hits = builder.CreateAnd(hits, builder.CreateNot(stays));
    return {&comparison, builder.CreateSelect(hits, builder.CreateUDiv(distance, step), never),
            builder.CreateAnd(stays, builder.CreateIsNull(difference))};
  }
  // Past the limit: below it the outcome is one, from it on the other.
  Value* limit = comparison.opcode == Lt || comparison.opcode == Ge ? zero : one;
  Value* distance = builder.CreateSelect(grows, minus(minus(limit, one), difference), minus(difference, limit));
  Value* place = builder.CreateAdd(builder.CreateUDiv(distance, step), one);
  Value* changes = builder.CreateAnd(builder.CreateICmpSGE(distance, zero), builder.CreateNot(stays));
  return {&comparison, builder.CreateSelect(changes, place, never), first_outcome};
}

/// A segment in which loads are guarded, as tiles are read at the edge of a matrix, is written down twice: for where
/// all of them load, as in most rows, and for the edges. LLVM would make one of each combination.
void emit_segment(CpuEmitter& emitter, const Instruction& i, const RowGuards& guards, Value* begin, Value* end) {
  const auto& choices = guards.choices();
  if (choices.empty() || !makes_vectors(emitter)) return emit_row(emitter, i, begin, end);
  Builder& builder = emitter.builder;
  Seen seen;
  llvm::SmallVector<Value*> outcomes, loads;
  for (const auto& [condition, loads_where] : choices) {
    outcomes.push_back(first_value(emitter, condition, guards, seen));
    loads.push_back(loads_where ? outcomes.back() : builder.CreateNot(outcomes.back()));
  }
  llvm::BasicBlock* inside = emitter.new_block("inside");
  llvm::BasicBlock* edge = emitter.new_block("edge");
  llvm::BasicBlock* done = emitter.new_block("segment.done");
  builder.CreateCondBr(builder.CreateAnd(loads), inside, edge);
  builder.SetInsertPoint(inside);
  for (const auto& [condition, loads_where] : choices) emitter.fixed[condition] = builder.getInt1(loads_where);
  emit_row(emitter, i, begin, end);
  builder.CreateBr(done);
  builder.SetInsertPoint(edge);
  for (std::size_t n = 0; n < choices.size(); ++n) emitter.fixed[choices[n].condition] = outcomes[n];
  emit_row(emitter, i, begin, end, true);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

/// The turns of the threads with `from` <= x < `to`.
struct Row {
  Value *from, *to;
};

/// A row, cut where one of the guards changes: `begin` goes from one such place to the next. The places are computed in
/// front of that loop, so that those which are the same for all rows of the block are computed once.
void emit_segments(CpuEmitter& emitter, const Instruction& i, const RowGuards& guards, Row row) {
  Builder& builder = emitter.builder;
  const auto cuts = llvm::map_to_vector(guards.comparisons(),
                                        [&](const Instruction* guard) { return find_cut(emitter, *guard, guards); });
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* segment = emitter.new_block("segment");
  llvm::BasicBlock* done = emitter.new_block("row.done");
  builder.CreateBr(segment);
  builder.SetInsertPoint(segment);
  llvm::PHINode* begin = builder.CreatePHI(builder.getInt64Ty(), 2, "begin");
  begin->addIncoming(row.from, before);
  Value* end = row.to;
  std::unordered_map<const Instruction*, Value*> outcomes;
  for (const Cut& cut : cuts) {
    outcomes[cut.comparison] = outcome_at(builder, begin, cut);
    end = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, change_after(emitter, begin, cut));
  }
  emitter.fixed = std::move(outcomes);
  emit_segment(emitter, i, guards, begin, end);
  emitter.fixed = {};
  begin->addIncoming(end, builder.GetInsertBlock());
  llvm::Instruction* latch = builder.CreateCondBr(builder.CreateICmpSLT(end, row.to), segment, done);
  mark_plain_over_threads(latch);
  builder.SetInsertPoint(done);
}

/// Of a row, the threads for which the only guard comes out as it must for a turn to do something.
void emit_needed_part(CpuEmitter& emitter, const Instruction& i, const RowGuards& guards, Row row) {
  Builder& builder = emitter.builder;
  const Cut cut = find_cut(emitter, *guards.comparisons().front(), guards);
  Value* place = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, row.to, cut.place);
  place = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, row.from, place);
  Value* is_first = builder.CreateICmpEQ(cut.base, builder.getInt1(*guards.needed_outcome()));
  const auto choose = [&](Value* a, Value* b) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(is_first);
    return known == nullptr ? builder.CreateSelect(is_first, a, b) : known->isOne() ? a : b;
  };
  Value* begin = choose(row.from, place);
  emitter.fixed[cut.comparison] = builder.getInt1(*guards.needed_outcome());
  emit_segment(emitter, i, guards, begin, choose(place, row.to));
  emitter.fixed = {};
}

void emit_row(CpuEmitter& emitter, const Instruction& i, const RowGuards& guards, Row row) {
  if (guards.comparisons().empty())
    emit_row(emitter, i, row.from, row.to);
  else if (guards.needed_outcome())
    emit_needed_part(emitter, i, guards, row);
  else
    emit_segments(emitter, i, guards, row);
}

/// The rows that a warp has a part of, or the whole.
void emit_rows_of_warp(CpuEmitter& emitter, const Instruction& i, const RowGuards& guards) {
  Builder& builder = emitter.builder;
  Value* length = emitter.block_extents[0];
  Value* end = builder.CreateAdd(emitter.first_thread, emitter.turns, "", true, true);
  Value* first = builder.CreateUDiv(emitter.first_thread, length);
  Value* last = builder.CreateUDiv(builder.CreateSub(end, emitter.constant_i64(1), "", true, true), length);
  Value* count =
      builder.CreateAdd(builder.CreateSub(last, first, "", true, true), emitter.constant_i64(1), "", true, true);
  mark_plain_over_threads(counted_loop(emitter, count, "row", [&](Value* index) {
    Value* row = builder.CreateAdd(first, index, "", true, true);
    Value* start = builder.CreateMul(row, length, "", true, true);
    const auto x_of = [&](Value* thread) { return builder.CreateSub(thread, start, "", false, true); };
    const auto limit = [&](llvm::Intrinsic::ID id, Value* thread, Value* bound) {
      return builder.CreateBinaryIntrinsic(id, x_of(thread), bound);
    };
    emitter.thread_index = {nullptr, builder.CreateURem(row, emitter.block_extents[1]),
                            builder.CreateUDiv(row, emitter.block_extents[1])};
    emit_row(emitter, i, guards,
             {limit(llvm::Intrinsic::smax, emitter.first_thread, emitter.constant_i64(0)),
              limit(llvm::Intrinsic::smin, end, length)});
  }));
}

void emit_rows(CpuEmitter& emitter, const Instruction& i, Place asked) {
  Builder& builder = emitter.builder;
  const RowGuards guards(emitter.source, i.blocks[0]);
  const Row whole = {emitter.constant_i64(0), emitter.block_extents[0]};
  if (emitter.first_thread != nullptr) return emit_rows_of_warp(emitter, i, guards);
  if (asked == Place::NumberAndX) {
    Value* rows = builder.CreateMul(emitter.block_extents[1], emitter.block_extents[2], "", true, true);
    mark_plain_over_threads(counted_loop(emitter, rows, "row", [&](Value* row) {
      emitter.thread_index = {nullptr, row, emitter.constant_i64(0)};
      emit_row(emitter, i, guards, whole);
    }));
    return;
  }
  mark_plain_over_threads(counted_loop(emitter, emitter.block_extents[2], "z", [&](Value* z) {
    mark_plain_over_threads(counted_loop(emitter, emitter.block_extents[1], "y", [&](Value* y) {
      emitter.thread_index = {nullptr, y, z};
      emit_row(emitter, i, guards, whole);
    }));
  }));
}

}  // namespace

void emit_thread_loop(CpuEmitter& emitter, const Instruction& i) {
  if (!may_wait(i.blocks[0])) emitter.access_group = llvm::MDNode::getDistinct(emitter.state.context, {});
  const Place asked = place_asked_for(emitter, i.blocks[0]);
  if (asked == Place::Number)
    emit_line(emitter, i);
  else
    emit_rows(emitter, i, asked);
  emitter.access_group = nullptr;
  emitter.thread_number = nullptr;
}

void collect_block_locals(CpuEmitter& emitter, const ir::Block& block) {
  for (const Instruction* i : block.instructions) {
    if (i->local != nullptr) emitter.block_locals.insert(i->local);
    if (i->opcode == ir::Opcode::ThreadLoop) continue;
    for (const ir::Block& inner : i->blocks) collect_block_locals(emitter, inner);
  }
}

}  // namespace pykc::codegen
