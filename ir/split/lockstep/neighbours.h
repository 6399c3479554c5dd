// How the memory that the threads of a row touch lies.
#pragma once

#include "ir/split/lockstep/growth.h"

namespace pykc::ir::split {

/// The memory that the threads of a row touch in a turn of a loop.
struct Accesses {
  bool have_neighbours = false;  // some, of global memory, are side by side
  bool are_spread = false;       // some are neither side by side nor all at one place …
  bool follow_turns = false;     // … but, in global memory, beside those of the same thread's next turn
};
Accesses accesses_of(const Instruction& loop, const Function& kernel, const Uniformity& uniformity,
                     UniformValues& values);

}  // namespace pykc::ir::split
