// Guards: `if i < n` around what a thread does, with a loop in it that the block takes a turn of all threads at a time.
//
// Such a loop is to be control flow of the block, but stands in a branch that only some threads take. So what all
// threads in the branch do alike moves out of it, and the rest is guarded piece by piece:
//
//   if i < n:                           if first < n:                 any thread at all?
//       total = 0                           if i < n: total = 0
//       for k in range(m):        →         for k in range(m):
//           total += x[k, i]                    if i < n: total += x[k, i]
//       y[i] = total                        if i < n: y[i] = total
//
// A condition that costs no more than a comparison of the thread's place is computed again in each region, and cuts the
// rows of threads there (codegen/cpu/guards.h): no masks. Hence guards are such comparisons alone. They grow with the
// thread, so one thread of the block, the first or the last, tells whether they hold for any.
//
// What moves out is pure, or the counter of a loop, which nobody sees outside. It may stand in front of what was before
// it: it depends on nothing there.
//
// `if i >= n: return` is the same with the rest of the kernel as the branch.
#include "ir/split/lockstep/guards.h"

#include <algorithm>
#include <utility>

#include "ir/builder.h"
#include "ir/split/lockstep/growth.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

bool is_less(Opcode comparison) { return comparison == Opcode::Lt || comparison == Opcode::Le; }
bool is_order(Opcode opcode) { return is_less(opcode) || opcode == Opcode::Gt || opcode == Opcode::Ge; }

constexpr int kMostParts = 64;  // of a condition

}  // namespace

// --- Which branches are guards ---------------------------------------------------------------------------------------

bool Guards::is_guard(const Instruction* branch) const {
  if (branch->opcode != Opcode::If || !branch->blocks[1].empty()) return false;
  return !values_.is_uniform(branch->operands[0]) && is_row_condition(branch->operands[0]) && keeps_threads(*branch);
}

bool Guards::is_row_condition(const Instruction* condition) const {
  int parts = kMostParts;
  return is_row_condition(condition, parts);
}

/// `parts`: so many may still come. A part that is named twice counts twice, as it is computed.
bool Guards::is_row_condition(const Instruction* condition, int& parts) const {
  if (parts-- == 0) return false;
  if (values_.is_uniform(condition)) return true;
  switch (condition->opcode) {
    case Opcode::Not:
    case Opcode::And:
    case Opcode::Or:
      return std::ranges::all_of(condition->operands, [&](const Instruction* i) { return is_row_condition(i, parts); });
    default:
      break;
  }
  if (!is_order(condition->opcode) || !condition->operands[0]->type.is(ScalarType::I64)) return false;
  const Instruction *a = condition->operands[0], *b = condition->operands[1];
  const Instruction* growing = values_.is_uniform(b) ? a : b;
  return values_.is_uniform(growing == a ? b : a) && growing_.grows(growing);
}

/// Whether all that go into the branch come to its end, and meet nobody on the way.
bool Guards::keeps_threads(const Instruction& branch) {
  std::unordered_set<const Instruction*> inside;
  return !any_instruction(branch.blocks[0], [&](const Instruction* i) {
    inside.insert(i);
    const bool leaves = i->opcode == Opcode::Return || (i->target != nullptr && !inside.contains(i->target));
    return leaves || is_meeting_point(i);
  });
}

/// The outcome with each comparison taken in the thread that is likeliest to have it. Two together may hold for nobody
/// all the same.
Instruction* Guards::may_be(bool expected, Instruction* condition, Builder& builder) const {
  if (values_.is_uniform(condition)) return condition;
  Instruction *a = condition->operands[0], *b = condition->operands.back();
  if (condition->opcode == Opcode::Not) return builder.emit(Opcode::Not, {may_be(!expected, a, builder)});
  if (!is_order(condition->opcode))
    return builder.emit(condition->opcode, {may_be(expected, a, builder), may_be(expected, b, builder)});
  const bool holds_first = is_less(condition->opcode) == values_.is_uniform(b);
  const auto thread = holds_first == expected ? GrowingValues::Thread::First : GrowingValues::Thread::Last;
  return builder.emit(condition->opcode, {growing_.in(thread, a, builder), growing_.in(thread, b, builder)});
}

// --- Returns ---------------------------------------------------------------------------------------------------------

namespace {

bool is_early_return(const Instruction& i) {
  return i.opcode == Opcode::If && i.blocks[1].empty() && i.blocks[0].instructions.size() == 1 &&
         i.blocks[0].instructions[0]->opcode == Opcode::Return;
}

bool is_return_or_meeting(const Instruction* i) { return i->opcode == Opcode::Return || is_meeting_point(i); }

bool holds(const Instruction* i, bool (*predicate)(const Instruction*)) {
  return predicate(i) ||
         std::ranges::any_of(i->blocks, [&](const Block& block) { return any_instruction(block, predicate); });
}

bool is_loop(const Instruction* i) { return i->opcode == Opcode::Loop; }

/// Makes what stands behind an early return the branch of those that stay.
void nest_rest(Function& kernel, std::size_t n) {
  std::vector<Instruction*>& body = kernel.body.instructions;
  const Instruction* early = body[n];
  Block rest{{body.begin() + static_cast<std::ptrdiff_t>(n) + 1, body.end()}};
  body.resize(n);
  Builder builder(kernel);
  builder.set_range(early->range);
  builder.if_(builder.emit(Opcode::Not, {early->operands[0]}))->blocks[0] = std::move(rest);
}

}  // namespace

void nest_early_returns(Function& kernel) {
  std::vector<Instruction*>& body = kernel.body.instructions;
  if (std::ranges::none_of(body, [](const Instruction* i) { return is_early_return(*i); })) return;
  const Uniformity uniformity(kernel);
  UniformValues values(uniformity);
  const GrowingValues growing(kernel, values);
  const Guards guards(values, growing);
  const bool ends_in_return = is_return_or_meeting(body.back());
  std::vector<std::size_t> returns;  // with no other behind them
  bool has_loop = false, is_worth_it = false;
  for (std::size_t n = body.size() - (ends_in_return ? 1 : 0); n-- > 0;) {
    if (is_early_return(*body[n]) && guards.is_row_condition(body[n]->operands[0])) {
      returns.push_back(n);
      is_worth_it |= has_loop;
    } else if (holds(body[n], is_return_or_meeting)) {
      break;
    }
    has_loop |= holds(body[n], is_loop);
  }
  if (!is_worth_it) return;
  if (ends_in_return) body.pop_back();
  for (const std::size_t n : returns) nest_rest(kernel, n);
}

// --- Moving guards into loops ----------------------------------------------------------------------------------------

namespace {

class GuardSinker {
 public:
  GuardSinker(Function& kernel, const Guards& guards, const std::unordered_set<const Instruction*>& loops)
      : kernel_(kernel), guards_(guards), loops_(loops) {}

  void run(Block& block) {
    Block to;
    for (Instruction* i : block.instructions) {
      if (!holds_loop(i)) {
        to.instructions.push_back(i);
      } else if (guards_.is_guard(i)) {
        replace(*i, to);
      } else {
        for (Block& nested : i->blocks) run(nested);
        to.instructions.push_back(i);
      }
    }
    block = std::move(to);
  }

 private:
  bool holds_loop(const Instruction* i) const {
    const auto is_one = [&](const Instruction* inner) { return loops_.contains(inner); };
    return is_one(i) || std::ranges::any_of(i->blocks, [&](const Block& b) { return any_instruction(b, is_one); });
  }

  void replace(const Instruction& guard, Block& to) {
    for_each_instruction(guard.blocks[0], [&](const Instruction* i) {
      if (i->opcode != Opcode::Loop || !holds_loop(i)) return;
      carrying_.insert(i);
      counters_.insert(i->blocks[0].instructions[0]->local);
    });
    Builder builder(kernel_);
    builder.set_range(guard.range);
    builder.enter(to);
    Instruction* any = builder.if_(guards_.may_be(true, guard.operands[0], builder));
    conditions_ = {guard.operands[0]};
    sink(guard.blocks[0], any->blocks[0]);
    flush(any->blocks[0]);
  }

  void sink(const Block& source, Block& to) {
    for (Instruction* i : source.instructions) {
      if (holds_loop(i))
        sink_into(*i, to);
      else if (can_move_out(*i))
        to.instructions.push_back(i);
      else
        add_guarded(i);
    }
  }

  void sink_into(Instruction& construct, Block& to) {
    if (guards_.is_guard(&construct)) {
      conditions_.push_back(construct.operands[0]);
      sink(construct.blocks[0], to);
      conditions_.pop_back();
      if (open_.size() > conditions_.size()) open_.pop_back();
      return;
    }
    flush(to);
    for (Block& block : construct.blocks) {
      const Block source = std::exchange(block, {});
      sink(source, block);
      flush(block);
    }
    to.instructions.push_back(&construct);
  }

  bool can_move_out(const Instruction& i) const {
    if (i.local != nullptr) return counters_.contains(i.local);
    if (i.opcode == Opcode::If) return is_head(i);
    const bool can_move =
        is_pure(&i) || has_builtin_effect(&i, Effect::Block) || has_builtin_effect(&i, Effect::Thread);
    return can_move && std::ranges::none_of(i.operands, [&](const Instruction* o) { return guarded_.contains(o); });
  }

  /// Whether it ends the loop around it for all threads: nothing else leaves a loop that guards move into.
  bool is_head(const Instruction& branch) const {
    const Block& then = branch.blocks[0];
    return then.instructions.size() == 1 && then.instructions[0]->opcode == Opcode::Break &&
           carrying_.contains(then.instructions[0]->target);
  }

  /// In the branches of all guards around, which are opened where they are not.
  void add_guarded(Instruction* i) {
    while (open_.size() < conditions_.size()) {
      Builder builder(kernel_);
      builder.set_range(i->range);
      builder.enter(open_.empty() ? pending_ : *open_.back());
      open_.push_back(&builder.if_(conditions_[open_.size()])->blocks[0]);
    }
    open_.back()->instructions.push_back(i);
    guarded_.insert(i);
  }

  void flush(Block& to) {
    to.instructions.insert(to.instructions.end(), pending_.instructions.begin(), pending_.instructions.end());
    pending_ = {};
    open_.clear();
  }

  Function& kernel_;
  const Guards& guards_;
  const std::unordered_set<const Instruction*>& loops_;
  std::unordered_set<const Instruction*> carrying_;  // loops that the guard moves into …
  std::unordered_set<const Local*> counters_;        // … and their counters
  std::unordered_set<const Instruction*> guarded_;   // values of the branches
  std::vector<Instruction*> conditions_;             // of the guards around the current place
  Block pending_;                                    // what is guarded, since the last loop
  std::vector<Block*> open_;                         // the branches in it for the conditions, from outside
};

}  // namespace

void sink_guards(Function& kernel, const Guards& guards, const std::unordered_set<const Instruction*>& loops) {
  GuardSinker(kernel, guards, loops).run(kernel.body);
}

}  // namespace pykc::ir::split
