#include "runtime/cpu/sanitizer/clocks.h"

#include <algorithm>

namespace pykc::cpu {

void Knowledge::join(const Knowledge& other) {
  of_blocks_.join(other.of_blocks_);
  of_threads_.join(other.of_threads_);
}

void Knowledge::join(const Knowledge& other, std::uint32_t block) {
  if (const Time all = other.of_blocks_.at(block); all != 0) of_blocks_.raise(block, all);
  of_threads_.join(other.of_threads_.part(number({block, 0}), kLevels));
}

bool Knowledge::has(ThreadId thread, Time time) const {
  return time < of_blocks_.at(thread.block) || time < of_threads_.at(number(thread));
}

void Clocks::begin_launch(bool is_cooperative) {
  launch_ = ++now_;
  grid_barriers_ = 0;
  is_cooperative_ = is_cooperative;
  current_ = nullptr;
  blocks_.clear();
  messages_.clear();
}

void Clocks::enter_block(std::uint32_t block, std::uint32_t threads) {
  number_ = block;
  if (!is_cooperative_) blocks_.clear();
  const auto [place, is_new] = blocks_.try_emplace(block);
  current_ = &place->second;
  if (!is_new) return;
  current_->begin = current_->barrier = ++now_;
  current_->threads.resize(threads);
  current_->warps.resize((threads + kLanes - 1) / kLanes);
}

bool Clocks::is_known(std::uint32_t thread, ThreadId other, Time time) const {
  if (time < launch_) return true;
  const Block& block = *current_;
  if (other.block == number_) {
    if (other.thread == thread || time < block.barrier) return true;
    if (other.thread / kLanes == thread / kLanes) {
      const Warp& warp = block.warps[thread / kLanes];
      if (time < warp.met) return true;
      if (warp.known && time < (*warp.known)[thread % kLanes][other.thread % kLanes]) return true;
    }
  }
  if (!block.heard.empty() && block.heard.has(other, time)) return true;
  const auto& heard = block.threads[thread].heard;
  return heard && heard->has(other, time);
}

void Clocks::arrive(std::uint32_t thread, std::uint32_t mask) {
  current_->warps[thread / kLanes].arrivals.push_back({thread % kLanes, mask});
}

void Clocks::meet_in_warps() {
  ++now_;
  for (std::uint32_t number = 0; number < warps(); ++number) {
    Warp& warp = current_->warps[number];
    if (warp.arrivals.empty()) continue;
    if (current_->has_heard) share_heard(number);
    const std::uint32_t size = std::min(kLanes, threads() - number * kLanes);
    const std::uint32_t all = size == kLanes ? ~0U : (1U << size) - 1;
    const bool is_whole = warp.arrivals.size() == size &&
                          std::ranges::all_of(warp.arrivals, [&](const Arrival& a) { return (a.mask & all) == all; });
    if (is_whole) {
      warp.met = now_;
      warp.known = nullptr;
    } else {
      if (!warp.known) warp.known = std::make_unique<std::array<Lanes, kLanes>>();
      const std::array<Lanes, kLanes> before = *warp.known;
      std::uint32_t here = 0;
      for (const Arrival& arrival : warp.arrivals) here |= 1U << arrival.lane;
      for (const Arrival& arrival : warp.arrivals)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          if ((arrival.mask & here & 1U << lane) == 0) continue;
          Lanes& mine = (*warp.known)[arrival.lane];
          for (std::uint32_t i = 0; i < kLanes; ++i) mine[i] = std::max(mine[i], before[lane][i]);
          mine[lane] = now_;
        }
    }
    warp.arrivals.clear();
  }
}

/// Lanes that meet know what any of them has heard.
void Clocks::share_heard(std::uint32_t number) {
  const std::vector<Arrival>& arrivals = current_->warps[number].arrivals;
  const auto heard = [&](std::uint32_t lane) -> std::unique_ptr<Knowledge>& {
    return current_->threads[number * kLanes + lane].heard;
  };
  std::vector<std::pair<std::uint32_t, Knowledge>> before;
  for (const Arrival& arrival : arrivals)
    if (heard(arrival.lane)) before.emplace_back(arrival.lane, *heard(arrival.lane));
  for (const Arrival& arrival : arrivals)
    for (const auto& [lane, knowledge] : before) {
      if (lane == arrival.lane || (arrival.mask >> lane & 1) == 0) continue;
      std::unique_ptr<Knowledge>& mine = heard(arrival.lane);
      if (!mine) mine = std::make_unique<Knowledge>();
      mine->join(knowledge);
    }
}

void Clocks::meet_in_block() {
  Block& block = *current_;
  block.barrier = ++now_;
  for (Warp& warp : block.warps) warp.known = nullptr;
  if (!block.has_heard) return;
  block.has_heard = false;
  for (Thread& thread : block.threads)
    for (std::unique_ptr<Knowledge>* heard : {&thread.heard, &thread.pending}) {
      if (*heard) block.heard.join(**heard);
      *heard = nullptr;
    }
}

/// The blocks are told of here one after the other, when all of them have come.
void Clocks::meet_in_grid() {
  meet_in_block();
  if (++current_->grid_barriers <= grid_barriers_) return;
  grid_barriers_ = current_->grid_barriers;
  launch_ = now_;
}

/// What the thread knows, and did, until now.
std::shared_ptr<const Knowledge> Clocks::view_of(std::uint32_t thread) {
  const Block& block = *current_;
  auto view = std::make_shared<Knowledge>(block.heard);
  if (block.threads[thread].heard) view->join(*block.threads[thread].heard);
  view->raise(number_, block.barrier);
  const Warp& warp = block.warps[thread / kLanes];
  const std::uint32_t first = thread / kLanes * kLanes;
  for (std::uint32_t lane = 0; lane < std::min(kLanes, threads() - first); ++lane) {
    const Time known = std::max(warp.met, warp.known ? (*warp.known)[thread % kLanes][lane] : 0);
    if (first + lane != thread && known > block.barrier) view->raise(ThreadId{number_, first + lane}, known);
  }
  view->raise(ThreadId{number_, thread}, ++now_);
  return view;
}

void Clocks::fence(std::uint32_t number, bool is_for_block) {
  Thread& thread = current_->threads[number];
  if (thread.pending) {
    if (!thread.heard) thread.heard = std::make_unique<Knowledge>();
    if (is_for_block)
      thread.heard->join(*thread.pending, number_);
    else
      thread.heard->join(*thread.pending);
    if (!is_for_block) thread.pending = nullptr;
  }
  thread.fenced.block = view_of(number);
  if (!is_for_block) thread.fenced.device = thread.fenced.block;
}

void Clocks::hear(std::uint32_t number, const Message& message, bool acquires) {
  Thread& thread = current_->threads[number];
  std::unique_ptr<Knowledge>& into = acquires ? thread.heard : thread.pending;
  for (const auto& [view, is_for_me] :
       {std::pair(message.views.device, true), std::pair(message.views.block, message.block == number_)}) {
    if (!view || !is_for_me) continue;
    if (!into) into = std::make_unique<Knowledge>();
    into->join(*view);
    current_->has_heard = true;
  }
}

void Clocks::atomic(std::uint32_t number, const void* address, Atomic access) {
  const auto found = messages_.find(address);
  if (access.hears && found != messages_.end()) hear(number, found->second, access.acquires);
  if (!access.writes) return;
  Views told = current_->threads[number].fenced;
  if (access.releases) told.block = told.device = view_of(number);
  if (access.is_for_block) told.device = nullptr;
  if (!told.block && !told.device) {
    // A plain store ends what was told by the values before it; a change of the value hands that on.
    if (!access.reads && found != messages_.end()) messages_.erase(found);
    return;
  }
  Message& message = messages_[address];
  const auto add = [&](std::shared_ptr<const Knowledge>& to, const std::shared_ptr<const Knowledge>& from) {
    if (!access.reads || !to || !from) {
      if (from || !access.reads) to = from;
      return;
    }
    auto both = std::make_shared<Knowledge>(*to);
    both->join(*from);
    to = both;
  };
  if (message.block != number_) message.views.block = nullptr;
  message.block = number_;
  add(message.views.device, told.device);
  add(message.views.block, told.block);
}

}  // namespace pykc::cpu
