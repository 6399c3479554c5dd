// The arrays of a launch, and whether what its threads did to each would be the same in another launch of that kind.
//
// An access whose place depends on data (ObservedSite::is_predictable) may have touched any element of its array. Had
// it touched another, nothing would be different as long as nothing in the array is written, as all accesses to it are
// atomic, or as a barrier stands between it and whatever else could be in its way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/sanitizer/clocks.h"

namespace pykc::cpu {

struct Object {
  std::uintptr_t begin = 0, end = 0;
  bool is_shared = false;
  std::string name;
  ArrayType type;                              // without its extents where these are the launch's
  std::vector<std::int64_t> extents, strides;  // strides, in elements, only of a strided array
  bool is_written = false;                     // by the kernel, as far as it can be told

  // What has been done to it.
  std::uintptr_t written_bytes = 0;  // of a shared one, by the current block
  bool has_writes = false, has_plain = false, has_doubt = false;
  Time last_read = 0, last_write = 0;  // plain or not, at places that are the launch's
  Time last_doubtful_read = 0, last_doubtful_write = 0;

  /// "part[3]".
  std::string element(std::uintptr_t address) const;
};

class Objects {
 public:
  Objects() = default;
  /// Those of the parameters; shared ones come when it is known where they lie.
  Objects(const KernelInfo& kernel, const abi::CpuLaunch& launch);
  void set_shared_memory(const KernelInfo& kernel, const void* memory, std::int64_t bytes);

  /// The object that holds an address; where several do, the first. Null where none does.
  Object* find(std::uintptr_t address);
  const Object* find(std::uintptr_t address) const { return const_cast<Objects*>(this)->find(address); }
  /// Whether memory of an array that the kernel writes is that of another, too.
  bool overlap() const { return overlap_; }
  std::vector<Object>& list() { return objects_; }

 private:
  std::vector<Object> objects_;
  std::size_t parameters_ = 0;  // objects that are no shared arrays
  bool overlap_ = false;
};

}  // namespace pykc::cpu
