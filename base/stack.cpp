#include "base/stack.h"

#include <pthread.h>

#include <cstdint>
#include <exception>
#include <new>

namespace pykc {
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
  return lowest != 0 && reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - lowest >= kStackBytes;
}

void run_on_own_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 4 * kStackBytes);
  struct Given {
    const std::function<void()>& work;
    std::exception_ptr thrown = nullptr;
  } given = {work};
  const auto enter = [](void* pointer) -> void* {
    Given& given = *static_cast<Given*>(pointer);
    try {
      given.work();
    } catch (...) {
      given.thrown = std::current_exception();
    }
    return nullptr;
  };
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, enter, &given);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::bad_alloc();
  pthread_join(thread, nullptr);
  if (given.thrown) std::rethrow_exception(given.thrown);
}

}  // namespace pykc
