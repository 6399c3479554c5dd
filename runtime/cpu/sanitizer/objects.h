// The arrays of a launch, and whether what its threads did to each would be the same in another launch of that kind.
//
// An access whose place depends on data (ObservedSite::is_predictable) may have touched any element of its array. Had
// it touched another, nothing would be different as long as nothing in the array is written, as all accesses to it are
// atomic, or as a barrier stands between it and whatever else could be in its way. So it is for a place that depends on
// the block in a way that nobody follows (ObservedSite::is_alike), and for other blocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/types.h"
#include "runtime/cpu/sanitizer/clocks.h"
#include "runtime/cpu/sanitizer/unwritten.h"

namespace pykc::cpu {

/// For what something that is watched may stand: a launch for another of its kind, a block for one that goes its way.
enum Standing : std::uint8_t { kForLaunch, kForBlock };
inline constexpr std::size_t kStandings = 2;

/// What is known of the accesses to an object.
struct Doubt {
  Time last_read = 0, last_write = 0;  // plain or not, at places that are known
  Time last_doubtful_read = 0, last_doubtful_write = 0;
  bool is_there = false;
};

struct Object {
  std::uintptr_t begin = 0, end = 0;
  bool is_shared = false;
  std::string name;
  ArrayType type;                              // without its extents where these are the launch's
  std::vector<std::int64_t> extents, strides;  // strides, in elements, only of a strided array
  bool is_written = false;                     // by the kernel, as far as it can be told

  bool is_freed = false;  // its memory

  // Of an array of the device that is not wholly written.
  std::shared_ptr<UnwrittenMemory> unwritten = {};
  bool was_unwritten = false;        // all of it, when the launch began
  bool was_written = true;           // all of it, then
  std::uintptr_t first_written = 0;  // bytes that nobody had written before the launch
  bool is_read = false;

  // What has been done to it.
  bool is_shown = false;             // to code that tells of nothing
  std::uintptr_t written_bytes = 0;  // of a shared one, by the current block
  bool has_writes = false, has_plain = false;
  std::array<Doubt, kStandings> doubts = {};

  std::int64_t bytes() const { return static_cast<std::int64_t>(end - begin); }
  /// "part[3]".
  std::string element(std::uintptr_t address) const;
};

struct ArrayWatch;

class Objects {
 public:
  Objects() = default;
  /// Those of the parameters; shared ones come when it is known where they lie.
  Objects(const KernelInfo& kernel, const abi::CpuLaunch& launch);
  void set_shared_memory(const KernelInfo& kernel, const void* memory, std::int64_t bytes);

  /// Looks which arrays of the device are not wholly written, and which are gone.
  void look_up(ArrayWatch& watch);
  bool has_freed() const;

  /// For each of the arrays that are parameters: whether the launch has written all of it, when nobody had, and read
  /// nothing.
  std::vector<bool> filled() const;

  /// The object that holds an address; where several do, the first. Null where none does.
  Object* find(std::uintptr_t address);
  const Object* find(std::uintptr_t address) const { return const_cast<Objects*>(this)->find(address); }
  /// Whether memory of an array that the kernel writes is that of another, too.
  bool overlap() const { return overlap_; }
  std::vector<Object>& list() { return objects_; }
  const std::vector<Object>& list() const { return objects_; }

 private:
  std::vector<Object> objects_;
  std::size_t parameters_ = 0;  // objects that are no shared arrays
  bool overlap_ = false;
};

/// Takes all arrays that a kernel may write as written, with all of their memory.
void write_wholly(const KernelInfo& kernel, const abi::CpuLaunch& launch, UnwrittenArrays& unwritten);

}  // namespace pykc::cpu
