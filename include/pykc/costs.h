// What a launch costs a GPU, line by line, counted on the CPU device.
//
// A kernel that is compiled with CompileOptions::costs_for tells the CPU device which way each of its threads takes and
// what each of them accesses. The device puts the threads together to warps, as they come together on a GPU: lanes that
// are at one place in the same turns of the loops around it, called from the same place, run it together. So what is
// counted is what the source asks of a GPU: a compiler may merge two loads of one element, or keep it in a register.
//
//   options.costs_for = "sm_90";
//   Result<Artifact> artifact = compile(source, options);
//   device.set_cost_output([](const LaunchCosts& costs) { … });   // Device of the name "cpu"
//
// Of large grids some blocks are counted, spread evenly; the others run as they are. Numbers are those of the blocks
// that were counted: `scale()` is what to multiply them with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pykc/diagnostic.h"
#include "pykc/sanitize.h"
#include "pykc/types.h"

namespace [[gnu::visibility("default")]] pykc {

inline constexpr std::int64_t kSectorBytes = 32;  // what a GPU's caches and memory move at least

/// An access of the source, and how its warps made it. A request is one warp's access at one time.
struct AccessCosts {
  SourcePlace place = {};
  ObservedSite::Kind kind = ObservedSite::Kind::Load;
  bool is_shared = false;
  std::string array;          // its parameter or variable; empty where that is not known
  std::int64_t requests = 0;  // of warps
  std::int64_t issued = 0;    // requests, and those that no lane of a warp took part in: of a short branch on a GPU
  std::int64_t lanes = 0;     // of their threads
  std::int64_t bytes = 0;     // that a request's lanes want, each byte once
  // Of global memory.
  std::int64_t sectors = 0;          // that hold them
  std::int64_t ideal_sectors = 0;    // that would, if they lay side by side
  std::int64_t lines = 0;            // of 128 bytes, that hold the sectors: what an L1 cache looks up
  std::int64_t lanes_elsewhere = 0;  // that accessed no element of `array`
  // Of shared memory: passes through its 32 banks.
  std::int64_t wavefronts = 0;
  std::int64_t ideal_wavefronts = 0;
  /// Bytes from a lane's element to that of the next, where it is the same wherever it was looked at.
  std::optional<std::int64_t> lane_distance = std::nullopt;
  /// Of atomic accesses: lanes at the address where most of a request's meet.
  std::int64_t meeting_lanes = 0;
  bool is_atomic() const { return ObservedSite{.kind = kind}.is_atomic(); }
};

/// A branch, and how often some lanes of a warp went one way and some the other.
struct BranchCosts {
  SourcePlace place = {};
  std::int64_t warps = 0;
  std::int64_t divergent = 0;
};

/// Code of one line that runs from its beginning to its end.
struct CodeCosts {
  std::int64_t piece = 0;  // code of several lines that runs together has one number
  SourcePlace place = {};
  std::int64_t warps = 0;      // that ran it
  std::int64_t issued = 0;     // by these, and by those that a short branch lets issue it without a lane
  std::int64_t lanes = 0;      // threads that ran it
  int loops = 0;               // around it, in its function
  Operations operations = {};  // of one thread that runs it once
};

/// An array that the kernel was passed.
struct ArrayCosts {
  std::string name;
  std::int64_t bytes = 0;       // of the array
  std::int64_t bytes_read = 0;  // asked for by threads
  std::int64_t bytes_written = 0;
  std::int64_t sectors_read = 0;  // of requests
  std::int64_t sectors_written = 0;
  std::int64_t block_sectors = 0;    // of those read, each once in a block
  std::int64_t grid_sectors = 0;     // of all, each once in all blocks that were counted
  std::int64_t grid_pairs = 0;       // of sectors that lie side by side, of which one at least is among these
  std::int64_t stored_sectors = 0;   // of those, that were written
  std::int64_t partial_sectors = 0;  // of those, of which some bytes were not
};

struct LaunchCosts {
  KernelInfo kernel;  // with the code for the GPU, in `watched`
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;  // of a block
  std::int64_t blocks_counted = 0;
  std::vector<AccessCosts> accesses;
  std::vector<BranchCosts> branches;
  std::vector<CodeCosts> code;
  std::vector<ArrayCosts> arrays;

  std::int64_t blocks() const { return grid.x * grid.y * grid.z; }
  double scale() const {
    return blocks_counted == 0 ? 0 : static_cast<double>(blocks()) / static_cast<double>(blocks_counted);
  }
};

}  // namespace pykc
