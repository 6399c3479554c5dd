// The local arrays of threads, and which of their bytes have been written.
//
// One memory serves one thread after the other, one call of a function after the other. So an array begins with each of
// them, and holds nothing then.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/cpu/sanitizer/unwritten.h"

namespace pykc::cpu {

class LocalArrays {
 public:
  void clear();
  /// What was at these bytes has ended. `number` is the array's in WatchedKernel::local_arrays.
  void begin(std::uint32_t number, std::uintptr_t address, std::int64_t bytes);
  /// The array that holds an address; null: one that nobody has told of.
  UnwrittenMemory* find(std::uintptr_t address);

 private:
  std::map<std::uintptr_t, UnwrittenMemory> by_begin_;
  UnwrittenMemory* last_ = nullptr;  // that was found
};

}  // namespace pykc::cpu
