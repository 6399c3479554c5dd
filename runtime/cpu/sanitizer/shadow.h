// Who has touched each element of memory last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/cpu/sanitizer/clocks.h"

namespace pykc::cpu {

struct Access {
  Time time = 0;  // 0: there is none
  std::uint32_t block = 0;
  std::uint32_t thread : 10 = 0;
  std::uint32_t site : 22 = 0;
  bool is_there() const { return time != 0; }
  ThreadId by() const { return {block, thread}; }
};

/// An element is a granule: as many bytes as the smallest access of the kernel.
struct Cell {
  Access write;                            // the last that is not atomic
  Access atomic;                           // the last atomic write since, or before
  Access read;                             // the last since, or before
  std::uint32_t others : 30 = 0;           // in Shadow::others(): further ones, unknown to one another; 0: none
  std::uint32_t has_other_writes : 1 = 0;  // among these
  std::uint32_t is_write_last : 1 = 0;     // what is kept of atomic writes and reads was before it
};

class Shadow {
 public:
  /// The cell of the granule at an address; null where no memory is left for more of them.
  Cell* at(std::uintptr_t address) {
    const std::uintptr_t number = address / kPageBytes;
    Recent& recent = recent_[number % kRecent];
    if (recent.number != number && !find_page(number, recent)) return nullptr;
    return &recent.cells[(address % kPageBytes) / granule_];
  }
  /// Forgets everything.
  void set_granule(std::uint32_t bytes);
  std::uint32_t granule() const { return granule_; }
  /// Valid until others of another cell are asked for.
  std::vector<Access>& others(Cell& cell);
  /// Whether accesses went unseen for want of memory.
  bool is_full() const { return is_full_; }

 private:
  static constexpr std::uintptr_t kPageBytes = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 30;

  static constexpr std::size_t kRecent = 256;
  struct Recent {
    std::uintptr_t number = ~std::uintptr_t{0};
    Cell* cells = nullptr;
  };
  bool find_page(std::uintptr_t number, Recent& recent);

  std::uint32_t granule_ = 4;
  std::array<Recent, kRecent> recent_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Cell[]>> pages_;
  std::vector<std::vector<Access>> others_ = std::vector<std::vector<Access>>(1);
  bool is_full_ = false;
};

}  // namespace pykc::cpu
