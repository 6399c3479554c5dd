// What of a launch has happened before what, as far as its threads can know.
//
// A sanitized launch runs on one thread of the host, so there is one clock, whose time goes on where something orders
// threads: a barrier, an operation of a warp, the release of a message. An access has the time at which it happened
// and its thread; another thread knows of it where the time lies before one that it has been told of. This is the
// happens-before of FastTrack (Flanagan and Freund, PLDI 2009), with one number for all that met at a barrier in the
// place of a clock for each thread.
//
//   barrier      what the block did before it, all of its threads know from then on
//   warp         the same for the lanes that meet
//   message      what a thread knew at its last fence goes into what it then writes by an atomic access (or, without a
//                fence, by one that releases), and to those that read that value and then fence (or acquire); as the
//                PTX memory model has it, but that a barrier of the block counts as a fence of those who wait at it
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/cpu/observer.h"
#include "runtime/cpu/sanitizer/times.h"

namespace pykc::cpu {

/// What is known of the threads of other blocks, or of one's own block beyond its barriers. Copies are cheap (times.h).
class Knowledge {
 public:
  bool empty() const { return of_blocks_.empty() && of_threads_.empty(); }
  /// All that a block, or a thread, did before a time is known.
  void raise(std::uint32_t block, Time time) { of_blocks_.raise(block, time); }
  void raise(ThreadId thread, Time time) { of_threads_.raise(number(thread), time); }
  void join(const Knowledge& other);
  /// Only what the other knows of one block.
  void join(const Knowledge& other, std::uint32_t block);
  bool has(ThreadId thread, Time time) const;

 private:
  static constexpr int kLevels = 4;  // of Times, which hold 4096 numbers: more than a block has threads
  static std::uint64_t number(ThreadId thread) { return std::uint64_t{thread.block} << 12 | thread.thread; }
  Times of_blocks_, of_threads_;
};

class Clocks {
 public:
  void begin_launch(bool is_cooperative);
  /// Whoever is told of next is of this block. Those of a cooperative launch alternate, others end before the next.
  void enter_block(std::uint32_t block, std::uint32_t threads);
  std::uint32_t block() const { return number_; }
  bool is_in_block(std::uint32_t block) const { return current_ != nullptr && number_ == block; }

  Time now() const { return now_; }
  /// Whether all threads of the launch know of what happened at a time.
  bool is_known_to_all(Time time) const { return time < launch_; }
  Time last_grid_barrier() const { return launch_; }
  /// Of the current block.
  Time last_barrier() const { return current_->barrier; }
  /// When the current block began.
  Time block_begin() const { return current_->begin; }
  /// Whether the thread, of the current block, knows of what `other` did at `time`.
  bool is_known(std::uint32_t thread, ThreadId other, Time time) const;

  /// A lane of the current block comes to an operation of its warp.
  void arrive(std::uint32_t thread, std::uint32_t mask);
  /// Those that have arrived have met.
  void meet_in_warps();
  void meet_in_block();
  void meet_in_grid();

  void fence(std::uint32_t thread, bool is_for_block);
  /// An atomic access of the current block to `address`.
  struct Atomic {
    bool reads, writes, acquires, releases, is_for_block;
    bool hears;  // who looks at what it reads knows what the writer knew
  };
  void atomic(std::uint32_t thread, const void* address, Atomic access);

  struct Arrival {
    std::uint32_t lane, mask;
  };
  /// Those of the warp that have arrived and not met yet.
  const std::vector<Arrival>& arrivals(std::uint32_t warp) const { return current_->warps[warp].arrivals; }
  std::uint32_t warps() const { return static_cast<std::uint32_t>(current_->warps.size()); }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(current_->threads.size()); }

 private:
  using Lanes = std::array<Time, kLanes>;
  struct Warp {
    Time met = 0;                                      // all lanes know of all before it
    std::unique_ptr<std::array<Lanes, kLanes>> known;  // what each lane knows of each, where fewer have met
    std::vector<Arrival> arrivals;
  };
  /// What a fence has made ready to be told, for the device or only for the block.
  struct Views {
    std::shared_ptr<const Knowledge> device, block;
  };
  struct Thread {
    Views fenced;
    std::unique_ptr<Knowledge> heard, pending;  // what it knows; what it will know after a fence
  };
  struct Block {
    Time begin = 0, barrier = 0;
    std::vector<Warp> warps;
    std::vector<Thread> threads;
    Knowledge heard;                 // of all its threads
    bool has_heard = false;          // whether a thread has heard anything since the last barrier
    std::int64_t grid_barriers = 0;  // behind it
  };
  struct Message {
    std::uint32_t block = 0;  // who the view for a block is for
    Views views;
  };

  std::shared_ptr<const Knowledge> view_of(std::uint32_t thread);
  void hear(std::uint32_t thread, const Message& message, bool acquires);
  void share_heard(std::uint32_t warp);

  Time now_ = 1;
  Time launch_ = 1;  // since then, what happened is not known to all: the last barrier of the grid, or the begin
  std::int64_t grid_barriers_ = 0;
  bool is_cooperative_ = false;
  std::uint32_t number_ = 0;
  Block* current_ = nullptr;
  std::unordered_map<std::uint32_t, Block> blocks_;
  std::unordered_map<const void*, Message> messages_;
};

}  // namespace pykc::cpu
