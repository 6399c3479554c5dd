// Watches the launches of kernels that are compiled with CompileOptions::sanitize (pykc/sanitize.h).
//
// Each access is held against those that touched its element before: a race is two of them of which one writes, not
// both are atomic, and the later thread does not know of the earlier access (clocks.h). So a race is found whatever the
// order in which the threads happened to run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/observer.h"
#include "runtime/cpu/sanitizer/alike_blocks.h"
#include "runtime/cpu/sanitizer/array_watch.h"
#include "runtime/cpu/sanitizer/async_copies.h"
#include "runtime/cpu/sanitizer/clocks.h"
#include "runtime/cpu/sanitizer/local_arrays.h"
#include "runtime/cpu/sanitizer/objects.h"
#include "runtime/cpu/sanitizer/shadow.h"

namespace pykc::cpu {

/// What two threads have in common.
enum class Reach : std::uint8_t { Warp, Block, Grid };
inline Reach reach_of(ThreadId a, ThreadId b) {
  if (a.block != b.block) return Reach::Grid;
  return a.thread / kLanes == b.thread / kLanes ? Reach::Warp : Reach::Block;
}

/// Something that is wrong, the first of its kind between two lines.
struct Finding {
  enum class Kind : std::uint8_t { Race, SameValue, Uninitialised, MissingLane, DifferentMasks, Freed, Misaligned };
  Kind kind;
  std::uint32_t site = 0;  // in WatchedKernel::sites
  ThreadId thread = {};
  std::uint32_t other_site = 0;  // Race: of the access before
  ThreadId other = {};           // Race: who that was; MissingLane: who is missing; DifferentMasks: who differs
  std::uintptr_t address = 0;
  std::int64_t local = -1;  // Uninitialised: the local array that `address` counts from; -1: none
};

class Sanitizer final : public Observer {
 public:
  explicit Sanitizer(ArrayWatch& watch) : watch_(watch) {}
  Sanitizer(const Sanitizer&) = delete;
  Sanitizer& operator=(const Sanitizer&) = delete;

  /// `work`, which may be null, is told what the launch touches.
  void begin(const KernelInfo& kernel, const abi::CpuLaunch& launch, std::int64_t blocks, StreamWork* work);
  /// Where the blocks that run now have their shared memory.
  void set_shared_memory(const void* memory, std::int64_t bytes);
  void end();

  struct Found {
    Finding finding;
    std::int64_t times;
    Reach reach;  // the widest of them
  };
  /// What was found between begin() and end(), in the order in which it happened, and how often.
  const std::vector<Found>& found() const { return found_; }
  const Objects& objects() const { return objects_; }
  /// Whether another launch of that kind, with other data, could not have been found to do anything else.
  bool is_settled() const { return is_settled_[kForLaunch]; }
  /// Which blocks are to be watched first. When these have run, and before end(): whether the others need not be.
  AlikeBlocks& alike() { return alike_; }
  bool may_leave_others();
  void lose_sight() override { is_settled_ = {}; }

  void observe(ThreadId thread, std::uint32_t number, const void* address, std::uint64_t value) override;
  void meet(std::uint32_t block, abi::Meeting meeting) override;

 private:
  /// What the loop over accesses wants of a site, in few bytes.
  struct Site {
    ObservedSite::Kind kind;
    bool reads, writes, may_write, is_atomic, is_shared, is_local, is_packed, is_for_block, is_dropped, is_async;
    std::array<bool, kStandings> is_known;  // whether and where it happens
    std::uint8_t bytes;
    bool is_seen = false;
    Object* object = nullptr;  // the last that it was at
  };
  using Line = std::pair<std::string, int>;  // of a file
  Line line_of(std::uint32_t site) const;
  void enter(ThreadId thread);
  void access(ThreadId thread, std::uint32_t number, Site& site, std::uintptr_t address, std::uint64_t value);
  bool joins_readers(Cell& cell, const Access& access, const Site& site);
  void touch(Cell& cell, const Access& access, const Site& site, std::uintptr_t address, bool same_value);
  bool has_observed(const Cell& cell, ThreadId thread, const Access& before) const;
  void remember(Cell& cell, const Access& access, const Site& site, bool has_note);
  void keep_other(Cell& cell, const Access& other, ThreadId than);
  void note(Object& object, const Site& site);
  void note(Object& object, const Site& site, Standing standing);
  void tell_alike(std::uint32_t number, const Site& site, std::uintptr_t address);
  void unsettle_unless_known(const Site& site);
  bool may_stand(Standing standing) const;
  bool has_unseen_doubt(Standing standing) const;
  void look_at_values(ThreadId thread, std::uint32_t number, Object& object, std::uintptr_t address);
  void access_local(ThreadId thread, std::uint32_t number, std::uintptr_t address);
  void land(ThreadId thread, AsyncCopies::Copy copy);
  void land_all();
  void show(std::uintptr_t address);
  void check_lanes();
  void check_return(ThreadId thread);
  void add_misaligned(ThreadId thread, std::uint32_t number, std::uintptr_t address);
  bool is_known(ThreadId thread, const Access& before, const Site& site) const;
  bool conflicts(const Access& before, const Access& now, const Site& site) const;
  bool is_ignored(const Finding& finding) const;
  std::size_t number_of(const Finding& finding, const Object* object);
  bool add(const Finding& finding);

  const KernelInfo* kernel_ = nullptr;
  Sanitize looks_for_;
  std::uint32_t threads_ = 0;  // of a block
  std::vector<Site> sites_;
  Clocks clocks_;
  Shadow shadow_;
  ArrayWatch& watch_;
  StreamWork* work_ = nullptr;
  Objects objects_;
  LocalArrays locals_;
  std::array<bool, kStandings> is_settled_ = {};
  AlikeBlocks alike_;
  bool keeps_all_ = false;  // of the accesses to an element
  /// A lane that an operation of its warp names and that did not come. It may have ended; if not, that is an error.
  struct Missed {
    std::uint32_t site, by;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Missed> missed_;  // by block and thread
  AsyncCopies copies_;
  std::uint32_t warp_site_ = 0;  // of the arrivals
  std::vector<Found> found_;
  using Key = std::tuple<Finding::Kind, std::string, Line, Line>;  // the object, the lines
  std::map<Key, std::size_t> known_;                               // places in found_
  /// The same by what is at hand, since a kernel may do wrong at each of a million elements.
  using Sites = std::tuple<Finding::Kind, std::uint32_t, std::uint32_t, const Object*, std::int64_t>;
  std::map<Sites, std::size_t> numbers_;
};

}  // namespace pykc::cpu
