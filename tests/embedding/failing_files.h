// Files that fail when they are told to. The system itself is made to hand every call about files back to this process
// (seccomp), so it does not matter who makes it: the standard library, LLVM, or libc for one of its own functions.
#pragma once

namespace pykc::testing {

/// What goes wrong, and with which calls.
enum class FileFault {
  Broken,         // all: EIO
  Full,           // those that write or make something: ENOSPC
  NoDescriptors,  // those that open: EMFILE
  Interrupted,    // those that a signal may interrupt: EINTR
  Short,          // those that read or write: half of what was asked for
};

/// From now on the process can make its calls fail; for good, and for all that it executes. False where the system does
/// not let it.
bool watch_file_calls();

/// The n-th call that the fault is of fails, from 1, and all such behind it where `for_good`; 0: none.
void fail_file_call(FileFault fault, long n, bool for_good);
/// The system's number of the call that has failed since then; -1 if none.
long failed_file_call();

}  // namespace pykc::testing
