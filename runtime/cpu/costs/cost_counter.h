// Counts what a launch would cost a GPU (pykc/costs.h).
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pykc/costs.h"
#include "pykc/kernel_abi.h"
#include "runtime/cpu/costs/warp_trace.h"
#include "runtime/cpu/observer.h"
#include "runtime/cpu/sanitizer/objects.h"

namespace pykc::cpu {

class CostCounter final : public Observer {
 public:
  CostCounter(const KernelInfo& kernel, const abi::CpuLaunch& launch);
  /// Where the blocks that run now have their shared memory.
  void set_shared_memory(const void* memory, std::int64_t bytes);

  void observe(ThreadId thread, std::uint32_t site, const void* address, std::uint64_t value) override;
  void meet(std::uint32_t, abi::Meeting) override {}  // the threads come in their order again
  void lose_sight() override { has_lost_ = true; }

  /// The first block that is to be counted and not before `block`, or the number of blocks. As many are as take some
  /// hundredths of a second, spread evenly, the first and the last among them; how much one takes, the first shows.
  std::int64_t next_to_count(std::int64_t block) const;
  /// What was counted; false where the memory for that did not suffice.
  bool is_whole() const { return !has_lost_; }
  LaunchCosts take();

 private:
  /// What a site has cost, and how much of it was kept.
  struct SiteCosts {
    std::int64_t lanes_told = 0;
    std::int64_t warps = 0, lanes = 0, divergent = 0;
    AccessCosts access;
    bool distances_differ = false;  // between requests
    Object* object = nullptr;       // the last that it was at
  };
  struct OfArray {
    ArrayCosts costs;
    std::unordered_set<std::uintptr_t> in_block, in_grid;      // sectors
    std::unordered_map<std::uintptr_t, std::uint32_t> stored;  // a bit for each byte of a sector
  };
  void enter(ThreadId thread);
  void end_warp();
  void end_block();
  void add(const Moment& moment);
  void add_access(SiteCosts& costs, const ObservedSite& site, const Request& request);
  void add_to_array(OfArray& array, const ObservedSite& site, const Request& request, const Sectors& sectors);
  const Object* object_at(SiteCosts& costs, std::uintptr_t address);

  const KernelInfo& kernel_;
  LaunchCosts launch_;
  Objects objects_;
  std::vector<SiteCosts> sites_;
  std::vector<OfArray> arrays_;                     // as objects_, those of the parameters
  std::map<std::uint32_t, std::vector<Way>> ways_;  // of blocks that have not ended
  std::vector<Way>* ways_of_block_ = nullptr;
  WarpTrace trace_;
  ThreadId current_ = {};
  bool has_begun_ = false, has_lost_ = false;
  std::uint32_t threads_ = 0;    // of a block
  std::int64_t told_first_ = 0;  // by the first block
};

}  // namespace pykc::cpu
