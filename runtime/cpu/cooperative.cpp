// Every block is a fiber: it runs on a stack of its own until it waits for the grid, when its thread goes on with
// another block. A round is over when every block waits or has ended; then the next begins. A thread has blocks of its
// own, which are in its cache, and goes on with those of threads that are behind or have not come. A block that has
// ended, by a fault perhaps, is waited for no longer, so a launch always comes to its end.
#include "runtime/cpu/cooperative.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cpu/fiber.h"
#include "runtime/cpu/warps.h"

namespace pykc::cpu {
namespace {

class Block;
/// The block that the current thread runs.
Block*& current() {
  thread_local Block* block = nullptr;
  return block;
}

/// One block, or a cluster of them: its stack, its memory, and where it stands.
class Block {
 public:
  Block(const BlockRun& run, std::int64_t number)
      : run_(run),
        number_(number),
        memory_(static_cast<std::size_t>((shared_bytes() + scratch_bytes()) * run.blocks_together())),
        has_memory_(fiber_.has_stack() && memory_.begin() != nullptr &&
                    (!has_warps() || warps_.prepare(*run.launch, run.cluster))) {
    fiber_.start([](void* block) { static_cast<Block*>(block)->enter(); }, this);
  }

  bool has_memory() const { return has_memory_; }
  bool is_done() const { return fiber_.is_done(); }

  /// Runs the block until it waits or ends.
  void run() {
    current() = this;
    fiber_.run();
    current() = nullptr;
  }
  /// On the block's own stack: gives the thread back.
  void wait() { fiber_.wait(); }

 private:
  bool has_warps() const { return run_.runs_warps_apart; }
  std::int64_t shared_bytes() const { return round_up(run_.shared_bytes, kBlockAlignment); }
  std::int64_t scratch_bytes() const { return round_up(run_.scratch_bytes, kBlockAlignment); }
  void enter() {
    char* const shared = memory_.begin();
    char* const scratch = shared + shared_bytes() * run_.blocks_together();
    if (has_warps())
      return warps_.run(run_.kernel, *run_.launch, {shared, scratch, shared_bytes(), scratch_bytes()}, number_);
    run_.kernel(run_.launch, shared, scratch, number_, number_ + 1);
  }

  const BlockRun& run_;
  const std::int64_t number_;
  Fiber fiber_;
  const Pages memory_;
  Warps warps_;
  const bool has_memory_;
};

/// The blocks of one thread in a round; the others take of them when they have none of their own.
struct alignas(64) Share {
  std::atomic<std::size_t> next;
  std::size_t end;
};

class CooperativeLaunch {
 public:
  CooperativeLaunch(const BlockRun& run, ThreadPool& threads)
      : threads_(threads),
        shares_(static_cast<std::size_t>(threads.size())),
        left_(static_cast<std::size_t>(run.blocks)) {
    for (std::int64_t block = 0; block < run.blocks; ++block) all_.push_back(std::make_unique<Block>(run, block));
  }
  bool has_memory() const {
    return std::all_of(all_.begin(), all_.end(), [](const auto& block) { return block->has_memory(); });
  }
  void run() {
    while (left_.load(std::memory_order_relaxed) > 0) {
      for (std::size_t i = 0; i < shares_.size(); ++i) {
        shares_[i].next.store(all_.size() * i / shares_.size(), std::memory_order_relaxed);
        shares_[i].end = all_.size() * (i + 1) / shares_.size();
      }
      threads_.run([this](int thread) { run_round(static_cast<std::size_t>(thread)); });
    }
  }

 private:
  void run_round(std::size_t thread) {
    const DefaultFloatingPoint floating_point;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(thread + i) % shares_.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t block = share.next.fetch_add(1, std::memory_order_relaxed);
        if (block < share.end) run_block(*all_[block]);
      }
    }
  }
  void run_block(Block& block) {
    if (block.is_done()) return;
    block.run();
    if (block.is_done()) left_.fetch_sub(1, std::memory_order_relaxed);
  }

  ThreadPool& threads_;
  std::vector<std::unique_ptr<Block>> all_;
  std::vector<Share> shares_;
  std::atomic<std::size_t> left_;  // blocks that have not ended
};

}  // namespace

Result<void> run_cooperative(const BlockRun& run, ThreadPool& threads) {
  CooperativeLaunch launch(run, threads);
  if (!launch.has_memory())
    return Error{ErrorCode::OutOfMemory,
                 "the host has no room for " + std::to_string(run.blocks) + " blocks that wait for one another"};
  launch.run();
  return {};
}

void wait_for_grid() { current()->wait(); }

}  // namespace pykc::cpu
