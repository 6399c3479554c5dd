// Blocks whose warps wait for one another one by one (KernelInfo::runs_warps_apart).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pykc/kernel_abi.h"

namespace pykc::cpu {

/// The warps of a block, each on a stack of its own: they take turns on the thread that runs the block. The stacks
/// serve one block after the other.
class Warps {
 public:
  Warps();
  ~Warps();
  Warps(const Warps&) = delete;
  Warps& operator=(const Warps&) = delete;

  /// Makes room for the warps of the launch's blocks; false if there is no memory.
  bool prepare(const abi::CpuLaunch& launch);
  /// Runs a block until it ends, or the launch does. `prepare` has been called for the launch.
  void run(abi::CpuKernel kernel, const abi::CpuLaunch& launch, char* shared, char* scratch, std::int64_t block);

  /// A place at which warps wait: a kernel's number and that of a fault site.
  struct Place {
    std::int32_t kernel, site;
  };
  // What a warp calls while it runs.
  std::int64_t sync_block(std::int64_t votes, Place place);
  void meet_at_barrier(bool waits, std::int32_t id, std::int32_t count, Place place);
  void sync_grid();
  void wait_turn();

 private:
  struct Warp;
  struct NamedBarrier {
    std::int64_t arrived = 0, count = 0;
  };
  static constexpr std::int32_t kBarriers = 16;

  void start();
  void resume(Warp& warp);
  bool let_run();
  void end(Warp& warp);
  void open_block_barrier();
  void open_grid_barrier();
  bool is_over() const;
  void wait(Place place);
  void report(const Warp& warp, Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values);
  void fail(Place place, abi::BarrierFault what, std::array<std::int64_t, 3> values);
  void report_endless_wait();

  std::vector<std::unique_ptr<Warp>> all_;  // as many as the largest block has had
  std::size_t count_ = 0;                   // of the block

  // The block that runs.
  abi::CpuKernel kernel_ = nullptr;
  const abi::CpuLaunch* launch_ = nullptr;
  char *shared_ = nullptr, *scratch_ = nullptr;
  std::int64_t block_ = 0;
  Warp* current_ = nullptr;
  std::int64_t living_ = 0;
  std::int64_t at_block_barrier_ = 0, at_grid_barrier_ = 0;
  std::int64_t votes_ = 0, result_ = 0;  // of the block's barrier: so far; of the last time that it was opened
  std::array<NamedBarrier, kBarriers> barriers_;
};

// What kernels call: abi::kBlockBarrierSymbol and so on, of the block that the current thread runs.
std::int64_t sync_block(std::int64_t votes, std::int32_t kernel, std::int32_t site);
void meet_at_barrier(std::int32_t waits, std::int32_t id, std::int32_t count, std::int32_t kernel, std::int32_t site);
void wait_turn();
/// Also of blocks that run as a whole.
void sync_grid();

}  // namespace pykc::cpu
