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
#include <algorithm>

#include "frontend/lower/function.h"
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

}  // namespace

void FunctionLowering::lower(const checked::ForRange& node) {
  Instruction* start = scalar(node.start);
  Instruction* stop = scalar(node.stop);
  Counting counting(b_, start, stop, scalar(node.step));
  const bool has_local = uses_.needs_local(node.variable);
  ir::Local* counter = counting.create_counter(name_of(*node.variable) + (has_local ? ".counter" : ""));

  Instruction* loop = b_.loop();
  loops_.push_back({loop});
  b_.enter(loop->blocks[0]);
  Instruction* index = b_.load_local(counter);
  leave_loop_unless(counting.is_before_stop(index), node.otherwise);
  if (has_local) assign(node.variable, {index});
  lower_body(node, index);
  b_.leave();
  loops_.pop_back();

  b_.enter(loop->blocks[1]);
  b_.store_local(counter, counting.next(b_.load_local(counter)));
  b_.leave();
}

/// In the body the variable is the counter's value, unless the body changes it.
void FunctionLowering::lower_body(const checked::ForRange& node, Instruction* index) {
  if (!uses_.is_counter(&node)) return lower(node.body);
  Parts outer = std::exchange(storage_[node.variable].values, {index});
  lower(node.body);
  storage_[node.variable].values = std::move(outer);
}

void FunctionLowering::lower(const checked::While& node) {
  Instruction* loop = b_.loop();
  loops_.push_back({loop});
  b_.enter(loop->blocks[0]);
  const auto* constant = node.condition->as<checked::Constant>();
  stop_after_fault();
  if (constant == nullptr || constant->bits == 0) leave_loop_unless(scalar(node.condition), node.otherwise);
  lower(node.body);
  b_.leave();
  loops_.pop_back();
}

/// `else` stands outside of the loop that it belongs to: its own breaks leave the one around.
void FunctionLowering::leave_loop_unless(Instruction* condition, const checked::Suite& otherwise) {
  const LoopTarget target = loops_.back();
  loops_.pop_back();
  b_.enter(b_.if_(b_.emit(Opcode::Not, {condition}))->blocks[0]);
  lower(otherwise);
  if (!b_.is_terminated()) b_.break_(target.loop);
  b_.leave();
  loops_.push_back(target);
}

/// Scopes stand only where something leaves them, so that plain turns are plain code.
void FunctionLowering::lower(const checked::Unrolled& node) {
  const bool has_scopes = std::ranges::any_of(node.turns, leaves_turn);
  Instruction* whole = has_scopes ? b_.scope() : nullptr;
  if (has_scopes) b_.enter(whole->blocks[0]);
  for (const checked::Suite& turn : node.turns) {
    if (b_.is_terminated()) break;
    if (!has_scopes) {
      lower(turn);
      continue;
    }
    loops_.push_back({whole, b_.scope()});
    lower_into(loops_.back().turn->blocks[0], turn);
    loops_.pop_back();
  }
  if (!b_.is_terminated()) lower(node.otherwise);
  if (has_scopes) b_.leave();
}

void FunctionLowering::lower(const checked::Break&) { b_.break_(loops_.back().loop); }

void FunctionLowering::lower(const checked::Continue&) {
  const LoopTarget& target = loops_.back();
  target.turn != nullptr ? b_.break_(target.turn) : b_.continue_(target.loop);
}

}  // namespace pykc::lowering
