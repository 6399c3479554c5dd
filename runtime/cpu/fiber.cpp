// swapcontext asks the system for the signals that are blocked, twice a switch, which takes longer than all else. So
// where the compiler's checks of memory and threads need not follow, a few instructions switch. What they need not
// keep: all but what a function keeps for its caller, and the modes of floating point, which kernels do not change.
#include "runtime/cpu/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define PYKC_SWITCHES_ARE_FOLLOWED
#endif
#if __has_feature(thread_sanitizer)
#define PYKC_SWITCHES_ARE_TOLD
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
#define PYKC_SWITCHES_ARE_FOLLOWED
#endif
#ifdef __SANITIZE_THREAD__
#define PYKC_SWITCHES_ARE_TOLD
#endif

#ifdef PYKC_SWITCHES_ARE_TOLD
#define PYKC_SWITCHES_ARE_FOLLOWED
#include <sanitizer/tsan_interface.h>
#endif

namespace pykc::cpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;

}  // namespace

Pages::Pages(std::size_t bytes) : bytes_(bytes + kGuardBytes) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  mprotect(memory, kGuardBytes, PROT_NONE);
  memory_ = static_cast<char*>(memory);
}

Pages::~Pages() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

#ifdef PYKC_SWITCHES_ARE_FOLLOWED

namespace {

/// The compiler's checks of threads do not see that another stack goes on.
#ifdef PYKC_SWITCHES_ARE_TOLD
class ThreadChecks {
 public:
  ThreadChecks() = default;
  ~ThreadChecks() { replace(nullptr); }
  ThreadChecks(const ThreadChecks&) = delete;
  ThreadChecks& operator=(const ThreadChecks&) = delete;
  void start() { replace(__tsan_create_fiber(0)); }
  void enter() {
    caller_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_, 0);
  }
  void leave() { __tsan_switch_to_fiber(caller_, 0); }

 private:
  void replace(void* stack) {
    if (own_ != nullptr) __tsan_destroy_fiber(own_);
    own_ = stack;
  }
  void *own_ = nullptr, *caller_ = nullptr;
};
#else
struct ThreadChecks {
  void start() {}
  void enter() {}
  void leave() {}
};
#endif

}  // namespace

struct Fiber::Contexts {
  ucontext_t own, caller;
  ThreadChecks checks;
};

void Fiber::start(Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  is_done_ = false;
  contexts_->checks.start();
  getcontext(&contexts_->own);
  contexts_->own.uc_stack.ss_sp = stack_.begin();
  contexts_->own.uc_stack.ss_size = kStackBytes;
  // It takes arguments of the size of an int.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  const auto begin = [](unsigned low, unsigned high) {
    enter(reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low));
  };
  void (*const with_halves)(unsigned, unsigned) = begin;
  makecontext(&contexts_->own, reinterpret_cast<void (*)()>(with_halves), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(self >> 32));
}

void Fiber::run() {
  contexts_->checks.enter();
  swapcontext(&contexts_->caller, &contexts_->own);
}

void Fiber::wait() {
  contexts_->checks.leave();
  swapcontext(&contexts_->own, &contexts_->caller);
}

#else

namespace {

/// Leaves the stack, whose pointer goes to `from`, for the one whose pointer is `to`; returns there.
[[gnu::naked, gnu::noinline]] void switch_stacks([[maybe_unused]] void** from, [[maybe_unused]] void* to) {
  asm("pushq %rbp\n"
      "pushq %rbx\n"
      "pushq %r12\n"
      "pushq %r13\n"
      "pushq %r14\n"
      "pushq %r15\n"
      "movq %rsp, (%rdi)\n"
      "movq %rsi, %rsp\n"
      "popq %r15\n"
      "popq %r14\n"
      "popq %r13\n"
      "popq %r12\n"
      "popq %rbx\n"
      "popq %rbp\n"
      "popq %rcx\n"  // a return would go where the processor does not expect it
      "jmp *%rcx");
}

/// What a new stack returns to: calls r13 with r12.
[[gnu::naked]] void begin() {
  asm("movq %r12, %rdi\n"
      "jmp *%r13");
}

}  // namespace

struct Fiber::Contexts {
  void *own, *caller;  // pointers into stacks
};

void Fiber::start(Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  is_done_ = false;
  // As switch_stacks leaves it, and as a call does: the place to return to, here none, stands 8 bytes off a multiple of
  // 16.
  struct Frame {
    std::uintptr_t r15, r14, r13, r12, rbx, rbp, next, nowhere;
  };
  static_assert(sizeof(Frame) % 16 == 0 && kStackBytes % 16 == 0);
  auto* const frame = reinterpret_cast<Frame*>(stack_.begin() + kStackBytes) - 1;
  *frame = {};
  frame->r12 = reinterpret_cast<std::uintptr_t>(this);
  frame->r13 = reinterpret_cast<std::uintptr_t>(enter);
  frame->next = reinterpret_cast<std::uintptr_t>(begin);
  contexts_->own = frame;
}

void Fiber::run() { switch_stacks(&contexts_->caller, contexts_->own); }
void Fiber::wait() { switch_stacks(&contexts_->own, contexts_->caller); }

#endif

void Fiber::enter(Fiber* fiber) {
  fiber->function_(fiber->argument_);
  fiber->is_done_ = true;
  fiber->wait();
}

Fiber::Fiber() : stack_(kStackBytes), contexts_(std::make_unique<Contexts>()) {}
Fiber::~Fiber() = default;

}  // namespace pykc::cpu
