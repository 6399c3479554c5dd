#include "tests/embedding/failing_heap.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

// glibc's own, which a program that has a malloc of its own may call.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace {

thread_local constinit long made = 0, live = 0;
thread_local constinit long until_failure = 0;
thread_local constinit bool fails_for_good = false, failed = false;
thread_local constinit long held = 0, most_held = 0, limit = -1;

/// Counts an allocation; whether it is to fail.
bool fails(std::size_t bytes) {
  ++made;
  if (limit >= 0 && held + static_cast<long>(bytes) > limit) return true;
  if (fails_for_good && failed) return true;
  if (until_failure == 0 || --until_failure > 0) return false;
  failed = true;
  return true;
}

void* given(void* memory) {
  if (memory == nullptr) return memory;
  ++live;
  held += static_cast<long>(malloc_usable_size(memory));
  most_held = std::max(most_held, held);
  return memory;
}

void taken_back(void* memory) {
  if (memory == nullptr) return;
  --live;
  held -= static_cast<long>(malloc_usable_size(memory));
}

void* refused() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) noexcept { return fails(bytes) ? refused() : given(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return fails(count * bytes) ? refused() : given(__libc_calloc(count, bytes));
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  if (fails(bytes)) return refused();
  taken_back(memory);
  return given(__libc_realloc(memory, bytes));
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return fails(bytes) ? refused() : given(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) noexcept {
  taken_back(memory);
  __libc_free(memory);
}
}

namespace pykc::testing {

void fail_allocation(long n, bool for_good) {
  until_failure = n;
  fails_for_good = for_good;
  failed = false;
}
bool has_failed() { return failed; }
void limit_memory(long bytes) {
  limit = bytes;
  held = most_held = 0;
}
long most_memory() { return most_held; }
long allocations() { return made; }
long live_allocations() { return live; }

}  // namespace pykc::testing
