#include "driver/stack.h"

#include <llvm/Support/ProgramStack.h>
#include <pthread.h>

namespace pykc::driver {

bool has_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return !is_known || llvm::getStackPointer() - reinterpret_cast<std::uintptr_t>(lowest) >= kStackBytes;
}

void run_on_own_stack(const std::function<void()>& work) {
  llvm::runOnNewStack(kStackBytes, [&] { work(); });
}

}  // namespace pykc::driver
