// Loops. `while` is a Loop that first tests its condition; `else` runs where that test fails, before the loop is left,
// so that a break, which leaves the loop itself, passes it by.
//
// `for i in range(start, stop, step)` counts in a Local of its own, so that the body may assign to i:
//
//   store counter, start
//   loop {
//     if not counter < stop { else-suite; break }
//     i = counter; body
//   } continuing { counter = counter + step }
//
// The sum cannot overflow where |step| is 1, since the counter stood before stop, nor where the ranges of stop and step
// are small enough, as in a grid-stride loop over an extent: then it is no_wrap, the shape that LLVM knows best.
// Elsewhere an overflow means that no value before stop is left, so the counter becomes stop. A step of unknown sign
// compares both ways and chooses; a step of 0 makes stop the start, so that nothing runs.
#include "frontend/lower/loop.h"

#include <algorithm>
#include <utility>

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/stmt.h"
#include "ir/analysis/value_range.h"

namespace pykc::lowering {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMinimum = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaximum = std::numeric_limits<std::int64_t>::max();

enum class Direction : std::uint8_t { Up, Down, Unknown };

/// How a loop over a range counts.
class Counting {
 public:
  Counting(ir::Builder& b, Instruction* start, Instruction* stop, Instruction* step)
      : b_(b), start_(start), stop_(stop), step_(step) {
    const ir::ValueRange steps = ir::range_of(step, b.function());
    if (steps.minimum > 0)
      plan_up(steps);
    else if (steps.maximum < 0)
      plan_down(steps);
    else
      plan_both_ways();
  }

  ir::Local* create_counter(const std::string& name) {
    ir::Local* counter = b_.function().create_local(name, ir::Type::of(ScalarType::I64));
    counter->minimum = minimum_;
    counter->maximum = maximum_;
    b_.store_local(counter, start_);
    return counter;
  }

  /// Whether the loop goes on.
  Instruction* is_before_stop(Instruction* counter) { return is_before(counter, stop_); }

  Instruction* next(Instruction* counter) {
    Instruction* sum = b_.emit(Opcode::Add, {counter, step_});
    sum->no_wrap = !can_overflow_;
    return can_overflow_ ? b_.select(is_before(sum, counter), stop_, sum) : sum;
  }

 private:
  void plan_up(ir::ValueRange steps) {
    const ir::ValueRange starts = ir::range_of(start_, b_.function());
    const Wide last = Wide{ir::range_of(stop_, b_.function()).maximum} - 1 + steps.maximum;
    can_overflow_ = last > kMaximum;
    minimum_ = starts.minimum;
    maximum_ = can_overflow_ ? kMaximum : static_cast<std::int64_t>(std::max<Wide>(starts.maximum, last));
  }

  void plan_down(ir::ValueRange steps) {
    direction_ = Direction::Down;
    const ir::ValueRange starts = ir::range_of(start_, b_.function());
    const Wide last = Wide{ir::range_of(stop_, b_.function()).minimum} + 1 + steps.minimum;
    can_overflow_ = last < kMinimum;
    minimum_ = can_overflow_ ? kMinimum : static_cast<std::int64_t>(std::min<Wide>(starts.minimum, last));
    maximum_ = starts.maximum;
  }

  void plan_both_ways() {
    direction_ = Direction::Unknown;
    can_overflow_ = true;
    Instruction* zero = b_.constant_i64(0);
    is_up_ = b_.emit(Opcode::Gt, {step_, zero});
    stop_ = b_.select(b_.emit(Opcode::Eq, {step_, zero}), start_, stop_);
  }

  Instruction* is_before(Instruction* a, Instruction* b) {
    if (direction_ == Direction::Up) return b_.emit(Opcode::Lt, {a, b});
    if (direction_ == Direction::Down) return b_.emit(Opcode::Gt, {a, b});
    return b_.select(is_up_, b_.emit(Opcode::Lt, {a, b}), b_.emit(Opcode::Gt, {a, b}));
  }

  ir::Builder& b_;
  Instruction* start_;
  Instruction* stop_;
  Instruction* step_;
  Instruction* is_up_ = nullptr;
  Direction direction_ = Direction::Up;
  bool can_overflow_ = false;
  std::int64_t minimum_ = kMinimum;
  std::int64_t maximum_ = kMaximum;
};

/// Whether a break or continue of the turn's own loop stands in it.
bool leaves_turn(const checked::Suite& suite) {
  return std::ranges::any_of(suite, [](const checked::Stmt* stmt) {
    if (stmt->as<checked::Break>() || stmt->as<checked::Continue>()) return true;
    if (const auto* node = stmt->as<checked::If>()) return leaves_turn(node->then) || leaves_turn(node->otherwise);
    if (const auto* node = stmt->as<checked::While>()) return leaves_turn(node->otherwise);
    if (const auto* node = stmt->as<checked::ForRange>()) return leaves_turn(node->otherwise);
    if (const auto* node = stmt->as<checked::Unrolled>()) return leaves_turn(node->otherwise);
    return false;
  });
}

/// In the body the variable is the counter's value, unless the body changes it.
void lower_body(FunctionLowering& lowering, const checked::ForRange& node, Instruction* index) {
  if (!lowering.uses.is_counter(&node)) return lower(lowering, node.body);
  Parts outer = std::exchange(lowering.storage[node.variable].values, {index});
  lower(lowering, node.body);
  lowering.storage[node.variable].values = std::move(outer);
}

/// `else` stands outside of the loop that it belongs to: its own breaks leave the one around.
void leave_loop_unless(FunctionLowering& lowering, Instruction* condition, const checked::Suite& otherwise) {
  const LoopTarget target = lowering.loops.back();
  lowering.loops.pop_back();
  lowering.build.enter(lowering.build.if_(lowering.build.emit(Opcode::Not, {condition}))->blocks[0]);
  lower(lowering, otherwise);
  if (!lowering.build.is_terminated()) lowering.build.break_(target.loop);
  lowering.build.leave();
  lowering.loops.push_back(target);
}

}  // namespace

void lower(FunctionLowering& lowering, const checked::ForRange& node) {
  Instruction* start = scalar(lowering, node.start);
  Instruction* stop = scalar(lowering, node.stop);
  Counting counting(lowering.build, start, stop, scalar(lowering, node.step));
  const bool has_local = lowering.uses.needs_local(node.variable);
  ir::Local* counter = counting.create_counter(name_of(*node.variable) + (has_local ? ".counter" : ""));

  Instruction* loop = lowering.build.loop();
  lowering.loops.push_back({loop});
  lowering.build.enter(loop->blocks[0]);
  Instruction* index = lowering.build.load_local(counter);
  leave_loop_unless(lowering, counting.is_before_stop(index), node.otherwise);
  if (has_local) assign(lowering, node.variable, {index});
  lower_body(lowering, node, index);
  lowering.build.leave();
  lowering.loops.pop_back();

  lowering.build.enter(loop->blocks[1]);
  lowering.build.store_local(counter, counting.next(lowering.build.load_local(counter)));
  lowering.build.leave();
}

void lower(FunctionLowering& lowering, const checked::While& node) {
  Instruction* loop = lowering.build.loop();
  lowering.loops.push_back({loop});
  lowering.build.enter(loop->blocks[0]);
  const auto* constant = node.condition->as<checked::Constant>();
  stop_after_fault(lowering);
  if (constant == nullptr || constant->bits == 0)
    leave_loop_unless(lowering, scalar(lowering, node.condition), node.otherwise);
  lower(lowering, node.body);
  lowering.build.leave();
  lowering.loops.pop_back();
}

/// Scopes stand only where something leaves them, so that plain turns are plain code.
void lower(FunctionLowering& lowering, const checked::Unrolled& node) {
  const bool has_scopes = std::ranges::any_of(node.turns, leaves_turn);
  Instruction* whole = has_scopes ? lowering.build.scope() : nullptr;
  if (has_scopes) lowering.build.enter(whole->blocks[0]);
  for (const checked::Suite& turn : node.turns) {
    if (lowering.build.is_terminated()) break;
    if (!has_scopes) {
      lower(lowering, turn);
      continue;
    }
    lowering.loops.push_back({whole, lowering.build.scope()});
    lower_into(lowering, lowering.loops.back().turn->blocks[0], turn);
    lowering.loops.pop_back();
  }
  if (!lowering.build.is_terminated()) lower(lowering, node.otherwise);
  if (has_scopes) lowering.build.leave();
}

void lower(FunctionLowering& lowering, const checked::Break&) { lowering.build.break_(lowering.loops.back().loop); }

void lower(FunctionLowering& lowering, const checked::Continue&) {
  const LoopTarget& target = lowering.loops.back();
  target.turn != nullptr ? lowering.build.break_(target.turn) : lowering.build.continue_(target.loop);
}

}  // namespace pykc::lowering
