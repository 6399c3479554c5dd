#include "runtime/cpu/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "pykc/types.h"
#include "runtime/cpu/processor.h"

namespace pykc::cpu {
namespace {

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

/// Whole pages between two guards; gives their end, or null.
char* map_pages(std::int64_t bytes) {
  const std::int64_t guard = page_bytes();
  if (bytes > memory_bytes()) return nullptr;
  const auto all = static_cast<std::size_t>(bytes + 2 * guard);
  void* const memory = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory) + guard;
  if (mprotect(begin, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) == 0) return begin + bytes;
  munmap(memory, all);
  return nullptr;
}

void unmap_pages(char* end, std::int64_t bytes) {
  munmap(end - bytes - page_bytes(), static_cast<std::size_t>(bytes + 2 * page_bytes()));
}

}  // namespace

bool GuardedMemory::reserve(std::int64_t bytes) {
  if (bytes <= bytes_) return true;
  release();
  const std::int64_t pages = round_up(bytes, page_bytes());
  end_ = map_pages(pages);
  bytes_ = end_ == nullptr ? 0 : pages;
  return end_ != nullptr;
}

char* GuardedMemory::ending(std::int64_t bytes) const {
  return bytes == 0 ? end_ : end_ - round_up(bytes, kBlockAlignment);
}

void GuardedMemory::release() {
  if (end_ != nullptr) unmap_pages(end_, bytes_);
  end_ = nullptr;
  bytes_ = 0;
}

char* allocate_guarded(std::int64_t bytes, std::int64_t alignment) {
  const std::int64_t rounded = round_up(bytes, alignment);
  char* const end = map_pages(round_up(rounded, page_bytes()));
  return end == nullptr ? nullptr : end - rounded;
}

void free_guarded(char* memory, std::int64_t bytes, std::int64_t alignment) {
  const std::int64_t rounded = round_up(bytes, alignment);
  unmap_pages(memory + rounded, round_up(rounded, page_bytes()));
}

}  // namespace pykc::cpu
