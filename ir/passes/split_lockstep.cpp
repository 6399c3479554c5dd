// Loops in which the threads of a block are better taken a turn at a time than one thread after the other.
//
// A region that holds such a loop would run all turns of one thread, then all of the next. As control flow of the block
// each turn becomes a region: the threads side by side, in vectors, as on a GPU. What they carry from turn to turn goes
// through slots, so this is done only where it gains more than that costs.
//
//   Strides      for i in range(start, stop, step): neighbours work on neighbouring elements, a turn of the block on
//                adjacent ones, while the turns of one thread are far apart. All threads count alike, so the loop
//                becomes uniform, up to the last turn of the first thread, and its body is guarded:
//                    for shift in …: i = start + shift; if i < stop: body
//   Arithmetic   while |z| < 2: z = z*z + c: threads leave at different times, so LLVM would not make vectors of them.
//                Under a mask a turn is plain vector code.
#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/passes/clone.h"
#include "ir/passes/split.h"
#include "ir/value_range.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

constexpr std::int64_t kFar = 16;  // elements: steps between a thread's turns that leave its cache lines
constexpr std::int64_t kNoOverflow = std::int64_t{1} << 60;

class LockstepFinder {
 public:
  explicit LockstepFinder(Function& kernel) : kernel_(kernel), uniformity_(kernel) {
    for_each_instruction(kernel.body, [&](const Instruction* i) {
      if (i->local != nullptr) uses_[i->local].push_back(i);
    });
  }

  std::unordered_set<const Instruction*> run() {
    visit(kernel_.body, {});
    return std::move(found_);
  }

 private:
  /// The parts of `for i in range(start, stop, step)`, as lowering writes it.
  struct Stride {
    Instruction* initial;  // the LocalStore of `start`
    Instruction *start, *stop, *step;
    Local* counter;
  };
  using Values = std::unordered_set<const Instruction*>;

  /// Not in loops whose turns differ from thread to thread: there too few may be left to be worth it.
  void visit(Block& block, Values known) {
    for (std::size_t n = 0; n < block.instructions.size(); ++n) {
      Instruction* i = block.instructions[n];
      if (i->opcode == Opcode::Loop && !any_instruction(i->blocks[0], is_meeting_point)) {
        const std::optional<Stride> stride = n == 0 ? std::nullopt : find_stride(block, n, known);
        if (stride) n += take_in_turn(block, n, *stride);
        const bool is_divergent = uniformity_.is_divergent_region(i);
        if (stride || (is_divergent && is_arithmetic_loop(*i))) found_.insert(i);
        if (is_divergent && !stride) continue;
      }
      known.insert(i);
      for (Block& nested : i->blocks) visit(nested, known);
    }
  }

  // --- Strides ------------------------------------------------------------------------------------------------------

  bool is_known(const Instruction* value, const Values& known) const {
    return value->opcode == Opcode::Constant || value->opcode == Opcode::Parameter || known.contains(value);
  }

  std::optional<Stride> find_stride(const Block& block, std::size_t n, const Values& known) const {
    const Instruction* loop = block.instructions[n];
    if (!uniformity_.is_convergent(loop)) return std::nullopt;
    const std::vector<Instruction*>&body = loop->blocks[0].instructions, &next = loop->blocks[1].instructions;
    // counter, comparison, not, if: break
    if (body.size() < 4 || next.size() != 3) return std::nullopt;
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
    const Stride stride{initial, initial->operands[0], body[1]->operands[1], next[1]->operands[1], counter};
    return counter->type.is(ScalarType::I64) && is_suitable(stride, *loop, known) ? std::optional(stride)
                                                                                  : std::nullopt;
  }

  static bool is_only_break(const Instruction& branch, const Instruction* loop) {
    const std::vector<Instruction*>& then = branch.blocks[0].instructions;
    return then.size() == 1 && then[0]->opcode == Opcode::Break && then[0]->target == loop && branch.blocks[1].empty();
  }

  bool is_suitable(const Stride& stride, const Instruction& loop, const Values& known) const {
    const auto is_same_for_all = [&](const Instruction* value) {
      return is_known(value, known) && uniformity_.is_uniform(value);
    };
    if (!is_same_for_all(stride.stop) || !is_same_for_all(stride.step)) return false;
    if (!is_known(stride.start, known) || uniformity_.is_uniform(stride.start) || !grows_with_thread(stride.start))
      return false;
    if (!is_far(stride.step)) return false;
    for (const Instruction* value : {stride.start, stride.stop, stride.step}) {
      const ValueRange range = range_of(value, kernel_);
      if (range.minimum < -kNoOverflow || range.maximum > kNoOverflow) return false;
    }
    // Nobody else sees the counter, and nobody leaves the loop but at its end.
    const auto is_in_loop = [&](const Instruction* use) {
      return any_instruction(loop.blocks[0], [&](const Instruction* i) { return i == use; }) ||
             any_instruction(loop.blocks[1], [&](const Instruction* i) { return i == use; });
    };
    int stores = 0;
    for (const Instruction* use : uses_.at(stride.counter)) {
      if (use != stride.initial && !is_in_loop(use)) return false;
      stores += use->opcode == Opcode::LocalStore ? 1 : 0;
    }
    return stores == 2 && !leaves(loop) && !has_local_array(loop);
  }

  /// A thread's own array would live in memory from turn to turn, out of registers.
  static bool has_local_array(const Instruction& loop) {
    return any_instruction(loop.blocks[0], [](const Instruction* i) {
      return i->opcode == Opcode::LocalArray || std::ranges::any_of(i->operands, [](const Instruction* operand) {
               return operand->type.is_pointer() && operand->type.space == AddressSpace::Local;
             });
    });
  }

  /// Whether anything but the break of its head leaves a turn of the loop.
  static bool leaves(const Instruction& loop) {
    int exits = 0;
    for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
      const bool is_exit = i->opcode == Opcode::Break || i->opcode == Opcode::Continue;
      const bool stays = is_exit && i->target != &loop &&
                         any_instruction(loop.blocks[0], [&](const Instruction* inner) { return inner == i->target; });
      exits += i->opcode == Opcode::Return || i->opcode == Opcode::Fault || (is_exit && !stays) ? 1 : 0;
    });
    return exits != 1;
  }

  /// A sum in which the thread's indices count positively, so that it is least for the first thread.
  bool grows_with_thread(const Instruction* value) const {
    if (uniformity_.is_uniform(value)) return true;
    if (has_builtin_effect(value, Effect::Thread)) return is_index(value);
    if (value->opcode == Opcode::Add)
      return std::ranges::all_of(value->operands,
                                 [&](const Instruction* operand) { return grows_with_thread(operand); });
    if (value->opcode != Opcode::Mul) return false;
    const std::size_t factor = uniformity_.is_uniform(value->operands[0]) ? 0 : 1;
    return uniformity_.is_uniform(value->operands[factor]) &&
           range_of(value->operands[factor], kernel_).is_non_negative() &&
           grows_with_thread(value->operands[1 - factor]);
  }

  static bool is_index(const Instruction* value) {
    return value->builtin == BuiltinId::ThreadIdxX || value->builtin == BuiltinId::ThreadIdxY ||
           value->builtin == BuiltinId::ThreadIdxZ;
  }

  /// Whether a step, which must be positive, is the size of a block, of the grid, or a large number.
  bool is_far(const Instruction* step) const {
    const ValueRange range = range_of(step, kernel_);
    return range.minimum >= kFar || (range.minimum >= 1 && depends_on_launch(step));
  }

  static bool depends_on_launch(const Instruction* value) {
    if (value->opcode == Opcode::Builtin) return value->builtin == BuiltinId::BlockDimX;
    return value->opcode == Opcode::Mul && std::ranges::any_of(value->operands, depends_on_launch);
  }

  /// The value of `start` in the first thread. New instructions go where the builder stands.
  Instruction* of_first_thread(Instruction* value, Builder& builder) {
    if (uniformity_.is_uniform(value)) return value;
    if (value->opcode == Opcode::Builtin) return builder.constant_i64(0);
    Instruction* a = of_first_thread(value->operands[0], builder);
    Instruction* b = of_first_thread(value->operands[1], builder);
    return builder.emit(value->opcode, {a, b});
  }

  /// Rewrites the loop at block.instructions[n]; returns how many instructions it has put in front of it.
  std::size_t take_in_turn(Block& block, std::size_t n, const Stride& stride) {
    Instruction* loop = block.instructions[n];
    Block before;
    Builder builder(kernel_);
    builder.set_range(loop->range);
    builder.enter(before);
    Local* shift = kernel_.create_local("shift", stride.counter->type);
    const auto range = [&](const Instruction* value) { return range_of(value, kernel_); };
    shift->minimum = 0;
    shift->maximum = std::max(std::int64_t{0}, range(stride.stop).maximum - range(stride.start).minimum) +
                     range(stride.step).maximum;
    Instruction* first = of_first_thread(stride.start, builder);
    builder.store_local(shift, builder.constant_i64(0));
    builder.leave();

    Block body = std::move(loop->blocks[0]);
    const std::unordered_set<const Instruction*> head(body.instructions.begin(), body.instructions.begin() + 4);
    Instruction* leave = body.instructions[3];
    loop->blocks[0] = {};
    builder.enter(loop->blocks[0]);
    Instruction* shifted = builder.load_local(shift);
    const auto plus = [&](Instruction* a, Instruction* b) {
      Instruction* sum = builder.emit(Opcode::Add, {a, b});
      sum->no_wrap = true;
      return sum;
    };
    Instruction* is_left = builder.emit(Opcode::Lt, {plus(first, shifted), stride.stop});
    leave->operands[0] = builder.emit(Opcode::Not, {is_left});
    builder.block().instructions.push_back(leave);
    Instruction* counter = plus(stride.start, shifted);
    Instruction* inside = builder.if_(builder.emit(Opcode::Lt, {counter, stride.stop}));
    builder.leave();
    Block& turn = inside->blocks[0];
    turn.instructions.assign(body.instructions.begin() + 4, body.instructions.end());
    replace_loads(turn, stride.counter, counter, *body.instructions[0]);

    for (Instruction* i : loop->blocks[1].instructions)
      if (i->local != nullptr) i->local = shift;
    block.instructions.erase(block.instructions.begin() + static_cast<std::ptrdiff_t>(n) - 1);  // the first store
    block.instructions.insert(block.instructions.begin() + static_cast<std::ptrdiff_t>(n) - 1,
                              before.instructions.begin(), before.instructions.end());
    return before.instructions.size() - 1;
  }

  static void replace_loads(Block& block, const Local* local, Instruction* by, const Instruction& head) {
    std::unordered_set<const Instruction*> loads = {&head};
    for_each_instruction(block, [&](Instruction* i) {
      if (i->opcode == Opcode::LocalLoad && i->local == local) loads.insert(i);
      for (Instruction*& operand : i->operands)
        if (loads.contains(operand)) operand = by;
    });
    drop(block, loads);
  }

  static void drop(Block& block, const std::unordered_set<const Instruction*>& dropped) {
    std::erase_if(block.instructions, [&](const Instruction* i) { return dropped.contains(i); });
    for (Instruction* i : block.instructions)
      for (Block& nested : i->blocks) drop(nested, dropped);
  }

  Function& kernel_;
  const Uniformity uniformity_;
  std::unordered_map<const Local*, std::vector<const Instruction*>> uses_;
  std::unordered_set<const Instruction*> found_;
};

}  // namespace

bool is_arithmetic_loop(const Instruction& loop) {
  bool has_floats = false;
  const auto is_other = [&](const Instruction* i) {
    const bool computes = i->opcode == Opcode::Fma || i->opcode == Opcode::Mul || i->opcode == Opcode::Add;
    has_floats |= computes && is_float(i->type.scalar);
    switch (i->opcode) {
      case Opcode::LocalLoad:
      case Opcode::LocalStore:
      case Opcode::If:
      case Opcode::Break:
      case Opcode::Return:
        return false;
      case Opcode::Continue:
        return i->target != &loop;
      case Opcode::Builtin:
        return !has_builtin_effect(i, Effect::Pure);
      default:
        return info(i->opcode).effect != OpcodeEffect::Pure;
    }
  };
  const bool has_other =
      std::ranges::any_of(loop.blocks, [&](const Block& block) { return any_instruction(block, is_other); });
  return !has_other && has_floats;
}

std::unordered_set<const Instruction*> find_lockstep_loops(Function& kernel) { return LockstepFinder(kernel).run(); }

}  // namespace pykc::ir::split
