// What threads of a block, a warp or the grid do together.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

void begin_shared_arrays(Writer& w);
void begin_grid_exchange(Writer& w);

/// The number of a block of the cluster.
std::string any_rank(Writer& w);
/// Waits for all that may have changed this block's shared memory.
void meet(Writer& w);

// ---- statements ----
void exchange_through_shared_memory(Writer& w);
void exchange_through_cluster(Writer& w);
void vote_in_block(Writer& w);
void exchange_in_warp(Writer& w);
void vote_in_warp(Writer& w);
void exchange_in_part_of_warp(Writer& w);
void exchange_through_grid(Writer& w);

}  // namespace pykc::random_test
