// How the threads of a block take turns. Every thread runs until it waits, ends, or has had its turn's steps (so that
// threads that spin on one another get on); then those are released whose partners are all there. If nobody can run
// and nobody can be released, threads wait for each other for ever: that is an error, with what they wait at.
#include "tests/reference/interpreter.h"

#include <algorithm>
#include <map>
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
        stepper_(module, launch, outcome),
        is_split_(ir::any_instruction(kernel.body, is_thread_loop)) {}

  /// One block after the other; of blocks that wait for the grid, each to where it waits, again and again.
  void run_grid() {
    const std::int64_t blocks = count(launch_.grid);
    for (std::int64_t i = 0; i < blocks && !stepper_.is_stopped(); ++i) {
      start_block(launch_.last_thread_first ? blocks - 1 - i : i);
      run_threads();
      if (waits_for_grid()) waiting_.push_back(std::move(block_));
    }
    while (!waiting_.empty() && !stepper_.is_stopped()) {
      for (BlockState& waiting : std::exchange(waiting_, {})) {
        block_ = std::move(waiting);
        stepper_.enter_block(block_);
        for (Thread& thread : block_.threads) {
          if (!is_living(thread)) continue;
          release(thread, 0);
          ++thread.clock.grids;
        }
        run_threads();
        if (waits_for_grid()) waiting_.push_back(std::move(block_));
      }
    }
  }

 private:
  using Group = std::vector<Thread*>;

  void start_block(std::int64_t linear) {
    const auto threads = static_cast<std::size_t>(count(launch_.block));
    block_ = {index_of(linear, launch_.grid),
              SharedMemory(kernel_, launch_),
              is_split_,
              std::vector<Thread>(is_split_ ? 1 : threads),
              std::vector(kernel_.slots.size(), std::vector(threads, poison_value(launch_))),
              {}};
    stepper_.enter_block(block_);
    for (std::size_t i = 0; i < block_.threads.size(); ++i) {
      block_.threads[i].linear = static_cast<std::int64_t>(i);
      stepper_.start(block_.threads[i], kernel_, parameters_);
    }
  }

  void run_threads() {
    for (;;) {
      if (launch_.last_thread_first)
        std::ranges::for_each(block_.threads | std::views::reverse, [&](Thread& thread) { run_turn(thread); });
      else
        std::ranges::for_each(block_.threads, [&](Thread& thread) { run_turn(thread); });
      if (stepper_.is_stopped() || std::ranges::none_of(block_.threads, is_living)) return;
      if (waits_for_grid()) return;
      const bool is_released =
          release_warps() || release_named_barriers() || release_barrier() || release_active_masks();
      if (!is_released && std::ranges::none_of(block_.threads, is_running)) report_endless_wait();
    }
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

  /// The living threads of the block, if they wait at one barrier; else none.
  Group threads_at_barrier() {
    Group living;
    for (Thread& thread : block_.threads) {
      if (is_living(thread)) living.push_back(&thread);
    }
    const auto is_here = [&](const Thread* t) { return is_waiting(*t) && are_together(*t, *living[0]); };
    if (living.empty() || !std::ranges::all_of(living, is_here)) return {};
    return info(living[0]->waits_at->builtin).effect == Effect::Barrier ? living : Group();
  }

  bool waits_for_grid() {
    const Group living = threads_at_barrier();
    return !living.empty() && living[0]->waits_at->builtin == BuiltinId::GridSync;
  }

  bool release_barrier() {
    const Group living = threads_at_barrier();
    if (living.empty()) return false;
    const BuiltinId builtin = living[0]->waits_at->builtin;
    const std::uint64_t result = builtin == BuiltinId::Syncthreads ? 0 : result_of_votes(builtin, living);
    for (Thread* thread : living) {
      release(*thread, result);
      ++thread->clock.barriers;
    }
    return true;
  }

  std::uint64_t result_of_votes(BuiltinId builtin, const Group& living) const {
    const auto holds = [&](const Thread* thread) { return operand(*thread, 0) != 0; };
    return barrier_result(builtin, std::ssize(living), std::ranges::count_if(living, holds));
  }

  bool release_warps() {
    bool is_released = false;
    for (Thread& thread : block_.threads) {
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
    const std::int64_t end = std::min<std::int64_t>(first + kWarpSize, std::ssize(block_.threads));
    for (std::int64_t i = first; i < end; ++i) {
      Thread& other = block_.threads[static_cast<std::size_t>(i)];
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
    const std::size_t threads = block_.threads.size();
    for (std::size_t first = 0; first < threads; first += kWarpSize) {
      const Group warp = warp_of(block_.threads[first]);
      const auto is_here = [&](const Thread* t) { return is_waiting(*t) && are_together(*t, *warp[0]); };
      if (warp.empty() || !std::ranges::all_of(warp, is_here) || !ir::is_named_barrier(warp[0]->waits_at)) continue;
      const std::uint64_t barrier = operand(*warp[0], 0);
      needed[barrier] = operand(*warp[0], 1);
      if (warp[0]->waits_at->builtin == BuiltinId::BarrierSync) {
        waiting[barrier].push_back(warp);
        continue;
      }
      block_.arrived[barrier] += kWarpSize;
      for (Thread* thread : warp) release(*thread, 0);
      is_released = true;
    }
    for (const auto& [barrier, count] : needed) {
      if (block_.arrived[barrier] + kWarpSize * waiting[barrier].size() < count) continue;
      block_.arrived[barrier] = 0;
      for (const Group& warp : waiting[barrier])
        for (Thread* thread : warp) release(*thread, 0);
      is_released = true;
    }
    return is_released;
  }

  /// activemask tells who runs it together: everybody who stands there once nobody of the warp can run.
  bool release_active_masks() {
    bool is_released = false;
    for (Thread& thread : block_.threads) {
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
    const auto first = std::ranges::find_if(block_.threads, is_waiting);
    const auto is_here = [&](const Thread& thread) { return is_waiting(thread) && are_together(thread, *first); };
    const auto here = std::ranges::count_if(block_.threads, is_here);
    const auto living = std::ranges::count_if(block_.threads, is_living);
    stepper_.report_error(*first, std::string(info(first->waits_at->builtin).name) + " is reached by " +
                                      std::to_string(here) + " of " + std::to_string(living) + " living threads");
  }

  const ir::Function& kernel_;
  const Launch& launch_;
  const std::vector<std::uint64_t>& parameters_;
  Stepper stepper_;
  const bool is_split_;
  BlockState block_;
  std::vector<BlockState> waiting_;  // for the grid
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
