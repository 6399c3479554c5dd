// How the threads of a cluster take turns, block by block; most often a block is one. Every thread runs until it waits,
// ends, or has had its turn's steps (so that threads that spin on one another get on); then those are released whose
// partners are all there. If nobody can run and nobody can be released, threads wait for each other for ever: that is
// an error, with what they wait at.
#include "tests/reference/interpreter.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "ir/walk.h"
#include "tests/reference/stepper.h"
#include "tests/reference/warp.h"

namespace pykc::reference {
namespace {

using ir::Instruction;

constexpr int kStepsInTurn = 100'000;

bool is_thread_loop(const Instruction* instruction) { return instruction->opcode == ir::Opcode::ThreadLoop; }

/// Whether two waiting threads stand at the same instruction, reached through the same calls.
bool are_together(const Thread& a, const Thread& b) {
  const auto same_call = [](const Frame& x, const Frame& y) { return x.call == y.call; };
  return a.waits_at == b.waits_at && std::ranges::equal(a.frames, b.frames, same_call);
}

bool is_waiting(const Thread& thread) { return thread.state == ThreadState::Waiting; }
bool is_living(const Thread& thread) { return thread.state != ThreadState::Finished; }
bool is_running(const Thread& thread) { return thread.state == ThreadState::Running; }

class Scheduler {
 public:
  Scheduler(const ir::Module& module, const ir::Function& kernel, const Launch& launch,
            const std::vector<std::uint64_t>& parameters, Outcome& outcome)
      : kernel_(kernel),
        launch_(launch),
        parameters_(parameters),
        stepper_(module, launch, kernel.cluster, outcome),
        is_split_(ir::any_instruction(kernel.body, is_thread_loop)) {}

  /// One cluster after the other; of blocks that wait for the grid, each to where it waits, again and again.
  void run_grid() {
    const Dim3 cluster = kernel_.cluster, grid = launch_.grid;
    const Dim3 along{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
    for (std::int64_t i = 0; i < count(along) && !stepper_.is_stopped(); ++i) {
      start_cluster(index_of(launch_.last_thread_first ? count(along) - 1 - i : i, along));
      run_cluster();
      if (cluster_waits_for_grid()) waiting_.push_back(std::move(cluster_));
    }
    while (!waiting_.empty() && !stepper_.is_stopped()) {
      for (std::vector<BlockState>& waiting : std::exchange(waiting_, {})) {
        cluster_ = std::move(waiting);
        for_each_block([&] {
          for (Thread& thread : block().threads) {
            if (!is_living(thread)) continue;
            release(thread, 0);
            ++thread.clock.grids;
          }
        });
        run_cluster();
        if (cluster_waits_for_grid()) waiting_.push_back(std::move(cluster_));
      }
    }
  }

 private:
  using Group = std::vector<Thread*>;

  BlockState& block() { return cluster_[rank_]; }
  template <typename Visit>
  void for_each_block(Visit visit) {
    for (std::size_t i = 0; i < cluster_.size() && !stepper_.is_stopped(); ++i) {
      rank_ = launch_.last_thread_first ? cluster_.size() - 1 - i : i;
      stepper_.enter_block(cluster_, rank_);
      visit();
    }
  }

  void start_cluster(Dim3 index) {
    const auto threads = static_cast<std::size_t>(count(launch_.block));
    const Dim3 extents = kernel_.cluster;
    cluster_.clear();
    for (std::int64_t rank = 0; rank < count(extents); ++rank) {
      const Dim3 inside = index_of(rank, extents);
      cluster_.push_back(
          {.index = {index.x * extents.x + inside.x, index.y * extents.y + inside.y, index.z * extents.z + inside.z},
           .rank = static_cast<std::size_t>(rank),
           .shared = SharedMemory(kernel_, launch_),
           .is_split = is_split_,
           .threads = std::vector<Thread>(is_split_ ? 1 : threads),
           .slots = std::vector(kernel_.slots.size(), std::vector(threads, poison_value(launch_))),
           .arrived = {}});
    }
    for_each_block([&] {
      for (std::size_t i = 0; i < block().threads.size(); ++i) {
        block().threads[i].linear = static_cast<std::int64_t>(i);
        stepper_.start(block().threads[i], kernel_, parameters_);
      }
    });
  }

  /// Until all threads have ended, or wait for the grid.
  void run_cluster() {
    for (;;) {
      bool is_released = false;
      for_each_block([&] {
        if (launch_.last_thread_first)
          std::ranges::for_each(block().threads | std::views::reverse, [&](Thread& thread) { run_turn(thread); });
        else
          std::ranges::for_each(block().threads, [&](Thread& thread) { run_turn(thread); });
        if (stepper_.is_stopped() || threads_at_barrier(BuiltinId::GridSync)) return;
        is_released |= release_warps() || release_named_barriers() || release_barrier() || release_active_masks();
      });
      if (stepper_.is_stopped() || none_of_cluster(is_living) || cluster_waits_for_grid()) return;
      is_released |= release_cluster();
      if (!is_released && none_of_cluster(is_running)) report_endless_wait();
    }
  }

  template <typename Holds>
  bool none_of_cluster(Holds holds) const {
    return std::ranges::none_of(cluster_,
                                [&](const BlockState& block) { return std::ranges::any_of(block.threads, holds); });
  }

  void run_turn(Thread& thread) {
    for (int i = 0; i < kStepsInTurn && is_running(thread) && !stepper_.is_stopped(); ++i) {
      stepper_.step(thread);
      if (++steps_ > launch_.step_limit) stepper_.report_error(thread, "the step limit is reached");
    }
  }

  void release(Thread& thread, std::uint64_t result) {
    if (!thread.waits_at->type.is_none()) stepper_.set_value(thread, thread.waits_at, result);
    thread.state = ThreadState::Running;
  }

  std::uint64_t operand(const Thread& thread, std::size_t index) const {
    return stepper_.value(thread, thread.waits_at->operands[index]);
  }

  /// The living threads of the block, if they wait at one barrier of the kind, or of any that are a block's; else none.
  std::optional<Group> threads_at_barrier(std::optional<BuiltinId> kind = {}) {
    Group living;
    for (Thread& thread : block().threads) {
      if (is_living(thread)) living.push_back(&thread);
    }
    const auto is_here = [&](const Thread* t) { return is_waiting(*t) && are_together(*t, *living[0]); };
    if (living.empty() || !std::ranges::all_of(living, is_here)) return {};
    const Instruction* at = living[0]->waits_at;
    const bool is_wanted = kind ? at->builtin == *kind
                                : info(at->builtin).effect == Effect::Barrier && !ir::is_cluster_barrier(at) &&
                                      at->builtin != BuiltinId::GridSync;
    return is_wanted ? std::optional(living) : std::nullopt;
  }

  /// Whether all blocks that have not ended wait for the grid; there are any.
  bool cluster_waits_for_grid() {
    bool all_wait = !none_of_cluster(is_living);
    for_each_block([&] {
      all_wait &= std::ranges::none_of(block().threads, is_living) || threads_at_barrier(BuiltinId::GridSync);
    });
    return all_wait;
  }

  bool release_barrier() {
    const std::optional<Group> living = threads_at_barrier();
    if (!living) return false;
    const BuiltinId builtin = living->front()->waits_at->builtin;
    const std::uint64_t result = builtin == BuiltinId::Syncthreads ? 0 : result_of_votes(builtin, *living);
    for (Thread* thread : *living) {
      release(*thread, result);
      ++thread->clock.barriers;
    }
    return true;
  }

  /// Those that wait for the others of the cluster, once all of these have arrived as often.
  bool release_cluster() {
    std::int64_t arrivals = std::numeric_limits<std::int64_t>::max();
    for (const BlockState& block : cluster_)
      for (const Thread& thread : block.threads)
        if (is_living(thread)) arrivals = std::min(arrivals, thread.clock.arrivals);
    bool is_released = false;
    for_each_block([&] {
      for (Thread& thread : block().threads) {
        const bool waits = is_waiting(thread) && ir::is_cluster_barrier(thread.waits_at);
        if (!waits || thread.clock.meetings >= arrivals) continue;
        ++thread.clock.meetings;
        release(thread, 0);
        is_released = true;
      }
    });
    return is_released;
  }

  std::uint64_t result_of_votes(BuiltinId builtin, const Group& living) const {
    const auto holds = [&](const Thread* thread) { return operand(*thread, 0) != 0; };
    return barrier_result(builtin, std::ssize(living), std::ranges::count_if(living, holds));
  }

  bool release_warps() {
    bool is_released = false;
    for (Thread& thread : block().threads) {
      if (is_waiting(thread) && is_warp_operation(thread) && release_lanes(thread)) is_released = true;
    }
    return is_released;
  }

  static bool is_warp_operation(const Thread& thread) {
    const BuiltinId builtin = thread.waits_at->builtin;
    return info(builtin).effect == Effect::Warp && builtin != BuiltinId::Activemask &&
           !ir::is_named_barrier(thread.waits_at);
  }

  /// The living threads of the thread's warp, in the order of their lanes.
  Group warp_of(const Thread& thread) {
    Group warp;
    const std::int64_t first = thread.linear / kWarpSize * kWarpSize;
    const std::int64_t end = std::min<std::int64_t>(first + kWarpSize, std::ssize(block().threads));
    for (std::int64_t i = first; i < end; ++i) {
      Thread& other = block().threads[static_cast<std::size_t>(i)];
      if (is_living(other)) warp.push_back(&other);
    }
    return warp;
  }

  static std::size_t lane_of(const Thread& thread) { return static_cast<std::size_t>(thread.linear % kWarpSize); }

  /// Runs a warp operation if all living lanes of its mask have come.
  bool release_lanes(const Thread& thread) {
    const std::uint64_t mask = operand(thread, 0);
    if ((mask >> lane_of(thread) & 1) == 0) {
      stepper_.report_error(thread, "a lane that is not in the mask of its own warp operation");
      return false;
    }
    Group named = warp_of(thread);
    std::erase_if(named, [&](const Thread* other) { return (mask >> lane_of(*other) & 1) == 0; });
    const auto is_here = [&](const Thread* other) {
      return is_waiting(*other) && are_together(*other, thread) && operand(*other, 0) == mask;
    };
    if (!std::ranges::all_of(named, is_here)) return false;
    exchange_lanes(named);
    return true;
  }

  void exchange_lanes(const Group& group) {
    Lanes lanes;
    for (const Thread* thread : group) {
      Lane& lane = lanes[lane_of(*thread)];
      lane.is_active = true;
      for (std::size_t i = 0; i < thread->waits_at->operands.size(); ++i) lane.arguments[i] = operand(*thread, i);
    }
    const Instruction& operation = *group[0]->waits_at;
    const auto results = exchange(operation.builtin, lanes, operation.type.scalar);
    for (Thread* thread : group) release(*thread, results[lane_of(*thread)]);
    if (operation.builtin != BuiltinId::Activemask) join(group);
  }

  static void join(const Group& group) {
    std::vector<Clock*> clocks;
    std::vector<std::size_t> lanes;
    for (Thread* thread : group) {
      clocks.push_back(&thread->clock);
      lanes.push_back(lane_of(*thread));
    }
    join_lanes(clocks, lanes);
  }

  /// Counts the warps that are whole at a named barrier, and lets those go on that need not wait, or no longer.
  bool release_named_barriers() {
    bool is_released = false;
    std::map<std::uint64_t, std::vector<Group>> waiting;  // warps, by the number of the barrier
    std::map<std::uint64_t, std::uint64_t> needed;
    const std::size_t threads = block().threads.size();
    for (std::size_t first = 0; first < threads; first += kWarpSize) {
      const Group warp = warp_of(block().threads[first]);
      const auto is_here = [&](const Thread* t) { return is_waiting(*t) && are_together(*t, *warp[0]); };
      if (warp.empty() || !std::ranges::all_of(warp, is_here) || !ir::is_named_barrier(warp[0]->waits_at)) continue;
      const std::uint64_t barrier = operand(*warp[0], 0);
      needed[barrier] = operand(*warp[0], 1);
      if (warp[0]->waits_at->builtin == BuiltinId::BarrierSync) {
        waiting[barrier].push_back(warp);
        continue;
      }
      block().arrived[barrier] += kWarpSize;
      for (Thread* thread : warp) release(*thread, 0);
      is_released = true;
    }
    for (const auto& [barrier, count] : needed) {
      if (block().arrived[barrier] + kWarpSize * waiting[barrier].size() < count) continue;
      block().arrived[barrier] = 0;
      for (const Group& warp : waiting[barrier])
        for (Thread* thread : warp) release(*thread, 0);
      is_released = true;
    }
    return is_released;
  }

  /// activemask tells who runs it together: everybody who stands there once nobody of the warp can run.
  bool release_active_masks() {
    bool is_released = false;
    for (Thread& thread : block().threads) {
      if (!is_waiting(thread) || thread.waits_at->builtin != BuiltinId::Activemask) continue;
      Group warp = warp_of(thread);
      if (std::ranges::any_of(warp, [](const Thread* other) { return is_running(*other); })) continue;
      std::erase_if(warp, [&](const Thread* other) { return !are_together(*other, thread); });
      exchange_lanes(warp);
      is_released = true;
    }
    return is_released;
  }

  void report_endless_wait() {
    for_each_block([&] {
      const auto first = std::ranges::find_if(block().threads, is_waiting);
      if (first == block().threads.end()) return;
      const auto is_here = [&](const Thread& thread) { return is_waiting(thread) && are_together(thread, *first); };
      const auto here = std::ranges::count_if(block().threads, is_here);
      const auto living = std::ranges::count_if(block().threads, is_living);
      stepper_.report_error(*first, std::string(info(first->waits_at->builtin).name) + " is reached by " +
                                        std::to_string(here) + " of " + std::to_string(living) + " living threads");
    });
  }

  const ir::Function& kernel_;
  const Launch& launch_;
  const std::vector<std::uint64_t>& parameters_;
  Stepper stepper_;
  const bool is_split_;
  std::vector<BlockState> cluster_;               // that runs
  std::size_t rank_ = 0;                          // of its block that does
  std::vector<std::vector<BlockState>> waiting_;  // for the grid
  std::int64_t steps_ = 0;
};

}  // namespace

Outcome run(const ir::Module& module, const ir::Function& kernel, const Launch& launch,
            const std::vector<std::uint64_t>& parameters) {
  Outcome outcome;
  Scheduler(module, kernel, launch, parameters, outcome).run_grid();
  return outcome;
}

}  // namespace pykc::reference
