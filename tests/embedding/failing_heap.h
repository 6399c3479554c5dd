// A heap that fails when it is told to: malloc and its kin of the whole program, LLVM's and the standard library's too.
#pragma once

namespace pykc::testing {

/// From now on the n-th allocation of this thread fails, from 1, and all behind it where `for_good`; 0: none.
void fail_allocation(long n, bool for_good);
/// Whether one has failed since then.
bool has_failed();
/// From now on this thread may hold so many bytes more than now, and allocations fail that would be beyond; negative:
/// as many as it likes.
void limit_memory(long bytes);
/// How many more it has held at a time since then.
long most_memory();
/// Allocations of this thread since it started, and how many of them are not freed yet.
long allocations();
long live_allocations();

}  // namespace pykc::testing
