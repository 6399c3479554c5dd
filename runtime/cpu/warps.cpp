// One thread runs a block: a warp runs until it waits, then the next that need not wait, round and round. A warp that
// comes last to a barrier lets those that wait there run, and goes on. So nothing here is locked, and nothing that one
// warp does is seen half done by another.
//
// When the launch ends early, by a fault or because it is stopped, the warps that wait are left where they are: what
// kernels have on their stacks needs no clearing away.
#include "runtime/cpu/warps.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>

#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/fiber.h"

namespace pykc::cpu {
namespace {

constexpr std::int64_t kThreadsOfWarp = 32;
constexpr std::int64_t kThreadsOfBlock = 1024;  // at most

std::int64_t warps_of(const abi::CpuLaunch& launch) {
  return (launch.block[0] * launch.block[1] * launch.block[2] + kThreadsOfWarp - 1) / kThreadsOfWarp;
}

/// The warps of which one runs on this thread, or null.
Warps*& running() {
  thread_local Warps* warps = nullptr;
  return warps;
}

void set_index(std::span<std::int32_t, 3> index, std::int64_t linear, std::span<const std::int64_t, 3> extents) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    index[axis] = static_cast<std::int32_t>(linear % extents[axis]);
    linear /= extents[axis];
  }
}

}  // namespace

struct Warps::Warp {
  enum class State : std::uint8_t { Runs, WaitsForBlock, WaitsAtBarrier, WaitsForGrid, HasEnded };
  explicit Warp(std::int64_t number) : first_thread(number * kThreadsOfWarp) {}

  Fiber fiber;
  const std::int64_t first_thread;
  const Warps* block = nullptr;
  State state = State::HasEnded;
  Place place{};             // where it waits
  std::int32_t barrier = 0;  // the one at which it waits
};

Warps::Warps() = default;
Warps::~Warps() = default;

bool Warps::prepare(const abi::CpuLaunch& launch) try {
  count_ = static_cast<std::size_t>(warps_of(launch));
  while (all_.size() < count_) {
    auto warp = std::make_unique<Warp>(std::ssize(all_));
    if (!warp->fiber.has_stack()) return false;
    all_.push_back(std::move(warp));
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;  // the thread may be one on which nobody else catches it
}

void Warps::run(abi::CpuKernel kernel, const abi::CpuLaunch& launch, char* shared, char* scratch, std::int64_t block) {
  kernel_ = kernel;
  launch_ = &launch;
  shared_ = shared;
  scratch_ = scratch;
  block_ = block;
  start();
  while (living_ > 0 && !is_over()) {
    if (let_run() || is_over()) continue;
    if (at_grid_barrier_ < living_) return report_endless_wait();
    wait_for_grid();
    open_grid_barrier();
  }
}

void Warps::start() {
  living_ = static_cast<std::int64_t>(count_);
  at_block_barrier_ = at_grid_barrier_ = votes_ = 0;
  barriers_ = {};
  for (std::size_t i = 0; i < count_; ++i) {
    Warp& warp = *all_[i];
    warp.block = this;
    warp.state = Warp::State::Runs;
    warp.fiber.start(
        [](void* started) {
          const Warp& self = *static_cast<Warp*>(started);
          const Warps& of = *self.block;
          of.kernel_(of.launch_, of.shared_, of.scratch_, of.block_, self.first_thread);
        },
        &warp);
  }
}

/// Gives each warp that need not wait a turn; whether there was any.
bool Warps::let_run() {
  bool has_run = false;
  for (std::size_t i = 0; i < count_ && !is_over(); ++i) {
    Warp& warp = *all_[i];
    if (warp.state != Warp::State::Runs) continue;
    has_run = true;
    resume(warp);
    if (warp.fiber.is_done()) end(warp);
  }
  return has_run;
}

/// Not inlined: between two calls the block may have come to another thread, whose variables are elsewhere.
[[gnu::noinline]] void Warps::resume(Warp& warp) {
  current_ = &warp;
  running() = this;
  warp.fiber.run();
  running() = nullptr;
}

void Warps::end(Warp& warp) {
  warp.state = Warp::State::HasEnded;
  if (--living_ > 0 && at_block_barrier_ == living_) open_block_barrier();
}

void Warps::open_block_barrier() {
  result_ = votes_;
  votes_ = at_block_barrier_ = 0;
  for (std::size_t i = 0; i < count_; ++i)
    if (all_[i]->state == Warp::State::WaitsForBlock) all_[i]->state = Warp::State::Runs;
}

void Warps::open_grid_barrier() {
  at_grid_barrier_ = 0;
  for (std::size_t i = 0; i < count_; ++i)
    if (all_[i]->state == Warp::State::WaitsForGrid) all_[i]->state = Warp::State::Runs;
}

// --- What warps call ------------------------------------------------------------------------------------------------

std::int64_t Warps::sync_block(std::int64_t votes, Place place) {
  votes_ += votes;
  current_->state = Warp::State::WaitsForBlock;
  if (++at_block_barrier_ == living_)
    open_block_barrier();
  else
    wait(place);
  return result_;
}

void Warps::meet_at_barrier(bool waits, std::int32_t id, std::int32_t count, Place place) {
  if (id < 1 || id >= kBarriers || count < kThreadsOfWarp || count > kThreadsOfBlock || count % kThreadsOfWarp != 0)
    return fail(place, abi::BarrierFault::NoSuchBarrier, {id, count, 0});
  NamedBarrier& barrier = barriers_[static_cast<std::size_t>(id)];
  if (barrier.arrived > 0 && barrier.count != count)
    return fail(place, abi::BarrierFault::OtherCount, {id, count, barrier.count});
  barrier.count = count;
  barrier.arrived += kThreadsOfWarp;
  if (barrier.arrived == count) {
    barrier.arrived = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (all_[i]->state == Warp::State::WaitsAtBarrier && all_[i]->barrier == id) all_[i]->state = Warp::State::Runs;
  } else if (waits) {
    current_->state = Warp::State::WaitsAtBarrier;
    current_->barrier = id;
    wait(place);
  }
}

void Warps::sync_grid() {
  current_->state = Warp::State::WaitsForGrid;
  ++at_grid_barrier_;
  current_->fiber.wait();
}

void Warps::wait_turn() { current_->fiber.wait(); }

/// Where the launch is to stop, the warp tells where it stands.
void Warps::wait(Place place) {
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
  set_index(record.block, block_, launch_->grid);
  set_index(record.thread, warp.first_thread, launch_->block);
  std::ranges::copy(values, record.values);
  std::atomic_ref(record.ready).store(1, std::memory_order_release);
}

/// The warp that runs does not go on.
void Warps::fail(Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values) {
  report(*current_, place, what, values);
  current_->fiber.wait();
}

/// Of a warp at a named barrier, if there is any: that one lacks somebody.
void Warps::report_endless_wait() {
  const auto waits = [this](Warp::State how) {
    return std::find_if(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_),
                        [&](const auto& warp) { return warp->state == how; });
  };
  const auto none = all_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (const auto warp = waits(Warp::State::WaitsAtBarrier); warp != none) {
    const std::int32_t id = (*warp)->barrier;
    const NamedBarrier& barrier = barriers_[static_cast<std::size_t>(id)];
    return report(**warp, (*warp)->place, abi::BarrierFault::Endless, {id, barrier.count, barrier.arrived});
  }
  const auto warp = waits(Warp::State::WaitsForBlock);
  report(**warp, (*warp)->place, abi::BarrierFault::Endless, {});
}

// --- What kernels call ----------------------------------------------------------------------------------------------

std::int64_t sync_block(std::int64_t votes, std::int32_t kernel, std::int32_t site) {
  return running()->sync_block(votes, {kernel, site});
}

void meet_at_barrier(std::int32_t waits, std::int32_t id, std::int32_t count, std::int32_t kernel, std::int32_t site) {
  running()->meet_at_barrier(waits != 0, id, count, {kernel, site});
}

void wait_turn() { running()->wait_turn(); }

void sync_grid() {
  if (running() == nullptr) return wait_for_grid();
  running()->sync_grid();
}

}  // namespace pykc::cpu
