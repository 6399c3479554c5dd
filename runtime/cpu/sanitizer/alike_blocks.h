// Which blocks of a launch need not be watched, since one has been that does the same at other places.
//
// A block goes the way of another where every comparison comes out as it did there. What is compared moves by numbers
// that the launch has once (ir/instrument/block_motion.h), so it is enough to keep, of each comparison of a block that
// is watched, how far it was from coming out otherwise. Such blocks have the same faults in shared memory, or none; and
// none races with another, where what the one writes in global memory, moved along, the other does not touch.
//
//   AlikeBlocks alike;
//   alike.begin(kernel, launch, blocks);
//   while (std::optional<std::int64_t> block = alike.next()) … watch it, telling of steps, guards and accesses …
//   if (alike.are_apart(objects)) … the others may run as they are …
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/sanitizer/objects.h"

namespace pykc::cpu {

class AlikeBlocks {
 public:
  void begin(const KernelInfo& kernel, const abi::CpuLaunch& launch, std::int64_t blocks);
  /// Each block is to be watched from here on.
  void give_up() { is_looking_ = false; }
  bool is_looking() const { return is_looking_; }

  /// A block that goes another way than all that were watched; it is to be watched next. Nothing where there is none,
  /// or where so many go ways of their own that they all may as well be watched.
  std::optional<std::int64_t> next();
  bool was_watched(std::int64_t block) const;
  /// Runs of blocks that have not been watched.
  std::vector<std::pair<std::int64_t, std::int64_t>> others() const;

  // What the block does that is being watched. Of accesses, those at places that are alike.
  void step(std::uint32_t site, std::int64_t amount) { steps_[site] = amount; }
  void guard(std::uint32_t site, std::int64_t moving, std::int64_t other);
  struct Access {
    std::int64_t offset = 0;  // in the object, in bytes
    bool reads = false, writes = false;
    bool is_atomic = false;  // for all blocks
  };
  /// One to global memory, and whether it may matter to other blocks. `object` is its number in Objects::list().
  void access(std::uint32_t site, std::size_t object, const Access& access);
  void access_shared(std::uint32_t site);

  /// When next() gives nothing: whether no block touches what another one writes, unless both do it atomically.
  bool are_apart(const std::vector<Object>& objects) const;
  /// Then, of what the blocks write that were not watched: calls `write` with the object, the first byte, and how many.
  template <typename Write>
  void for_each_write(const Write& write) const;

 private:
  __extension__ using Wide = __int128;
  static constexpr Wide kFar = Wide{1} << 100;
  using Steps = std::array<std::int64_t, 3>;
  using Index = std::array<std::int64_t, 3>;
  /// How far a comparison was from coming out otherwise, of all the times that it was made.
  struct Guard {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of what moves
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    Wide above = kFar, below = kFar;  // the smallest differences from 0 to the other, more and less
    bool has_equal = false;
  };
  struct Run {
    std::int64_t begin = 0, end = 0;  // bytes of an object
  };
  /// What moves along in one object.
  struct Part {
    std::vector<Run> reads, writes;
    bool is_atomic = true;
  };
  using Place = std::pair<std::size_t, Steps>;  // the object, how it moves
  struct Way {
    std::int64_t number = 0;  // of the block that was watched
    Index block = {};
    std::map<std::uint32_t, Guard> guards;  // by site
    std::map<Place, Part> parts;
  };
  struct Limits {
    Wide least = -kFar, most = kFar;
  };
  struct Bits;
  struct Touched;

  Index index_of(std::int64_t block) const;
  std::optional<Steps> steps_of(std::uint32_t site) const;
  static Wide moved_by(const Steps& steps, const Index& from, const Index& to);
  static Limits limits_of(const ObservedSite& site, const Guard& guard);
  void finish_way();
  std::optional<std::vector<Touched>> nothing_touched(const std::vector<Object>& objects) const;

  const KernelInfo* kernel_ = nullptr;
  bool is_looking_ = false;
  Index grid_ = {};
  std::vector<std::optional<std::int64_t>> steps_;  // by site
  std::vector<Way> ways_;
  std::vector<std::uint8_t> way_of_;  // of each block, in ways_
  std::int64_t next_ = 0;             // all blocks before it have a way
  struct Recent {
    bool is_checked = false;
    std::size_t object = 0;
    Part* part = nullptr;
  };
  std::vector<Recent> recent_;  // by site, of the block that is being watched
};

template <typename Write>
void AlikeBlocks::for_each_write(const Write& write) const {
  for (std::size_t block = 0; block < way_of_.size(); ++block) {
    const Way& way = ways_[way_of_[block]];
    if (way.number == static_cast<std::int64_t>(block)) continue;
    const Index index = index_of(static_cast<std::int64_t>(block));
    for (const auto& [place, part] : way.parts) {
      const auto moved = static_cast<std::int64_t>(moved_by(place.second, way.block, index));
      for (const Run& run : part.writes) write(place.first, run.begin + moved, run.end - run.begin);
    }
  }
}

}  // namespace pykc::cpu
