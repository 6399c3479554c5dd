// One thread runs a cluster: a warp runs until it waits, then the next that need not wait, round and round. A warp that
// comes last to a barrier lets those that wait there run, and goes on. So nothing here is locked, and nothing that one
// warp does is seen half done by another.
//
// When the launch ends early, by a fault or because it is stopped, the warps that wait are left where they are: what
// kernels have on their stacks needs no clearing away.
#include "runtime/cpu/warps.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/fiber.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kThreadsOfWarp = 32;
constexpr std::int64_t kThreadsOfBlock = 1024;  // at most
// Warps that do nothing but look, in loops with wait_turn, whether others have written something do so for ever where
// nobody does. After so long shared memory is compared, turn by turn, for so many rounds: where nothing changes,
// nothing will.
constexpr std::chrono::seconds kLooking{5};
constexpr std::int64_t kComparedRounds = 1000, kRoundsByTheClock = 1 << 16;

std::int64_t warps_of(const abi::CpuLaunch& launch) {
  return (launch.block[0] * launch.block[1] * launch.block[2] + kThreadsOfWarp - 1) / kThreadsOfWarp;
}

/// The warps of which one runs on this thread, or null.
Warps*& running() {
  thread_local Warps* warps = nullptr;
  return warps;
}

Dim3 dimensions(const std::int64_t (&extents)[3]) { return {extents[0], extents[1], extents[2]}; }

// Numbers count along x first.
Dim3 place_of(std::int64_t number, Dim3 extents) {
  return {number % extents.x, number / extents.x % extents.y, number / (extents.x * extents.y)};
}
std::int64_t number_of(Dim3 place, Dim3 extents) { return place.x + extents.x * (place.y + extents.y * place.z); }

void set_index(std::int32_t (&index)[3], Dim3 place) {
  index[0] = static_cast<std::int32_t>(place.x);
  index[1] = static_cast<std::int32_t>(place.y);
  index[2] = static_cast<std::int32_t>(place.z);
}

}  // namespace

struct Warps::Warp {
  Fiber fiber;
  Warps* cluster = nullptr;
  std::size_t rank = 0;  // of its block
  std::int64_t first_thread = 0;
  State state = State::HasEnded;
  Place place{};             // where it waits
  std::int32_t barrier = 0;  // the one at which it waits
  std::int64_t phase = 0;    // of the cluster's barrier, at which it arrives next
  bool has_arrived = false;  // there, and has not waited since
};

Warps::Warps() = default;
Warps::~Warps() = default;

bool Warps::prepare(const abi::CpuLaunch& launch, Dim3 cluster) try {
  extents_ = cluster;
  blocks_.resize(static_cast<std::size_t>(cluster.x * cluster.y * cluster.z));
  count_ = static_cast<std::size_t>(warps_of(launch)) * blocks_.size();
  while (all_.size() < count_) {
    auto warp = std::make_unique<Warp>();
    if (!warp->fiber.has_stack()) return false;
    all_.push_back(std::move(warp));
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;  // the thread may be one on which nobody else catches it
}

void Warps::run(abi::CpuKernel kernel, const abi::CpuLaunch& launch, ClusterMemory memory, std::int64_t cluster) {
  kernel_ = kernel;
  launch_ = &launch;
  memory_ = memory;
  start(cluster);
  while (living_ > 0 && !is_over()) {
    if (let_run() || is_over()) continue;
    if (at_grid_barrier_ < living_) return report_endless_wait();
    wait_for_grid();
    open_grid_barrier();
  }
}

void Warps::start(std::int64_t cluster) {
  living_ = static_cast<std::int64_t>(count_);
  note_progress();
  in_cluster_ = phase_ = at_grid_barrier_ = 0;
  const Dim3 grid = dimensions(launch_->grid);
  const Dim3 first = place_of(cluster, {grid.x / extents_.x, grid.y / extents_.y, grid.z / extents_.z});
  const std::int64_t warps = living_ / blocks();
  for (std::int64_t rank = 0; rank < blocks(); ++rank) {
    const Dim3 inside = place_of(rank, extents_);
    const Dim3 place{first.x * extents_.x + inside.x, first.y * extents_.y + inside.y, first.z * extents_.z + inside.z};
    blocks_[static_cast<std::size_t>(rank)] = {.number = number_of(place, grid), .living = warps};
  }
  for (std::size_t i = 0; i < count_; ++i) {
    Warp& warp = *all_[i];
    warp.cluster = this;
    warp.rank = i / static_cast<std::size_t>(warps);
    warp.first_thread = static_cast<std::int64_t>(i) % warps * kThreadsOfWarp;
    warp.state = State::Runs;
    warp.phase = 0;
    warp.has_arrived = false;
    warp.fiber.start(
        [](void* started) {
          const Warp& self = *static_cast<Warp*>(started);
          const Warps& of = *self.cluster;
          const auto rank = static_cast<std::int64_t>(self.rank);
          of.kernel_(of.launch_, of.memory_.shared + rank * of.memory_.shared_bytes,
                     of.memory_.scratch + rank * of.memory_.scratch_bytes, of.blocks_[self.rank].number,
                     self.first_thread);
        },
        &warp);
  }
}

/// Gives each warp that need not wait a turn; whether there was any.
bool Warps::let_run() {
  bool has_run = false;
  for (std::size_t i = 0; i < count_ && !is_over(); ++i) {
    Warp& warp = *all_[i];
    if (warp.state != State::Runs) continue;
    has_run = true;
    resume(warp);
    if (warp.fiber.is_done() || warp.state != State::Runs || has_changed()) note_progress();
    if (warp.fiber.is_done()) end(warp);
  }
  look_for_endless_looking();
  return has_run;
}

void Warps::note_progress() {
  idle_rounds_ = 0;
  seen_.clear();
}

bool Warps::has_changed() const { return !std::equal(seen_.begin(), seen_.end(), memory_.shared); }

/// Behind a round. A launch in which nobody goes on is asked to stop: the loop that sees it first says where it stands.
void Warps::look_for_endless_looking() try {
  if (++idle_rounds_ % kRoundsByTheClock != 0 && seen_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  if (idle_rounds_ == kRoundsByTheClock) idle_since_ = now;
  if (!seen_.empty() && idle_rounds_ == compared_until_) {
    std::int32_t running = 0;
    std::atomic_ref(launch_->fault->claimed).compare_exchange_strong(running, abi::kStopAsked);
  } else if (seen_.empty() && now - idle_since_ > kLooking && idle_rounds_ > kRoundsByTheClock) {
    seen_.assign(memory_.shared, memory_.shared + memory_.shared_bytes * blocks());
    compared_until_ = idle_rounds_ + kComparedRounds;
  }
} catch (const std::bad_alloc&) {
  note_progress();  // looks again later
}

/// Not inlined: between two calls the block may have come to another thread, whose variables are elsewhere.
[[gnu::noinline]] void Warps::resume(Warp& warp) {
  current_ = &warp;
  running() = this;
  warp.fiber.run();
  running() = nullptr;
}

void Warps::end(Warp& warp) {
  warp.state = State::HasEnded;
  --living_;
  Block& block = blocks_[warp.rank];
  if (--block.living > 0 && block.at_barrier == block.living) open_block_barrier(block);
  if (warp.has_arrived && warp.phase == phase_) --in_cluster_;
  if (living_ > 0 && in_cluster_ == living_) open_cluster_barrier();
}

template <typename Which>
void Warps::let_go_on(State waiting, Which which) {
  for (std::size_t i = 0; i < count_; ++i)
    if (all_[i]->state == waiting && which(*all_[i])) all_[i]->state = State::Runs;
}

void Warps::open_block_barrier(Block& block) {
  block.result = block.votes;
  block.votes = block.at_barrier = 0;
  let_go_on(State::WaitsForBlock, [&](const Warp& warp) { return &blocks_[warp.rank] == &block; });
}

void Warps::open_cluster_barrier() {
  in_cluster_ = 0;
  ++phase_;
  let_go_on(State::WaitsForCluster, [](const Warp&) { return true; });
}

void Warps::open_grid_barrier() {
  at_grid_barrier_ = 0;
  let_go_on(State::WaitsForGrid, [](const Warp&) { return true; });
}

// --- What warps call ------------------------------------------------------------------------------------------------

std::int64_t Warps::sync_block(std::int64_t votes, Place place) {
  Block& block = blocks_[current_->rank];
  block.votes += votes;
  if (++block.at_barrier == block.living)
    open_block_barrier(block);
  else
    wait(State::WaitsForBlock, place);
  return block.result;
}

void Warps::meet_at_barrier(bool waits, std::int32_t id, std::int32_t count, Place place) {
  if (id < 1 || id >= kBarriers || count < kThreadsOfWarp || count > kThreadsOfBlock || count % kThreadsOfWarp != 0)
    return fail(place, abi::BarrierFault::NoSuchBarrier, {id, count, 0});
  const std::size_t rank = current_->rank;
  NamedBarrier& barrier = blocks_[rank].barriers[static_cast<std::size_t>(id)];
  if (barrier.arrived > 0 && barrier.count != count)
    return fail(place, abi::BarrierFault::OtherCount, {id, count, barrier.count});
  barrier.count = count;
  barrier.arrived += kThreadsOfWarp;
  if (barrier.arrived == count) {
    barrier.arrived = 0;
    let_go_on(State::WaitsAtBarrier, [&](const Warp& warp) { return warp.rank == rank && warp.barrier == id; });
  } else if (waits) {
    current_->barrier = id;
    wait(State::WaitsAtBarrier, place);
  }
}

void Warps::meet_in_cluster(bool arrives, bool waits, Place place) {
  Warp& warp = *current_;
  if (arrives == warp.has_arrived) return fail(place, abi::BarrierFault::OutOfTurn, {});
  if (arrives) {
    warp.has_arrived = true;
    warp.phase = phase_;
    if (++in_cluster_ == living_) open_cluster_barrier();
  }
  if (!waits) return;
  if (warp.phase == phase_) wait(State::WaitsForCluster, place);
  warp.has_arrived = false;
}

void Warps::sync_grid() {
  current_->state = State::WaitsForGrid;
  ++at_grid_barrier_;
  current_->fiber.wait();
}

void Warps::wait_turn() { current_->fiber.wait(); }

std::int64_t Warps::rank() const { return static_cast<std::int64_t>(current_->rank); }

char* Warps::memory_of(char* shared, std::int64_t rank) const {
  return shared + (rank - this->rank()) * memory_.shared_bytes;
}

/// Where the launch is to stop, the warp tells where it stands.
void Warps::wait(State how, Place place) {
  current_->state = how;
  current_->place = place;
  if (std::atomic_ref(launch_->fault->claimed).load(std::memory_order_relaxed) == abi::kStopAsked)
    report(*current_, place, abi::BarrierFault::Endless, {});
  current_->fiber.wait();
}

// --- What goes wrong ------------------------------------------------------------------------------------------------

/// Whether nobody goes on. A launch that is asked to stop goes on until somebody has said where.
bool Warps::is_over() const {
  const std::int32_t claimed = std::atomic_ref(launch_->fault->claimed).load(std::memory_order_relaxed);
  return claimed != 0 && claimed != abi::kStopAsked;
}

/// Reports a fault of the warp, or, where the launch is to stop, that it stands there.
void Warps::report(const Warp& warp, Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values) {
  abi::FaultRecord& record = *launch_->fault;
  const auto claim = [&](std::int32_t from, std::int32_t to) {
    return std::atomic_ref(record.claimed).compare_exchange_strong(from, to);
  };
  if (!claim(0, 1) && !claim(abi::kStopAsked, abi::kStopSeen)) return;
  record.kernel = place.kernel;
  record.site = place.site + static_cast<std::int32_t>(what);
  set_index(record.block, place_of(blocks_[warp.rank].number, dimensions(launch_->grid)));
  set_index(record.thread, place_of(warp.first_thread, dimensions(launch_->block)));
  std::ranges::copy(values, record.values);
  std::atomic_ref(record.ready).store(1, std::memory_order_release);
}

/// The warp that runs does not go on.
void Warps::fail(Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values) {
  report(*current_, place, what, values);
  current_->fiber.wait();
}

/// Of a warp at a named barrier, if there is any: that one lacks somebody. A block's comes before the cluster's.
void Warps::report_endless_wait() {
  const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count_);
  for (const State how : {State::WaitsAtBarrier, State::WaitsForBlock, State::WaitsForCluster}) {
    const auto warp = std::find_if(all_.begin(), end, [&](const auto& waiting) { return waiting->state == how; });
    if (warp == end) continue;
    const std::int32_t id = (*warp)->barrier;
    const NamedBarrier& barrier = blocks_[(*warp)->rank].barriers[static_cast<std::size_t>(id)];
    return report(**warp, (*warp)->place, abi::BarrierFault::Endless, {id, barrier.count, barrier.arrived});
  }
}

// --- What kernels call ----------------------------------------------------------------------------------------------

std::int64_t sync_block(std::int64_t votes, std::int32_t kernel, std::int32_t site) {
  return running()->sync_block(votes, {kernel, site});
}

void meet_at_barrier(std::int32_t waits, std::int32_t id, std::int32_t count, std::int32_t kernel, std::int32_t site) {
  running()->meet_at_barrier(waits != 0, id, count, {kernel, site});
}

void meet_in_cluster(std::int32_t arrives, std::int32_t waits, std::int32_t kernel, std::int32_t site) {
  running()->meet_in_cluster(arrives != 0, waits != 0, {kernel, site});
}

std::int64_t rank_in_cluster() { return running()->rank(); }
std::int64_t blocks_of_cluster() { return running()->blocks(); }
char* memory_in_cluster(char* shared, std::int64_t rank) { return running()->memory_of(shared, rank); }

void wait_turn() { running()->wait_turn(); }

void sync_grid() {
  if (running() == nullptr) return wait_for_grid();
  running()->sync_grid();
}

}  // namespace pykc::cpu
