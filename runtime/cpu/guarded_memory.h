// Memory that ends at a page which nobody may touch, so that a kernel that runs over the end of it stops there and does
// not write into what is somebody else's.
#pragma once

#include <cstdint>

namespace pykc::cpu {

/// What the memory of a block is aligned to, its shared and its scratch part.
inline constexpr std::int64_t kBlockAlignment = 64;

/// The memory of a block, its scratch and its shared part, kept from launch to launch.
class GuardedMemory {
 public:
  GuardedMemory() = default;
  ~GuardedMemory() { release(); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Makes room for so many bytes; what was there is lost. False if there is no memory.
  bool reserve(std::int64_t bytes);
  /// Memory of so many bytes, rounded up to kBlockAlignment, that ends at the guard. There is room for it.
  char* ending(std::int64_t bytes) const;

 private:
  void release();
  char* end_ = nullptr;
  std::int64_t bytes_ = 0;  // whole pages between the guards
};

/// `bytes` at an address that `alignment` divides, which ends, rounded up to the alignment, at a guard; null if there
/// is no memory. At least one byte.
char* allocate_guarded(std::int64_t bytes, std::int64_t alignment);
void free_guarded(char* memory, std::int64_t bytes, std::int64_t alignment);

}  // namespace pykc::cpu
