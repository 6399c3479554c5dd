// What the lanes of one warp did, put together to what the warp did.
//
// Lanes come one after the other. Two are together where they are at one place in the same turns of the loops around
// it, and were called from the same places: that is what the key of a moment says. Mostly a lane does what the one
// before it did, in the same order, so the moment behind the last one is looked at first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/cpu/costs/request.h"

namespace pykc::cpu {

/// Something that lanes of a warp do together.
struct Moment {
  std::uint64_t key = 0;
  std::uint32_t site = 0;
  std::uint32_t lanes = 0;
  std::uint32_t taken = 0;    // of a branch: lanes for which its condition holds
  std::int32_t request = -1;  // of an access: its place in WarpTrace::requests()
};

class WarpTrace {
 public:
  void clear();
  /// A lane begins, or goes on behind a barrier.
  void begin_lane() { next_ = 0; }
  /// Null where there is no room for more.
  Moment* at(std::uint64_t key, std::uint32_t site, std::uint32_t lane);
  Request& request_of(Moment& moment);

  const std::vector<Moment>& moments() const { return moments_; }
  const std::vector<Request>& requests() const { return requests_; }

 private:
  std::vector<Moment> moments_;
  std::vector<Request> requests_;
  std::unordered_map<std::uint64_t, std::size_t> by_key_;
  std::size_t next_ = 0;
};

/// Where a thread is: the blocks of code around it, each with the turn of its loop.
class Way {
 public:
  void clear();
  void enter(std::uint32_t site, std::uint16_t depth);
  void turn(std::uint32_t site, std::uint16_t depth);
  void call(std::uint32_t site, std::uint16_t depth);
  void return_from_call();
  /// Of a place in the block of code that is `depth` deep in its function.
  std::uint64_t key(std::uint32_t site, std::uint16_t depth) const;

 private:
  struct Block {
    std::uint64_t key;
    std::uint32_t site, turn;
  };
  void cut(std::size_t depth) { blocks_.resize(std::min(blocks_.size(), function_ + depth)); }
  std::uint64_t around() const { return blocks_.empty() ? 0 : blocks_.back().key; }

  std::vector<Block> blocks_;
  std::size_t function_ = 0;            // where the blocks of the current function begin
  std::vector<std::size_t> functions_;  // the same of those that called it
};

}  // namespace pykc::cpu
