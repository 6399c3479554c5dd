// Faults of kernels: from the record that a device fills to the error that a waiting call returns.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "pykc/kernel_abi.h"
#include "pykc/runtime.h"

namespace pykc::detail {

/// "saxpy.pyk:7: assert failed: n > 0, in kernel saxpy, block (0, 0, 0), thread (3, 0, 0)"
Error fault_error(const abi::FaultRecord& record, const std::vector<KernelInfo>& kernels);

/// Faults that have happened and that no waiting call has reported yet: the first of each stream.
class FaultLog {
 public:
  /// A null stream: every waiting call may report it.
  void add(const StreamState* stream, Error error);
  /// The first fault of `stream`, or of any stream for null; it is then forgotten.
  Result<void> take(const StreamState* stream);

 private:
  std::mutex mutex_;
  std::vector<std::pair<const StreamState*, Error>> faults_;
};

}  // namespace pykc::detail
