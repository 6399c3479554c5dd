// Loops in which the threads of a block are better taken a turn at a time than one thread after the other.
//
// A region that holds such a loop would run all turns of one thread, then all of the next. As control flow of the block
// each turn becomes a region: the threads side by side, in vectors, as on a GPU. What they carry from turn to turn goes
// through slots, so this is done only where it gains more than that costs.
//
//   Strides      each thread starts elsewhere and goes far (stride.cpp): a turn of the block is on adjacent elements.
//   Neighbours   the threads count alike, and neighbours work on neighbouring elements (neighbours.cpp). A condition
//                on the counter is then one of a row of threads. Guards around such a loop move into it (guards.cpp),
//                be they those of a stride's turns.
//   Arithmetic   of floats: LLVM makes no vectors of the turns of one thread, for each waits for the one before. Where
//                threads leave at different times, as in while |z| < 2: z = z*z + c, a turn is vector code under a
//                mask.
//
// In blocks that are too small for vectors, slots only cost: a loop of the first two kinds that needs some is kept as
// it was for such blocks, beside the new one. For others, a few turns of a loop that counts alike are joined to one, so
// that what the threads carry goes through the slots once for them; what turns are left the loop takes one by one.
#include "ir/split/lockstep/lockstep.h"

#include <algorithm>
#include <bit>

#include "ir/analysis/value_range.h"
#include "ir/builder.h"
#include "ir/passes/clone.h"
#include "ir/passes/separate_locals.h"
#include "ir/split/lockstep/growth.h"
#include "ir/split/lockstep/guards.h"
#include "ir/split/lockstep/neighbours.h"
#include "ir/split/lockstep/stride.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

constexpr std::int64_t kVector = 8;    // threads that make a vector worth while
constexpr std::uint64_t kShort = 400;  // operations of all turns that LLVM writes out one after the other
constexpr std::uint64_t kFewestJoined = 4, kMostJoined = 8, kJoinedOperations = 64;  // turns, and what is in them

/// Which threads come to a place: all of the block together, those in a guard together, or each by itself.
enum class Company : std::uint8_t { Block, Guard, None };

class LockstepFinder {
 public:
  LockstepFinder(Function& kernel, std::unordered_set<const Instruction*>& found) : kernel_(kernel), found_(found) {}

  /// Whether there were any, so that what is known of the kernel is to be found out anew.
  bool find_strides() {
    CountedLoops::Values known;
    visit_strides(kernel_.body, known);
    return !found_.empty();
  }

  void find_others() {
    visit(kernel_.body, Company::Block);
    sink_guards(kernel_, guards_, guarded_);
  }

 private:
  static bool is_loop(const Instruction& i) {
    return i.opcode == Opcode::Loop && !any_instruction(i.blocks[0], is_meeting_point);
  }

  /// Not in loops whose turns differ from thread to thread: there too few may be left to be worth it. `known` is what
  /// stands before the block.
  void visit_strides(Block& block, CountedLoops::Values& known) {
    for (std::size_t n = 0; n < block.instructions.size(); ++n) {
      Instruction* i = block.instructions[n];
      const std::optional<CountedLoop> counted = is_loop(*i) ? find_counted(block, n) : std::nullopt;
      if (counted && counted_loops_.is_stride(*counted, *i, known))
        n = take_in_turn(block, n, *counted, true);
      else if (is_loop(*i) && uniformity_.is_divergent_region(i))
        continue;
      known.insert(i);
      for (Block& nested : i->blocks) visit_strides(nested, known);
    }
    for (const Instruction* i : block.instructions) known.erase(i);
  }

  void visit(Block& block, Company company) {
    for (std::size_t n = 0; n < block.instructions.size(); ++n) {
      Instruction* i = block.instructions[n];
      Company inside = company_in(*i, company);
      if (is_loop(*i) && !found_.contains(i)) {
        const std::optional<CountedLoop> counted = find_counted(block, n);
        if (counted && is_alike_for_all(*i, *counted, company)) {
          inside = company;
          if (company == Company::Guard) values_.add_counter(counted->counter);
          if (is_better_in_turn(*i, *counted)) {
            if (company == Company::Guard) guarded_.insert(i);
            n = take_in_turn(block, n, *counted, false);
          }
        } else if (uniformity_.is_divergent_region(i)) {
          if (is_arithmetic_loop(*i)) found_.insert(i);
          continue;
        }
      }
      for (Block& nested : i->blocks) visit(nested, inside);
    }
  }

  std::optional<CountedLoop> find_counted(const Block& block, std::size_t n) const {
    const Instruction& loop = *block.instructions[n];
    return leaves(loop) || has_local_array(loop) ? std::nullopt : counted_loops_.find(block, n);
  }

  /// Who comes to the blocks of a construct, where `around` come to it.
  Company company_in(const Instruction& construct, Company around) {
    if (around == Company::None) return Company::None;
    if (around == Company::Block && !uniformity_.is_convergent(&construct)) return Company::None;
    if (guards_.is_guard(&construct)) return Company::Guard;
    if (around == Company::Block) return Company::Block;
    const bool is_uniform = construct.opcode == Opcode::If && values_.is_uniform(construct.operands[0]);
    return is_uniform ? Company::Guard : Company::None;
  }

  /// In a guard a loop must end where no thread is in it.
  bool is_alike_for_all(const Instruction& loop, const CountedLoop& counted, Company company) {
    if (company == Company::Block) return uniformity_.is_convergent(&loop) && !uniformity_.is_divergent_region(&loop);
    return company == Company::Guard && range_of(counted.step, kernel_).minimum >= 1 &&
           values_.is_uniform(counted.start) && values_.is_uniform(counted.stop) && values_.is_uniform(counted.step);
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

  /// Whether a loop that is the same for all threads gains from being taken a turn of the block at a time. A short one
  /// is vector code as it is, unless a condition needs masks.
  bool is_better_in_turn(const Instruction& loop, const CountedLoop& counted) {
    const auto is_loop = [](const Instruction* i) { return i->opcode == Opcode::Loop; };
    if (any_instruction(loop.blocks[0], is_loop)) return false;
    if (is_short(loop, counted) && (carries_values(loop) || !has_condition(loop))) return false;
    const Accesses accesses = accesses_of(loop, kernel_, uniformity_, values_);
    if (accesses.follow_turns) return false;
    return accesses.have_neighbours || (!accesses.are_spread && is_arithmetic_loop(loop, true));
  }

  bool is_short(const Instruction& loop, const CountedLoop& counted) const {
    const ValueRange start = range_of(counted.start, kernel_), stop = range_of(counted.stop, kernel_),
                     step = range_of(counted.step, kernel_);
    if (start.minimum != start.maximum || stop.minimum != stop.maximum || step.minimum != step.maximum) return false;
    const auto distance = static_cast<std::uint64_t>(stop.minimum) - static_cast<std::uint64_t>(start.minimum);
    return step.minimum >= 1 && distance / static_cast<std::uint64_t>(step.minimum) <= kShort / operations_in(loop);
  }

  static std::uint64_t operations_in(const Instruction& loop) {
    std::uint64_t count = 0;
    for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
      const bool is_there = i->local != nullptr || i->operands.empty();
      count += is_there || info(i->opcode).effect == OpcodeEffect::Control ? 0 : 1;
    });
    return count - 1;  // its head is gone but for the counter
  }

  /// Whether threads have values of their own that go from turn to turn: variables that are read before they are set.
  bool carries_values(const Instruction& loop) const {
    std::unordered_set<const Local*> seen, loaded_first;
    bool carries = false;
    for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
      if (i->local == nullptr || uniformity_.is_uniform(i->local)) return;
      if (seen.insert(i->local).second && i->opcode == Opcode::LocalLoad) loaded_first.insert(i->local);
      carries |= i->opcode == Opcode::LocalStore && loaded_first.contains(i->local);
    });
    return carries;
  }

  static bool has_condition(const Instruction& loop) {
    int conditions = 0;
    for_each_instruction(loop.blocks[0], [&](const Instruction* i) { conditions += i->opcode == Opcode::If ? 1 : 0; });
    return conditions > 1;  // that of its head
  }

  /// Puts the new loop in the place of the one at block.instructions[n], and returns where in the block it stands.
  std::size_t take_in_turn(Block& block, std::size_t n, const CountedLoop& counted, bool is_stride) {
    Instruction* loop = block.instructions[n];
    found_.insert(loop);
    Block both;
    Builder builder(kernel_);
    builder.set_range(loop->range);
    builder.enter(both);
    const bool carries = carries_values(*loop);
    if (carries) add_version_for_few(counted, *loop, is_stride, builder);
    if (is_stride) {
      counted_loops_.make_uniform(*loop, counted, builder);
    } else {
      builder.block().instructions.push_back(counted.initial);
      if (carries) join_turns(counted, *loop, builder);
      builder.block().instructions.push_back(loop);
    }
    const auto place = block.instructions.begin() + static_cast<std::ptrdiff_t>(n) - 1;
    block.instructions.insert(block.instructions.erase(place, place + 2), both.instructions.begin(),
                              both.instructions.end());
    return n - 2 + both.instructions.size();
  }

  /// A loop of joined turns, in front of the one that takes what they leave. A guard in a turn may cut the rows of
  /// threads elsewhere than in the next, so there each is taken by itself.
  void join_turns(const CountedLoop& counted, const Instruction& loop, Builder& builder) {
    const ValueRange step = range_of(counted.step, kernel_);
    if (step.minimum < 1 || step.minimum != step.maximum || !counted.counter->type.is(ScalarType::I64)) return;
    if (!is_far_from_overflow(counted.stop, kernel_) || !is_far_from_overflow(counted.step, kernel_)) return;
    const auto cuts_rows = [&](const Instruction* i) {
      return i->opcode == Opcode::If && guards_.is_row_condition(i->operands[0]);
    };
    const std::vector<Instruction*>& body = loop.blocks[0].instructions;
    const Block turn{{body.begin() + 4, body.end()}};  // behind the head
    if (any_instruction(turn, cuts_rows)) return;
    const std::uint64_t turns = std::bit_floor(std::min(kMostJoined, kJoinedOperations / operations_in(loop)));
    if (turns >= kFewestJoined) add_joined(counted, loop, turn, static_cast<std::int64_t>(turns), builder);
  }

  void add_joined(const CountedLoop& counted, const Instruction& loop, const Block& turn, std::int64_t turns,
                  Builder& builder) {
    const std::int64_t step = range_of(counted.step, kernel_).minimum;
    const auto plus = [&](Instruction* a, std::int64_t b) {
      Instruction* sum = builder.emit(Opcode::Add, {a, builder.constant_i64(b)});
      sum->no_wrap = true;
      return sum;
    };
    Instruction* stop = plus(counted.stop, (1 - turns) * step);
    Instruction* together = builder.loop();
    builder.enter(together->blocks[0]);
    Instruction* first = builder.load_local(counted.counter);
    Instruction* leave = builder.if_(builder.emit(Opcode::Not, {builder.emit(Opcode::Lt, {first, stop})}));
    builder.enter(leave->blocks[0]);
    builder.break_(together);
    builder.leave();
    for (std::int64_t n = 0; n < turns; ++n) {
      Instruction* counter = n == 0 ? first : plus(first, n * step);
      Cloner cloner(kernel_);
      for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
        if (i->opcode == Opcode::LocalLoad && i->local == counted.counter) cloner.replace(i, counter);
      });
      cloner.clone(turn, builder.block());
    }
    builder.leave();
    builder.enter(together->blocks[1]);
    builder.store_local(counted.counter, plus(builder.load_local(counted.counter), turns * step));
    builder.leave();
    found_.insert(together);
    if (guarded_.contains(&loop)) guarded_.insert(together);
  }

  /// The builder stands where the other version comes.
  void add_version_for_few(const CountedLoop& counted, const Instruction& loop, bool is_stride, Builder& builder) {
    Instruction* versions = builder.if_(has_few_threads(counted, is_stride, builder));
    Cloner cloner(kernel_);
    cloner.replace(counted.counter, kernel_.create_local_like(*counted.counter, counted.counter->name));
    for (const Instruction* i : std::initializer_list<const Instruction*>{counted.initial, &loop})
      versions->blocks[0].instructions.push_back(cloner.clone(i));
    builder.enter(versions->blocks[1]);
  }

  /// Whether a block has too few threads for vectors, or a stride so short a step that a thread's turns lie side by
  /// side.
  Instruction* has_few_threads(const CountedLoop& counted, bool is_stride, Builder& builder) const {
    const auto is_few = [&](Instruction* count) {
      return builder.emit(Opcode::Lt, {count, builder.constant_i64(kVector)});
    };
    const auto extent = [&](BuiltinId axis) { return builder.builtin(axis, Type::of(ScalarType::I64), {}); };
    Instruction* row = extent(BuiltinId::BlockDimX);
    if (!is_stride) return is_few(row);
    Instruction* plane = builder.emit(Opcode::Mul, {row, extent(BuiltinId::BlockDimY)});
    Instruction* few = is_few(builder.emit(Opcode::Mul, {plane, extent(BuiltinId::BlockDimZ)}));
    if (range_of(counted.step, kernel_).minimum >= kVector) return few;
    return builder.emit(Opcode::Or, {few, is_few(counted.step)});
  }

  Function& kernel_;
  const Uniformity uniformity_{kernel_};
  UniformValues values_{uniformity_};
  const GrowingValues growing_{kernel_, values_};
  const Guards guards_{values_, growing_};
  CountedLoops counted_loops_{kernel_, uniformity_, growing_};
  std::unordered_set<const Instruction*>& found_;
  std::unordered_set<const Instruction*> guarded_;  // those of them that stand in guards
};

}  // namespace

bool is_arithmetic_loop(const Instruction& loop, bool may_access) {
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
      case Opcode::Load:
      case Opcode::Store:
        return !may_access;
      case Opcode::Continue:
        return i->target != &loop;
      default:
        return !is_pure(i);
    }
  };
  const bool has_other =
      std::ranges::any_of(loop.blocks, [&](const Block& block) { return any_instruction(block, is_other); });
  return !has_other && has_floats;
}

std::unordered_set<const Instruction*> find_lockstep_loops(Function& kernel) {
  nest_early_returns(kernel);
  std::unordered_set<const Instruction*> found;
  LockstepFinder finder(kernel, found);
  if (finder.find_strides()) {
    separate_locals(kernel);  // those of the two versions of a stride
    LockstepFinder(kernel, found).find_others();
  } else {
    finder.find_others();
  }
  return found;
}

}  // namespace pykc::ir::split
