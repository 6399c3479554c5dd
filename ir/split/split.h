// The steps of split_at_barriers, one file each; split_at_barriers.cpp tells how they work together.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/affine.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"
#include "ir/module.h"

namespace pykc::ir::split {

// --- prepare.cpp ------------------------------------------------------------------------------------------------

/// Brings a kernel with meeting points into a form where leaving the last construct of the kernel is a return.
void make_tails_returns(Function& kernel);
/// Puts each Extract behind its Call.
void gather_extracts(Function& kernel);
/// Takes Continue and the `continuing` block out of a loop: its body becomes a Scope to break from. False where the
/// loop has neither.
bool flatten_loop(Function& kernel, Instruction& loop);

// --- separate_locals.cpp ----------------------------------------------------------------------------------------

/// Makes uses of one variable that have nothing to do with each other separate locals.
void separate_locals(Function& function);

// --- lockstep/growth.cpp ----------------------------------------------------------------------------------------

/// Which values are the same for all threads that come to where they stand together, be it in a guard
/// (lockstep/guards.cpp), where Uniformity takes counters of loops for values of each thread.
class UniformValues {
 public:
  explicit UniformValues(const Uniformity& uniformity) : uniformity_(uniformity) {}
  /// Whether a value is one of them. In a guard it must also be computable in front of it.
  bool is_uniform(const Instruction* value);
  /// The counter of a loop that all threads in a guard run alike.
  void add_counter(const Local* counter) { counters_.insert(counter); }

 private:
  bool is_made_of_uniform(const Instruction& value);

  const Uniformity& uniformity_;
  std::unordered_set<const Local*> counters_;
  std::unordered_map<const Instruction*, bool> in_guards_;
};

/// Values that never fall along an axis of a block: least in its first thread, largest in its last.
class GrowingValues {
 public:
  enum class Thread : std::uint8_t { First, Last };

  GrowingValues(const Function& kernel, UniformValues& values) : kernel_(kernel), values_(values) {}
  /// Whether a value is one, and far from overflow.
  bool grows(const Instruction* value) const;
  /// A growing value in a thread. New instructions go where the builder stands.
  Instruction* in(Thread thread, Instruction* value, Builder& builder) const;

 private:
  std::optional<Slope> slope_of(const Instruction* value, std::size_t axis) const;

  const Function& kernel_;
  UniformValues& values_;
};

// --- lockstep/guards.cpp ----------------------------------------------------------------------------------------

class Guards {
 public:
  Guards(UniformValues& values, const GrowingValues& growing) : values_(values), growing_(growing) {}
  /// Whether an If is a guard: its condition is one of a row, and only threads for which it holds do anything, in which
  /// they neither meet nor leave it.
  bool is_guard(const Instruction* branch) const;
  /// Comparisons along the threads of a block, with And, Or and Not.
  bool is_row_condition(const Instruction* condition) const;
  /// Whether any thread may have the outcome `expected`: uniform, computed where the builder stands.
  Instruction* may_be(bool expected, Instruction* condition, Builder& builder) const;

 private:
  static bool keeps_threads(const Instruction& branch);

  UniformValues& values_;
  const GrowingValues& growing_;
};

/// Makes guards of early returns, where there is a loop behind them.
void nest_early_returns(Function& kernel);
/// Moves the guards around `loops` into them.
void sink_guards(Function& kernel, const Guards& guards, const std::unordered_set<const Instruction*>& loops);

// --- lockstep/stride.cpp ----------------------------------------------------------------------------------------

/// The parts of `for i in range(start, stop, step)`, as lowering writes it.
struct CountedLoop {
  Instruction* initial;  // the LocalStore of `start`
  Instruction *start, *stop, *step;
  Local* counter;
};

class CountedLoops {
 public:
  using Values = std::unordered_set<const Instruction*>;

  CountedLoops(Function& kernel, const Uniformity& uniformity, const GrowingValues& growing);
  /// The Loop at block.instructions[n], if it is one and nobody else uses its counter.
  std::optional<CountedLoop> find(const Block& block, std::size_t n) const;
  /// Whether each thread starts elsewhere and goes far; `known` are the values that are there in front of the loop.
  bool is_stride(const CountedLoop& counted, const Instruction& loop, const Values& known) const;
  /// Rewrites a stride so that all threads count alike, and puts it where the builder stands; what set its counter has
  /// no use any more.
  void make_uniform(Instruction& loop, const CountedLoop& stride, Builder& builder);

 private:
  bool is_private(const CountedLoop& counted, const Instruction& loop) const;
  bool is_far(const Instruction* step) const;

  Function& kernel_;
  const Uniformity& uniformity_;
  const GrowingValues& growing_;
  std::unordered_map<const Local*, std::vector<const Instruction*>> uses_;
};

// --- lockstep/prefetch.cpp --------------------------------------------------------------------------------------

/// Asks, where the builder stands, for what a block reads from place `next` on, in the next of its turns. A prefetch of
/// what is not there does no harm.
void prefetch_next_turn(const CountedLoop& stride, const Block& turn, Instruction* next, Builder& builder);

// --- lockstep/neighbours.cpp ------------------------------------------------------------------------------------

/// The memory that the threads of a row touch in a turn of a loop.
struct Accesses {
  bool have_neighbours = false;  // some, of global memory, are side by side
  bool are_spread = false;       // some are neither side by side nor all at one place …
  bool follow_turns = false;     // … but, in global memory, beside those of the same thread's next turn
};
Accesses accesses_of(const Instruction& loop, const Function& kernel, const Uniformity& uniformity,
                     UniformValues& values);

// --- lockstep/lockstep.cpp --------------------------------------------------------------------------------------

/// Whether a turn is nothing but arithmetic on variables, some of it on floats, and perhaps accesses to memory.
bool is_arithmetic_loop(const Instruction& loop, bool may_access = false);
/// The loops whose turns the block takes together though nobody meets in them, rewritten for that where need be.
std::unordered_set<const Instruction*> find_lockstep_loops(Function& kernel);

// --- plan.cpp ---------------------------------------------------------------------------------------------------

/// Decides, for each instruction of a kernel, whether it runs once a block or once a thread.
class Plan {
 public:
  /// `faulting` are the functions that may stop their thread, `lockstep` loops that are to be control flow of the
  /// block.
  Plan(const Function& kernel, const std::unordered_set<const Function*>& faulting,
       const std::unordered_set<const Instruction*>& lockstep);

  /// Whether an If, Loop or Scope becomes control flow of the block: threads meet in it, or scalar values depend on it.
  bool is_block_level(const Instruction* construct) const { return block_level_.contains(construct); }
  /// Whether the threads take its turns together though nobody meets in it.
  bool is_lockstep(const Instruction* loop) const { return lockstep_.contains(loop); }
  /// Whether the threads of a construct at block level may part, so that a mask says who is in it.
  bool is_masked(const Instruction* construct) const;
  /// Whether an instruction runs once for the whole block: a value, a store to a scalar local, a construct of nothing
  /// else.
  bool is_scalar(const Instruction* instruction) const { return scalars_.contains(instruction); }
  bool is_scalar(const Local* local) const { return scalar_locals_.contains(local); }
  /// Whether all living threads take this Break, Continue or Return together, at block level.
  bool is_direct(const Instruction* exit) const;
  /// Whether a thread may return while others still have another region to run.
  bool needs_alive_mask() const { return needs_alive_mask_; }
  /// Whether a thread may stop here with a fault.
  bool can_fault(const Instruction* instruction) const {
    return instruction->opcode == Opcode::Fault ||
           (instruction->opcode == Opcode::Call && faulting_.contains(instruction->callee));
  }

 private:
  void index(const Block& block, const Instruction* parent);
  void require(const Instruction* construct);
  void require_parents_of_exits(const Instruction* construct);
  void require_value(const Instruction* value);
  void require_local(const Local* local);
  void require_uniform_returns();
  void settle();
  void find_scalars();
  bool can_be_scalar(const Instruction* instruction) const;
  void find_scalars(const Block& block);
  bool has_only_scalar_stores(const Local* local) const;
  bool add_scalar_code(const Block& block, std::size_t& reach);
  bool add_scalar_code(const Instruction* instruction, std::size_t& reach);
  void find_ends_of_threads();
  bool may_end_threads() const { return needs_alive_mask_ || has_faults_; }
  bool is_in_block_level_construct(const Instruction* instruction) const;
  const Instruction* parent_of(const Instruction* instruction) const { return parents_.at(instruction); }

  const Function& kernel_;
  const std::unordered_set<const Function*>& faulting_;
  const std::unordered_set<const Instruction*>& lockstep_;
  Uniformity uniformity_;
  std::vector<const Instruction*> order_;                       // as the text has them
  std::unordered_map<const Instruction*, std::size_t> places_;  // in order_
  std::unordered_map<const Instruction*, const Instruction*> parents_;
  std::unordered_map<const Local*, std::vector<const Instruction*>> stores_;
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> exits_;  // of each Loop and Scope
  std::unordered_set<const Instruction*> block_level_;
  std::unordered_set<const Instruction*> required_values_;
  std::unordered_set<const Local*> required_locals_;
  std::unordered_set<const Instruction*> scalars_;
  std::unordered_set<const Local*> scalar_locals_;
  bool needs_alive_mask_ = false;
  bool has_faults_ = false;
};

// --- regions.cpp ------------------------------------------------------------------------------------------------

/// What is known of a kernel between the steps after build_regions.
struct Regions {
  LocalEffects effects;
  std::unordered_map<const Local*, std::int64_t> slots;         // locals that have a slot for certain
  std::unordered_map<const Instruction*, Local*> homes;         // the local that holds a value of another region
  std::unordered_map<const Instruction*, Instruction*> guards;  // ThreadLoop: its If over the mask, if any
  std::unordered_set<const Instruction*> unmasked;              // ThreadLoops whose slots all threads load and store
  /// The block of a ThreadLoop that the threads run that are in it.
  Block& body_of(Instruction* thread_loop) const {
    const auto guard = guards.find(thread_loop);
    return (guard == guards.end() ? thread_loop : guard->second)->blocks[0];
  }
};

/// Builds the ThreadLoops and the block-level code around them. Values and locals still cross from region to region.
Regions build_regions(Function& kernel, Module& module, const Plan& plan);

// --- values.cpp -------------------------------------------------------------------------------------------------

/// Values that cross are computed again where they are used, or go through a local.
void localize_values(Function& kernel, Regions& regions);

// --- slots.cpp --------------------------------------------------------------------------------------------------

/// Locals that cross get slots.
void assign_slots(Function& kernel, Regions& regions);

// --- cleanup.cpp ------------------------------------------------------------------------------------------------

/// Drops what has no use: values, stores to locals that nobody reads, empty regions.
void drop_unused(Function& kernel, const LocalEffects& effects);
/// Drops the locals that are not used any more.
void drop_unused_locals(Function& kernel);
/// Marks the local arrays that outlive a ThreadLoop.
void mark_arrays(Function& kernel);

}  // namespace pykc::ir::split
