#include "driver/stack.h"

#include <llvm/Support/ProgramStack.h>
#include <pthread.h>

#include <new>

namespace pykc::driver {

namespace {

/// The lowest address of this thread's stack; 0 where it cannot be found out.
std::uintptr_t lowest_address() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) != 0) lowest = nullptr;
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest);
}

}  // namespace

bool has_stack() {
  thread_local std::uintptr_t lowest = 0;  // the main thread's would be read from a file each time
  if (lowest == 0) lowest = lowest_address();
  return lowest != 0 && llvm::getStackPointer() - lowest >= kStackBytes;
}

void run_on_own_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 4 * kStackBytes);
  const auto enter = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, enter, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::bad_alloc();
  pthread_join(thread, nullptr);
}

}  // namespace pykc::driver
