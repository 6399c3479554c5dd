// The state of a run: where each thread stands, what it has computed, and what the threads of a block share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "tests/reference/interpreter.h"
#include "tests/reference/races.h"

namespace pykc::reference {

/// Numbers the values and locals of a function, so that a frame keeps them in one vector.
class Numbering {
 public:
  explicit Numbering(const ir::Function& function);
  std::size_t of(const void* value_or_local) const { return numbers_.at(value_or_local); }
  std::size_t size() const { return size_; }

 private:
  std::unordered_map<const void*, std::size_t> numbers_;
  std::size_t size_ = 0;  // a Call takes as many numbers as it has results
};

/// A block being run, and the next instruction of it.
struct Place {
  const ir::Instruction* owner;  // null: the function's body
  const ir::Block* block;
  std::size_t position = 0;
};

/// A function being run.
struct Frame {
  const ir::Function* function;
  const Numbering* numbering;
  const ir::Instruction* call;  // in the caller; null for the kernel
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint64_t> values;
  std::vector<Place> places;  // innermost last
  // One a local array; of an array that is per_thread, those of all threads of the block, one after the other.
  std::vector<std::vector<std::byte>> local_arrays;
};

enum class ThreadState : std::uint8_t { Running, Waiting, Finished };

/// A thread of the block; of a split kernel, the one runner that takes the part of each thread in turn.
struct Thread {
  std::int64_t linear = 0;  // x fastest
  ThreadState state = ThreadState::Running;
  const ir::Instruction* waits_at = nullptr;  // a barrier or warp operation
  std::vector<Frame> frames;                  // innermost last
  Clock clock;
};

/// The shared arrays of a kernel and of all functions that it calls, for one block.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const ir::Function& kernel, const Launch& launch);
  std::uint64_t address(const ir::Function& function, std::int64_t index);
  std::uint64_t begin() const { return bits_of(bytes_.data()); }

 private:
  std::map<std::pair<const ir::Function*, std::int64_t>, std::size_t> offsets_;
  std::vector<std::max_align_t> bytes_;
};

/// What all threads of a block see.
struct BlockState {
  Dim3 index;
  std::size_t rank = 0;  // in its cluster
  SharedMemory shared;
  bool is_split = false;  // one runner, slots
  std::vector<Thread> threads;
  std::vector<std::vector<std::uint64_t>> slots;   // [slot][thread]
  std::map<std::uint64_t, std::uint64_t> arrived;  // threads at each named barrier that do not wait there
};

inline std::int64_t count(Dim3 extents) { return extents.x * extents.y * extents.z; }
Dim3 index_of(std::int64_t linear, Dim3 extents);

/// Eight bytes of it.
inline std::uint64_t poison_value(const Launch& launch) { return launch.poison * 0x0101010101010101u; }

}  // namespace pykc::reference
