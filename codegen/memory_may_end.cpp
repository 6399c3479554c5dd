// LLVM is compiled without exceptions: one that passes it unlocks nothing, and says to nobody that the making of a
// static variable of a function has ended. Who locks or asks next would wait for ever. So the linker puts the functions
// below in place of those that do such things (`--wrap`, cmake/PykcTargets.cmake), in what is linked with LLVM alone:
// they note what a thread has begun, for MemoryMayEnd to take back.
#include <cxxabi.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "codegen/codegen.h"

namespace pykc::codegen {
namespace {

/// The threads on which a MemoryMayEnd stands, with the innermost of each. Every lock of the process's other threads
/// looks here: a thread_local variable would be asked for memory by the first of them, and end the program without.
struct Thread {
  std::atomic<pthread_t> id = 0;
  MemoryMayEnd* innermost = nullptr;
};
constinit std::array<Thread, 64> threads;
constinit std::atomic<int> standing = 0;

/// The entry whose thread is that; null where there is none.
Thread* find_thread(pthread_t id) {
  for (Thread& thread : threads)
    if (thread.id.load(std::memory_order_relaxed) == id) return &thread;
  return nullptr;
}

/// An entry for this thread; null where there are too many, and nothing is taken back on this one.
Thread* enter_thread() {
  if (Thread* const known = find_thread(pthread_self())) return known;
  for (Thread& thread : threads)
    if (pthread_t nobody = 0; thread.id.compare_exchange_strong(nobody, pthread_self())) return &thread;
  return nullptr;
}

MemoryMayEnd* innermost() {
  if (standing.load(std::memory_order_relaxed) == 0) return nullptr;
  const Thread* const thread = find_thread(pthread_self());
  return thread == nullptr ? nullptr : thread->innermost;
}

/// What report_bad_alloc_error() does where LLVM is compiled with exceptions.
void throw_bad_alloc(void*, const char*, bool) { throw std::bad_alloc(); }

}  // namespace

MemoryMayEnd::MemoryMayEnd() {
  static const bool done = [] {
    llvm::PassRegistry::getPassRegistry();  // that of pass_registry.cpp is linked where something here asks for it
    llvm::install_bad_alloc_error_handler(throw_bad_alloc);
    return true;
  }();
  static_cast<void>(done);
  if (Thread* const thread = enter_thread()) outer_ = std::exchange(thread->innermost, this);
  ++standing;
}

MemoryMayEnd::~MemoryMayEnd() {
  --standing;
  if (Thread* const thread = find_thread(pthread_self())) {
    thread->innermost = outer_;
    if (outer_ == nullptr) thread->id = 0;
  }
  while (count_ > 0) {
    const Begun& last = begun_[--count_];
    last.take_back(last.object);
  }
}

bool MemoryMayEnd::stands_here() { return innermost() != nullptr; }

void MemoryMayEnd::note_begun(void* object, void (*take_back)(void*)) {
  MemoryMayEnd* const here = innermost();
  if (here != nullptr && here->count_ < here->begun_.size()) here->begun_[here->count_++] = {object, take_back};
}

void MemoryMayEnd::note_ended(const void* object) {
  MemoryMayEnd* const here = innermost();
  if (here == nullptr) return;
  std::size_t place = here->count_;
  while (place > 0 && here->begun_[place - 1].object != object) --place;
  if (place == 0) return;
  for (--here->count_; place <= here->count_; ++place) here->begun_[place - 1] = here->begun_[place];
}

// --- Static variables of functions -----------------------------------------------------------------------------------

using Guard = ::abi::__guard;
extern "C" {

int acquire_guard(Guard* guard) asm("__real___cxa_guard_acquire");
void release_guard(Guard* guard) asm("__real___cxa_guard_release");
void give_up_guard(Guard* guard) asm("__real___cxa_guard_abort");

int acquire_guard_noting(Guard* guard) asm("__wrap___cxa_guard_acquire");
int acquire_guard_noting(Guard* guard) {
  const int is_ours = acquire_guard(guard);
  if (is_ours != 0) MemoryMayEnd::note_begun(guard, [](void* begun) { give_up_guard(static_cast<Guard*>(begun)); });
  return is_ours;
}
void release_guard_noting(Guard* guard) asm("__wrap___cxa_guard_release");
void release_guard_noting(Guard* guard) {
  MemoryMayEnd::note_ended(guard);
  release_guard(guard);
}
void give_up_guard_noting(Guard* guard) asm("__wrap___cxa_guard_abort");
void give_up_guard_noting(Guard* guard) {
  MemoryMayEnd::note_ended(guard);
  give_up_guard(guard);
}

// --- Locks -----------------------------------------------------------------------------------------------------------

int lock_mutex(pthread_mutex_t* mutex) asm("__real_pthread_mutex_lock");
int unlock_mutex(pthread_mutex_t* mutex) asm("__real_pthread_mutex_unlock");

int lock_mutex_noting(pthread_mutex_t* mutex) asm("__wrap_pthread_mutex_lock");
int lock_mutex_noting(pthread_mutex_t* mutex) {
  const int error = lock_mutex(mutex);
  const auto take_back = [](void* locked) { unlock_mutex(static_cast<pthread_mutex_t*>(locked)); };
  if (error == 0) MemoryMayEnd::note_begun(mutex, take_back);
  return error;
}
int unlock_mutex_noting(pthread_mutex_t* mutex) asm("__wrap_pthread_mutex_unlock");
int unlock_mutex_noting(pthread_mutex_t* mutex) {
  MemoryMayEnd::note_ended(mutex);
  return unlock_mutex(mutex);
}

// --- std::call_once --------------------------------------------------------------------------------------------------

int make_once(pthread_once_t* flag, void (*make)()) asm("__real_pthread_once");

/// The C library's own loads an unwinder for the first exception that passes it, and ends the program where there is no
/// memory for that.
int make_once_throwing(pthread_once_t* flag, void (*make)()) asm("__wrap_pthread_once");
int make_once_throwing(pthread_once_t* flag, void (*make)()) {
  if (!MemoryMayEnd::stands_here()) return make_once(flag, make);
  constexpr int kNotMade = PTHREAD_ONCE_INIT;
#ifdef __SANITIZE_THREAD__
  constexpr int kInTheMaking = 1 << 16, kMade = 1;  // of ThreadSanitizer, whose own function sees the same flags
#else
  constexpr int kInTheMaking = 1, kMade = 2;  // of the C library's
#endif
  const std::atomic_ref<int> state(*flag);
  const auto leave_as = [&](int how) {
    state.store(how);
    state.notify_all();
  };
  while (state.load() != kMade) {
    int found = kNotMade;
    if (!state.compare_exchange_strong(found, kInTheMaking)) {
      state.wait(kInTheMaking);
      continue;
    }
    try {
      make();
    } catch (...) {
      leave_as(kNotMade);
      throw;
    }
    leave_as(kMade);
  }
  return 0;
}

}  // extern "C"
}  // namespace pykc::codegen
