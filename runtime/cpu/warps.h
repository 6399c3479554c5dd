// Blocks whose warps wait for one another one by one (KernelInfo::runs_warps_apart), and clusters of such blocks.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"

namespace pykc::cpu {

/// The blocks of a cluster have their memory side by side.
struct ClusterMemory {
  char *shared, *scratch;
  std::int64_t shared_bytes, scratch_bytes;  // of a block, from one to the next
};

/// The warps of a cluster of blocks, most often of one, each on a stack of its own: they take turns on the thread that
/// runs the cluster. The stacks serve one cluster after the other.
class Warps {
 public:
  Warps();
  ~Warps();
  Warps(const Warps&) = delete;
  Warps& operator=(const Warps&) = delete;

  /// Makes room for the warps of the launch's clusters; false if there is no memory.
  bool prepare(const abi::CpuLaunch& launch, Dim3 cluster);
  /// Runs a cluster, by its number among those of the launch, until it ends, or the launch does. `prepare` has been
  /// called for the launch.
  void run(abi::CpuKernel kernel, const abi::CpuLaunch& launch, ClusterMemory memory, std::int64_t cluster);

  /// A place at which warps wait: a kernel's number and that of a fault site.
  struct Place {
    std::int32_t kernel, site;
  };
  // What a warp calls while it runs.
  std::int64_t sync_block(std::int64_t votes, Place place);
  void meet_at_barrier(bool waits, std::int32_t id, std::int32_t count, Place place);
  void meet_in_cluster(bool arrives, bool waits, Place place);
  void sync_grid();
  void wait_turn();
  // Of the block whose warp runs.
  std::int64_t rank() const;
  std::int64_t blocks() const { return std::ssize(blocks_); }
  char* memory_of(char* shared, std::int64_t rank) const;

 private:
  struct Warp;
  struct NamedBarrier {
    std::int64_t arrived = 0, count = 0;
  };
  static constexpr std::int32_t kBarriers = 16;

  struct Block {
    std::int64_t number = 0;
    std::int64_t living = 0;  // warps
    std::int64_t at_barrier = 0;
    std::int64_t votes = 0, result = 0;  // of the block's barrier: so far; of the last time that it was opened
    std::array<NamedBarrier, kBarriers> barriers = {};
  };
  enum class State : std::uint8_t { Runs, WaitsForBlock, WaitsAtBarrier, WaitsForCluster, WaitsForGrid, HasEnded };

  void start(std::int64_t cluster);
  void resume(Warp& warp);
  bool let_run();
  void end(Warp& warp);
  template <typename Which>
  void let_go_on(State waiting, Which which);
  void open_block_barrier(Block& block);
  void open_cluster_barrier();
  void open_grid_barrier();
  bool is_over() const;
  void wait(State how, Place place);
  void report(const Warp& warp, Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values);
  void fail(Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values);
  void report_endless_wait();
  bool has_changed() const;
  void note_progress();
  void look_for_endless_looking();

  std::vector<std::unique_ptr<Warp>> all_;  // as many as the largest cluster has had, block by block
  std::size_t count_ = 0;                   // of the cluster

  // The cluster that runs.
  abi::CpuKernel kernel_ = nullptr;
  const abi::CpuLaunch* launch_ = nullptr;
  ClusterMemory memory_ = {};
  Dim3 extents_;  // in blocks
  std::vector<Block> blocks_;
  Warp* current_ = nullptr;
  std::int64_t living_ = 0;
  std::int64_t in_cluster_ = 0;  // warps that have arrived at the cluster's barrier
  std::int64_t phase_ = 0;       // of that barrier
  std::int64_t at_grid_barrier_ = 0;
  // Rounds one after the other in which warps did nothing that is known here, but to call wait_turn; since when; and
  // shared memory, while it is compared, for so many rounds.
  std::int64_t idle_rounds_ = 0;
  std::chrono::steady_clock::time_point idle_since_;
  std::vector<char> seen_;
  std::int64_t compared_until_ = 0;
};

// What kernels call: abi::kBlockBarrierSymbol and so on, of the block that the current thread runs.
std::int64_t sync_block(std::int64_t votes, std::int32_t kernel, std::int32_t site);
void meet_at_barrier(std::int32_t waits, std::int32_t id, std::int32_t count, std::int32_t kernel, std::int32_t site);
void meet_in_cluster(std::int32_t arrives, std::int32_t waits, std::int32_t kernel, std::int32_t site);
std::int64_t rank_in_cluster();
std::int64_t blocks_of_cluster();
char* memory_in_cluster(char* shared, std::int64_t rank);
void wait_turn();
/// Also of blocks that run as a whole.
void sync_grid();

}  // namespace pykc::cpu
