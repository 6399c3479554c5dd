// Every block is a fiber: it runs on a stack of its own until it waits for the grid, when its thread goes on with
// another block. A round is over when every block waits or has ended; then the next begins. A thread has blocks of its
// own, which are in its cache, and goes on with those of threads that are behind or have not come. A block that has
// ended, by a fault perhaps, is waited for no longer, so a launch always comes to its end.
#include "runtime/cpu/cooperative.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace pykc::cpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // taken from the system page by page, as it is touched
constexpr std::size_t kGuardBytes = 4096;

/// Memory from the system, with a page before it that nobody may touch.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes + kGuardBytes) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    mprotect(memory, kGuardBytes, PROT_NONE);
    memory_ = static_cast<char*>(memory);
  }
  ~Pages() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* begin() const { return memory_ == nullptr ? nullptr : memory_ + kGuardBytes; }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_;
};

class Fiber;
/// The fiber that the current thread runs.
Fiber*& current() {
  thread_local Fiber* fiber = nullptr;
  return fiber;
}

/// One block: its stack, its memory, and where it stands.
class Fiber {
 public:
  Fiber(const BlockRun& run, std::int64_t block)
      : run_(run),
        block_(block),
        stack_(kStackBytes),
        memory_(static_cast<std::size_t>(round_up(run.shared_bytes, kBlockAlignment) + run.scratch_bytes)) {}

  bool has_memory() const { return stack_.begin() != nullptr && memory_.begin() != nullptr; }
  bool is_done() const { return is_done_; }

  /// Runs the block until it waits or ends.
  void run() {
    if (!has_started_) start();
    current() = this;
    swapcontext(&caller_, &context_);
    current() = nullptr;
  }
  /// On the fiber's own stack: gives the thread back.
  void wait() { swapcontext(&context_, &caller_); }

 private:
  void start() {
    has_started_ = true;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.begin();
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = &caller_;
    makecontext(&context_, enter, 0);
  }
  static void enter() {
    Fiber& fiber = *current();
    char* const shared = fiber.memory_.begin();
    fiber.run_.kernel(fiber.run_.launch, shared, shared + round_up(fiber.run_.shared_bytes, kBlockAlignment),
                      fiber.block_, fiber.block_ + 1);
    fiber.is_done_ = true;
  }

  const BlockRun& run_;
  const std::int64_t block_;
  const Pages stack_, memory_;
  ucontext_t context_, caller_;
  bool has_started_ = false;
  bool is_done_ = false;
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
    for (std::int64_t block = 0; block < run.blocks; ++block) fibers_.push_back(std::make_unique<Fiber>(run, block));
  }
  bool has_memory() const {
    return std::all_of(fibers_.begin(), fibers_.end(), [](const auto& fiber) { return fiber->has_memory(); });
  }
  void run() {
    while (left_.load(std::memory_order_relaxed) > 0) {
      for (std::size_t i = 0; i < shares_.size(); ++i) {
        shares_[i].next.store(fibers_.size() * i / shares_.size(), std::memory_order_relaxed);
        shares_[i].end = fibers_.size() * (i + 1) / shares_.size();
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
        if (block < share.end) run_block(*fibers_[block]);
      }
    }
  }
  void run_block(Fiber& fiber) {
    if (fiber.is_done()) return;
    fiber.run();
    if (fiber.is_done()) left_.fetch_sub(1, std::memory_order_relaxed);
  }

  ThreadPool& threads_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
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
