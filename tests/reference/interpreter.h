// A slow, plain interpreter of the IR: the oracle that compiled code is compared with.
//
//   std::vector<float> x(100, 1.0f);
//   reference::Outcome outcome = reference::run(module, *module.find("scale"), {.grid = {4}, .block = {32}},
//                                               {reference::bits_of(x.data()), reference::bits_of<std::int64_t>(100)});
//   EXPECT_TRUE(outcome.is_clean()) << outcome.error;
//
// It runs IR as lowering makes it, one thread at a time: a thread runs until it waits, and waiting threads go on when
// those that they wait for are there too, as CUDA defines it: `syncthreads` waits for every thread of the block that
// has not returned, a warp operation for the lanes of its mask. It also runs IR that has been through
// split_at_barriers, block by block, so that a kernel can be compared with its own split form.
//
// The same bits as on a device may be expected of everything but the functions of the math library (they come from
// the host's libm), atomics on floats (order) and racing kernels (which it finds when asked to). Addresses are the
// host's and are not checked. Local and shared arrays start as bytes of poison: nothing may depend on what they
// hold.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace pykc::reference {

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::int64_t launch_shared_bytes = 0;
  std::int64_t step_limit = 1'000'000'000;  // instructions, after which the run counts as endless
  bool last_thread_first = false;           // blocks and threads take turns from the last to the first
  unsigned char poison = 0xa5;              // each byte of memory that nobody has written yet
  bool find_races = false;                  // a race is an error; see races.h (not in a split kernel)
};

struct FaultReport {
  std::int64_t site = 0;  // index into Module::faults
  Dim3 block;
  Dim3 thread;
  std::array<std::int64_t, 9> values = {};
};

struct Outcome {
  std::optional<FaultReport> fault;  // the first; it ends the launch
  std::string error;                 // what CUDA leaves undefined: a barrier that not all reach, an endless wait
  std::string printed;
  bool is_clean() const { return !fault && error.empty(); }
};

/// `parameters`: the bits of each IR parameter of the kernel, in order; see bits_of.
Outcome run(const ir::Module& module, const ir::Function& kernel, const Launch& launch,
            const std::vector<std::uint64_t>& parameters);

/// A scalar or a pointer as a parameter.
template <typename T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace pykc::reference
