// Every block is a fiber: it runs on a stack of its own until it waits for the grid, when its thread goes on with its
// next block. A thread whose blocks all wait or have ended meets the other threads at a barrier; then a new round
// begins. A block that has ended, by a fault perhaps, is waited for no longer, so a launch always comes to its end.
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

using Fibers = std::vector<std::unique_ptr<Fiber>>;

/// What the threads of a cooperative launch share.
struct Team {
  Fibers fibers;
  std::atomic<std::int64_t> left;  // blocks that have not ended
  std::atomic<std::size_t> threads = 0;
};

/// Rounds until no block of any thread is left. Each thread keeps its own blocks from round to round.
void run_rounds(Team& team) {
  const DefaultFloatingPoint floating_point;
  const std::size_t first = team.threads.fetch_add(1);
#pragma omp barrier
  const std::size_t step = team.threads.load();
  while (team.left.load() > 0) {
#pragma omp barrier
    for (std::size_t i = first; i < team.fibers.size(); i += step) {
      Fiber& fiber = *team.fibers[i];
      if (fiber.is_done()) continue;
      fiber.run();
      if (fiber.is_done()) team.left.fetch_sub(1);
    }
#pragma omp barrier
  }
}

}  // namespace

Result<void> run_cooperative(const BlockRun& run) {
  Team team{.fibers = {}, .left = run.blocks};
  for (std::int64_t block = 0; block < run.blocks; ++block) {
    team.fibers.push_back(std::make_unique<Fiber>(run, block));
    if (!team.fibers.back()->has_memory())
      return Error{ErrorCode::OutOfMemory,
                   "the host has no room for " + std::to_string(run.blocks) + " blocks that wait for one another"};
  }
#pragma omp parallel num_threads(static_cast <int>(std::min <std::int64_t>(worker_count(), run.blocks)))
  run_rounds(team);
  return {};
}

void wait_for_grid() { current()->wait(); }

}  // namespace pykc::cpu
