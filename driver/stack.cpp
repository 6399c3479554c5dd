#include "driver/stack.h"

#include <llvm/Support/ProgramStack.h>
#include <pthread.h>

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
  llvm::runOnNewStack(4 * kStackBytes, [&] { work(); });
}

}  // namespace pykc::driver
