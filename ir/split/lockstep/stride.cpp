// Loops `for i in range(start, stop, step)` in which each thread starts elsewhere, with a step that leads far away: the
// size of the block or of the grid, as a rule. Neighbours work on neighbouring elements, while the turns of one thread
// are far apart. All threads count alike, so the loop becomes uniform, up to the last turn of the first thread, and its
// body is guarded:
//
//   for shift in range(0, stop - start of the first thread, step):
//       i = start + shift
//       if i < stop: body
#include "ir/split/lockstep/stride.h"

#include <algorithm>

#include "ir/analysis/affine.h"
#include "ir/analysis/value_range.h"
#include "ir/builder.h"
#include "ir/split/lockstep/growth.h"
#include "ir/split/lockstep/prefetch.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

constexpr std::int64_t kFar = 16;  // elements: steps between a thread's turns that leave its cache lines

bool is_only_break(const Instruction& branch, const Instruction* loop) {
  const std::vector<Instruction*>& then = branch.blocks[0].instructions;
  return then.size() == 1 && then[0]->opcode == Opcode::Break && then[0]->target == loop && branch.blocks[1].empty();
}

bool depends_on_launch(const Instruction* value) {
  if (value->opcode == Opcode::Builtin) return value->builtin == BuiltinId::BlockDimX;
  return value->opcode == Opcode::Mul && std::ranges::any_of(value->operands, depends_on_launch);
}

void drop(Block& block, const std::unordered_set<const Instruction*>& dropped) {
  std::erase_if(block.instructions, [&](const Instruction* i) { return dropped.contains(i); });
  for (Instruction* i : block.instructions)
    for (Block& nested : i->blocks) drop(nested, dropped);
}

void replace_loads(Block& block, const Local* local, Instruction* by, const Instruction& head) {
  std::unordered_set<const Instruction*> loads = {&head};
  for_each_instruction(block, [&](Instruction* i) {
    if (i->opcode == Opcode::LocalLoad && i->local == local) loads.insert(i);
    for (Instruction*& operand : i->operands)
      if (loads.contains(operand)) operand = by;
  });
  drop(block, loads);
}

}  // namespace

CountedLoops::CountedLoops(Function& kernel, const Uniformity& uniformity, const GrowingValues& growing)
    : kernel_(kernel), uniformity_(uniformity), growing_(growing) {
  for_each_instruction(kernel.body, [&](const Instruction* i) {
    if (i->local != nullptr) uses_[i->local].push_back(i);
  });
}

std::optional<CountedLoop> CountedLoops::find(const Block& block, std::size_t n) const {
  const Instruction* loop = block.instructions[n];
  const std::vector<Instruction*>&body = loop->blocks[0].instructions, &next = loop->blocks[1].instructions;
  // counter, comparison, not, if: break
  if (n == 0 || body.size() < 4 || next.size() != 3) return std::nullopt;
  const bool has_head = body[0]->opcode == Opcode::LocalLoad && body[1]->opcode == Opcode::Lt &&
                        body[1]->operands[0] == body[0] && body[2]->opcode == Opcode::Not &&
                        body[2]->operands[0] == body[1] && body[3]->opcode == Opcode::If &&
                        body[3]->operands[0] == body[2] && is_only_break(*body[3], loop);
  if (!has_head) return std::nullopt;
  Local* counter = body[0]->local;
  const bool has_step = next[0]->opcode == Opcode::LocalLoad && next[0]->local == counter &&
                        next[1]->opcode == Opcode::Add && next[1]->operands[0] == next[0] &&
                        next[2]->opcode == Opcode::LocalStore && next[2]->local == counter &&
                        next[2]->operands[0] == next[1];
  Instruction* initial = block.instructions[n - 1];
  if (!has_step || initial->opcode != Opcode::LocalStore || initial->local != counter) return std::nullopt;
  const CountedLoop counted{initial, initial->operands[0], body[1]->operands[1], next[1]->operands[1], counter};
  return is_private(counted, *loop) ? std::optional(counted) : std::nullopt;
}

/// Nobody else sees the counter, and it is set at the start and at the end of a turn.
bool CountedLoops::is_private(const CountedLoop& counted, const Instruction& loop) const {
  const auto is_in_loop = [&](const Instruction* use) {
    return std::ranges::any_of(loop.blocks, [&](const Block& block) {
      return any_instruction(block, [&](const Instruction* i) { return i == use; });
    });
  };
  int stores = 0;
  for (const Instruction* use : uses_.at(counted.counter)) {
    if (use != counted.initial && !is_in_loop(use)) return false;
    stores += use->opcode == Opcode::LocalStore ? 1 : 0;
  }
  return stores == 2;
}

bool CountedLoops::is_stride(const CountedLoop& stride, const Instruction& loop, const Values& known) const {
  if (!uniformity_.is_convergent(&loop) || !stride.counter->type.is(ScalarType::I64)) return false;
  const auto is_known = [&](const Instruction* value) {
    return value->opcode == Opcode::Constant || value->opcode == Opcode::Parameter || known.contains(value);
  };
  const auto is_same_for_all = [&](const Instruction* value) {
    return is_known(value) && uniformity_.is_uniform(value);
  };
  if (!is_same_for_all(stride.stop) || !is_same_for_all(stride.step)) return false;
  if (!is_known(stride.start) || uniformity_.is_uniform(stride.start) || !growing_.grows(stride.start)) return false;
  if (!is_far(stride.step)) return false;
  return is_far_from_overflow(stride.stop, kernel_) && is_far_from_overflow(stride.step, kernel_);
}

/// Whether a step, which must be positive, is the size of a block, of the grid, or a large number.
bool CountedLoops::is_far(const Instruction* step) const {
  const ValueRange range = range_of(step, kernel_);
  return range.minimum >= kFar || (range.minimum >= 1 && depends_on_launch(step));
}

void CountedLoops::make_uniform(Instruction& loop, const CountedLoop& stride, Builder& builder) {
  Local* shift = kernel_.create_local("shift", stride.counter->type);
  const auto range = [&](const Instruction* value) { return range_of(value, kernel_); };
  shift->minimum = 0;
  shift->maximum =
      std::max(std::int64_t{0}, range(stride.stop).maximum - range(stride.start).minimum) + range(stride.step).maximum;
  Instruction* first = growing_.in(GrowingValues::Thread::First, stride.start, builder);
  builder.store_local(shift, builder.constant_i64(0));
  builder.block().instructions.push_back(&loop);

  Block body = std::move(loop.blocks[0]);
  Instruction* leave = body.instructions[3];
  loop.blocks[0] = {};
  builder.enter(loop.blocks[0]);
  Instruction* shifted = builder.load_local(shift);
  const auto plus = [&](Instruction* a, Instruction* b) {
    Instruction* sum = builder.emit(Opcode::Add, {a, b});
    sum->no_wrap = true;
    return sum;
  };
  Instruction* here = plus(first, shifted);
  Instruction* is_left = builder.emit(Opcode::Lt, {here, stride.stop});
  leave->operands[0] = builder.emit(Opcode::Not, {is_left});
  builder.block().instructions.push_back(leave);
  prefetch_next_turn(stride, body, plus(here, stride.step), builder);
  Instruction* counter = plus(stride.start, shifted);
  Instruction* inside = builder.if_(builder.emit(Opcode::Lt, {counter, stride.stop}));
  builder.leave();
  Block& turn = inside->blocks[0];
  turn.instructions.assign(body.instructions.begin() + 4, body.instructions.end());
  replace_loads(turn, stride.counter, counter, *body.instructions[0]);
  for (Instruction* i : loop.blocks[1].instructions)
    if (i->local != nullptr) i->local = shift;
}

}  // namespace pykc::ir::split
